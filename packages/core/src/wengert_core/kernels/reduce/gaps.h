/* Elements with gaps, of the small dtypes. Note [What a reduction reads] in reduce.h
 *
 * Integers are added where they lie, by several sums side by side: sums of integers are the same in any order.
 * Elements of one and two bytes are loaded several at a time; every second one by vectors.
 */
#ifndef WENGERT_GAPS_H
#define WENGERT_GAPS_H

#include "wengert_core/kernels/pointwise/casts.h"

/* acc[j] += the sum of n elements ``stride`` bytes apart, which begin ``step`` bytes apart, for each j < width. */
typedef void (*wg_gaps_fn)(int64_t *acc, const char *src, Py_ssize_t step, Py_ssize_t width, Py_ssize_t stride,
                           Py_ssize_t n);

#define WG_ADD_GAPS(NAME, T) \
    static void NAME(int64_t *acc, const char *src, Py_ssize_t step, Py_ssize_t width, Py_ssize_t stride, \
                     Py_ssize_t n) { \
        for (Py_ssize_t j = 0; j < width; j++, src += step) { \
            const char *x = src; \
            uint64_t a = 0, b = 0, c = 0, d = 0; \
            Py_ssize_t i = n; \
            for (; i >= 4; i -= 4, x += 4 * stride) { \
                a += (uint64_t)*(const T *)x; \
                b += (uint64_t)*(const T *)(x + stride); \
                c += (uint64_t)*(const T *)(x + 2 * stride); \
                d += (uint64_t)*(const T *)(x + 3 * stride); \
                WG_SCALAR; \
            } \
            for (; i > 0; i--, x += stride) { \
                a += (uint64_t)*(const T *)x; \
                WG_SCALAR; \
            } \
            acc[j] = (int64_t)((uint64_t)acc[j] + (a + b) + (c + d)); \
        } \
    }
WG_ADD_GAPS(wg_add_gaps_u8, uint8_t)
WG_ADD_GAPS(wg_add_gaps_i8, int8_t)
WG_ADD_GAPS(wg_add_gaps_i16, int16_t)
WG_ADD_GAPS(wg_add_gaps_u16, uint16_t)
WG_ADD_GAPS(wg_add_gaps_i32, int32_t)
WG_ADD_GAPS(wg_add_gaps_u32, uint32_t)
WG_ADD_GAPS(wg_add_gaps_i64, int64_t)

static wg_gaps_fn wg_find_add_gaps(int dtype) {
    switch (dtype) {
        case WG_U8: return wg_add_gaps_u8;
        case WG_I8: return wg_add_gaps_i8;
        case WG_I16: return wg_add_gaps_i16;
        case WG_U16: return wg_add_gaps_u16;
        case WG_I32: return wg_add_gaps_i32;
        case WG_U32: return wg_add_gaps_u32;
        case WG_I64: case WG_U64: return wg_add_gaps_i64;
        default: return NULL;
    }
}

/* To a buffer; PAIR holds two elements of T. Of the last pair there may be no second half in memory. */
#define WG_LOAD_GAPS(NAME, T, PAIR) \
    WG_CLONES static void NAME##_of_pairs(const char *src, T *dst, Py_ssize_t n) { \
        WG_IVDEP \
        for (Py_ssize_t i = 0; i < n; i++) { \
            PAIR pair; \
            memcpy(&pair, src + i * (Py_ssize_t)sizeof pair, sizeof pair); \
            dst[i] = WG_FIRST_OF(T, pair); \
        } \
    } \
    static void NAME(char *src, Py_ssize_t stride, char *dst, Py_ssize_t dst_stride, Py_ssize_t n) { \
        T *d = (T *)dst; \
        (void)dst_stride; \
        if (stride == (Py_ssize_t)sizeof(PAIR) && n > 1) { \
            NAME##_of_pairs(src, d, n - 1); \
            d[n - 1] = *(const T *)(src + (n - 1) * stride); \
            return; \
        } \
        for (; n >= 4; n -= 4, src += 4 * stride, d += 4) { \
            d[0] = *(const T *)src; \
            d[1] = *(const T *)(src + stride); \
            d[2] = *(const T *)(src + 2 * stride); \
            d[3] = *(const T *)(src + 3 * stride); \
            WG_SCALAR; \
        } \
        for (; n > 0; n--, src += stride) *d++ = *(const T *)src; \
    }
#if PY_BIG_ENDIAN
#define WG_FIRST_OF(T, pair) ((T)((pair) >> 8 * sizeof(T)))
#else
#define WG_FIRST_OF(T, pair) ((T)(pair))
#endif
WG_LOAD_GAPS(wg_load_gaps_1, uint8_t, uint16_t)
WG_LOAD_GAPS(wg_load_gaps_2, uint16_t, uint32_t)

#endif
