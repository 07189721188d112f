/* Sums of columns, one row at a time, in the order of wengert_core/kernels/reduce/reduce.h: rows in fours, fours in
 * sixteens, and so on. A sum that begins adds to 0, as there, so that -0 becomes 0.
 */
#ifndef WENGERT_REPLAY_COLUMN_SUMS_H
#define WENGERT_REPLAY_COLUMN_SUMS_H

#include "wengert_core/kernels/simd.h"

enum { WG_FAN = 16, WG_FOLD = 256, WG_MOST_LEVELS = 6 }; /* rows of a sum, and of a sum of such; WG_LEVELS there */

/* What a row is: the first to fourth of four, or one of the last three. */
enum { WG_ROW_FIRST, WG_ROW_SECOND, WG_ROW_THIRD, WG_ROW_FOURTH, WG_ROW_SINGLE };

#define WG_COLUMN_SUMS(SUF, R) \
    WG_CLONES static void wg_add_row_##SUF(int kind, Py_ssize_t n, const R *x, R *first, R *third, R *total) { \
        switch (kind) { \
            case WG_ROW_FIRST: WG_IVDEP for (Py_ssize_t i = 0; i < n; i++) first[i] = x[i]; break; \
            case WG_ROW_SECOND: WG_IVDEP for (Py_ssize_t i = 0; i < n; i++) first[i] = first[i] + x[i]; break; \
            case WG_ROW_THIRD: WG_IVDEP for (Py_ssize_t i = 0; i < n; i++) third[i] = x[i]; break; \
            case WG_ROW_FOURTH: \
                WG_IVDEP for (Py_ssize_t i = 0; i < n; i++) total[i] = total[i] + (first[i] + (third[i] + x[i])); \
                break; \
            default: WG_IVDEP for (Py_ssize_t i = 0; i < n; i++) total[i] = total[i] + x[i]; \
        } \
    } \
    WG_CLONES static void wg_fold_##SUF(Py_ssize_t n, R *into, const R *from) { \
        WG_IVDEP for (Py_ssize_t i = 0; i < n; i++) into[i] = into[i] + from[i]; \
    }
WG_COLUMN_SUMS(f32, float)
WG_COLUMN_SUMS(f64, double)

#endif
