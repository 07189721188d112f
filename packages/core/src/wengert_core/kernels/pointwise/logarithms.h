/* Logarithms and the inverse of tanh, for pointwise_table.h: on top of those of kernels/vecmath.h.
 *
 * Errors, measured by tests/kernels/test_elementary.py: of float32 0.51 ulp (log 2), of float64 1 ulp (atanh 2). Those
 * of float32 but log are computed in float64, in which neither 1 + x nor the multiple of ln 2 loses anything, by a
 * short series. Those of float64 follow fdlibm (Sun Microsystems, 1993) and its successor in FreeBSD.
 */
#ifndef WENGERT_LOGARITHMS_H
#define WENGERT_LOGARITHMS_H

#include "wengert_core/kernels/vecmath.h"

/* ---- of float32, in float64: x is 0, a normal number or none */
WG_INLINE double wg_log_short(double f) {                       /* log(1 + f), by 2 atanh(f / (2 + f)) */
    const double s = f / (2.0 + f), z = s * s;                  /* (atanh(s) / s - 1) 2 / z, z in [0, 0.0295] */
    return 2.0 * s + s * z * WG_P3(z, 6.66666665543001802e-01, 4.00001220008168808e-01, 2.85508025532767101e-01,
                                   2.33309640517720403e-01);
}
WG_INLINE double wg_log_narrow(double x) {
    double k;
    const double y = wg_log_short(wg_log_split(x, &k)) + k * 6.93147180559945309417e-01;
    return wg_log_ends(x, y);
}
WG_INLINE float wg_logarithm_f32(float x) { return x < INFINITY ? wg_log_f32(x) : x; }
WG_INLINE float wg_log2_f32(float value) {
    const double x = (double)value;
    double k;
    const double y = k + wg_log_short(wg_log_split(x, &k)) * 1.44269504088896340736;
    return (float)wg_log_ends(x, y);
}
WG_INLINE float wg_log10_f32(float x) { return (float)(wg_log_narrow((double)x) * 4.34294481903251827651e-01); }
WG_INLINE float wg_log1p_f32(float value) {                     /* what u = 1 + x lost is put back */
    const double x = (double)value, u = 1.0 + x, lost = x < 1 ? x - (u - 1.0) : 0;
    double k;
    const double y = wg_log_short(wg_log_split(u, &k)) + (k * 6.93147180559945309417e-01 + lost);
    return copysignf((float)wg_log_ends(u, y), value);
}
WG_INLINE float wg_atanh_f32(float value) {
    const double a = fabs((double)value), y = 0.5 * wg_log_narrow((1.0 + a) / (1.0 - a));
    return copysignf((float)(a < 0x1p-12 ? a + a * a * a * (1.0 / 3) : y), value);
}

/* ---- of float64 */
WG_INLINE double wg_logarithm_f64(double x) { return wg_log_f64(x); }
/* log(1 + x): what u = 1 + x lost is put back. */
WG_INLINE double wg_log1p_f64(double x) {
    const double u = 1.0 + x, lost = x > 1 ? 1.0 - (u - x) : x - (u - 1.0), y = wg_log_of_f64(u, lost / u);
    return copysign(wg_log_ends(u, y), x);
}
WG_INLINE double wg_atanh_f64(double x) {
    const double a = fabs(x), t = a + a, rest = a / (1.0 - a), y = wg_log1p_f64(a < 0.5 ? t + t * rest : rest + rest);
    return copysign(a < 0x1p-28 ? a : 0.5 * y, x);
}

/* log(x / (1 - x)), x first held within [eps, 1 - eps], of which the lower bound wins; an eps that is NaN holds
 * nothing.
 */
#define WG_LOGIT(SUF, R, LOG) \
    WG_INLINE R wg_logit_##SUF(R value, R eps) { \
        const R low = value > 1 - eps ? 1 - eps : value, x = value < eps ? eps : low; \
        return LOG(x / (1 - x)); \
    }
WG_LOGIT(f32, float, wg_logarithm_f32)
WG_LOGIT(f64, double, wg_log_f64)

/* -x log(x): 0 at 0, -infinity below. */
#define WG_ENTROPY(SUF, R, LOG) \
    WG_INLINE R wg_entr_##SUF(R x) { \
        const R inside = -x * LOG(x), low = x < 0 ? -INFINITY : x, ends = x == 0 ? 0 : low; \
        return x > 0 ? inside : ends; \
    }
WG_ENTROPY(f32, float, wg_logarithm_f32)
WG_ENTROPY(f64, double, wg_log_f64)

/* To the bases 2 and 10: the first bits of log(1 + f) times those of the factor are exact. */
#define WG_LOG_OF_BASE(BASE, HIGH, LOW, K_HIGH, K_LOW) \
    WG_INLINE double wg_log##BASE##_f64(double x) { \
        double k; \
        const double f = wg_log_normal(x, &k), half_square = 0.5 * f * f, rest = wg_log_series(f, half_square); \
        const double high = wg_bits_f64(wg_f64_bits(f - half_square) & 0xFFFFFFFF00000000u); \
        const double low = ((f - high) - half_square) + rest, first = high * HIGH, whole = k * K_HIGH; \
        const double sum = whole + first, small = low * HIGH + ((low + high) * LOW + k * K_LOW); \
        const double y = sum + (small + ((whole - sum) + first)); \
        return wg_log_ends(x, y); \
    }
WG_LOG_OF_BASE(2, 1.44269504072144627571e+00, 1.67517131648865118353e-10, 1.0, 0.0)
WG_LOG_OF_BASE(10, 4.34294481878168880939e-01, 2.50829467116452752298e-11, 3.01029995663611771306e-01,
               3.69423907715893078616e-13)

#endif
