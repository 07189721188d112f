/* Random numbers from NumPy's PCG64, whose state lies in NumPy's memory.
 *
 * The generator is M. O'Neill's PCG XSL RR 128/64 (pcg-random.org), as NumPy has it: uniform and whole numbers are
 * those that numpy.random.Generator draws from the same state. Normal numbers are Box and Muller's (1958), in blocks of
 * WG_BLOCK numbers: the first half of a block r cos(a), the second r sin(a), of pairs of uniform numbers in order.
 * core/rng/samplers.py computes the same with NumPy.
 */
#ifndef WENGERT_DRAWS_H
#define WENGERT_DRAWS_H

#include <math.h>
#include "wengert_core/kernels/simd.h"
#include "wengert_core/kernels/vecmath.h"

typedef unsigned __int128 wg_u128;

typedef struct { uint64_t state_low, state_high, step_low, step_high; } wg_pcg_words;
typedef struct { wg_pcg_words *words; int has_half; uint32_t half; } wg_pcg;           /* NumPy's pcg64_state */

enum { WG_BLOCK = 256 };

#define WG_PCG_FACTOR (((wg_u128)2549297995355413924ULL << 64) + 4865540595714422341ULL)

/* The state in registers while numbers are drawn. */
typedef struct { wg_u128 state, step; } wg_stream;

WG_INLINE wg_stream wg_open(const wg_pcg *pcg) {
    wg_stream s;
    s.state = ((wg_u128)pcg->words->state_high << 64) + pcg->words->state_low;
    s.step = ((wg_u128)pcg->words->step_high << 64) + pcg->words->step_low;
    return s;
}

WG_INLINE void wg_close(wg_pcg *pcg, const wg_stream *s) {
    pcg->words->state_low = (uint64_t)s->state;
    pcg->words->state_high = (uint64_t)(s->state >> 64);
}

WG_INLINE uint64_t wg_draw(wg_stream *s) {
    s->state = s->state * WG_PCG_FACTOR + s->step;
    const uint64_t x = (uint64_t)(s->state >> 64) ^ (uint64_t)s->state;
    const unsigned turn = (unsigned)(s->state >> 122);
    return (x >> turn) | (x << (-turn & 63u));
}

WG_INLINE uint32_t wg_draw_half(wg_pcg *pcg, wg_stream *s) {
    if (pcg->has_half) {
        pcg->has_half = 0;
        return pcg->half;
    }
    const uint64_t x = wg_draw(s);
    pcg->has_half = 1;
    pcg->half = (uint32_t)(x >> 32);
    return (uint32_t)x;
}

