/* Loops over the rows of row-major matrices: a column times a row, and a row added to each row. Included by
 * drivers/linalg/outer.pyx and product_launch.pyx only. Steps are in bytes.
 */
#ifndef WENGERT_ROWS_H
#define WENGERT_ROWS_H

#include "wengert_core/kernels/simd.h"

#define WG_ROWS(R, SUFFIX) \
    WG_CLONES WG_UNUSED static void wg_outer_##SUFFIX(const char *column, Py_ssize_t down, const char *row, \
                                                      Py_ssize_t along, char *to, Py_ssize_t m, Py_ssize_t p) { \
        R *out = (R *)to; \
        for (Py_ssize_t i = 0; i < m; i++, out += p) { \
            const R factor = *(const R *)(column + i * down); \
            if (along == (Py_ssize_t)sizeof(R)) { \
                const R *numbers = (const R *)row; \
                WG_IVDEP \
                for (Py_ssize_t j = 0; j < p; j++) out[j] = factor * numbers[j]; \
            } else { \
                for (Py_ssize_t j = 0; j < p; j++) out[j] = factor * *(const R *)(row + j * along); \
            } \
        } \
    } \
    WG_CLONES WG_UNUSED static void wg_add_row_##SUFFIX(char *to, const char *from, Py_ssize_t m, Py_ssize_t n) { \
        R *matrix = (R *)to; \
        const R *row = (const R *)from; \
        for (Py_ssize_t i = 0; i < m; i++, matrix += n) { \
            WG_IVDEP \
            for (Py_ssize_t k = 0; k < n; k++) matrix[k] += row[k]; \
        } \
    }

WG_ROWS(float, f32)
WG_ROWS(double, f64)
#undef WG_ROWS

#endif
