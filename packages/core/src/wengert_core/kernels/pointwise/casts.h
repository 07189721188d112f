/* All 15 x 15 conversions, generated: each source has a class (the type it is loaded as), each target a conversion
 * from each class. Classes: i int32, l int64, u uint64, f float, d double, c and z the complex types.
 */
#ifndef WENGERT_CASTS_H
#define WENGERT_CASTS_H

#include "wengert_core/kernels/dtypes.h"

typedef void (*wg_cast_fn)(char *, Py_ssize_t, char *, Py_ssize_t, Py_ssize_t);

/* Loads: storage to class. */
#define WG_LD_BOOL(x) ((int32_t)((x) != 0))
#define WG_LD_U8(x) ((int32_t)(x))
#define WG_LD_I8(x) ((int32_t)(x))
#define WG_LD_I16(x) ((int32_t)(x))
#define WG_LD_I32(x) (x)
#define WG_LD_I64(x) (x)
#define WG_LD_F16(x) wg_half_to_float(x)
#define WG_LD_BF16(x) wg_bfloat_to_float(x)
#define WG_LD_F32(x) (x)
#define WG_LD_F64(x) (x)
#define WG_LD_C64(x) (x)
#define WG_LD_C128(x) (x)
#define WG_LD_U16(x) ((int32_t)(x))
#define WG_LD_U32(x) ((int64_t)(x))
#define WG_LD_U64(x) (x)

#define WG_STORE(TAG, CLASS, FROM, TO, EXPR) WG_INLINE TO wg_st_##TAG##_##CLASS(FROM x) { return EXPR; }