/* Start from a seed: SplitMix64 (Steele, Lea, Flood, 2014) makes the words, PCG's own seeding the state. */
static uint64_t wg_split_mix(uint64_t *x) {
    uint64_t z = (*x += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

WG_UNUSED static void wg_seed(wg_pcg_words *words, uint64_t seed) {
    const uint64_t a = wg_split_mix(&seed), b = wg_split_mix(&seed), c = wg_split_mix(&seed), d = wg_split_mix(&seed);
    const wg_u128 step = ((((wg_u128)c << 64) + d) << 1) | 1;
    const wg_u128 state = (step + (((wg_u128)a << 64) + b)) * WG_PCG_FACTOR + step;
    words->state_low = (uint64_t)state;
    words->state_high = (uint64_t)(state >> 64);
    words->step_low = (uint64_t)step;
    words->step_high = (uint64_t)(step >> 64);
}

/* ---- uniform in [0, 1) */
WG_UNUSED static void wg_fill_unit_f32(wg_pcg *pcg, float *out, wg_ssize n) {
    wg_stream s = wg_open(pcg);
    wg_ssize i = 0;
    if (n > 0 && pcg->has_half) out[i++] = (wg_draw_half(pcg, &s) >> 8) * 0x1p-24f;
    for (; i + 1 < n; i += 2) {
        const uint64_t x = wg_draw(&s);
        out[i] = ((uint32_t)x >> 8) * 0x1p-24f;
        out[i + 1] = ((uint32_t)(x >> 32) >> 8) * 0x1p-24f;
        pcg->half = (uint32_t)(x >> 32);        /* as NumPy leaves it */
    }
    if (i < n) out[i] = (wg_draw_half(pcg, &s) >> 8) * 0x1p-24f;
    wg_close(pcg, &s);
}

WG_UNUSED static void wg_fill_unit_f64(wg_pcg *pcg, double *out, wg_ssize n) {
    wg_stream s = wg_open(pcg);
    for (wg_ssize i = 0; i < n; i++) out[i] = (wg_draw(&s) >> 11) * 0x1p-53;
    wg_close(pcg, &s);
}

/* From [0, 1) to [low, high); rounding may have reached the end. In two loops, so that each product is rounded. */
#define WG_MOVE_UNIT(SUF, R) \
WG_UNUSED static void wg_move_unit_##SUF(R *out, wg_ssize n, R span, R low, R high) { \
    for (wg_ssize at = 0; at < n; at += WG_BLOCK) { \
        const wg_ssize end = n - at < WG_BLOCK ? n : at + WG_BLOCK; \
        for (wg_ssize i = at; i < end; i++) out[i] *= span; \
        for (wg_ssize i = at; i < end; i++) out[i] = out[i] + low < high ? out[i] + low : low; \
    } \
}
WG_MOVE_UNIT(f32, float)
WG_MOVE_UNIT(f64, double)

/* ---- normal: m numbers of a block, pairs = (m + 1) / 2. sin and cos of 2 pi u by quarters: |x| <= pi / 4. */
#define WG_BOX_MULLER(SUF, R, UINT, INT, BITS, TOP, TWO_PI, HALF, SQRT, SINE, COSINE) \
WG_INLINE void wg_box_muller_body_##SUF(const R *radius, const R *turn, R *out, wg_ssize m, R mean, R std) { \
    const wg_ssize pairs = (m + 1) / 2; \
    R sines[WG_BLOCK / 2]; \
    WG_IVDEP \
    for (wg_ssize i = 0; i < pairs; i++) { \
        const R r = SQRT((R)-2 * wg_log_##SUF(radius[i])) * std; \
        const INT q = (INT)(turn[i] * 4 + HALF); \
        const R x = (turn[i] - (R)q * (R)0.25) * TWO_PI, z = x * x; \
        const R s = SINE, c = COSINE; \
        const UINT odd = (UINT)0 - (UINT)(q & 1), sb = wg_##SUF##_bits(s), cb = wg_##SUF##_bits(c); \
        const UINT a = (cb & ~odd) | (sb & odd), b = (sb & ~odd) | (cb & odd); \
        out[i] = wg_bits_##SUF(a ^ ((UINT)((q + 1) & 2) << TOP)) * r + mean; \
        sines[i] = wg_bits_##SUF(b ^ ((UINT)(q & 2) << TOP)) * r + mean; \
    } \
    memcpy(out + pairs, sines, (size_t)(m - pairs) * sizeof(R)); \
} \
WG_CLONES static void wg_box_muller_##SUF(const R *radius, const R *turn, R *out, wg_ssize m, R mean, R std) { \
    wg_box_muller_body_##SUF(radius, turn, out, m, mean, std); \
}

WG_BOX_MULLER(f32, float, uint32_t, int32_t, 32, 30, 6.28318530717958647692f, 0.5f, sqrtf,
              x + x * z * WG_P2(z, -1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f),
              1.0f - 0.5f * z + z * z * WG_P2(z, 4.166664568298827e-2f, -1.388731625493765e-3f, 2.443315711809948e-5f))
WG_BOX_MULLER(f64, double, uint64_t, int64_t, 64, 62, 6.28318530717958647692, 0.5, sqrt,
              x + x * z * WG_P5(z, -1.66666666666666307295e-1, 8.33333333332211858878e-3, -1.98412698295895385996e-4,
                                2.75573136213857245213e-6, -2.50507477628578072866e-8, 1.58962301576546568060e-10),
              1.0 - 0.5 * z + z * z * WG_P5(z, 4.16666666666665929218e-2, -1.38888888888730564116e-3,
                                            2.48015872888517045348e-5, -2.75573141792967388112e-7,
                                            2.08757008419747316778e-9, -1.13585365213876817300e-11))

WG_UNUSED static void wg_fill_normal_f32(wg_pcg *pcg, float *out, wg_ssize n, double mean, double std) {
    wg_stream s = wg_open(pcg);
    float radius[WG_BLOCK / 2], turn[WG_BLOCK / 2];
    for (wg_ssize at = 0; at < n; at += WG_BLOCK) {
        const wg_ssize m = n - at < WG_BLOCK ? n - at : WG_BLOCK, pairs = (m + 1) / 2;
        for (wg_ssize i = 0; i < pairs; i++) {
            const uint64_t x = wg_draw(&s);
            /* in (0, 1], of 40 bits: large numbers come as often as they should */
            radius[i] = (float)((x >> 24) + 1) * 0x1p-40f;
            turn[i] = (float)(x & 0xFFFFFFu) * 0x1p-24f;
        }
        wg_box_muller_f32(radius, turn, out + at, m, (float)mean, (float)std);
    }
    wg_close(pcg, &s);
}

