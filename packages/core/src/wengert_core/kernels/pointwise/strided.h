/* Copies of a 2-d block between strided buffers, one function per element size.
 *
 * Rows are dim 0, dim 1 is the inner loop of the output. Four ways: rows contiguous in both (memcpy), a transpose
 * (source contiguous along dim 0, output along dim 1) by tiles through a buffer on the stack, rows that are contiguous
 * but read backwards (a flip), and plain loops.
 */
#ifndef WENGERT_STRIDED_H
#define WENGERT_STRIDED_H

#include "casts.h"

typedef void (*wg_copy2d_fn)(char *, Py_ssize_t, Py_ssize_t, char *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t);

#define WG_COPY2D(SIZE, TYPE, TILE) \
    WG_CLONES static void wg_backwards_##SIZE(const TYPE *src, TYPE *dst, Py_ssize_t n) { \
        WG_IVDEP \
        for (Py_ssize_t i = 0; i < n; i++) dst[i] = src[-i]; \
    } \
    static void wg_transpose_tile_##SIZE(char *src, Py_ssize_t s1, char *dst, Py_ssize_t d0, \
                                         Py_ssize_t n0, Py_ssize_t n1) { \
        TYPE tile[TILE][TILE + 1]; \
        for (Py_ssize_t j = 0; j < n1; j++) { \
            const TYPE *s = (const TYPE *)(src + j * s1); \
            for (Py_ssize_t i = 0; i < n0; i++) tile[i][j] = s[i]; \
        } \
        for (Py_ssize_t i = 0; i < n0; i++) memcpy(dst + i * d0, tile[i], (size_t)n1 * SIZE); \
    } \
    static void wg_transpose_##SIZE(char *src, Py_ssize_t s1, char *dst, Py_ssize_t d0, \
                                    Py_ssize_t n0, Py_ssize_t n1) { \
        for (Py_ssize_t i = 0; i < n0; i += TILE) \
            for (Py_ssize_t j = 0; j < n1; j += TILE) { \
                const Py_ssize_t h = n0 - i < TILE ? n0 - i : TILE, w = n1 - j < TILE ? n1 - j : TILE; \
                char *s = src + i * SIZE + j * s1, *d = dst + i * d0 + j * SIZE; \
                if (h == TILE && w == TILE) wg_transpose_tile_##SIZE(s, s1, d, d0, TILE, TILE); \
                else wg_transpose_tile_##SIZE(s, s1, d, d0, h, w); \
            } \
    } \
    static void wg_copy2d_##SIZE(char *src, Py_ssize_t s0, Py_ssize_t s1, char *dst, Py_ssize_t d0, Py_ssize_t d1, \
                                 Py_ssize_t n0, Py_ssize_t n1) { \
        if (s1 != SIZE && s0 == SIZE && d1 == SIZE && n0 > 3 && n1 > 3) { \
            wg_transpose_##SIZE(src, s1, dst, d0, n0, n1); \
        } else if (s1 == -SIZE && d1 == SIZE && n1 * SIZE >= 64) { \
            for (; n0 > 0; n0--, src += s0, dst += d0) wg_backwards_##SIZE((const TYPE *)src, (TYPE *)dst, n1); \
        } else if (n1 * SIZE >= 64) { \
            for (; n0 > 0; n0--, src += s0, dst += d0) wg_copy_##SIZE(src, s1, dst, d1, n1); \
        } else { \
            for (; n0 > 0; n0--, src += s0, dst += d0) { \
                char *s = src, *d = dst; \
                for (Py_ssize_t j = n1; j > 0; j--, s += s1, d += d1) *(TYPE *)d = *(const TYPE *)s; \
            } \
        } \
    }

WG_COPY2D(1, uint8_t, 64)
WG_COPY2D(2, uint16_t, 32)
WG_COPY2D(4, uint32_t, 32)
WG_COPY2D(8, uint64_t, 16)
WG_COPY2D(16, wg_c128, 16)

static wg_copy2d_fn wg_find_copy2d(int itemsize) {
    switch (itemsize) {
        case 1: return wg_copy2d_1;
        case 2: return wg_copy2d_2;
        case 4: return wg_copy2d_4;
        case 8: return wg_copy2d_8;
        case 16: return wg_copy2d_16;
        default: return NULL;
    }
}

#endif
