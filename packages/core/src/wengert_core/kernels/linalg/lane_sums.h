/* The sums of the lanes of several vectors, as one vector: four vectors of a row are four neighbors of the result.
 * Included by inner.h only; of the instruction sets x86-64-v4 (_wide) and x86-64-v3 (_usual).
 */
#ifndef WENGERT_LANE_SUMS_H
#define WENGERT_LANE_SUMS_H

#include <immintrin.h>

#include "wengert_core/kernels/simd.h"

#define WG_V4 __attribute__((target("arch=x86-64-v4")))
#define WG_V3 __attribute__((target("arch=x86-64-v3")))

/* ---- x86-64-v4: 4 rows of float, 2 of double */
WG_V4 WG_INLINE __m512 wg_quarter_sums_f32(const __m512 *x) { /* x[0..3] in each quarter */
    const __m512 low = _mm512_add_ps(_mm512_unpacklo_ps(x[0], x[1]), _mm512_unpackhi_ps(x[0], x[1]));
    const __m512 high = _mm512_add_ps(_mm512_unpacklo_ps(x[2], x[3]), _mm512_unpackhi_ps(x[2], x[3]));
    return _mm512_add_ps(_mm512_shuffle_ps(low, high, 0x44), _mm512_shuffle_ps(low, high, 0xEE));
}
WG_V4 WG_INLINE __m512 wg_join_f32(__m512 x, __m512 y) { /* halves the quarters of each */
    return _mm512_add_ps(_mm512_shuffle_f32x4(x, y, 0x88), _mm512_shuffle_f32x4(x, y, 0xDD));
}
WG_V4 WG_INLINE __m512 wg_lane_sums_f32_wide(const __m512 *x) {
    const __m512 low = wg_join_f32(wg_quarter_sums_f32(x), wg_quarter_sums_f32(x + 4));
    return wg_join_f32(low, wg_join_f32(wg_quarter_sums_f32(x + 8), wg_quarter_sums_f32(x + 12)));
}
WG_V4 WG_INLINE void wg_store_rows_f32_wide(__m512 x, float *to, Py_ssize_t step, int rows) {
    _mm_storeu_ps(to, _mm512_castps512_ps128(x));
    if (rows > 1) _mm_storeu_ps(to + step, _mm512_extractf32x4_ps(x, 1));
    if (rows > 2) _mm_storeu_ps(to + 2 * step, _mm512_extractf32x4_ps(x, 2));
    if (rows > 3) _mm_storeu_ps(to + 3 * step, _mm512_extractf32x4_ps(x, 3));
}
WG_V4 WG_INLINE __m512 wg_load_first_f32_wide(const float *from, Py_ssize_t n) {
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), from);
}

WG_V4 WG_INLINE __m512d wg_pair_sums_f64(const __m512d *x) {
    return _mm512_add_pd(_mm512_unpacklo_pd(x[0], x[1]), _mm512_unpackhi_pd(x[0], x[1]));
}
WG_V4 WG_INLINE __m512d wg_join_f64(__m512d x, __m512d y) {
    return _mm512_add_pd(_mm512_shuffle_f64x2(x, y, 0x88), _mm512_shuffle_f64x2(x, y, 0xDD));
}
WG_V4 WG_INLINE __m512d wg_lane_sums_f64_wide(const __m512d *x) {
    const __m512d low = wg_join_f64(wg_pair_sums_f64(x), wg_pair_sums_f64(x + 2));
    return wg_join_f64(low, wg_join_f64(wg_pair_sums_f64(x + 4), wg_pair_sums_f64(x + 6)));
}
WG_V4 WG_INLINE void wg_store_rows_f64_wide(__m512d x, double *to, Py_ssize_t step, int rows) {
    _mm256_storeu_pd(to, _mm512_castpd512_pd256(x));
    if (rows > 1) _mm256_storeu_pd(to + step, _mm512_extractf64x4_pd(x, 1));
}
WG_V4 WG_INLINE __m512d wg_load_first_f64_wide(const double *from, Py_ssize_t n) {
    return _mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), from);
}

/* ---- x86-64-v3: 2 rows of float, 1 of double */
WG_V3 WG_INLINE __m256 wg_half_sums_f32(const __m256 *x) { /* x[0..3] in each half */
    const __m256 low = _mm256_add_ps(_mm256_unpacklo_ps(x[0], x[1]), _mm256_unpackhi_ps(x[0], x[1]));
    const __m256 high = _mm256_add_ps(_mm256_unpacklo_ps(x[2], x[3]), _mm256_unpackhi_ps(x[2], x[3]));
    return _mm256_add_ps(_mm256_shuffle_ps(low, high, 0x44), _mm256_shuffle_ps(low, high, 0xEE));
}
WG_V3 WG_INLINE __m256 wg_lane_sums_f32_usual(const __m256 *x) {
    const __m256 low = wg_half_sums_f32(x), high = wg_half_sums_f32(x + 4);
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
}
WG_V3 WG_INLINE void wg_store_rows_f32_usual(__m256 x, float *to, Py_ssize_t step, int rows) {
    _mm_storeu_ps(to, _mm256_castps256_ps128(x));
    if (rows > 1) _mm_storeu_ps(to + step, _mm256_extractf128_ps(x, 1));
}
WG_V3 WG_INLINE __m256 wg_load_first_f32_usual(const float *from, Py_ssize_t n) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(from, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lanes));
}

WG_V3 WG_INLINE __m256d wg_lane_sums_f64_usual(const __m256d *x) {
    const __m256d low = _mm256_add_pd(_mm256_unpacklo_pd(x[0], x[1]), _mm256_unpackhi_pd(x[0], x[1]));
    const __m256d high = _mm256_add_pd(_mm256_unpacklo_pd(x[2], x[3]), _mm256_unpackhi_pd(x[2], x[3]));
    return _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x20), _mm256_permute2f128_pd(low, high, 0x31));
}
WG_V3 WG_INLINE void wg_store_rows_f64_usual(__m256d x, double *to, Py_ssize_t step, int rows) {
    (void)step;
    (void)rows;
    _mm256_storeu_pd(to, x);
}
WG_V3 WG_INLINE __m256d wg_load_first_f64_usual(const double *from, Py_ssize_t n) {
    return _mm256_maskload_pd(from, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)));
}

#endif