/* Stores: one group per target; complex to anything but bool and complex takes the real part. */
#define WG_STORE_REAL(TAG, TO, FROM_INT, FROM_LONG, FROM_FLOAT, FROM_DOUBLE) \
    WG_STORE(TAG, i, int32_t, TO, FROM_INT) \
    WG_STORE(TAG, l, int64_t, TO, FROM_LONG) \
    WG_STORE(TAG, u, uint64_t, TO, FROM_LONG) \
    WG_STORE(TAG, f, float, TO, FROM_FLOAT) \
    WG_STORE(TAG, d, double, TO, FROM_DOUBLE) \
    WG_STORE(TAG, c, wg_c64, TO, wg_st_##TAG##_f(x.re)) \
    WG_STORE(TAG, z, wg_c128, TO, wg_st_##TAG##_d(x.re))
#define WG_STORE_INT(TAG, TO) WG_STORE_REAL(TAG, TO, (TO)x, (TO)x, (TO)wg_float_to_i32(x), (TO)wg_double_to_i32(x))

WG_STORE_INT(U8, uint8_t)
WG_STORE_INT(I8, int8_t)
WG_STORE_INT(I16, int16_t)
WG_STORE_INT(I32, int32_t)
WG_STORE_REAL(I64, int64_t, x, (int64_t)x, wg_float_to_i64(x), wg_double_to_i64(x))
WG_STORE_INT(U16, uint16_t)
WG_STORE_REAL(U32, uint32_t, (uint32_t)x, (uint32_t)x, wg_float_to_u32(x), wg_double_to_u32(x))
WG_STORE_REAL(U64, uint64_t, (uint64_t)x, (uint64_t)x, wg_float_to_u64(x), wg_double_to_u64(x))
WG_STORE_REAL(F16, uint16_t, wg_float_to_half((float)x), wg_float_to_half((float)x), wg_float_to_half(x),
              wg_float_to_half((float)x))
WG_STORE_REAL(BF16, uint16_t, wg_float_to_bfloat((float)x), wg_float_to_bfloat((float)x), wg_float_to_bfloat(x),
              wg_float_to_bfloat((float)x))
WG_STORE_REAL(F32, float, (float)x, (float)x, x, (float)x)
WG_STORE_REAL(F64, double, (double)x, (double)x, (double)x, x)

WG_STORE(BOOL, i, int32_t, uint8_t, x != 0)
WG_STORE(BOOL, l, int64_t, uint8_t, x != 0)
WG_STORE(BOOL, u, uint64_t, uint8_t, x != 0)
WG_STORE(BOOL, f, float, uint8_t, x != 0)
WG_STORE(BOOL, d, double, uint8_t, x != 0)
WG_STORE(BOOL, c, wg_c64, uint8_t, (x.re != 0) | (x.im != 0))
WG_STORE(BOOL, z, wg_c128, uint8_t, (x.re != 0) | (x.im != 0))

#define WG_STORE_COMPLEX(TAG, TO, REAL) \
    WG_INLINE TO wg_make_##TAG(REAL re, REAL im) { TO y; y.re = re; y.im = im; return y; } \
    WG_STORE(TAG, i, int32_t, TO, wg_make_##TAG((REAL)x, 0)) \
    WG_STORE(TAG, l, int64_t, TO, wg_make_##TAG((REAL)x, 0)) \
    WG_STORE(TAG, u, uint64_t, TO, wg_make_##TAG((REAL)x, 0)) \
    WG_STORE(TAG, f, float, TO, wg_make_##TAG((REAL)x, 0)) \
    WG_STORE(TAG, d, double, TO, wg_make_##TAG((REAL)x, 0)) \
    WG_STORE(TAG, c, wg_c64, TO, wg_make_##TAG((REAL)x.re, (REAL)x.im)) \
    WG_STORE(TAG, z, wg_c128, TO, wg_make_##TAG((REAL)x.re, (REAL)x.im))
WG_STORE_COMPLEX(C64, wg_c64, float)
WG_STORE_COMPLEX(C128, wg_c128, double)

/* The loop: contiguous (vectorised) or by strides. */
#define WG_CAST(ATTR, STAG, CLASS, SRC, DTAG, DST) \
    ATTR static void wg_cast_##STAG##_##DTAG(char *src, Py_ssize_t ss, char *dst, Py_ssize_t ds, Py_ssize_t n) { \
        Py_ssize_t i; \
        if (ss == (Py_ssize_t)sizeof(SRC) && ds == (Py_ssize_t)sizeof(DST)) { \
            const SRC *s = (const SRC *)src; \
            DST *d = (DST *)dst; \
            WG_IVDEP \
            for (i = 0; i < n; i++) d[i] = wg_st_##DTAG##_##CLASS(WG_LD_##STAG(s[i])); \
        } else { \
            for (i = 0; i < n; i++, src += ss, dst += ds) \
                *(DST *)dst = wg_st_##DTAG##_##CLASS(WG_LD_##STAG(*(const SRC *)src)); \
        } \
    }

/* n elements of one type, by strides. */
#define WG_COPY(NAME, TYPE) \
    WG_CLONES static void NAME##_of_one(const TYPE value, TYPE *dst, Py_ssize_t n) { \
        for (Py_ssize_t i = 0; i < n; i++) dst[i] = value; \
    } \
    WG_UNUSED static void NAME(char *src, Py_ssize_t ss, char *dst, Py_ssize_t ds, Py_ssize_t n) { \
        if (n <= 0) return; \
        if (ss == (Py_ssize_t)sizeof(TYPE) && ds == (Py_ssize_t)sizeof(TYPE)) { \
            memmove(dst, src, (size_t)n * sizeof(TYPE)); \
            return; \
        } \
        if (ss == 0 && ds == (Py_ssize_t)sizeof(TYPE)) { \
            static const TYPE zero; \
            if (memcmp(src, &zero, sizeof zero) == 0) memset(dst, 0, (size_t)n * sizeof zero); \
            else NAME##_of_one(*(const TYPE *)src, (TYPE *)dst, n); \
            return; \
        } \
        for (Py_ssize_t i = 0; i < n; i++, src += ss, dst += ds) *(TYPE *)dst = *(const TYPE *)src; \
    }
WG_COPY(wg_copy_1, uint8_t)
WG_COPY(wg_copy_2, uint16_t)
WG_COPY(wg_copy_4, uint32_t)
WG_COPY(wg_copy_8, uint64_t)
WG_COPY(wg_copy_16, wg_c128)

WG_UNUSED static wg_cast_fn wg_find_copy(int itemsize) {
    switch (itemsize) {
        case 1: return wg_copy_1;
        case 2: return wg_copy_2;
        case 4: return wg_copy_4;
        case 8: return wg_copy_8;
        case 16: return wg_copy_16;
        default: return NULL;
    }
}

#endif
