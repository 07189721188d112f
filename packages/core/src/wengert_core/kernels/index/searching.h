/* Places of values in sorted rows of boundaries, by binary search. Included by drivers/index/bins.pyx only.
 *
 * A value goes before the first boundary that is not less (right: that is larger). It does not go before a NaN, and NaN
 * goes last. Several values are searched for abreast, each in as many steps, and no branch depends on what is compared:
 * half of them would be foretold wrongly.
 */
#ifndef WENGERT_SEARCHING_H
#define WENGERT_SEARCHING_H

#include "wengert_core/kernels/dtypes.h"

#define WG_ABREAST 4 /* searches */

typedef struct {
    int code, right;
    Py_ssize_t n, share; /* boundaries of a row, values that have a row; 0: all have the one */
    const char *boundaries, *values;
    int64_t *found;
} wg_searching;

#define WG_SEARCH(NAME, T) \
    static void NAME(const wg_searching *t, Py_ssize_t begin, Py_ssize_t end) { \
        const int right = t->right; \
        const T *values = (const T *)t->values, *all = (const T *)t->boundaries; \
        for (Py_ssize_t i = begin; i < end; i += WG_ABREAST) { \
            const T *row[WG_ABREAST]; \
            T wanted[WG_ABREAST]; \
            Py_ssize_t low[WG_ABREAST], high[WG_ABREAST], open = t->n; \
            for (int k = 0; k < WG_ABREAST; k++) { \
                const Py_ssize_t place = i + k < end ? i + k : i; \
                row[k] = all + (t->share ? place / t->share * t->n : 0); \
                wanted[k] = values[place]; \
                low[k] = 0; \
                high[k] = t->n; \
            } \
            for (; open > 0; open >>= 1) { \
                for (int k = 0; k < WG_ABREAST; k++) { \
                    const Py_ssize_t half = (low[k] + high[k]) / 2, middle = half < t->n ? half : t->n - 1; \
                    const T at = row[k][middle]; \
                    const int before = right ? at > wanted[k] : at >= wanted[k]; \
                    const Py_ssize_t after = -(Py_ssize_t)(!before & (low[k] < high[k])); \
                    low[k] += after & (half + 1 - low[k]); \
                    high[k] = (after & high[k]) | (~after & half); \
                } \
            } \
            for (int k = 0; k < WG_ABREAST && i + k < end; k++) t->found[i + k] = low[k]; \
        } \
    }
WG_SEARCH(wg_search_i64, int64_t)
WG_SEARCH(wg_search_f32, float)
WG_SEARCH(wg_search_f64, double)

static void wg_search(Py_ssize_t begin, Py_ssize_t end, void *ctx) {
    const wg_searching *t = (const wg_searching *)ctx;
    if (t->code == WG_F32) wg_search_f32(t, begin, end);
    else if (t->code == WG_F64) wg_search_f64(t, begin, end);
    else wg_search_i64(t, begin, end);
}

#endif
