/* The inverse of the error function, for pointwise_table.h.
 *
 * Source: M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37
 * (1988), of which this is the value at (1 + x) / 2, divided by the root of 2. The relative error is about 1e-16.
 * Up to 0.85 it is a quotient of polynomials, which the compiler vectorises; beyond, each element takes a logarithm.
 */
#ifndef WENGERT_ERFINV_H
#define WENGERT_ERFINV_H

#include "logarithms.h"
#include "pointwise.h"

#define WG_POLYNOMIAL_7(x, c0, c1, c2, c3, c4, c5, c6, c7) \
    (((((((((c7) * (x) + (c6)) * (x) + (c5)) * (x) + (c4)) * (x) + (c3)) * (x) + (c2)) * (x) + (c1)) * (x)) + (c0))
#define WG_ROOT_OF_HALF 0.70710678118654752440
#define WG_NEAR 0.85

#define WG_NEAR_ABOVE(r) \
    WG_POLYNOMIAL_7(r, 3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, \
                    1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4, \
                    3.3430575583588128105e4, 2.5090809287301226727e3)
#define WG_NEAR_BELOW(r) \
    WG_POLYNOMIAL_7(r, 1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, \
                    2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, \
                    5.2264952788528545610e3)
#define WG_FAR_ABOVE(r) \
    WG_POLYNOMIAL_7(r, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, \
                    3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1, \
                    2.27238449892691845833e-2, 7.74545014278341407640e-4)
#define WG_FAR_BELOW(r) \
    WG_POLYNOMIAL_7(r, 1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, \
                    1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, \
                    1.05075007164441684324e-9)

/* For |x| <= WG_NEAR. */
WG_INLINE double wg_erfinv_near(double x) {
    const double q = 0.5 * x, r = 0.180625 - q * q;
    return WG_ROOT_OF_HALF * q * WG_NEAR_ABOVE(r) / WG_NEAR_BELOW(r);
}

/* For x > WG_NEAR; infinite at 1, NaN above. */
static WG_OUTLINE double wg_erfinv_far(double x) {
    if (!(x < 1)) return x == 1 ? INFINITY : NAN;
    double r = sqrt(-log(0.5 * (1 - x)));
    if (r <= 5) {
        r -= 1.6;
        return WG_ROOT_OF_HALF * WG_FAR_ABOVE(r) / WG_FAR_BELOW(r);
    }
    r -= 5;
    return WG_ROOT_OF_HALF
           * WG_POLYNOMIAL_7(r, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7)
           / WG_POLYNOMIAL_7(r, 1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                             7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                             2.04426310338993978564e-15);
}

/* Of float32, whose numbers are never so near to 1 that the last quotient were needed. */
WG_INLINE float wg_erfinv_f32(float value) {
    const double a = fabs((double)value), q = 0.5 * a, r = 0.180625 - q * q;
    const double s = sqrt(-wg_log_narrow(0.5 * (1 - a))) - 1.6;
    const double above = a > WG_NEAR ? WG_FAR_ABOVE(s) : q * WG_NEAR_ABOVE(r);
    const double y = WG_ROOT_OF_HALF * above / (a > WG_NEAR ? WG_FAR_BELOW(s) : WG_NEAR_BELOW(r));
    return copysignf((float)(a == 1 ? INFINITY : y), value);
}

WG_OP1(erfinv_f32, float, float, WG_NO_PARAMS, wg_erfinv_f32(x))

/* The elements are kept: the result may lie where they do. */
WG_CLONES static void erfinv_f64_kernel(char **args, Py_ssize_t n, const double *params) {
    const double *x = (const double *)args[0];
    double *out = (double *)args[1], wide[WG_CHUNK];
    (void)params;
    while (n > 0) {
        const Py_ssize_t m = n < WG_CHUNK ? n : WG_CHUNK;
        for (Py_ssize_t i = 0; i < m; i++) wide[i] = x[i];
        for (Py_ssize_t i = 0; i < m; i++) out[i] = wg_erfinv_near(wide[i]);
        for (Py_ssize_t i = 0; i < m; i++)
            if (!(fabs(wide[i]) <= WG_NEAR)) out[i] = copysign(wg_erfinv_far(fabs(wide[i])), wide[i]);
        n -= m; x += m; out += m;
    }
}
WG_LOOP(erfinv_f64, 1, sizeof(double), sizeof(double))

#endif
