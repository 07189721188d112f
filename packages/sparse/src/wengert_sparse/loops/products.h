/* Products of a sparse matrix and a dense one of contiguous rows.
 *
 * Column numbers are compared with the size as they are read: who gave them may not have been asked to check them. A
 * loop that meets one outside returns 1 and has read nothing there.
 */
#ifndef WENGERT_SPARSE_PRODUCTS_H
#define WENGERT_SPARSE_PRODUCTS_H

#include "wengert_core/kernels/simd.h"

#define WG_VECTOR_OF(T) T __attribute__((vector_size(64), aligned(sizeof(T)), may_alias))
enum { WG_VECTORS = 4 };                   /* of 64 bytes: what a row of the result has in registers */

/* Rows begin .. end of the product: the elements of row r are pointers[r] .. pointers[r + 1]. */
#define WG_ROWS_TIMES_DENSE(NAME, T, I)                                                                               \
    WG_CLONES static int NAME(wg_ssize begin, wg_ssize end, const I *pointers, const I *columns, const T *values,     \
                              const T *dense, wg_ssize n_columns, wg_ssize width, T *product) {                       \
        typedef WG_VECTOR_OF(T) vector;                                                                               \
        enum { LANES = 64 / sizeof(T), TILE = WG_VECTORS * LANES };                                                   \
        for (wg_ssize r = begin; r < end; r++) {                                                                      \
            T *out = product + r * width;                                                                             \
            const wg_ssize first = (wg_ssize)pointers[r], last = (wg_ssize)pointers[r + 1];                           \
            wg_ssize j = 0;                                                                                           \
            for (; j + TILE <= width; j += TILE) {                                                                    \
                vector a = {0}, b = {0}, c = {0}, d = {0};                                                            \
                for (wg_ssize p = first; p < last; p++) {                                                             \
                    const uint64_t column = (uint64_t)(int64_t)columns[p];                                            \
                    if (column >= (uint64_t)n_columns) return 1;                                                      \
                    const T *row = dense + (wg_ssize)column * width + j;                                              \
                    const T value = values[p];                                                                        \
                    a += value * *(const vector *)row;                                                                \
                    b += value * *(const vector *)(row + LANES);                                                      \
                    c += value * *(const vector *)(row + 2 * LANES);                                                  \
                    d += value * *(const vector *)(row + 3 * LANES);                                                  \
                }                                                                                                     \
                *(vector *)(out + j) = a;                                                                             \
                *(vector *)(out + j + LANES) = b;                                                                     \
                *(vector *)(out + j + 2 * LANES) = c;                                                                 \
                *(vector *)(out + j + 3 * LANES) = d;                                                                 \
            }                                                                                                         \
            for (; j + LANES <= width; j += LANES) {                                                                  \
                vector a = {0};                                                                                       \
                for (wg_ssize p = first; p < last; p++) {                                                             \
                    const uint64_t column = (uint64_t)(int64_t)columns[p];                                            \
                    if (column >= (uint64_t)n_columns) return 1;                                                      \
                    a += values[p] * *(const vector *)(dense + (wg_ssize)column * width + j);                         \
                }                                                                                                     \
                *(vector *)(out + j) = a;                                                                             \
            }                                                                                                         \
            if (j == width) continue;                                                                                 \
            for (wg_ssize k = j; k < width; k++) out[k] = 0;                                                          \
            for (wg_ssize p = first; p < last; p++) {                                                                 \
                const uint64_t column = (uint64_t)(int64_t)columns[p];                                                \
                if (column >= (uint64_t)n_columns) return 1;                                                          \
                const T *row = dense + (wg_ssize)column * width;                                                      \
                const T value = values[p];                                                                            \
                for (wg_ssize k = j; k < width; k++) out[k] += value * row[k];                                        \
            }                                                                                                         \
        }                                                                                                             \
        return 0;                                                                                                     \
    }
WG_ROWS_TIMES_DENSE(wg_rows_times_dense_f32_i32, float, int32_t)
WG_ROWS_TIMES_DENSE(wg_rows_times_dense_f32_i64, float, int64_t)
WG_ROWS_TIMES_DENSE(wg_rows_times_dense_f64_i32, double, int32_t)
WG_ROWS_TIMES_DENSE(wg_rows_times_dense_f64_i64, double, int64_t)

/* The product of elements in any order, added to ``product`` (n_rows, width). */
#define WG_ELEMENTS_TIMES_DENSE(NAME, T)                                                                              \
    static int NAME(wg_ssize count, const int64_t *rows, const int64_t *columns, const T *values, const T *dense,     \
                    wg_ssize n_rows, wg_ssize n_columns, wg_ssize width, T *product) {                                \
        for (wg_ssize p = 0; p < count; p++) {                                                                        \
            if ((uint64_t)rows[p] >= (uint64_t)n_rows || (uint64_t)columns[p] >= (uint64_t)n_columns) return 1;       \
            T *out = product + rows[p] * width;                                                                       \
            const T *row = dense + columns[p] * width;                                                                \
            const T value = values[p];                                                                                \
            for (wg_ssize k = 0; k < width; k++) out[k] += value * row[k];                                            \
        }                                                                                                             \
        return 0;                                                                                                     \
    }
