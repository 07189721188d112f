/* argmax and argmin: the first position of the extreme, where NaN beats everything. Included by reduce.pyx only.
 *
 * Rows: the extreme of blocks decides which block is searched for the position. Columns: strips of kept elements, each
 * with its best so far. A strided row is read through a block on the stack.
 */
#ifndef WENGERT_ARGREDUCE_H
#define WENGERT_ARGREDUCE_H

#include "wengert_core/kernels/pointwise/casts.h"
#include "reduce_table.h"

#define WG_BETTER(BETTER, x, best) (((x) BETTER (best)) | (((x) != (x)) & ((best) == (best))))

#define WG_ARGREDUCE(NAME, T, LOAD, ACC, START, BETTER, OP) \
    WG_REDUCE_ATTR static ACC NAME##_extreme(const T *x, Py_ssize_t n) { \
        WG_BLOCK_BODY(T, LOAD, ACC, START, OP, WG_AT_INDEX) \
    } \
    static Py_ssize_t NAME##_position(const char *src, Py_ssize_t n, Py_ssize_t stride, ACC best) { \
        for (Py_ssize_t i = 0; i < n; i++, src += stride) { \
            const ACC x = LOAD(*(const T *)src); \
            if (x == best || x != x) return i; \
        } \
        return 0; \
    } \
    static int64_t NAME##_row(char *src, Py_ssize_t n, Py_ssize_t stride) { \
        T block[WG_BLOCK]; \
        ACC best = START; \
        Py_ssize_t at = 0; \
        for (Py_ssize_t i = 0; i < n; i += WG_BLOCK) { \
            const Py_ssize_t m = n - i < WG_BLOCK ? n - i : WG_BLOCK; \
            char *from = src + i * stride; \
            if (stride != (Py_ssize_t)sizeof(T)) { \
                wg_find_copy(sizeof(T))(from, stride, (char *)block, sizeof(T), m); \
                from = (char *)block; \
            } \
            const ACC found = NAME##_extreme((const T *)from, m); \
            if (i == 0 || WG_BETTER(BETTER, found, best)) { best = found; at = i; } \
            if (best != best) break; \
        } \
        return at + NAME##_position(src + at * stride, n - at, stride, best); \
    } \
    WG_REDUCE_ATTR static void NAME##_step(ACC *best, int64_t *at, const T *src, Py_ssize_t width, int64_t row) { \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) { \
            const ACC x = LOAD(src[j]), b = best[j]; \
            const int take = WG_BETTER(BETTER, x, b); \
            best[j] = take ? x : b; \
            at[j] = take ? row : at[j]; \
        } \
    } \
    static void NAME##_strip(char *src, Py_ssize_t width, Py_ssize_t n, Py_ssize_t stride, \
                             char *dst, Py_ssize_t dst_stride) { \
        ACC best[WG_STRIP]; \
        int64_t at[WG_STRIP]; \
        for (Py_ssize_t j = 0; j < width; j++) { best[j] = n > 0 ? LOAD(((const T *)src)[j]) : START; at[j] = 0; } \
        for (Py_ssize_t row = 1; row < n; row++) \
            NAME##_step(best, at, (const T *)(src + row * stride), width, row); \
        for (Py_ssize_t j = 0; j < width; j++) *(int64_t *)(dst + j * dst_stride) = at[j]; \
    } \
    static void NAME(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, Py_ssize_t stride, \
                     char *dst, Py_ssize_t dst_stride) { \
        const Py_ssize_t far = stride < 0 ? -stride : stride; \
        if (outer_n >= 8 && outer_stride == (Py_ssize_t)sizeof(T) && outer_stride < far) { \
            for (Py_ssize_t i = 0; i < outer_n; i += WG_STRIP) \
                NAME##_strip(src + i * outer_stride, outer_n - i < WG_STRIP ? outer_n - i : WG_STRIP, n, stride, \
                             dst + i * dst_stride, dst_stride); \
        } else { \
            for (; outer_n > 0; outer_n--, src += outer_stride, dst += dst_stride) \
                *(int64_t *)dst = NAME##_row(src, n, stride); \
        } \
    }

