/* Loads and binary operations of reductions and scans, for all dtypes. */
#ifndef WENGERT_ACCUMULATE_H
#define WENGERT_ACCUMULATE_H

#include <math.h>
#include "wengert_core/kernels/dtypes.h"

#define WG_SAME(x) (x)
#define WG_BYTE(x) ((uint8_t)((x) != 0))
#define WG_WIDE(x) ((int64_t)(x))
#define WG_WIDE_BOOL(x) ((int64_t)((x) != 0))
#define WG_TRUE_HALF(x) ((uint8_t)(((x) & 0x7FFF) != 0))
#define WG_TRUE_COMPLEX(x) ((uint8_t)(((x).re != 0) | ((x).im != 0)))

#define WG_ADD(a, b) ((a) + (b))
#define WG_MUL(a, b) ((a) * (b))
#define WG_OR(a, b) ((a) | (b))
#define WG_AND(a, b) ((a) & (b))
#define WG_GREATER(a, b) ((b) > (a) ? (b) : (a))
#define WG_LESS(a, b) ((b) < (a) ? (b) : (a))
/* NaN wins: an accumulator that is NaN loses no comparison, an element that is NaN replaces it. */
#define WG_FLOAT_EXTREME(NAME, T, BETTER) \
    WG_INLINE T NAME(T a, T b) { const T best = b BETTER a ? b : a; return b != b ? b : best; }
WG_FLOAT_EXTREME(wg_max_f32, float, >)
WG_FLOAT_EXTREME(wg_max_f64, double, >)
WG_FLOAT_EXTREME(wg_min_f32, float, <)
WG_FLOAT_EXTREME(wg_min_f64, double, <)

/* Sums of integers wrap, as in NumPy and torch, instead of being undefined. */
WG_INLINE int64_t wg_add_i64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
WG_INLINE int64_t wg_mul_i64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

#define WG_COMPLEX_OPS(T, R) \
    WG_INLINE T wg_add_##T(T a, T b) { T c; c.re = a.re + b.re; c.im = a.im + b.im; return c; } \
    WG_INLINE T wg_mul_##T(T a, T b) { \
        T c; c.re = a.re * b.re - a.im * b.im; c.im = a.re * b.im + a.im * b.re; return c; } \
    static const T WG_ZERO_##T = {0, 0}, WG_ONE_##T = {1, 0};
WG_COMPLEX_OPS(wg_c64, float)
WG_COMPLEX_OPS(wg_c128, double)

#endif
