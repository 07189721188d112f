/* exp, log, log1p on [0, 1], erf, erfc, sin and cos, without branches or tables, so that loops over them vectorise.
 *
 * Errors, measured by tests/kernels/test_pointwise.py: at most 2 ulp each (erfc 4). Polynomials were fitted at
 * Chebyshev points in 60 digits: they interpolate the function named beside them on the interval named there.
 */
#ifndef WENGERT_VECMATH_H
#define WENGERT_VECMATH_H

#include <math.h>
#include "simd.h"

/* Horner: WG_Pn(x, c0, ..., cn). */
#define WG_P1(x, a, b) ((a) + (x) * (b))
#define WG_P2(x, a, ...) ((a) + (x) * WG_P1(x, __VA_ARGS__))
#define WG_P3(x, a, ...) ((a) + (x) * WG_P2(x, __VA_ARGS__))
#define WG_P4(x, a, ...) ((a) + (x) * WG_P3(x, __VA_ARGS__))
#define WG_P5(x, a, ...) ((a) + (x) * WG_P4(x, __VA_ARGS__))
#define WG_P6(x, a, ...) ((a) + (x) * WG_P5(x, __VA_ARGS__))
#define WG_P7(x, a, ...) ((a) + (x) * WG_P6(x, __VA_ARGS__))
#define WG_P8(x, a, ...) ((a) + (x) * WG_P7(x, __VA_ARGS__))
#define WG_P9(x, a, ...) ((a) + (x) * WG_P8(x, __VA_ARGS__))
#define WG_P10(x, a, ...) ((a) + (x) * WG_P9(x, __VA_ARGS__))
#define WG_P11(x, a, ...) ((a) + (x) * WG_P10(x, __VA_ARGS__))
#define WG_P12(x, a, ...) ((a) + (x) * WG_P11(x, __VA_ARGS__))
#define WG_P13(x, a, ...) ((a) + (x) * WG_P12(x, __VA_ARGS__))
#define WG_P14(x, a, ...) ((a) + (x) * WG_P13(x, __VA_ARGS__))
#define WG_P21(x, a, b, c, d, e, f, g, h, i, ...) \
    ((a) + (x) * ((b) + (x) * ((c) + (x) * ((d) + (x) * ((e) + (x) * ((f) + (x) * ((g) + (x) * ((h) + (x) * ((i) \
     + (x) * WG_P12(x, __VA_ARGS__))))))))))

/* exp(x) is 2^k exp(r): r, with k in the low bits of ``shifted``, and exp(r) = 1 + r + r^2 P(r). */
WG_INLINE float wg_exp_rest_f32(float x, float *shifted) {
    *shifted = x * 1.44269504f + 12582912.0f;                   /* rounds to an integer in the low bits */
    const float k = *shifted - 12582912.0f;
    return (x - k * 0.693359375f) + k * 2.12194440e-4f;         /* ln 2 in two parts, the first of 10 bits */
}
WG_INLINE float wg_exp_series_f32(float r) {
    const float p = WG_P5(r, 5.000000074e-01f, 1.666666675e-01f, 4.166603990e-02f, 8.333263735e-03f, 1.396781768e-03f,
                          1.992892632e-04f);                    /* (exp(r) - 1 - r) / r^2, [-0.46, 0.46] */
    return 1.0f + (r + r * r * p);
}

