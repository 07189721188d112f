/* sin, cos and tan of float32, sin(pi x) / (pi x), and the inverses of sin, cos and tan, for pointwise_table.h.
 *
 * Errors, measured by tests/kernels/test_elementary.py: of float32, which is computed in float64, 0.51 ulp; of float64
 * asin 1 ulp, atan 2, sinc 2.5.
 */
#ifndef WENGERT_TRIGONOMETRIC_H
#define WENGERT_TRIGONOMETRIC_H

#include "wengert_core/kernels/vecmath.h"

/* Sine and cosine of x - k pi/2, |x| < 1e5, and k in the last bits of the result. */
WG_INLINE uint64_t wg_circle_narrow(double x, double *sine, double *cosine) {
    const double shifted = x * 6.36619772367581382433e-01 + 6755399441055744.0, k = shifted - 6755399441055744.0;
    const double r = (x - k * 1.57079632673412561417e+00) - k * 6.07710050650619224932e-11, z = r * r;
    *sine = r * WG_P4(z, 1.0, -1.66666666638440495e-01, 8.33333187034134850e-03, -1.98400843764227035e-04,
                      2.72496200800753295e-06);
    *cosine = 1 - 0.5 * z + z * z * WG_P3(z, 4.16666666643118234e-02, -1.38888876683706632e-03,
                                          2.48005984083501210e-05, -2.73007040386824060e-07);
    return wg_f64_bits(shifted);
}
WG_INLINE double wg_turn_narrow(double x, uint64_t quarter) {   /* sin (quarter 0) and cos (quarter 1) */
    double sine, cosine;
    const uint64_t q = wg_circle_narrow(x, &sine, &cosine) + quarter;
    const uint64_t odd = 0u - (q & 1u), bits = (wg_f64_bits(cosine) & odd) | (wg_f64_bits(sine) & ~odd);
    return wg_bits_f64(bits ^ ((q & 2u) << 62));
}
WG_INLINE double wg_sin_narrow(double x) { return wg_turn_narrow(x, 0); }
WG_INLINE double wg_cos_narrow(double x) { return wg_turn_narrow(x, 1); }
WG_INLINE double wg_tan_narrow(double x) {
    double sine, cosine;
    const int odd = wg_circle_narrow(x, &sine, &cosine) & 1;
    return (odd ? -cosine : sine) / (odd ? sine : cosine);
}

/* sin(pi x) / (pi x): r = x - rint(x) is exact, the sine of the whole part is a sign, and the series is that of
 * sin(pi r) / (pi r). */
#define WG_SINC(NAME, SERIES) \
    WG_INLINE double NAME(double x) { \
        const double whole = rint(x), r = x - whole, z = r * r, half = 0.5 * whole, y = r * SERIES / x; \
        const double result = half == rint(half) ? y : -y; \
        return x == 0 ? 1 : result; \
    }
WG_SINC(wg_sinc_narrow, WG_P5(z, 9.99999999982919108e-01, -1.64493406192812008e+00, 8.11742195483058704e-01,
                              -1.90747895290255876e-01, 2.61174376339708691e-02, -2.23717860021479479e-03))
WG_SINC(wg_sinc_f64, WG_P10(z, 1.00000000000000000e+00, -1.64493406684822641e+00, 8.11742425283353608e-01,
                            -1.90751824122084218e-01, 2.61478478176546854e-02, -2.34608103545367328e-03,
                            1.48428793006037771e-04, -6.97587347444695442e-06, 2.53120840702480431e-07,
                            -7.30202469427623052e-09, 1.67108842327524589e-10))
WG_INLINE float wg_sinc_f32(float x) { return (float)wg_sinc_narrow((double)x); }

/* asin(s) up to 1/2; beyond, pi/2 - 2 asin(s), s = sqrt((1 - |x|) / 2). */
WG_INLINE double wg_asin_narrow(double a) {
    const double z = a > 0.5 ? 0.5 * (1 - a) : a * a, s = a > 0.5 ? sqrt(z) : a;
    return s + s * z * WG_P6(z, 1.66666666860856439e-01, 7.49999240440183822e-02, 4.46476638881348454e-02,
                             3.02691387285891839e-02, 2.36118170088912510e-02, 1.05744155169129084e-02,
                             3.09745403713550731e-02);
}
WG_INLINE float wg_asin_f32(float x) {
    const double a = fabs((double)x), r = wg_asin_narrow(a);
    return copysignf((float)(a > 0.5 ? 1.57079632679489661923 - 2 * r : r), x);
}
WG_INLINE float wg_acos_f32(float x) {
    const double a = fabs((double)x), r = wg_asin_narrow(a), side = copysign(a > 0.5 ? 2 * r : r, (double)x);
    const double beyond = x > 0 ? side : 3.14159265358979323846 + side;
    return (float)(a > 0.5 ? beyond : 1.57079632679489661923 - side);
}
/* As fdlibm (Sun Microsystems, 1993): what the root loses is put back. */
WG_INLINE double wg_asin_f64(double x) {
    const double a = fabs(x), z = a > 0.5 ? 0.5 * (1 - a) : a * a, s = sqrt(z);
    const double r = z * WG_P5(z, 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
                               -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05)
                     / WG_P4(z, 1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00,
                             -6.88283971605453293030e-01, 7.70381505559019352791e-02);
    const double w = wg_bits_f64(wg_f64_bits(s) & 0xFFFFFFFF00000000u), lost = s > 0 ? (z - w * w) / (s + w) : 0;
    const double rest = 2 * s * r - (6.12323399573676603587e-17 - 2 * lost);
    const double far = 7.85398163397448278999e-01 - (rest - (7.85398163397448278999e-01 - 2 * w));
    return copysign(a > 0.5 ? far : a + a * r, x);
}

/* atan: from tan(pi/8) on by pi/4 + atan((a - 1) / (a + 1)), from tan(3 pi/8) on by pi/2 + atan(-1 / a). */
#define WG_ATAN(NAME, ...) \
    WG_INLINE double NAME(double x) { \
        const double a = fabs(x), middle = a > 0.41421356237309503 ? a - 1 : a; \
        const double below = a > 0.41421356237309503 ? a + 1 : 1; \
        const double t = (a > 2.41421356237309492 ? -1 : middle) / (a > 2.41421356237309492 ? a : below), z = t * t; \
        const double quarter = a > 0.41421356237309503 ? 7.85398163397448278999e-01 : 0; \
        const double base = a > 2.41421356237309492 ? 1.57079632679489655800 : quarter; \
        return copysign(base + (t + (t * z * __VA_ARGS__ + base * 3.89817183251937517e-17)), x); \
    }
WG_ATAN(wg_atan_narrow, WG_P5(z, -3.33333332792422357e-01, 1.99999772543473422e-01, -1.42841509594810177e-01,
                              1.10713606823181382e-01, -8.62464378443836489e-02, 5.04805501022357387e-02))
WG_ATAN(wg_atan_f64, WG_P11(z, -3.33333333333333332e-01, 1.99999999999998044e-01, -1.42857142856598069e-01,
                            1.11111111051534294e-01, -9.09090875340049960e-02, 7.69229637212996382e-02,
                            -6.66642483361355236e-02, 5.87892839851723232e-02, -5.23044985670924067e-02,
                            4.55157308666419053e-02, -3.45700441860955366e-02, 1.62851830298656676e-02))
WG_INLINE float wg_atan_f32(float x) { return (float)wg_atan_narrow((double)x); }

#endif
