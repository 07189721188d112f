/* Instantiates casts.h: the functions and the table [src][dst]. Included by casts.pyx only. */
#ifndef WENGERT_CASTS_TABLE_H
#define WENGERT_CASTS_TABLE_H

#include "casts.h"
#include "half_casts.h"

/* A: of casts to floating point; B: of casts to int64, for which there are vector instructions in x86-64-v4 only, and
   to bool. */
#define WG_CASTS_FROM(A, B, STAG, CLASS, SRC) \
    WG_CAST(B, STAG, CLASS, SRC, BOOL, uint8_t) \
    WG_CAST(, STAG, CLASS, SRC, U8, uint8_t) \
    WG_CAST(, STAG, CLASS, SRC, I8, int8_t) \
    WG_CAST(, STAG, CLASS, SRC, I16, int16_t) \
    WG_CAST(, STAG, CLASS, SRC, I32, int32_t) \
    WG_CAST(B, STAG, CLASS, SRC, I64, int64_t) \
    WG_CAST(A, STAG, CLASS, SRC, F32, float) \
    WG_CAST(A, STAG, CLASS, SRC, F64, double) \
    WG_CAST(, STAG, CLASS, SRC, C64, wg_c64) \
    WG_CAST(, STAG, CLASS, SRC, C128, wg_c128) \
    WG_CAST(, STAG, CLASS, SRC, U16, uint16_t) \
    WG_CAST(, STAG, CLASS, SRC, U32, uint32_t) \
    WG_CAST(, STAG, CLASS, SRC, U64, uint64_t)

WG_CASTS_FROM(, , BOOL, i, uint8_t)
WG_CASTS_FROM(, , U8, i, uint8_t)
WG_CASTS_FROM(, , I8, i, int8_t)
WG_CASTS_FROM(, , I16, i, int16_t)
WG_CASTS_FROM(, , I32, i, int32_t)
WG_CASTS_FROM(WG_CLONES, , I64, l, int64_t)
WG_CASTS_FROM(WG_CLONES, WG_CLONES, F32, f, float)
WG_CASTS_FROM(WG_CLONES, WG_CLONES, F64, d, double)
WG_CASTS_FROM(, , C64, c, wg_c64)
WG_CASTS_FROM(, , C128, z, wg_c128)
WG_CASTS_FROM(, , U16, i, uint16_t)
WG_CASTS_FROM(, , U32, l, uint32_t)
WG_CASTS_FROM(, , U64, u, uint64_t)

/* 16-bit floats: to and from the wider floats at once, to and from all else by way of float, which gives the same. */
#define WG_CASTS_OF_HALVES(TAG) \
    WG_CAST(WG_CLONES, TAG, f, uint16_t, F32, float) \
    WG_CAST(WG_CLONES, TAG, f, uint16_t, F64, double) \
    WG_CAST(WG_CLONES, F32, f, float, TAG, uint16_t) \
    WG_CAST(WG_CLONES, F64, d, double, TAG, uint16_t)
WG_CASTS_OF_HALVES(F16)
WG_CASTS_OF_HALVES(BF16)

enum { WG_CAST_BLOCK = 256 };
static WG_OUTLINE void wg_cast_by_float(wg_cast_fn widen, wg_cast_fn narrow, char *src, Py_ssize_t ss, char *dst,
                                        Py_ssize_t ds, Py_ssize_t n) {
    float buffer[WG_CAST_BLOCK];
    for (; n > 0; n -= WG_CAST_BLOCK, src += WG_CAST_BLOCK * ss, dst += WG_CAST_BLOCK * ds) {
        const Py_ssize_t m = n < WG_CAST_BLOCK ? n : WG_CAST_BLOCK;
        widen(src, ss, (char *)buffer, sizeof(float), m);
        narrow((char *)buffer, sizeof(float), dst, ds, m);
    }
}
#define WG_CAST_BY_FLOAT(STAG, DTAG) \
    static void wg_cast_##STAG##_##DTAG(char *src, Py_ssize_t ss, char *dst, Py_ssize_t ds, Py_ssize_t n) { \
        wg_cast_by_float(wg_cast_##STAG##_F32, wg_cast_F32_##DTAG, src, ss, dst, ds, n); \
    }
