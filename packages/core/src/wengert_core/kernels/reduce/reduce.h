/* Templates of reductions: rows (the reduced dim inside) and columns (the kept dim inside).
 *
 * Note [How a reduction adds up]
 * Rows: blocks of 1024 elements, each over enough independent lanes to fill the vector units; the blocks are combined
 * in pairs, so the error grows with log n. Columns: strips of 128 kept elements; every 16 rows a level of partial
 * results is folded into the next, so the error grows with 16 log16 n. Few rows have few levels: two of them are an
 * addition.
 *
 * OP(a, b) must be associative and commutative up to rounding, with identity ZERO.
 */
#ifndef WENGERT_REDUCE_H
#define WENGERT_REDUCE_H

#include "wengert_core/kernels/dtypes.h"

#define WG_BLOCK 1024
#define WG_STRIP 128
#define WG_LEVELS 6
#define WG_FAN 16

/* Attribute of the vectorised loops; defined as WG_CLONES around the instantiations that are worth the space. */
#define WG_REDUCE_ATTR

typedef void (*wg_reduce_fn)(char *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, char *, Py_ssize_t);

/* NAME_block: one block of at most WG_BLOCK elements, ACCESS(i) giving element i as a SRC. */
#define WG_BLOCK_BODY(SRC, LOAD, ACC, ZERO, OP, ACCESS) \
    enum { LANES = sizeof(ACC) == 1 ? 128 : sizeof(ACC) == 16 ? 8 : 32 }; \
    ACC lane[LANES], total = ZERO; \
    Py_ssize_t i = 0; \
    if (n >= LANES) { \
        for (int j = 0; j < LANES; j++) lane[j] = ZERO; \
        for (; i + LANES <= n; i += LANES) \
            for (int j = 0; j < LANES; j++) lane[j] = OP(lane[j], LOAD(ACCESS(i + j))); \
        for (; i + 8 <= n; i += 8) \
            for (int j = 0; j < 8; j++) lane[j] = OP(lane[j], LOAD(ACCESS(i + j))); \
        for (int half = LANES / 2; half > 0; half /= 2) \
            for (int j = 0; j < half; j++) lane[j] = OP(lane[j], lane[j + half]); \
        total = lane[0]; \
    } \
    for (; i < n; i++) total = OP(total, LOAD(ACCESS(i))); \
    return total;

#define WG_AT_INDEX(i) (x[i])
#define WG_AT_STRIDE(i) (*(const SRC_T *)(x + (i) * stride))

#define WG_REDUCE_ROWS(NAME, SRC, LOAD, ACC, ZERO, OP, DST, STORE) \
    WG_REDUCE_ATTR static ACC NAME##_block(const SRC *x, Py_ssize_t n) { \
        WG_BLOCK_BODY(SRC, LOAD, ACC, ZERO, OP, WG_AT_INDEX) \
    } \
    static ACC NAME##_strided(const char *x, Py_ssize_t stride, Py_ssize_t n) { \
        typedef SRC SRC_T; \
        WG_BLOCK_BODY(SRC, LOAD, ACC, ZERO, OP, WG_AT_STRIDE) \
    } \
    static ACC NAME##_row(char *src, Py_ssize_t n, Py_ssize_t stride) { \
        ACC stack[64], total; \
        int top = 0; \
        size_t blocks = 0; \
        const int contiguous = stride == (Py_ssize_t)sizeof(SRC); \
        for (; n > WG_BLOCK; n -= WG_BLOCK, src += WG_BLOCK * stride) { \
            total = contiguous ? NAME##_block((const SRC *)src, WG_BLOCK) : NAME##_strided(src, stride, WG_BLOCK); \
            for (size_t k = ++blocks; !(k & 1); k >>= 1) { --top; total = OP(stack[top], total); } \
            stack[top++] = total; \
        } \
        total = contiguous ? NAME##_block((const SRC *)src, n) : NAME##_strided(src, stride, n); \
        while (top > 0) { --top; total = OP(stack[top], total); } \
        return total; \
    }

