/* The C side of types.pxd: one line per dtype, X(TAG, code, storage type), and conversion of the 16-bit floats.
 *
 * float16 and bfloat16 are stored as uint16_t. Both conversions are free of branches, so loops over them vectorise on
 * the baseline instruction set; narrowing rounds to nearest even, NaN stays NaN. The float16 method (scaling by powers
 * of two, so that the hardware rounds) is the one of M. Dukhan's FP16 library.
 */
#ifndef WENGERT_DTYPES_H
#define WENGERT_DTYPES_H

#include "simd.h"

typedef struct { float re, im; } wg_c64;
typedef struct { double re, im; } wg_c128;

enum { WG_BOOL, WG_U8, WG_I8, WG_I16, WG_I32, WG_I64, WG_F16, WG_BF16, WG_F32, WG_F64, WG_C64, WG_C128, WG_U16, WG_U32,
       WG_U64, WG_N_DTYPES };

WG_INLINE int wg_itemsize(int code) {
    static const unsigned char sizes[WG_N_DTYPES] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 2, 4, 8};
    return sizes[code];
}

WG_INLINE int wg_is_float(int code) { return WG_F16 <= code && code <= WG_F64; }

WG_INLINE float wg_half_to_float(uint16_t h) {
    const uint32_t w = (uint32_t)h << 16, sign = w & 0x80000000u, two_w = w + w;
    const uint32_t normal = wg_f32_bits(wg_bits_f32((two_w >> 4) + 0x70000000u) * 0x1p-112f);
    const uint32_t denormal = wg_f32_bits(wg_bits_f32((two_w >> 17) | 0x3F000000u) - 0.5f);
    return wg_bits_f32(sign | (two_w < 0x08000000u ? denormal : normal));
}

WG_INLINE uint16_t wg_float_to_half(float f) {
    const uint32_t w = wg_f32_bits(f), shl1_w = w + w, sign = w & 0x80000000u;
    const float scaled = (wg_bits_f32(w & 0x7FFFFFFFu) * 0x1p+112f) * 0x1p-110f;
    uint32_t bias = shl1_w & 0xFF000000u, bits;
    bias = bias < 0x71000000u ? 0x71000000u : bias;
    bits = wg_f32_bits(wg_bits_f32((bias >> 1) + 0x07800000u) + scaled);
    bits = ((bits >> 13) & 0x7C00u) + (bits & 0x0FFFu);
    return (uint16_t)((sign >> 16) | (shl1_w > 0xFF000000u ? 0x7E00u : bits));
}

WG_INLINE float wg_bfloat_to_float(uint16_t h) { return wg_bits_f32((uint32_t)h << 16); }

WG_INLINE uint16_t wg_float_to_bfloat(float f) {
    const uint32_t w = wg_f32_bits(f), rounded = (w + 0x7FFFu + ((w >> 16) & 1u)) >> 16;
    return (uint16_t)((w & 0x7FFFFFFFu) > 0x7F800000u ? (w >> 16) | 0x40u : rounded);
}

/* Float to integer: truncates; what does not fit, NaN included, becomes the smallest integer, as on x86 in torch. */
#define WG_TO_INT(NAME, FROM, TO, LOW, HIGH, MIN) \
    WG_INLINE TO NAME(FROM x) { const FROM y = ((x > LOW) & (x < HIGH)) ? x : MIN; return (TO)y; }
WG_TO_INT(wg_float_to_i32, float, int32_t, -0x1p31f, 0x1p31f, -0x1p31f)
WG_TO_INT(wg_double_to_i32, double, int32_t, -2147483649.0, 0x1p31, -0x1p31)
WG_TO_INT(wg_float_to_i64, float, int64_t, -0x1p63f, 0x1p63f, -0x1p63f)
WG_TO_INT(wg_double_to_i64, double, int64_t, -0x1p63, 0x1p63, -0x1p63)

/* To unsigned integers: negative numbers wrap; NaN and what is below the signed integers become 2^31 or 2^63, what is
   too large 0, as in torch. */
#define WG_TO_UNSIGNED(NAME, FROM, TO, SIGNED, END) \
    WG_INLINE TO NAME(FROM x) { \
        const TO half = (TO)(END / 2), high = x < END ? (TO)((TO)SIGNED(x - END / 2) ^ half) : 0; \
        return x >= END / 2 ? high : (TO)SIGNED(x); \
    }
WG_TO_UNSIGNED(wg_float_to_u32, float, uint32_t, wg_float_to_i32, 0x1p32f)
WG_TO_UNSIGNED(wg_double_to_u32, double, uint32_t, wg_double_to_i32, 0x1p32)
WG_TO_UNSIGNED(wg_float_to_u64, float, uint64_t, wg_float_to_i64, 0x1p64f)
WG_TO_UNSIGNED(wg_double_to_u64, double, uint64_t, wg_double_to_i64, 0x1p64)

#endif
