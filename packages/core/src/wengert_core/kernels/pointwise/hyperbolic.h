/* exp(x) - 1, powers of two, and hyperbolic functions, for pointwise_table.h.
 *
 * Errors, measured by tests/kernels/test_elementary.py: 2 ulp; of sinh and cosh of float32, which are computed in
 * float64, 0.51. tanh and sinh are odd to the last bit.
 */
#ifndef WENGERT_HYPERBOLIC_H
#define WENGERT_HYPERBOLIC_H

#include "wengert_core/kernels/vecmath.h"

/* p = exp(r) - 1 and a power of two, x = k ln 2 + r: the number that rounds holds in its last bits the exponent, as it
 * is stored. */
#define WG_EXPM1_PARTS(NAME, R, SUF, MAGIC, BITS, HIGH, LOW, SERIES) \
    WG_INLINE R NAME(R x, R *power) { \
        const R shifted = x * (R)1.44269504088896340736 + (R)(MAGIC), k = shifted - (R)(MAGIC); \
        const R r = (x - k * (R)(HIGH)) - k * (R)(LOW); \
        *power = wg_bits_##SUF(wg_##SUF##_bits(shifted) << BITS); \
        return r + r * r * SERIES; \
    }
WG_EXPM1_PARTS(wg_expm1_quarters_f32, float, f32, 12582912.0 + 125, 23, 0.693359375, -2.12194440e-4,
               WG_P5(r, 5.000000074e-01f, 1.666666675e-01f, 4.166603990e-02f, 8.333263735e-03f, 1.396781768e-03f,
                     1.992892632e-04f))
WG_EXPM1_PARTS(wg_expm1_quarters_f64, double, f64, 6755399441055744.0 + 1021, 52, 6.93147180369123816490e-01,
               1.90821492927058770002e-10,
               WG_P10(r, 5.00000000000000000e-01, 1.66666666666666713e-01, 4.16666666666666713e-02,
                      8.33333333332608381e-03, 1.38888888888837113e-03, 1.98412698750022792e-04,
                      2.48015873256774607e-05, 2.75572551700008879e-06, 2.75572734787185824e-07,
                      2.51053127296221029e-08, 2.09147553258932021e-09))
WG_EXPM1_PARTS(wg_expm1_narrow, double, f64, 6755399441055744.0 + 1023, 52, 6.93147180369123816490e-01,
               1.90821492927058770002e-10,                      /* to 30 bits */
               WG_P5(r, 5.00000001353872989e-01, 1.66666666817042150e-01, 4.16664641974056923e-02,
                     8.33331084464786256e-03, 1.39337307157920825e-03, 1.98910804639988400e-04))

/* (exp(x) - 1) / 4, which is finite where sinh and cosh are; -1/4 below -40. */
#define WG_EXPM1(SUF, R, ABS, LIMIT, TINY) \
    WG_INLINE R wg_expm1_quarter_##SUF(R x) { \
        const R below = x > LIMIT ? LIMIT : x, z = below < -40 ? -40 : below; \
        R power; \
        const R p = wg_expm1_quarters_##SUF(z, &power); \
        return power * p + (power - (R)0.25); \
    } \
    WG_INLINE R wg_expm1_##SUF(R x) { \
        const R result = 4 * wg_expm1_quarter_##SUF(x); \
        return ABS(x) < TINY ? x : result; \
    }
WG_EXPM1(f32, float, fabsf, 89.0f, 0x1p-26f)
WG_EXPM1(f64, double, fabs, 710.6, 0x1p-55)

/* tanh(k ln(2) / 2 + u) = n / (n + 2 - 2 t), n = p - 1 + (p + 1) t, p = 2^k, t = tanh(u). k is rounded down rather than
 * up, so that up to 0.26 the result is t, and beyond u is not far below 0, where n would be a difference.
 * limit: 15 of float32, 25 of float64, from where on the result is 1; a number that the compiler does not know, which
 * would take a second way for it. */