#define WG_REDUCE_COLUMNS(NAME, SRC, LOAD, ACC, ZERO, OP, DST, STORE) \
    WG_REDUCE_ATTR static void NAME##_fold(ACC *into, ACC *from, Py_ssize_t width) { \
        for (Py_ssize_t j = 0; j < width; j++) { into[j] = OP(into[j], from[j]); from[j] = ZERO; } \
    } \
    WG_REDUCE_ATTR static void NAME##_four(ACC *acc, const char *src, Py_ssize_t stride, Py_ssize_t width) { \
        const SRC *a = (const SRC *)src, *b = (const SRC *)(src + stride), *c = (const SRC *)(src + 2 * stride), \
                  *d = (const SRC *)(src + 3 * stride); \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) { \
            const ACC ab = OP(LOAD(a[j]), LOAD(b[j])), cd = OP(LOAD(c[j]), LOAD(d[j])), four = OP(ab, cd); \
            acc[j] = OP(acc[j], four); \
        } \
    } \
    WG_REDUCE_ATTR static void NAME##_next(ACC *acc, const char *src, Py_ssize_t width) { \
        const SRC *a = (const SRC *)src; \
        WG_IVDEP \
        for (Py_ssize_t j = 0; j < width; j++) acc[j] = OP(acc[j], LOAD(a[j])); \
    } \
    static void NAME##_one(ACC *acc, const char *src, Py_ssize_t kept_stride, Py_ssize_t width) { \
        for (Py_ssize_t j = 0; j < width; j++, src += kept_stride) acc[j] = OP(acc[j], LOAD(*(const SRC *)src)); \
    } \
    static void NAME##_strip(char *src, Py_ssize_t width, Py_ssize_t kept_stride, Py_ssize_t n, Py_ssize_t stride, \
                             char *dst, Py_ssize_t dst_stride) { \
        ACC level[WG_LEVELS][WG_STRIP]; \
        const int contiguous = kept_stride == (Py_ssize_t)sizeof(SRC); \
        int levels = 1; \
        Py_ssize_t row = 0; \
        for (Py_ssize_t k = n; k >= WG_FAN && levels < WG_LEVELS; k /= WG_FAN) levels++; \
        for (int k = 0; k < levels; k++) \
            for (Py_ssize_t j = 0; j < width; j++) level[k][j] = ZERO; \
        while (row < n) { \
            if (contiguous && n - row >= 4) { \
                NAME##_four(level[0], src, stride, width); \
                row += 4; \
                src += 4 * stride; \
            } else if (contiguous) { \
                NAME##_next(level[0], src, width); \
                row += 1; \
                src += stride; \
            } else { \
                NAME##_one(level[0], src, kept_stride, width); \
                row += 1; \
                src += stride; \
            } \
            Py_ssize_t done = row; \
            for (int k = 0; k + 1 < levels && done % WG_FAN == 0; k++, done /= WG_FAN) \
                NAME##_fold(level[k + 1], level[k], width); \
        } \
        for (int k = 0; k + 1 < levels; k++) NAME##_fold(level[k + 1], level[k], width); \
        for (Py_ssize_t j = 0; j < width; j++) *(DST *)(dst + j * dst_stride) = STORE(level[levels - 1][j]); \
    }

/* The reduce_fn of kernels/types.pxd: by columns when the kept dim is the closer one in memory and not short. */
#define WG_REDUCE(NAME, SRC, LOAD, ACC, ZERO, OP, DST, STORE) \
    WG_REDUCE_ROWS(NAME, SRC, LOAD, ACC, ZERO, OP, DST, STORE) \
    WG_REDUCE_COLUMNS(NAME, SRC, LOAD, ACC, ZERO, OP, DST, STORE) \
    static void NAME(char *src, Py_ssize_t outer_n, Py_ssize_t outer_stride, Py_ssize_t n, Py_ssize_t stride, \
                     char *dst, Py_ssize_t dst_stride) { \
        const Py_ssize_t near = outer_stride < 0 ? -outer_stride : outer_stride, far = stride < 0 ? -stride : stride; \
        if (outer_n >= 8 && near < far) { \
            for (Py_ssize_t i = 0; i < outer_n; i += WG_STRIP) \
                NAME##_strip(src + i * outer_stride, outer_n - i < WG_STRIP ? outer_n - i : WG_STRIP, outer_stride, \
                             n, stride, dst + i * dst_stride, dst_stride); \
        } else { \
            for (; outer_n > 0; outer_n--, src += outer_stride, dst += dst_stride) \
                *(DST *)dst = STORE(NAME##_row(src, n, stride)); \
        } \
    }

typedef struct { const char *name; int src, dst; wg_reduce_fn fn; } wg_reduce_entry;

#endif