WG_INLINE double wg_exp_rest_f64(double x, double *shifted) {
    *shifted = x * 1.44269504088896340736 + 6755399441055744.0;
    const double k = *shifted - 6755399441055744.0;
    return (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
}
WG_INLINE double wg_exp_series_f64(double r) {
    const double p = WG_P10(r, 5.00000000000000000e-01, 1.66666666666666713e-01, 4.16666666666666713e-02,
                            8.33333333332608381e-03, 1.38888888888837113e-03, 1.98412698750022792e-04,
                            2.48015873256774607e-05, 2.75572551700008879e-06, 2.75572734787185824e-07,
                            2.51053127296221029e-08, 2.09147553258932021e-09);    /* as above, ln 2 / 2 */
    return 1.0 + (r + r * r * p);
}

/* 2^k p, k in the low bits of ``shifted``: in two steps so that results near the ends of the range neither overflow
 * early nor lose their denormals. */
WG_INLINE float wg_scale_f32(float p, float shifted) {
    const uint32_t n = wg_f32_bits(shifted) - 0x4B400000u + 512u, half = n >> 1;    /* k + 512 > 0 */
    return p * wg_bits_f32((half - 256u + 127u) << 23) * wg_bits_f32((n - half - 256u + 127u) << 23);
}
WG_INLINE double wg_scale_f64(double p, double shifted) {
    const uint64_t n = wg_f64_bits(shifted) - 0x4338000000000000u + 4096u, half = n >> 1;
    return p * wg_bits_f64((half - 2048u + 1023u) << 52) * wg_bits_f64((n - half - 2048u + 1023u) << 52);
}

/* exp(high + low), |low| at most 0.1, high in [-105, 90], [-750, 710]. */
WG_INLINE float wg_exp_bounded_f32(float x, float low) {
    float shifted;
    const float p = wg_exp_series_f32(wg_exp_rest_f32(x, &shifted) + low);
    return wg_scale_f32(p, shifted);
}
WG_INLINE double wg_exp_bounded_f64(double x, double low) {
    double shifted;
    const double p = wg_exp_series_f64(wg_exp_rest_f64(x, &shifted) + low);
    return wg_scale_f64(p, shifted);
}

/* The same bits where the result is no denormal, x in [-87, 87], [-708, 708]: k is added to the exponent. */
WG_INLINE float wg_exp_near_f32(float x) {
    float shifted;
    const float p = wg_exp_series_f32(wg_exp_rest_f32(x, &shifted));
    return wg_bits_f32(wg_f32_bits(p) + (wg_f32_bits(shifted) << 23));
}
WG_INLINE double wg_exp_near_f64(double x) {
    double shifted;
    const double p = wg_exp_series_f64(wg_exp_rest_f64(x, &shifted));
    return wg_bits_f64(wg_f64_bits(p) + (wg_f64_bits(shifted) << 52));
}

WG_INLINE float wg_exp_sum_f32(float high, float low) {
    const float x = high > 90.0f ? 90.0f : high;
    return wg_exp_bounded_f32(x < -105.0f ? -105.0f : x, low);
}
WG_INLINE double wg_exp_sum_f64(double high, double low) {
    const double x = high > 710.0 ? 710.0 : high;
    return wg_exp_bounded_f64(x < -750.0 ? -750.0 : x, low);
}
WG_INLINE float wg_exp_f32(float x) { return wg_exp_sum_f32(x, 0.0f); }
WG_INLINE double wg_exp_f64(double x) { return wg_exp_sum_f64(x, 0.0); }

/* log(1 + t) for t in [0, 1], by 2 atanh(t / (2 + t)). */
WG_INLINE float wg_log1p_unit_f32(float t) {
    const float s = t / (2.0f + t), z = s * s;                  /* (atanh(s) / s - 1) 2 / z, z in [0, 1/9] */
    return 2.0f * s + s * z * WG_P4(z, 6.666666732e-01f, 3.999970633e-01f, 2.859235799e-01f, 2.170657580e-01f,
                                    2.322432922e-01f);
}

WG_INLINE double wg_log1p_unit_f64(double t) {
    const double s = t / (2.0 + t), z = s * s;
    return 2.0 * s + s * z * WG_P9(z, 6.66666666666666630e-01, 4.00000000000145850e-01, 2.85714285671087587e-01,
                                   2.22222227174278641e-01, 1.81817894361328586e-01, 1.53855700649586230e-01,
                                   1.33141442096549351e-01, 1.20010728095907127e-01, 8.80073848614467413e-02,
                                   1.61640456119435311e-01);
}

/* log(x) of a finite x: x = 2^k m with m in [sqrt(1/2), sqrt(2)), and log(m) = 2 atanh((m - 1) / (m + 1)). */
WG_INLINE float wg_log_f32(float x) {
    const float normal = x < 0x1p-126f ? x * 0x1p23f : x;
    const int32_t u = (int32_t)(wg_f32_bits(normal) - 0x3F3504F3u), whole = (u >> 23) - (x < 0x1p-126f ? 23 : 0);
    const float m = wg_bits_f32(((uint32_t)u & 0x7FFFFFu) + 0x3F3504F3u), k = (float)whole;
    const float s = (m - 1.0f) / (m + 1.0f), z = s * s;
    const float rest = s * z * WG_P4(z, 6.666666732e-01f, 3.999970633e-01f, 2.859235799e-01f, 2.170657580e-01f,
                                     2.322432922e-01f);
    const float y = k * 0.693359375f + (2.0f * s + (rest - k * 2.12194440e-4f));
    return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}

/* What a logarithm is at the ends of its domain. */
WG_INLINE double wg_log_ends(double x, double y) {
    const double low = x == 0 ? -INFINITY : NAN, high = x < INFINITY ? y : x;
    return x > 0 ? high : low;
}
/* x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), of a positive normal x. The exponent becomes a number in the last
 * bits of 2^52: no instruction set below x86-64-v4 converts integers of 64 bits. */
WG_INLINE double wg_log_split(double x, double *k) {
    const uint64_t u = wg_f64_bits(x) - 0x3FE6A09E667F3BCDu + 0x3FF0000000000000u;
    *k = wg_bits_f64((u >> 52) | 0x4330000000000000u) - (0x1p52 + 1023);
    return wg_bits_f64((u & 0xFFFFFFFFFFFFFu) + 0x3FE6A09E667F3BCDu) - 1.0;
}
WG_INLINE double wg_log_series(double f, double half_square) {  /* log(1 + f) - f + f^2 / 2, as fdlibm has it */
    const double s = f / (2.0 + f), z = s * s;
    return s * (half_square + z * WG_P6(z, 6.666666666666735130e-01, 3.999999999940941908e-01,
                                        2.857142874366239149e-01, 2.222219843214978396e-01, 1.818357216161805012e-01,
                                        1.531383769920937332e-01, 1.479819860511658591e-01));
}
WG_INLINE double wg_log_normal(double x, double *k) {           /* as wg_log_split, of denormal numbers as well */
    double whole;
    const double f = wg_log_split(x < 0x1p-1022 ? x * 0x1p54 : x, &whole);
    *k = whole - (x < 0x1p-1022 ? 54 : 0);
    return f;
}
WG_INLINE double wg_log_of_f64(double x, double low) {          /* log(x) + low, not at the ends */
    double k;
    const double f = wg_log_normal(x, &k), half_square = 0.5 * f * f;
    const double small = k * 1.90821492927058770002e-10 + low;
    return k * 6.93147180369123816490e-01 - ((half_square - (wg_log_series(f, half_square) + small)) - f);
}
WG_INLINE double wg_log_f64(double x) {
    const double y = wg_log_of_f64(x, 0.0);
    return wg_log_ends(x, y);
}

/* erf(x) for |x| <= 1; erf(sqrt(z)) / sqrt(z), z in [0, 1]. */
WG_INLINE float wg_erf_small_f32(float x) {
    const float z = x * x;
    return x * WG_P6(z, 1.128379166e+00f, -3.761262667e-01f, 1.128359472e-01f, -2.685421201e-02f, 5.189087423e-03f,
                     -8.016864287e-04f, 7.875875063e-05f);
}

WG_INLINE double wg_erf_small_f64(double x) {
    const double z = x * x;
    return x * WG_P12(z, 1.12837916709551256e+00, -3.76126389031837483e-01, 1.12837916709548791e-01,
                      -2.68661706450767923e-02, 5.22397762481801448e-03, -8.54832698083379003e-04,
                      1.20553311116427105e-04, -1.49255952668311818e-05, 1.64610004841213676e-06,
                      -1.63503127010546952e-07, 1.46597752740474363e-08, -1.13728488567916737e-09,
                      5.95717614774891131e-11);
}

/* erfc(x) for x >= 0.5: exp(-x^2) Q(t) / (1 + 2 x), t = (x - 2) / (x + 2). x is split into s, whose square is exact,
 * and a rest, so that the exponential keeps its relative accuracy. Q: exp(x^2) erfc(x) (1 + 2 x), x in [0.5, 10.1]. */
WG_INLINE float wg_erfc_large_f32(float absolute) {
    const float x = absolute > 10.1f ? 10.1f : absolute, s = wg_bits_f32(wg_f32_bits(x) & 0xFFFFF000u);
    const float t = (x - 2.0f) / (x + 2.0f), e = wg_exp_sum_f32(-s * s, (s - x) * (s + x));
    const float q = WG_P9(t, 1.276978386e+00f, -9.276378465e-02f, -1.660308987e-01f, 1.640494339e-01f,
                          -5.421018837e-02f, -8.012014047e-03f, 8.654271807e-03f, 1.168133363e-03f, -1.258640871e-03f,
                          -2.503304356e-04f);
    return e * (q / (1.0f + 2.0f * x));
}

WG_INLINE double wg_erfc_large_f64(double absolute) {           /* Q on [0.5, 28] */
    const double x = absolute > 28.0 ? 28.0 : absolute, s = wg_bits_f64(wg_f64_bits(x) & 0xFFFFFFFFF8000000u);
    const double t = (x - 2.0) / (x + 2.0), e = wg_exp_sum_f64(-s * s, (s - x) * (s + x));
    const double q = WG_P21(
        t, 1.27697838155252885e+00, -9.27638265857446548e-02, -1.66030397615304942e-01, 1.64051280033226748e-01,
        -5.42200009908772734e-02, -8.03401507255014670e-03, 8.72265384041134503e-03, 1.27133876242902866e-03,
        -1.45681337227403056e-03, -4.54338574674739096e-04, 2.06361574409673538e-04, 1.51024566332641085e-04,
        -1.47476412255799516e-06, -3.63666734224302502e-05, -1.36333170834996578e-05, 3.58277584395812043e-06,
        5.57949034863024316e-06, 1.65256718615545473e-06, -1.23620425838186607e-06, -8.88763071364704801e-07,
        1.80137892396971599e-07, 1.23753897639792051e-07);
    return e * (q / (1.0 + 2.0 * x));
}

/* Both sides are computed, one is selected. NaN stays NaN. */
WG_INLINE float wg_erf_f32(float x) {                           /* the tail is exp(P), P: log(erfc), x in [1, 4] */
    const float a = fabsf(x), b = a > 4.0f ? 4.0f : a, small = wg_erf_small_f32(a > 1.0f ? 1.0f : a);
    const float logarithm = WG_P6(b, -3.536368895e-04f, -1.127040386e+00f, -6.382251381e-01f, -1.030377969e-01f,
                                  2.180551365e-02f, -2.939654281e-03f, 1.855785958e-04f);
    const float size = a > 1.0f ? 1.0f - wg_exp_bounded_f32(logarithm, 0.0f) : small;
    return x < 0 ? -size : (a > 0 ? size : x);
}

WG_INLINE double wg_erf_f64(double x) {                         /* P: exp(x^2) erfc(x), x in [1, 6] */
    const double a = fabs(x), b = a > 6 ? 6 : a, t = (b - 2.5) / (b + 2.5), small = wg_erf_small_f64(a > 1 ? 1 : a);
    const double rest = wg_exp_near_f64(-b * b) * WG_P14(
        t, 2.10806364061143584e-01, -3.71736733948972960e-01, 2.51713193217448766e-01, -1.25033052378917812e-01,
        3.99225390754652319e-02, -3.99370116012302921e-03, -2.64236595181345486e-03, 8.75915287577432747e-04,
        2.28379963325764300e-04, -1.28874831348378418e-04, -3.41757188968562926e-05, 1.85967477311445286e-05,
        7.49973505076329867e-06, -2.23285165175552144e-06, -1.58763389312734402e-06);
    const double size = a > 1 ? 1 - rest : small;
    return x < 0 ? -size : (a > 0 ? size : x);
}

#define WG_ERFC(SUF, R, ABS) \
    WG_INLINE R wg_erfc_##SUF(R x) { \
        const R a = ABS(x), large = wg_erfc_large_##SUF(a), small = 1 - wg_erf_small_##SUF(a < (R)0.5 ? x : 0); \
        const R far = x < 0 ? 2 - large : large; \
        return a < (R)0.5 ? small : far; \
    }
