/* The logarithm of the gamma function and its derivative.
 *
 * lgamma is the C library's, which is exact to a unit in the last place; its reentrant form, since it is called on
 * several threads. digamma: recurrence up to 10, from there the asymptotic series (Abramowitz and Stegun, 6.3.5 and
 * 6.3.18), for negative numbers the reflection 6.3.7. Of float32 it is computed in float64.
 */
#ifndef WENGERT_GAMMA_H
#define WENGERT_GAMMA_H

#include <math.h>
#include "logarithms.h"
#include "trigonometric.h"

/* Strict C leaves them out of math.h. */
extern double lgamma_r(double, int *);
extern float lgammaf_r(float, int *);

#define WG_PI 3.14159265358979323846

static inline double wg_lgamma_f64(double x) { int sign; return lgamma_r(x, &sign); }
static inline float wg_lgamma_f32(float x) { int sign; return lgammaf_r(x, &sign); }

static double wg_digamma_f64(double x) {
    double shift = 0;
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0) {
        const double part = x - rint(x);                        /* exact, so that tan keeps its precision */
        if (part == 0 || isinf(x)) return NAN;               /* a pole */
        shift = -WG_PI / tan(WG_PI * part);
        x = 1 - x;
    }
    while (x < 10) {
        shift -= 1 / x;
        x += 1;
    }
    const double inverse = 1 / x, z = inverse * inverse;
    const double series = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132
                          - z * (691.0 / 32760 - z * (1.0 / 12 - z * (3617.0 / 8160))))))));
    return shift + log(x) - 0.5 * inverse - series;
}

/* By the series of digamma(y + 6) without branches, to 30 bits: of 1 / y + ... + 1 / (y + 5) the terms are paired, each
 * pair a quotient with q = y (y + 5). */
WG_INLINE float wg_digamma_f32(float value) {
    const double x = (double)value, y = x < 0 ? 1 - x : x, q = y * (y + 5), far = y + 6, inverse = 1 / far;
    const double recurrence = (2 * y + 5) * (24 + q * (20 + 3 * q)) / (q * (q + 4) * (q + 6)), z = inverse * inverse;
    const double series = z * WG_P4(z, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132);
    const double right = wg_log_narrow(far) - 0.5 * inverse - series - recurrence, part = x - rint(x);
    const double left = part == 0 ? NAN : right - WG_PI / wg_tan_narrow(WG_PI * part);
    const double side = x < 0 ? left : x < INFINITY ? right : x;
    return (float)(x == 0 ? copysign(INFINITY, -x) : side);
}

#endif
