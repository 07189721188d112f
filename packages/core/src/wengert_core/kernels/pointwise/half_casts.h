/* Conversion of float16 to float and back by the instructions of x86-64-v3: the bits are those of dtypes.h. Included by
 * casts_table.h only.
 */
#ifndef WENGERT_HALF_CASTS_H
#define WENGERT_HALF_CASTS_H

#include "wengert_core/kernels/dtypes.h"

#ifdef WG_HAS_WIDE
#include <immintrin.h>

#define WG_HALVES __attribute__((target("arch=x86-64-v3")))

WG_HALVES static void wg_widen_halves(char *src, Py_ssize_t ss, char *dst, Py_ssize_t ds, Py_ssize_t n) {
    if (ss == 2 && ds == 4)
        for (; n >= 16; n -= 16, src += 32, dst += 64) {
            const __m128i low = _mm_loadu_si128((const __m128i *)src), high = _mm_loadu_si128((const __m128i *)src + 1);
            _mm256_storeu_ps((float *)dst, _mm256_cvtph_ps(low));
            _mm256_storeu_ps((float *)dst + 8, _mm256_cvtph_ps(high));
        }
    else if (ds == 4)
        for (; n >= 8; n -= 8, src += 8 * ss, dst += 32) {
#define WG_HALF(i) (*(const int16_t *)(src + (i) * ss))
            const __m128i eight = _mm_setr_epi16(WG_HALF(0), WG_HALF(1), WG_HALF(2), WG_HALF(3), WG_HALF(4), WG_HALF(5),
                                                 WG_HALF(6), WG_HALF(7));
            _mm256_storeu_ps((float *)dst, _mm256_cvtph_ps(eight));
        }
    for (; n > 0; n--, src += ss, dst += ds) *(float *)dst = _cvtsh_ss(*(const uint16_t *)src);
}

/* The instruction keeps what fits of the bits that tell one NaN from another; here as in dtypes.h none is kept. */
WG_HALVES WG_INLINE __m128i wg_eight_halves(__m256 x) {
    const __m128i h = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
    const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(h, _mm_set1_epi16(0x7FFF)), _mm_set1_epi16(0x7C00));
    return _mm_andnot_si128(_mm_and_si128(nan, _mm_set1_epi16(0x01FF)), h);
}

WG_HALVES static void wg_narrow_to_halves(char *src, Py_ssize_t ss, char *dst, Py_ssize_t ds, Py_ssize_t n) {
    if (ss == 4 && ds == 2)
        for (; n >= 8; n -= 8, src += 32, dst += 16)
            _mm_storeu_si128((__m128i *)dst, wg_eight_halves(_mm256_loadu_ps((const float *)src)));
    for (; n > 0; n--, src += ss, dst += ds) {
        const uint32_t h = (uint16_t)_cvtss_sh(*(const float *)src, _MM_FROUND_TO_NEAREST_INT);
        *(uint16_t *)dst = (uint16_t)((h & 0x7FFF) > 0x7C00 ? h & 0xFE00 : h);
    }
}
#endif

#endif
