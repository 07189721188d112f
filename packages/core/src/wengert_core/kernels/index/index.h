/* Whether an index is within its bounds, and sums of 16 bits at positions. Included by index.pyx only. */
#ifndef WENGERT_INDEX_H
#define WENGERT_INDEX_H

#include "wengert_core/kernels/dtypes.h"

/* Whether no entry is below low, or size and more; what wraps is outside. */
WG_CLONES static int wg_all_within(const int64_t *entries, wg_ssize n, int64_t low, int64_t size) {
    uint64_t outside = 0; /* a sign bit: on one of both sides */
    for (wg_ssize i = 0; i < n; i++)
        outside |= ((uint64_t)entries[i] - (uint64_t)low) | ((uint64_t)size - 1 - (uint64_t)entries[i]);
    return (int64_t)outside >= 0;
}

/* A row of a walk: self[index[j]] += other[j], rounded each time. Strides in bytes; entries below 0 count from size. */
typedef struct {
    char *self;
    const char *index, *other;
    wg_ssize self_step, index_step, other_step, n, stride;
    int64_t size;
} wg_half_row;

#define WG_ADD_HALF_ROW(NAME, ATTRIBUTE, WIDEN, NARROW) \
    ATTRIBUTE static void NAME(const wg_half_row *row) { \
        char *self = row->self; \
        const char *index = row->index, *other = row->other; \
        for (wg_ssize j = row->n; j > 0; j--) { \
            const int64_t entry = *(const int64_t *)index; \
            uint16_t *into = (uint16_t *)(self + (entry + (entry < 0 ? row->size : 0)) * row->stride); \
            *into = NARROW(WIDEN(*into) + WIDEN(*(const uint16_t *)other)); \
            self += row->self_step; \
            index += row->index_step; \
            other += row->other_step; \
        } \
    }
/* The same of two runs, of which the index is one position. */
#define WG_ADD_HALF_RUN(NAME, ATTRIBUTE, WIDEN, NARROW) \
    ATTRIBUTE static void NAME(uint16_t *into, const uint16_t *other, wg_ssize n) { \
        WG_IVDEP \
        for (wg_ssize j = 0; j < n; j++) into[j] = NARROW(WIDEN(into[j]) + WIDEN(other[j])); \
    }
WG_ADD_HALF_ROW(wg_add_half_row_plain, , wg_half_to_float, wg_float_to_half)
WG_ADD_HALF_ROW(wg_add_bfloat_row, , wg_bfloat_to_float, wg_float_to_bfloat)
WG_ADD_HALF_RUN(wg_add_half_run_plain, , wg_half_to_float, wg_float_to_half)
WG_ADD_HALF_RUN(wg_add_bfloat_run, WG_CLONES, wg_bfloat_to_float, wg_float_to_bfloat)

#ifdef WG_HAS_WIDE
#include <immintrin.h>

/* By the instructions of x86-64-v3; of a NaN's bits none is kept, as in dtypes.h. */
#define WG_HALVES __attribute__((target("arch=x86-64-v3")))
WG_HALVES WG_INLINE uint16_t wg_one_half(float x) {
    const uint32_t h = (uint16_t)_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
    return (uint16_t)((h & 0x7FFF) > 0x7C00 ? h & 0xFE00 : h);
}
WG_ADD_HALF_ROW(wg_add_half_row_wide, WG_HALVES, _cvtsh_ss, wg_one_half)

WG_HALVES static void wg_add_half_run_wide(uint16_t *into, const uint16_t *other, wg_ssize n) {
    for (; n >= 8; n -= 8, into += 8, other += 8) {
        const __m256 x = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)into));
        const __m256 y = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)other));
        const __m128i h = _mm256_cvtps_ph(_mm256_add_ps(x, y), _MM_FROUND_TO_NEAREST_INT);
        const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(h, _mm_set1_epi16(0x7FFF)), _mm_set1_epi16(0x7C00));
        _mm_storeu_si128((__m128i *)into, _mm_andnot_si128(_mm_and_si128(nan, _mm_set1_epi16(0x01FF)), h));
    }
    for (; n > 0; n--, into++, other++) *into = wg_one_half(_cvtsh_ss(*into) + _cvtsh_ss(*other));
}
#endif

static void wg_add_half_row(const wg_half_row *row, int brain) {
#ifdef WG_HAS_WIDE
    if (!brain && __builtin_cpu_supports("x86-64-v3")) {
        wg_add_half_row_wide(row);
        return;
    }
#endif
    if (brain) wg_add_bfloat_row(row);
    else wg_add_half_row_plain(row);
}

static void wg_add_half_run(char *into, const char *other, wg_ssize n, int brain) {
#ifdef WG_HAS_WIDE
    if (!brain && __builtin_cpu_supports("x86-64-v3")) {
        wg_add_half_run_wide((uint16_t *)into, (const uint16_t *)other, n);
        return;
    }
#endif
    if (brain) wg_add_bfloat_run((uint16_t *)into, (const uint16_t *)other, n);
    else wg_add_half_run_plain((uint16_t *)into, (const uint16_t *)other, n);
}

#endif
