/* argmax and argmin: the first position of the extreme, where NaN beats everything. Included by reduce.pyx only.
 *
 * Rows: the extreme of blocks decides which block is searched for the position. Columns: strips of kept elements, each
 * with its best so far. Note [What a reduction reads] in reduce.h holds for both.
 */
#ifndef WENGERT_ARGREDUCE_H
#define WENGERT_ARGREDUCE_H

#include "half_sums.h"
#include "mapped.h"
#include "reduce_table.h"

#define WG_BETTER(BETTER, x, best) (((x) BETTER (best)) | (((x) != (x)) & ((best) == (best))))

enum { WG_STRIP_OF_PLACES = WG_STRIP_BYTES / sizeof(int64_t) };

/* EXTREME: the reduction to the extreme itself, whose blocks are used. */
#define WG_ARGREDUCE(NAME, T, EXTREME, BETTER) \
    static Py_ssize_t NAME##_row(char *src, Py_ssize_t n, Py_ssize_t stride, const wg_reduce_source *from) { \
        T buffer[WG_BLOCK]; \
        T best = 0; \
        Py_ssize_t at = 0, loaded = -1; \
        const int direct = from->is_direct && stride == (Py_ssize_t)sizeof(T); \
        for (Py_ssize_t i = 0; i < n; i += WG_BLOCK) { \
            const Py_ssize_t m = n - i < WG_BLOCK ? n - i : WG_BLOCK; \
            if (!direct) { from->load(src + i * stride, stride, (char *)buffer, sizeof(T), m); loaded = i; } \
            const T found = EXTREME##_block(direct ? (const T *)(src + i * stride) : buffer, m); \
            if (i == 0 || WG_BETTER(BETTER, found, best)) { best = found; at = i; } \
            if (best != best) break; \
        } \
        if (!direct && n > 0 && at != loaded) \
            from->load(src + at * stride, stride, (char *)buffer, sizeof(T), n - at < WG_BLOCK ? n - at : WG_BLOCK); \
        const T *x = direct ? (const T *)(src + at * stride) : buffer; \
        for (Py_ssize_t i = 0; i < WG_BLOCK && i < n - at; i++) \
            if (x[i] == best || x[i] != x[i]) return at + i; \
        return 0; \
    } \
    WG_REDUCE_ATTR static void NAME##_step(T *best, int64_t *at, const T *src, Py_ssize_t width, int64_t row) { \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) { \
            const T x = src[j], b = best[j]; \
            const int take = WG_BETTER(BETTER, x, b); \
            best[j] = take ? x : b; \
            at[j] = take ? row : at[j]; \
        } \
    } \
    static void NAME##_strip(char *src, Py_ssize_t width, Py_ssize_t n, Py_ssize_t stride, \
                             char *dst, Py_ssize_t dst_stride, const wg_reduce_source *from) { \
        T best[WG_STRIP_OF_PLACES], buffer[WG_STRIP_OF_PLACES]; \
        int64_t at[WG_STRIP_OF_PLACES]; \
        memset(at, 0, sizeof at); \
        if (n > 0) from->load(src, from->size, (char *)best, sizeof(T), width); \
        for (Py_ssize_t row = 1; row < n; row++) { \
            char *x = src + row * stride; \
            if (!from->is_direct) { from->load(x, from->size, (char *)buffer, sizeof(T), width); x = (char *)buffer; } \
            NAME##_step(best, at, (const T *)x, width, row); \
        } \
        for (Py_ssize_t j = 0; j < width; j++) *(int64_t *)(dst + j * dst_stride) = at[j]; \
    } \
    WG_INLINE int NAME##_at_once(char *src, Py_ssize_t outer_n, Py_ssize_t n, Py_ssize_t stride, char *dst, \
                                 const wg_reduce_source *from) { return 0; } \
    static void NAME##_from(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, Py_ssize_t stride, \
                            char *dst, Py_ssize_t dst_stride, const wg_reduce_source *from) { \
        const Py_ssize_t far = stride < 0 ? -stride : stride; \
        if (outer_n >= 8 && outer_stride == from->size && outer_stride < far) { \
            for (Py_ssize_t i = 0; i < outer_n; i += WG_STRIP_OF_PLACES) \
                NAME##_strip(src + i * outer_stride, \
                             outer_n - i < WG_STRIP_OF_PLACES ? outer_n - i : WG_STRIP_OF_PLACES, n, stride, \
                             dst + i * dst_stride, dst_stride, from); \
        } else { \
            for (; outer_n > 0; outer_n--, src += outer_stride, dst += dst_stride) \
                *(int64_t *)dst = NAME##_row(src, n, stride, from); \
        } \
    }

