/* Sums of float16 that convert by the instructions of x86-64-v3 as they add, in the order of reduce.h: the bits are
 * those of the sums of float that reduce_table.h makes of them elsewhere. Included by argreduce.h only.
 */
#ifndef WENGERT_HALF_SUMS_H
#define WENGERT_HALF_SUMS_H

#include "reduce_table.h"

#ifdef WG_HAS_WIDE
#include <immintrin.h>

#define WG_F16C __attribute__((target("arch=x86-64-v3")))

WG_F16C WG_INLINE __m256 wg_eight_of(const uint16_t *x) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x)); }

WG_F16C static WG_OUTLINE float sum_F16_block(const uint16_t *x, Py_ssize_t n) {
    float total = 0;
    Py_ssize_t i = 0;
    if (n >= 32) {
        __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
        for (; i + 32 <= n; i += 32) {
            a = _mm256_add_ps(a, wg_eight_of(x + i));
            b = _mm256_add_ps(b, wg_eight_of(x + i + 8));
            c = _mm256_add_ps(c, wg_eight_of(x + i + 16));
            d = _mm256_add_ps(d, wg_eight_of(x + i + 24));
        }
        a = _mm256_add_ps(_mm256_add_ps(a, c), _mm256_add_ps(b, d));
        for (; i + 8 <= n; i += 8) a = _mm256_add_ps(a, wg_eight_of(x + i));
        __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
        s = _mm_add_ps(s, _mm_movehl_ps(s, s));
        total = _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
    }
    for (; i < n; i++) total += _cvtsh_ss(x[i]);
    return total;
}

WG_INLINE void sum_F16_fold(float *into, float *from, Py_ssize_t width) { sum_F32_fold(into, from, width); }

WG_F16C static WG_OUTLINE void sum_F16_four(float *acc, const char *src, Py_ssize_t stride, Py_ssize_t width) {
    const uint16_t *a = (const uint16_t *)src, *b = (const uint16_t *)(src + stride),
                   *c = (const uint16_t *)(src + 2 * stride), *d = (const uint16_t *)(src + 3 * stride);
    Py_ssize_t j = 0;
    for (; j + 8 <= width; j += 8) {
        const __m256 ab = _mm256_add_ps(wg_eight_of(a + j), wg_eight_of(b + j));
        const __m256 cd = _mm256_add_ps(wg_eight_of(c + j), wg_eight_of(d + j));
        _mm256_storeu_ps(acc + j, _mm256_add_ps(_mm256_loadu_ps(acc + j), _mm256_add_ps(ab, cd)));
    }
    for (; j < width; j++)
        acc[j] += (_cvtsh_ss(a[j]) + _cvtsh_ss(b[j])) + (_cvtsh_ss(c[j]) + _cvtsh_ss(d[j]));
}

WG_F16C static WG_OUTLINE void sum_F16_next(float *acc, const char *src, Py_ssize_t width) {
    const uint16_t *a = (const uint16_t *)src;
    Py_ssize_t j = 0;
    for (; j + 8 <= width; j += 8)
        _mm256_storeu_ps(acc + j, _mm256_add_ps(_mm256_loadu_ps(acc + j), wg_eight_of(a + j)));
    for (; j < width; j++) acc[j] += _cvtsh_ss(a[j]);
}

WG_REDUCE_LOOPS(sum_F16, WG_GAPS_LOAD, uint16_t, wg_half_to_float, float, 0, WG_ADD)
WG_REDUCTION(half_sum, sum_F16, F16, F16, F32, F16)
WG_REDUCTION(half_sum, sum_F16, F16, F16, F32, F32)
static const wg_reduce_entry WG_HALF_SUMS[] = {
    {"sum", WG_F16, WG_F16, WG_F32, WG_F16, half_sum_F16_F16, &half_sum_F16_F16_source},
    {"sum", WG_F16, WG_F16, WG_F32, WG_F32, half_sum_F16_F32, &half_sum_F16_F32_source}};
#endif

#endif