#define WG_TANH(SUF, R, WORD, ABS, MAGIC, BITS, HIGH, LOW, ...) \
    WG_INLINE R wg_tanh_##SUF(R x, R limit) { \
        const R a = ABS(x), b = a > limit ? limit : a; \
        const R shifted = (b * (R)2.88539008177792681472 - (R)0.25) + (R)MAGIC, k = shifted - (R)MAGIC; \
        const R u = (b - k * (R)HIGH) - k * (R)LOW, z = u * u, t = u + u * z * __VA_ARGS__; \
        const R p = wg_bits_##SUF(wg_##SUF##_bits(shifted) << BITS), n = (p - 1) + (p + 1) * t; \
        const WORD size = wg_##SUF##_bits(n / (n + (2 - 2 * t))), sign = (WORD)1 << (8 * sizeof(R) - 1); \
        return wg_bits_##SUF(size | (wg_##SUF##_bits(x) & sign)); \
    }
WG_TANH(f32, float, uint32_t, fabsf, (12582912.0 + 127), 23, 0.3466796875, -1.06097220e-4,
        WG_P2(z, -3.333331297511333e-01f, 1.332791216855841e-01f, -5.181412860426700e-02f))
WG_TANH(f64, double, uint64_t, fabs, (6755399441055744.0 + 1023), 52, 3.46573590184561908245e-01,
        9.54107464635293850010e-11,
        WG_P7(z, -3.33333333333333315e-01, 1.33333333333327864e-01,
              -5.39682539665577374e-02, 2.18694883352847161e-02, -8.86322383184713451e-03,
              3.59175723047666694e-03, -1.44929370919895557e-03, 5.29287695902648471e-04))

WG_INLINE float wg_sinh_f32(float x) {
    const double a = fabs((double)x), z = a > 90 ? 90 : a;
    double power;
    const double p = wg_expm1_narrow(z, &power), e = power * p + (power - 1);
    return copysignf((float)(0.5 * (e + e / (e + 1))), x);
}
WG_INLINE float wg_cosh_f32(float x) {
    const double a = fabs((double)x), z = a > 90 ? 90 : a;
    double power;
    const double p = wg_expm1_narrow(z, &power), e = power * p + power;
    return (float)(0.5 * (e + 1 / e));
}
/* Up to 1 the series: half of exp(x) - 1 and half of what is taken from it would both be rounded. */
WG_INLINE double wg_sinh_f64(double x) {
    const double a = fabs(x), q = wg_expm1_quarter_f64(a), far = 0.5 * (q / (q + 0.25));
    const double b = a > 1 ? 1 : a, z = b * b;
    const double near = b * z * WG_P7(z, 1.66666666666666667e-01, 8.33333333333333333e-03, 1.98412698412698413e-04,
                                      2.75573192239858907e-06, 2.50521083854417188e-08, 1.60590438368216146e-10,
                                      7.64716373181981648e-13, 2.81145725434552076e-15);
    const double most = a > 1 ? 2 * q : a, rest = a > 1 ? far : near;
    return copysign(most + rest, x);
}
WG_INLINE double wg_cosh_f64(double x) {
    const double q = wg_expm1_quarter_f64(fabs(x)) + 0.25;      /* exp(x) / 4 */
    return 2 * q + 0.125 / q;
}

/* 2^x: what is left of x is a multiple of ln 2. */
WG_INLINE float wg_exp2_f32(float value) {
    const float low = value < -160.0f ? -160.0f : value, x = low > 140.0f ? 140.0f : low, shifted = x + 12582912.0f;
    return wg_scale_f32(wg_exp_series_f32((x - (shifted - 12582912.0f)) * 0.693147181f), shifted);
}
WG_INLINE double wg_exp2_f64(double value) {
    const double low = value < -1100 ? -1100 : value, x = low > 1040 ? 1040 : low, shifted = x + 6755399441055744.0;
    return wg_scale_f64(wg_exp_series_f64((x - (shifted - 6755399441055744.0)) * 6.93147180559945309417e-01), shifted);
}

#endif