WG_ERFC(f32, float, fabsf)
WG_ERFC(f64, double, fabs)

/* exp(-x^2 / 2), which is 0 from these bounds on. */
WG_INLINE float wg_bell_f32(float x) {
    const float a = fabsf(x), b = a > 14.5f ? 14.5f : a;
    return wg_exp_bounded_f32(b * b * -0.5f, 0.0f);
}
WG_INLINE double wg_bell_f64(double x) {
    const double a = fabs(x), b = a > 38.7 ? 38.7 : a;
    return wg_exp_bounded_f64(b * b * -0.5, 0.0);
}

/* The normal distribution's integral up to x, with e = exp(-x^2 / 2), which its density needs as well. The tail beyond
 * |x| is e v P(1 - v), v = 6 / (|x| + 3). */
WG_INLINE float wg_normal_cdf_f32(float x, float e) {
    const float a = fabsf(x), b = a > 14.5f ? 14.5f : a, v = 6.0f / (b + 3.0f);
    const float tail = e * (v * WG_P9(1.0f - v, 1.215139478e-01f, -8.488869667e-02f, 3.833638877e-02f,
                                      -7.876353338e-03f, -1.744754147e-03f, 1.155936974e-03f, 1.727989002e-04f,
                                      -1.560766686e-04f, -3.739547537e-05f, 6.173433576e-06f));
    return x < 0 ? tail : 1 - tail;
}