WG_UNUSED static void wg_fill_normal_f64(wg_pcg *pcg, double *out, wg_ssize n, double mean, double std) {
    wg_stream s = wg_open(pcg);
    double radius[WG_BLOCK / 2], turn[WG_BLOCK / 2];
    for (wg_ssize at = 0; at < n; at += WG_BLOCK) {
        const wg_ssize m = n - at < WG_BLOCK ? n - at : WG_BLOCK, pairs = (m + 1) / 2;
        for (wg_ssize i = 0; i < pairs; i++) {
            radius[i] = (double)((wg_draw(&s) >> 11) + 1) * 0x1p-53;
            turn[i] = (double)(wg_draw(&s) >> 11) * 0x1p-53;
        }
        wg_box_muller_f64(radius, turn, out + at, m, mean, std);
    }
    wg_close(pcg, &s);
}

/* ---- whole numbers from 0 to most, by Lemire's method (2019), as NumPy: in halves of a draw where they fit */
WG_INLINE uint64_t wg_whole_below(wg_pcg *pcg, wg_stream *s, uint64_t most) {
    if (most == 0) return 0;
    if (most < 0xFFFFFFFFu) {
        const uint32_t range = (uint32_t)most + 1;
        uint64_t product = (uint64_t)wg_draw_half(pcg, s) * range;
        if ((uint32_t)product < range) {
            const uint32_t least = (uint32_t)(0xFFFFFFFFu - (uint32_t)most) % range;
            while ((uint32_t)product < least) product = (uint64_t)wg_draw_half(pcg, s) * range;
        }
        return product >> 32;
    }
    if (most == 0xFFFFFFFFu) return wg_draw_half(pcg, s);
    if (most == UINT64_MAX) return wg_draw(s);
    const uint64_t range = most + 1;
    wg_u128 product = (wg_u128)wg_draw(s) * range;
    if ((uint64_t)product < range) {
        const uint64_t least = (UINT64_MAX - most) % range;
        while ((uint64_t)product < least) product = (wg_u128)wg_draw(s) * range;
    }
    return (uint64_t)(product >> 64);
}

WG_UNUSED static void wg_fill_whole(wg_pcg *pcg, int64_t *out, wg_ssize n, int64_t low, int64_t last) {
    wg_stream s = wg_open(pcg);
    const uint64_t most = (uint64_t)last - (uint64_t)low;
    for (wg_ssize i = 0; i < n; i++) out[i] = (int64_t)((uint64_t)low + wg_whole_below(pcg, &s, most));
    wg_close(pcg, &s);
}

/* The numbers from 0 to n - 1 in an order that is as likely as any other (Fisher and Yates). */
WG_UNUSED static void wg_fill_order(wg_pcg *pcg, int64_t *out, wg_ssize n) {
    wg_stream s = wg_open(pcg);
    for (wg_ssize i = 0; i < n; i++) out[i] = i;
    for (wg_ssize i = n - 1; i > 0; i--) {
        const wg_ssize k = (wg_ssize)wg_whole_below(pcg, &s, (uint64_t)i);
        const int64_t kept = out[i];
        out[i] = out[k];
        out[k] = kept;
    }
    wg_close(pcg, &s);
}

/* Places drawn by their weights, with replacement; ends: the weights' running sums. */
WG_UNUSED static void wg_fill_places(wg_pcg *pcg, const double *ends, wg_ssize n, int64_t *out, wg_ssize draws) {
    wg_stream s = wg_open(pcg);
    for (wg_ssize i = 0; i < draws; i++) {
        double at = ends[n - 1];
        while (!(at < ends[n - 1])) at = (wg_draw(&s) >> 11) * 0x1p-53 * ends[n - 1];   /* rounding may reach the end */
        const double *first = ends;
        for (wg_ssize left = n; left > 1;) {                    /* the first end beyond the number, without branches */
            const wg_ssize half = left / 2;
            first += first[half - 1] <= at ? half : 0;
            left -= half;
        }
        out[i] = first - ends;
    }
    wg_close(pcg, &s);
}

/* ``one``, which is 1 in the numbers' dtype, with probability p, else 0. */
#define WG_FILL_CHANCE(BITS) \
WG_UNUSED static void wg_fill_chance_##BITS(wg_pcg *pcg, uint##BITS##_t *out, wg_ssize n, double p, uint64_t one) { \
    wg_stream s = wg_open(pcg); \
    for (wg_ssize i = 0; i < n; i++) out[i] = (wg_draw(&s) >> 11) * 0x1p-53 < p ? (uint##BITS##_t)one : 0; \
    wg_close(pcg, &s); \
}
WG_FILL_CHANCE(8)
WG_FILL_CHANCE(16)
WG_FILL_CHANCE(32)
WG_FILL_CHANCE(64)

#endif
