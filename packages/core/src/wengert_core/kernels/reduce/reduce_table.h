/* Instantiates reduce.h: sum, prod, amax, amin, any, all. Included by reduce.pyx only. */
#ifndef WENGERT_REDUCE_TABLE_H
#define WENGERT_REDUCE_TABLE_H

#include "accumulate.h"
#include "reduce.h"

/* The loops: of sums and products of int64, to which other integers are loaded, of float, to which 16-bit floats are,
   and of the wider ones; of extremes of each dtype; of truths of bytes. */
#define WG_EXTREME_SHORTS(NAME, OP, U8, I8, I16, U16, U32, U64) \
    WG_REDUCE(NAME##_U8, WG_GAPS_LOAD, uint8_t, WG_SAME, uint8_t, U8, OP) \
    WG_REDUCE(NAME##_I8, WG_GAPS_LOAD, int8_t, WG_SAME, int8_t, I8, OP) \
    WG_REDUCE(NAME##_I16, WG_GAPS_LOAD, int16_t, WG_SAME, int16_t, I16, OP) \
    WG_REDUCE(NAME##_U16, WG_GAPS_LOAD, uint16_t, WG_SAME, uint16_t, U16, OP) \
    WG_REDUCE(NAME##_U32, WG_GAPS_LOAD, uint32_t, WG_SAME, uint32_t, U32, OP) \
    WG_REDUCE(NAME##_U64, WG_GAPS_LOAD, uint64_t, WG_SAME, uint64_t, U64, OP)
#define WG_EXTREMES(NAME, OP, OPF, OPD, I32, I64, INF) \
    WG_REDUCE(NAME##_I32, WG_GAPS_LOOP, int32_t, WG_SAME, int32_t, I32, OP) \
    WG_REDUCE(NAME##_I64, WG_GAPS_LOOP, int64_t, WG_SAME, int64_t, I64, OP) \
    WG_REDUCE(NAME##_F32, WG_GAPS_LOOP, float, WG_SAME, float, INF, OPF) \
    WG_REDUCE(NAME##_F64, WG_GAPS_LOOP, double, WG_SAME, double, INF, OPD)
#define WG_ADDITIVE_COMPLEX(NAME, OP, UNIT) \
    WG_REDUCE(NAME##_C64, WG_GAPS_LOOP, wg_c64, WG_SAME, wg_c64, UNIT##_wg_c64, OP##_wg_c64) \
    WG_REDUCE(NAME##_C128, WG_GAPS_LOOP, wg_c128, WG_SAME, wg_c128, UNIT##_wg_c128, OP##_wg_c128)

/* Truths that are counted: no lane of bytes comes to 256 in a block. */
enum { WG_COUNTERS = 64 };
WG_CLONES static int64_t sum_BOOL_block(const uint8_t *x, Py_ssize_t n) {
    uint8_t lane[WG_COUNTERS] = {0};
    int64_t total = 0;
    Py_ssize_t i = 0;
    for (; i + WG_COUNTERS <= n; i += WG_COUNTERS)
        for (int j = 0; j < WG_COUNTERS; j++) lane[j] = (uint8_t)(lane[j] + (x[i + j] != 0));
    if (i > 0)
        for (int j = 0; j < WG_COUNTERS; j++) total += lane[j];
    for (; i < n; i++) total += x[i] != 0;
    return total;
}

/* Rare, or many to one of the oldest vectors: not worth the space of clones. */
WG_REDUCE_STEPS(sum_BOOL, uint8_t, WG_WIDE_BOOL, int64_t, 0, wg_add_i64)
WG_REDUCE_LOOPS(sum_BOOL, WG_GAPS_LOAD, uint8_t, WG_WIDE_BOOL, int64_t, 0, wg_add_i64)
WG_REDUCE(prod_I64, WG_GAPS_LOAD, int64_t, WG_SAME, int64_t, 1, wg_mul_i64)
WG_EXTREME_SHORTS(amax, WG_GREATER, 0, INT8_MIN, INT16_MIN, 0, 0, 0)
WG_EXTREME_SHORTS(amin, WG_LESS, UINT8_MAX, INT8_MAX, INT16_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX)
WG_ADDITIVE_COMPLEX(prod, wg_mul, WG_ONE)
WG_REDUCE(any_U8, WG_GAPS_LOOP, uint8_t, WG_BYTE, uint8_t, 0, WG_OR)
WG_REDUCE(all_U8, WG_GAPS_LOOP, uint8_t, WG_BYTE, uint8_t, 1, WG_AND)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR WG_CLONES
WG_REDUCE(sum_I32, WG_GAPS_SUM, int32_t, WG_WIDE, int64_t, 0, wg_add_i64)
WG_REDUCE(sum_I64, WG_GAPS_SUM, int64_t, WG_SAME, int64_t, 0, wg_add_i64)
WG_REDUCE(sum_BF16, WG_GAPS_LOAD, uint16_t, wg_bfloat_to_float, float, 0, WG_ADD)
WG_REDUCE(sum_F32, WG_GAPS_LOOP, float, WG_SAME, float, 0, WG_ADD)
WG_REDUCE(sum_F64, WG_GAPS_LOOP, double, WG_SAME, double, 0, WG_ADD)
WG_REDUCE(prod_F32, WG_GAPS_LOOP, float, WG_SAME, float, 1, WG_MUL)
WG_REDUCE(prod_F64, WG_GAPS_LOOP, double, WG_SAME, double, 1, WG_MUL)
WG_EXTREMES(amax, WG_GREATER, wg_max_f32, wg_max_f64, INT32_MIN, INT64_MIN, -(float)INFINITY)
WG_EXTREMES(amin, WG_LESS, wg_min_f32, wg_min_f64, INT32_MAX, INT64_MAX, (float)INFINITY)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR WG_OUTLINE

/* Sums of complex numbers are two sums of their parts, which lie by turns: columns of twice as many floats. So are
   blocks of float, for which the compiler finds no vectors by itself; in those of double it does. */
#define WG_PARTS_STEPS(NAME, T, PART, SUM) \
    WG_INLINE void NAME##_fold(T *into, T *from, Py_ssize_t width) { \
        SUM##_fold((PART *)into, (PART *)from, 2 * width); \
    } \
    WG_INLINE void NAME##_four(T *acc, const char *src, Py_ssize_t stride, Py_ssize_t width) { \
        SUM##_four((PART *)acc, src, stride, 2 * width); \
    } \
    WG_INLINE void NAME##_next(T *acc, const char *src, Py_ssize_t width) { \
        SUM##_next((PART *)acc, src, 2 * width); \
    }
enum { WG_PARTS = 64 };
WG_CLONES static wg_c64 wg_sum_of_parts(const float *x, Py_ssize_t n) {
    float lane[WG_PARTS];
    wg_c64 total;
    Py_ssize_t i = 0;
    for (Py_ssize_t j = 0; j < WG_PARTS; j++) lane[j] = 0;
    for (; i + WG_PARTS <= n; i += WG_PARTS)
        for (Py_ssize_t j = 0; j < WG_PARTS; j++) lane[j] += x[i + j];
    for (; i + 16 <= n; i += 16)
        for (Py_ssize_t j = 0; j < 16; j++) lane[j] += x[i + j];
    for (Py_ssize_t half = WG_PARTS / 2; half > 1; half /= 2)
        for (Py_ssize_t j = 0; j < half; j++) lane[j] += lane[j + half];
    for (; i < n; i += 2) {
        lane[0] += x[i];
        lane[1] += x[i + 1];
    }
    total.re = lane[0];
    total.im = lane[1];
    return total;
}
WG_INLINE wg_c64 sum_C64_block(const wg_c64 *x, Py_ssize_t n) {
    wg_c64 total = WG_ZERO_wg_c64;
    if (2 * n >= WG_PARTS) return wg_sum_of_parts((const float *)x, 2 * n);
    for (; n > 0; n--) total = wg_add_wg_c64(total, *x++);
    return total;
}
WG_PARTS_STEPS(sum_C64, wg_c64, float, sum_F32)
WG_REDUCE_LOOPS(sum_C64, WG_GAPS_LOOP, wg_c64, WG_SAME, wg_c64, WG_ZERO_wg_c64, wg_add_wg_c64)
WG_REDUCE_BLOCK(sum_C128, wg_c128, WG_SAME, wg_c128, WG_ZERO_wg_c128, wg_add_wg_c128)
WG_PARTS_STEPS(sum_C128, wg_c128, double, sum_F64)
WG_REDUCE_LOOPS(sum_C128, WG_GAPS_LOOP, wg_c128, WG_SAME, wg_c128, WG_ZERO_wg_c128, wg_add_wg_c128)

/* Each reduction: name, loop, dtype of the source, what it is loaded as, what the loop accumulates in, the result.
   Sums of uint64 wrap as those of int64: the same bits. */
#define WG_ADDITIVE_ROWS(X, NAME) \
    X(NAME, NAME##_I64, U8, I64, I64, I64) X(NAME, NAME##_I64, I8, I64, I64, I64) \
    X(NAME, NAME##_I64, I16, I64, I64, I64) X(NAME, NAME##_I64, U16, I64, I64, I64) \
    X(NAME, NAME##_I64, U32, I64, I64, I64) X(NAME, NAME##_I64, I64, I64, I64, I64) \
    X(NAME, NAME##_I64, U64, U64, I64, I64) \
    X(NAME, NAME##_F32, F32, F32, F32, F32) X(NAME, NAME##_F64, F64, F64, F64, F64) \
    X(NAME, NAME##_C64, C64, C64, C64, C64) X(NAME, NAME##_C128, C128, C128, C128, C128)
#define WG_EXTREME_ROW(X, NAME, DTYPE) X(NAME, NAME##_##DTYPE, DTYPE, DTYPE, DTYPE, DTYPE)
#define WG_EXTREME_ROWS(X, NAME, BOOLEAN) \
    X(NAME, BOOLEAN, BOOL, BOOL, BOOL, BOOL) WG_EXTREME_ROW(X, NAME, U8) WG_EXTREME_ROW(X, NAME, I8) \
    WG_EXTREME_ROW(X, NAME, I16) WG_EXTREME_ROW(X, NAME, I32) WG_EXTREME_ROW(X, NAME, I64) \
    WG_EXTREME_ROW(X, NAME, U16) WG_EXTREME_ROW(X, NAME, U32) WG_EXTREME_ROW(X, NAME, U64) \
    X(NAME, NAME##_F32, F16, F32, F32, F16) X(NAME, NAME##_F32, BF16, F32, F32, BF16) \
    WG_EXTREME_ROW(X, NAME, F32) WG_EXTREME_ROW(X, NAME, F64)
#define WG_TRUTH_ROW(X, NAME, DTYPE) X(NAME, NAME##_U8, DTYPE, BOOL, BOOL, BOOL)
#define WG_TRUTH_ROWS(X, NAME) \
    WG_TRUTH_ROW(X, NAME, BOOL) WG_TRUTH_ROW(X, NAME, U8) WG_TRUTH_ROW(X, NAME, I8) WG_TRUTH_ROW(X, NAME, I16) \
    WG_TRUTH_ROW(X, NAME, I32) WG_TRUTH_ROW(X, NAME, I64) WG_TRUTH_ROW(X, NAME, U16) WG_TRUTH_ROW(X, NAME, U32) \
    WG_TRUTH_ROW(X, NAME, U64) WG_TRUTH_ROW(X, NAME, F16) WG_TRUTH_ROW(X, NAME, BF16) WG_TRUTH_ROW(X, NAME, F32) \
    WG_TRUTH_ROW(X, NAME, F64) WG_TRUTH_ROW(X, NAME, C64) WG_TRUTH_ROW(X, NAME, C128)
#define WG_REDUCTION_ROWS(X) \
    X(sum, sum_BOOL, BOOL, BOOL, I64, I64) X(sum, sum_I32, I32, I32, I64, I64) WG_ADDITIVE_ROWS(X, sum) \
    X(sum, sum_F32, F16, F32, F32, F16) X(sum, sum_F32, F16, F32, F32, F32) \
    X(sum, sum_BF16, BF16, BF16, F32, BF16) X(sum, sum_BF16, BF16, BF16, F32, F32) \
    X(prod, prod_I64, BOOL, I64, I64, I64) X(prod, prod_I64, I32, I64, I64, I64) WG_ADDITIVE_ROWS(X, prod) \
    X(prod, prod_F32, F16, F32, F32, F16) X(prod, prod_F32, F16, F32, F32, F32) \
    X(prod, prod_F32, BF16, F32, F32, BF16) X(prod, prod_F32, BF16, F32, F32, F32) \
    WG_EXTREME_ROWS(X, amax, any_U8) WG_EXTREME_ROWS(X, amin, all_U8) \
    WG_TRUTH_ROWS(X, any) WG_TRUTH_ROWS(X, all)

#define WG_REDUCTION(NAME, LOOP, SRC, READ, ACC, DST) \
    static wg_reduce_source NAME##_##SRC##_##DST##_source; \
    static void NAME##_##SRC##_##DST(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, \
                                     Py_ssize_t stride, char *dst, Py_ssize_t dst_stride) { \
        wg_reduce_source *from = &NAME##_##SRC##_##DST##_source; \
        if (!LOOP##_at_once(src, outer_n, n, stride, dst, from)) \
            LOOP##_from(src, outer_n, outer_stride, n, stride, dst, dst_stride, from); \
    }
WG_REDUCTION_ROWS(WG_REDUCTION)

#define WG_REDUCTION_ENTRY(NAME, LOOP, SRC, READ, ACC, DST) \
    {#NAME, WG_##SRC, WG_##READ, WG_##ACC, WG_##DST, NAME##_##SRC##_##DST, &NAME##_##SRC##_##DST##_source},
static const wg_reduce_entry WG_REDUCTIONS[] = {WG_REDUCTION_ROWS(WG_REDUCTION_ENTRY)};

#endif