#define WG_CASTS_BY_FLOAT(TAG, OTHER) \
    WG_CAST_BY_FLOAT(TAG, OTHER) \
    WG_CAST_BY_FLOAT(OTHER, TAG)
#define WG_CASTS_OF_OTHERS(TAG) \
    WG_CASTS_BY_FLOAT(TAG, BOOL) WG_CASTS_BY_FLOAT(TAG, U8) WG_CASTS_BY_FLOAT(TAG, I8) WG_CASTS_BY_FLOAT(TAG, I16) \
    WG_CASTS_BY_FLOAT(TAG, I32) WG_CASTS_BY_FLOAT(TAG, I64) WG_CASTS_BY_FLOAT(TAG, C64) WG_CASTS_BY_FLOAT(TAG, C128) \
    WG_CASTS_BY_FLOAT(TAG, U16) WG_CASTS_BY_FLOAT(TAG, U32) WG_CASTS_BY_FLOAT(TAG, U64)
WG_CASTS_OF_OTHERS(F16)
WG_CASTS_OF_OTHERS(BF16)
WG_CASTS_BY_FLOAT(F16, BF16)

#define WG_CAST_ROW(S) { \
    wg_cast_##S##_BOOL, wg_cast_##S##_U8, wg_cast_##S##_I8, wg_cast_##S##_I16, wg_cast_##S##_I32, wg_cast_##S##_I64, \
    wg_cast_##S##_F16, wg_cast_##S##_BF16, wg_cast_##S##_F32, wg_cast_##S##_F64, wg_cast_##S##_C64, \
    wg_cast_##S##_C128, wg_cast_##S##_U16, wg_cast_##S##_U32, wg_cast_##S##_U64 }

/* A dtype to itself is copied: these are not compiled. */
#define wg_cast_BOOL_BOOL NULL
#define wg_cast_U8_U8 NULL
#define wg_cast_I8_I8 NULL
#define wg_cast_I16_I16 NULL
#define wg_cast_I32_I32 NULL
#define wg_cast_I64_I64 NULL
#define wg_cast_F16_F16 NULL
#define wg_cast_BF16_BF16 NULL
#define wg_cast_F32_F32 NULL
#define wg_cast_F64_F64 NULL
#define wg_cast_C64_C64 NULL
#define wg_cast_C128_C128 NULL
#define wg_cast_U16_U16 NULL
#define wg_cast_U32_U32 NULL
#define wg_cast_U64_U64 NULL

static const wg_cast_fn WG_CASTS[WG_N_DTYPES][WG_N_DTYPES] = {
    WG_CAST_ROW(BOOL), WG_CAST_ROW(U8), WG_CAST_ROW(I8), WG_CAST_ROW(I16), WG_CAST_ROW(I32), WG_CAST_ROW(I64),
    WG_CAST_ROW(F16), WG_CAST_ROW(BF16), WG_CAST_ROW(F32), WG_CAST_ROW(F64), WG_CAST_ROW(C64), WG_CAST_ROW(C128),
    WG_CAST_ROW(U16), WG_CAST_ROW(U32), WG_CAST_ROW(U64)};

static wg_cast_fn wg_find_cast(int src, int dst) {
    if (src < 0 || src >= WG_N_DTYPES || dst < 0 || dst >= WG_N_DTYPES) return NULL;
#ifdef WG_HAS_WIDE
    if (src == WG_F16 && dst == WG_F32 && __builtin_cpu_supports("x86-64-v3")) return wg_widen_halves;
    if (src == WG_F32 && dst == WG_F16 && __builtin_cpu_supports("x86-64-v3")) return wg_narrow_to_halves;
#endif
    return src == dst ? wg_find_copy(wg_itemsize(src)) : WG_CASTS[src][dst];
}

#endif