#define WG_ARG_SHORTS(NAME, EXTREME, BETTER) \
    WG_ARGREDUCE(NAME##_U8, uint8_t, EXTREME##_U8, BETTER) \
    WG_ARGREDUCE(NAME##_I8, int8_t, EXTREME##_I8, BETTER) \
    WG_ARGREDUCE(NAME##_I16, int16_t, EXTREME##_I16, BETTER) \
    WG_ARGREDUCE(NAME##_U16, uint16_t, EXTREME##_U16, BETTER) \
    WG_ARGREDUCE(NAME##_I32, int32_t, EXTREME##_I32, BETTER) \
    WG_ARGREDUCE(NAME##_U32, uint32_t, EXTREME##_U32, BETTER) \
    WG_ARGREDUCE(NAME##_I64, int64_t, EXTREME##_I64, BETTER) \
    WG_ARGREDUCE(NAME##_U64, uint64_t, EXTREME##_U64, BETTER)
#define WG_ARG_FLOATS(NAME, EXTREME, BETTER) \
    WG_ARGREDUCE(NAME##_F32, float, EXTREME##_F32, BETTER) \
    WG_ARGREDUCE(NAME##_F64, double, EXTREME##_F64, BETTER)
WG_ARG_SHORTS(argmax, amax, >)
WG_ARG_SHORTS(argmin, amin, <)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR WG_CLONES
WG_ARG_FLOATS(argmax, amax, >)
WG_ARG_FLOATS(argmin, amin, <)
#undef WG_REDUCE_ATTR
#define WG_REDUCE_ATTR WG_OUTLINE

#define WG_ARG_ROW(X, NAME, DTYPE) X(NAME, NAME##_##DTYPE, DTYPE, DTYPE, I64, I64)
#define WG_ARG_ROWS(X, NAME) \
    X(NAME, NAME##_U8, BOOL, BOOL, I64, I64) WG_ARG_ROW(X, NAME, U8) WG_ARG_ROW(X, NAME, I8) WG_ARG_ROW(X, NAME, I16) \
    WG_ARG_ROW(X, NAME, I32) WG_ARG_ROW(X, NAME, I64) WG_ARG_ROW(X, NAME, U16) WG_ARG_ROW(X, NAME, U32) \
    WG_ARG_ROW(X, NAME, U64) X(NAME, NAME##_F32, F16, F32, I64, I64) X(NAME, NAME##_F32, BF16, F32, I64, I64) \
    WG_ARG_ROW(X, NAME, F32) WG_ARG_ROW(X, NAME, F64)
WG_ARG_ROWS(WG_REDUCTION, argmax)
WG_ARG_ROWS(WG_REDUCTION, argmin)
static const wg_reduce_entry WG_ARGS[] = {WG_ARG_ROWS(WG_REDUCTION_ENTRY, argmax)
                                          WG_ARG_ROWS(WG_REDUCTION_ENTRY, argmin)};

static void wg_connect_reductions(wg_cast_fn (*cast)(int, int)) {
    wg_connect(WG_REDUCTIONS, WG_COUNT(WG_REDUCTIONS), cast);
    wg_connect(WG_ARGS, WG_COUNT(WG_ARGS), cast);
    wg_connect_mapped(cast);
#ifdef WG_HAS_WIDE
    wg_connect(WG_HALF_SUMS, WG_COUNT(WG_HALF_SUMS), cast);
#endif
}

static wg_reduce_fn wg_find_reduction(const char *name, int src, int dst) {
    wg_reduce_fn found = NULL;
#ifdef WG_HAS_WIDE
    if (__builtin_cpu_supports("x86-64-v3"))
        found = wg_find_in(WG_HALF_SUMS, WG_COUNT(WG_HALF_SUMS), name, src, dst);
#endif
    if (!found) found = wg_find_in(WG_REDUCTIONS, WG_COUNT(WG_REDUCTIONS), name, src, dst);
    if (!found) found = wg_find_in(WG_ARGS, WG_COUNT(WG_ARGS), name, src, dst);
    if (!found) found = wg_find_in(WG_COUNTS, WG_COUNT(WG_COUNTS), name, src, dst);
    return found ? found : wg_find_in(WG_MAPPED, WG_COUNT(WG_MAPPED), name, src, dst);
}

#endif