#define WG_ARG_INTEGERS(NAME, BETTER, OP, U8, I8, I16, I32, I64) \
    WG_ARGREDUCE(NAME##_U8, uint8_t, WG_SAME, uint8_t, U8, BETTER, OP) \
    WG_ARGREDUCE(NAME##_I8, int8_t, WG_SAME, int8_t, I8, BETTER, OP) \
    WG_ARGREDUCE(NAME##_I16, int16_t, WG_SAME, int16_t, I16, BETTER, OP) \
    WG_ARGREDUCE(NAME##_I32, int32_t, WG_SAME, int32_t, I32, BETTER, OP) \
    WG_ARGREDUCE(NAME##_I64, int64_t, WG_SAME, int64_t, I64, BETTER, OP)
#define WG_ARG_UNSIGNED(NAME, BETTER, OP, U16, U32, U64) \
    WG_ARGREDUCE(NAME##_U16, uint16_t, WG_SAME, uint16_t, U16, BETTER, OP) \
    WG_ARGREDUCE(NAME##_U32, uint32_t, WG_SAME, uint32_t, U32, BETTER, OP) \
    WG_ARGREDUCE(NAME##_U64, uint64_t, WG_SAME, uint64_t, U64, BETTER, OP)
#define WG_ARG_FLOATS(NAME, BETTER, OPF, OPD, INF) \
    WG_ARGREDUCE(NAME##_F16, uint16_t, wg_half_to_float, float, INF, BETTER, OPF) \
    WG_ARGREDUCE(NAME##_BF16, uint16_t, wg_bfloat_to_float, float, INF, BETTER, OPF) \
    WG_ARGREDUCE(NAME##_F32, float, WG_SAME, float, INF, BETTER, OPF) \
    WG_ARGREDUCE(NAME##_F64, double, WG_SAME, double, INF, BETTER, OPD)
WG_ARG_INTEGERS(argmax, >, WG_GREATER, 0, INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN)
WG_ARG_INTEGERS(argmin, <, WG_LESS, UINT8_MAX, INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX)
WG_ARG_UNSIGNED(argmax, >, WG_GREATER, 0, 0, 0)
WG_ARG_UNSIGNED(argmin, <, WG_LESS, UINT16_MAX, UINT32_MAX, UINT64_MAX)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR WG_CLONES
WG_ARG_FLOATS(argmax, >, wg_max_f32, wg_max_f64, -(float)INFINITY)
WG_ARG_FLOATS(argmin, <, wg_min_f32, wg_min_f64, (float)INFINITY)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR

#define WG_ARG_ROWS(NAME) \
    {#NAME, WG_BOOL, WG_I64, NAME##_U8}, {#NAME, WG_U8, WG_I64, NAME##_U8}, {#NAME, WG_I8, WG_I64, NAME##_I8}, \
    {#NAME, WG_I16, WG_I64, NAME##_I16}, {#NAME, WG_I32, WG_I64, NAME##_I32}, {#NAME, WG_I64, WG_I64, NAME##_I64}, \
    {#NAME, WG_F16, WG_I64, NAME##_F16}, {#NAME, WG_BF16, WG_I64, NAME##_BF16}, {#NAME, WG_F32, WG_I64, NAME##_F32}, \
    {#NAME, WG_F64, WG_I64, NAME##_F64}, {#NAME, WG_U16, WG_I64, NAME##_U16}, {#NAME, WG_U32, WG_I64, NAME##_U32}, \
    {#NAME, WG_U64, WG_I64, NAME##_U64}
static const wg_reduce_entry WG_ARGS[] = {WG_ARG_ROWS(argmax), WG_ARG_ROWS(argmin)};

static wg_reduce_fn wg_find_reduction(const char *name, int src, int dst) {
    const wg_reduce_fn found = wg_find_in(WG_REDUCTIONS, WG_COUNT(WG_REDUCTIONS), name, src, dst);
    return found ? found : wg_find_in(WG_ARGS, WG_COUNT(WG_ARGS), name, src, dst);
}

#endif