WG_INLINE double wg_normal_cdf_f64(double x, double e) {
    (void)e;
    return 0.5 * wg_erfc_f64(x * -0.70710678118654752440);
}

/* sin (quarter 0) and cos (quarter 1) of |x| < 1e5: Cody-Waite reduction by pi/2 in three parts with a correction
 * term, then fdlibm's two kernels (Sun Microsystems, 1993), one of which is selected. */
WG_INLINE double wg_sincos_f64(double x, uint64_t quarter) {
    const double shifted = x * 6.36619772367581382433e-01 + 6755399441055744.0, k = shifted - 6755399441055744.0;
    const uint64_t q = wg_f64_bits(shifted) + quarter;
    const double t = x - k * 1.57079632673412561417e+00, w1 = k * 6.07710050630396597660e-11, u = t - w1;
    const double e1 = (t - u) - w1, w2 = k * 2.02226624871116645580e-21 - e1, v = u - w2, e2 = (u - v) - w2;
    const double w3 = k * 8.47842766036889956997e-32 - e2, r = v - w3, low = (v - r) - w3;
    const double z = r * r, rz = z * r, hz = 0.5 * z, w = 1.0 - hz;
    const double s = WG_P4(z, 8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                           -2.50507602534068634195e-08, 1.58969099521155010221e-10);
    const double c = z * WG_P5(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
                               -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11);
    const double sine = r - ((z * (0.5 * low - rz * s) - low) + rz * 1.66666666666666324348e-01);
    const double cosine = w + (((1.0 - w) - hz) + (z * c - r * low));
    const uint64_t odd = 0u - (q & 1u), bits = (wg_f64_bits(cosine) & odd) | (wg_f64_bits(sine) & ~odd);
    return wg_bits_f64(bits ^ ((q & 2u) << 62));
}

#endif
