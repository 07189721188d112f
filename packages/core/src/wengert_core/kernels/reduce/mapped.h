/* Reductions of a function of the elements, without a tensor of its values: nansum, counts of what is not zero, sums
 * of squares and of magnitudes, the largest and the smallest magnitude. Included by argreduce.h only.
 *
 * The function is part of the load: the loops of reduce.h run over blocks of its values. A second pass over partial
 * results is one of the loop's own reduction (sum, amax, amin).
 */
#ifndef WENGERT_MAPPED_H
#define WENGERT_MAPPED_H

#include "reduce_table.h"

#define WG_LOAD_MAPPED(NAME, T, VALUE) \
    WG_CLONES static void NAME##_near(const T *src, T *dst, Py_ssize_t n) { \
        for (Py_ssize_t i = 0; i < n; i++) { const T x = src[i]; dst[i] = VALUE; } \
    } \
    static void NAME(char *src, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, Py_ssize_t n) { \
        T *d = (T *)dst;               /* a buffer: dst_stride is the size of T */ \
        (void)dst_stride; \
        if (stride == (Py_ssize_t)sizeof(T)) NAME##_near((const T *)src, d, n); \
        else for (; n > 0; n--, src += stride) { const T x = *(const T *)src; *d++ = VALUE; } \
    }
WG_LOAD_MAPPED(wg_load_number_f32, float, x == x ? x : 0)
WG_LOAD_MAPPED(wg_load_number_f64, double, x == x ? x : 0)
WG_LOAD_MAPPED(wg_load_square_f32, float, x * x)
WG_LOAD_MAPPED(wg_load_square_f64, double, x * x)
WG_LOAD_MAPPED(wg_load_size_f32, float, fabsf(x))
WG_LOAD_MAPPED(wg_load_size_f64, double, fabs(x))

static void wg_load_number_f16(char *src, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, Py_ssize_t n) {
    wg_load_f16(src, stride, dst, dst_stride, n);
    wg_load_number_f32_near((const float *)dst, (float *)dst, n);
}
static void wg_load_number_bf16(char *src, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, Py_ssize_t n) {
    wg_load_bf16(src, stride, dst, dst_stride, n);
    wg_load_number_f32_near((const float *)dst, (float *)dst, n);
}

/* As WG_REDUCTION_ROWS. */
#define WG_COUNT_ROW(X, DTYPE) X(count, sum_BOOL, DTYPE, BOOL, I64, I64)
#define WG_COUNT_ROWS(X) \
    WG_COUNT_ROW(X, BOOL) WG_COUNT_ROW(X, U8) WG_COUNT_ROW(X, I8) WG_COUNT_ROW(X, I16) WG_COUNT_ROW(X, I32) \
    WG_COUNT_ROW(X, I64) WG_COUNT_ROW(X, U16) WG_COUNT_ROW(X, U32) WG_COUNT_ROW(X, U64) WG_COUNT_ROW(X, F16) \
    WG_COUNT_ROW(X, BF16) WG_COUNT_ROW(X, F32) WG_COUNT_ROW(X, F64) WG_COUNT_ROW(X, C64) WG_COUNT_ROW(X, C128)
/* With the load as a last column. */
#define WG_MAPPED_ROWS(X) \
    X(nansum, sum_F32, F16, F32, F32, F32, wg_load_number_f16) \
    X(nansum, sum_F32, BF16, F32, F32, F32, wg_load_number_bf16) \
    X(nansum, sum_F32, F32, F32, F32, F32, wg_load_number_f32) \
    X(nansum, sum_F64, F64, F64, F64, F64, wg_load_number_f64) \
    X(square_sum, sum_F32, F32, F32, F32, F32, wg_load_square_f32) \
    X(square_sum, sum_F64, F64, F64, F64, F64, wg_load_square_f64) \
    X(size_sum, sum_F32, F32, F32, F32, F32, wg_load_size_f32) \
    X(size_sum, sum_F64, F64, F64, F64, F64, wg_load_size_f64) \
    X(size_amax, amax_F32, F32, F32, F32, F32, wg_load_size_f32) \
    X(size_amax, amax_F64, F64, F64, F64, F64, wg_load_size_f64) \
    X(size_amin, amin_F32, F32, F32, F32, F32, wg_load_size_f32) \
    X(size_amin, amin_F64, F64, F64, F64, F64, wg_load_size_f64)

#define WG_MAPPED_REDUCTION(NAME, LOOP, SRC, READ, ACC, DST, LOAD) WG_REDUCTION(NAME, LOOP, SRC, READ, ACC, DST)
#define WG_MAPPED_ENTRY(NAME, LOOP, SRC, READ, ACC, DST, LOAD) WG_REDUCTION_ENTRY(NAME, LOOP, SRC, READ, ACC, DST)
#define WG_MAPPED_LOAD(NAME, LOOP, SRC, READ, ACC, DST, LOAD) LOAD,
WG_COUNT_ROWS(WG_REDUCTION)
WG_MAPPED_ROWS(WG_MAPPED_REDUCTION)
static const wg_reduce_entry WG_COUNTS[] = {WG_COUNT_ROWS(WG_REDUCTION_ENTRY)};
static const wg_reduce_entry WG_MAPPED[] = {WG_MAPPED_ROWS(WG_MAPPED_ENTRY)};
static const wg_cast_fn WG_MAPPED_LOADS[] = {WG_MAPPED_ROWS(WG_MAPPED_LOAD)};

static void wg_connect_mapped(wg_cast_fn (*cast)(int, int)) {
    wg_connect(WG_COUNTS, WG_COUNT(WG_COUNTS), cast);
    wg_connect(WG_MAPPED, WG_COUNT(WG_MAPPED), cast);
    for (int i = 0; i < WG_COUNT(WG_MAPPED); i++) {
        WG_MAPPED[i].source->load = WG_MAPPED_LOADS[i];
        WG_MAPPED[i].source->is_direct = WG_MAPPED[i].source->is_whole = 0;
    }
}

#endif