WG_ELEMENTS_TIMES_DENSE(wg_elements_times_dense_f32, float)
WG_ELEMENTS_TIMES_DENSE(wg_elements_times_dense_f64, double)

/* The products of chosen rows of a (n_rows, width) and b (n_columns, width). */
#define WG_SAMPLED_PRODUCT(NAME, T)                                                                                   \
    WG_CLONES static int NAME(wg_ssize begin, wg_ssize end, const int64_t *rows, const int64_t *columns, const T *a,  \
                              const T *b, wg_ssize n_rows, wg_ssize n_columns, wg_ssize width, T *products) {         \
        typedef WG_VECTOR_OF(T) vector;                                                                               \
        enum { LANES = 64 / sizeof(T) };                                                                              \
        for (wg_ssize p = begin; p < end; p++) {                                                                      \
            if ((uint64_t)rows[p] >= (uint64_t)n_rows || (uint64_t)columns[p] >= (uint64_t)n_columns) return 1;       \
            const T *x = a + rows[p] * width, *y = b + columns[p] * width;                                            \
            vector sums = {0};                                                                                        \
            T sum = 0;                                                                                                \
            wg_ssize k = 0;                                                                                           \
            for (; k + LANES <= width; k += LANES) sums += *(const vector *)(x + k) * *(const vector *)(y + k);       \
            for (int lane = 0; lane < LANES; lane++) sum += sums[lane];                                               \
            for (; k < width; k++) sum += x[k] * y[k];                                                                \
            products[p] = sum;                                                                                        \
        }                                                                                                             \
        return 0;                                                                                                     \
    }
WG_SAMPLED_PRODUCT(wg_sampled_product_f32, float)
WG_SAMPLED_PRODUCT(wg_sampled_product_f64, double)

/* The first element of each row, (n_rows + 1). Returns 0 where an index is outside, 1 for rows in any order, 2 where
   they ascend. */
static int wg_row_pointers(const int64_t *rows, wg_ssize count, wg_ssize n_rows, int64_t *pointers) {
    int outside = 0, unsorted = 0;
    memset(pointers, 0, (size_t)(n_rows + 1) * sizeof(int64_t));
    for (wg_ssize p = 0; p < count; p++) {
        if ((uint64_t)rows[p] >= (uint64_t)n_rows) {
            outside = 1;
            break;
        }
        unsorted |= p > 0 && rows[p] < rows[p - 1];
        pointers[rows[p] + 1]++;
    }
    for (wg_ssize r = 0; r < n_rows; r++) pointers[r + 1] += pointers[r];
    return outside ? 0 : unsorted ? 1 : 2;
}

/* Put the columns and values of elements in the order of their rows; pointers is that of wg_row_pointers, and again
   when this returns. */
#define WG_SORT_BY_ROWS(NAME, T)                                                                                      \
    static void NAME(const int64_t *rows, const int64_t *columns, const T *values, wg_ssize count, wg_ssize n_rows,   \
                     int64_t *pointers, int64_t *sorted_columns, T *sorted_values) {                                  \
        for (wg_ssize p = 0; p < count; p++) {                                                                        \
            const int64_t to = pointers[rows[p]]++;                                                                   \
            sorted_columns[to] = columns[p];                                                                          \
            sorted_values[to] = values[p];                                                                            \
        }                                                                                                             \
        for (wg_ssize r = n_rows; r > 0; r--) pointers[r] = pointers[r - 1];                                          \
        pointers[0] = 0;                                                                                              \
    }
WG_SORT_BY_ROWS(wg_sort_by_rows_f32, float)
WG_SORT_BY_ROWS(wg_sort_by_rows_f64, double)

/* Whether row pointers begin at 0, do not descend and end at count. */
#define WG_ARE_POINTERS(NAME, I)                                                                                      \
    static int NAME(const I *pointers, wg_ssize n_rows, wg_ssize count) {                                             \
        int wrong = pointers[0] != 0 || (wg_ssize)pointers[n_rows] != count;                                          \
        for (wg_ssize r = 0; r < n_rows; r++) wrong |= pointers[r] > pointers[r + 1];                                 \
        return !wrong;                                                                                                \
    }
WG_ARE_POINTERS(wg_are_pointers_i32, int32_t)
WG_ARE_POINTERS(wg_are_pointers_i64, int64_t)

#endif
