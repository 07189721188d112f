/* Instantiates casts.h: the functions and the table [src][dst]. Included by casts.pyx only. */
#ifndef WENGERT_CASTS_TABLE_H
#define WENGERT_CASTS_TABLE_H

#include "casts.h"

/* A: of casts to floating point; B: of casts to int64, for which there are vector instructions in x86-64-v4 only, and
   to bool. */
#define WG_CASTS_FROM(A, B, STAG, CLASS, SRC) \
    WG_CAST(B, STAG, CLASS, SRC, BOOL, uint8_t) \
    WG_CAST(, STAG, CLASS, SRC, U8, uint8_t) \
    WG_CAST(, STAG, CLASS, SRC, I8, int8_t) \
    WG_CAST(, STAG, CLASS, SRC, I16, int16_t) \
    WG_CAST(, STAG, CLASS, SRC, I32, int32_t) \
    WG_CAST(B, STAG, CLASS, SRC, I64, int64_t) \
    WG_CAST(A, STAG, CLASS, SRC, F16, uint16_t) \
    WG_CAST(A, STAG, CLASS, SRC, BF16, uint16_t) \
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
WG_CASTS_FROM(WG_CLONES, , F16, f, uint16_t)
WG_CASTS_FROM(WG_CLONES, , BF16, f, uint16_t)
WG_CASTS_FROM(WG_CLONES, WG_CLONES, F32, f, float)
WG_CASTS_FROM(WG_CLONES, WG_CLONES, F64, d, double)
WG_CASTS_FROM(, , C64, c, wg_c64)
WG_CASTS_FROM(, , C128, z, wg_c128)
WG_CASTS_FROM(, , U16, i, uint16_t)
WG_CASTS_FROM(, , U32, l, uint32_t)
WG_CASTS_FROM(, , U64, u, uint64_t)

#define WG_CAST_ROW(S) { \
    wg_cast_##S##_BOOL, wg_cast_##S##_U8, wg_cast_##S##_I8, wg_cast_##S##_I16, wg_cast_##S##_I32, wg_cast_##S##_I64, \
    wg_cast_##S##_F16, wg_cast_##S##_BF16, wg_cast_##S##_F32, wg_cast_##S##_F64, wg_cast_##S##_C64, \
    wg_cast_##S##_C128, wg_cast_##S##_U16, wg_cast_##S##_U32, wg_cast_##S##_U64 }

static const wg_cast_fn WG_CASTS[WG_N_DTYPES][WG_N_DTYPES] = {
    WG_CAST_ROW(BOOL), WG_CAST_ROW(U8), WG_CAST_ROW(I8), WG_CAST_ROW(I16), WG_CAST_ROW(I32), WG_CAST_ROW(I64),
    WG_CAST_ROW(F16), WG_CAST_ROW(BF16), WG_CAST_ROW(F32), WG_CAST_ROW(F64), WG_CAST_ROW(C64), WG_CAST_ROW(C128),
    WG_CAST_ROW(U16), WG_CAST_ROW(U32), WG_CAST_ROW(U64)};

static wg_cast_fn wg_find_cast(int src, int dst) {
    if (src < 0 || src >= WG_N_DTYPES || dst < 0 || dst >= WG_N_DTYPES) return NULL;
    return src == dst ? wg_find_copy(wg_itemsize(src)) : WG_CASTS[src][dst];
}

#endif
