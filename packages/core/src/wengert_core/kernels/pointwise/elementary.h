/* Loops over elementary functions of one argument, for pointwise_table.h. */
#ifndef WENGERT_ELEMENTARY_H
#define WENGERT_ELEMENTARY_H

#include "hyperbolic.h"
#include "logarithms.h"
#include "pointwise.h"
#include "trigonometric.h"

#undef WG_OP_CLONES
#define WG_OP_CLONES WG_TWO_CLONES

#define WG_BOTH(NAME, FUNCTION) \
    WG_OP1(NAME##_f32, float, float, WG_NO_PARAMS, FUNCTION##_f32(x)) \
    WG_OP1(NAME##_f64, double, double, WG_NO_PARAMS, FUNCTION##_f64(x))
WG_BOTH(expm1, wg_expm1)
WG_BOTH(exp2, wg_exp2)
WG_BOTH(sinh, wg_sinh)
WG_BOTH(cosh, wg_cosh)
WG_BOTH(log, wg_logarithm)
WG_BOTH(log1p, wg_log1p)
WG_BOTH(log2, wg_log2)
WG_BOTH(log10, wg_log10)
WG_BOTH(atanh, wg_atanh)
WG_BOTH(entr, wg_entr)
WG_BOTH(asin, wg_asin)
WG_BOTH(atan, wg_atan)
WG_BOTH(sinc, wg_sinc)
WG_OP1(acos_f32, float, float, WG_NO_PARAMS, wg_acos_f32(x))

#define WG_TANH_LIMIT(R, value) R limit = value; (void)params; WG_UNKNOWN(limit)
WG_OP1(tanh_f32, float, float, WG_TANH_LIMIT(float, 15.0f), wg_tanh_f32(x, limit))
WG_OP1(tanh_f64, double, double, WG_TANH_LIMIT(double, 25.0), wg_tanh_f64(x, limit))

WG_OP1(logit_f32, float, float, WG_PARAM(float, eps, 0), wg_logit_f32(x, eps))
WG_OP1(logit_f64, double, double, WG_PARAM(double, eps, 0), wg_logit_f64(x, eps))

/* A chunk that holds a number out of range of the reduction, or NaN, takes the C library's function for those. */
#define WG_CIRCULAR(NAME) \
    WG_TWO_CLONES static void NAME##_f32_kernel(char **args, Py_ssize_t n, const double *params) { \
        const float *x = (const float *)args[0]; \
        float *out = (float *)args[1]; \
        (void)params; \
        while (n > 0) { \
            const Py_ssize_t m = n < WG_CHUNK ? n : WG_CHUNK; \
            int32_t far = 0; \
            for (Py_ssize_t i = 0; i < m; i++) far |= -(int32_t)!(fabsf(x[i]) < 1e5f); \
            if (far) \
                for (Py_ssize_t i = 0; i < m; i++) \
                    out[i] = (float)(fabsf(x[i]) < 1e5f ? wg_##NAME##_narrow((double)x[i]) : NAME((double)x[i])); \
            else { \
                WG_IVDEP \
                for (Py_ssize_t i = 0; i < m; i++) out[i] = (float)wg_##NAME##_narrow((double)x[i]); \
            } \
            n -= m; x += m; out += m; \
        } \
    } \
    WG_LOOP(NAME##_f32, 1, sizeof(float), sizeof(float))
WG_CIRCULAR(sin)
WG_CIRCULAR(cos)
WG_CIRCULAR(tan)

#define WG_PARTS(SUF, R, BITS, TRUNC) \
    WG_OP1(frac_##SUF, R, R, WG_NO_PARAMS, x - TRUNC(x)) \
    WG_OP1(deg2rad_##SUF, R, R, WG_NO_PARAMS, x * (R)0.017453292519943295769) \
    WG_OP1(rad2deg_##SUF, R, R, WG_NO_PARAMS, x * (R)57.295779513082320877) \
    WG_OP1(signbit_##SUF, R, uint8_t, WG_NO_PARAMS, (uint8_t)(wg_##SUF##_bits(x) >> BITS))
WG_PARTS(f32, float, 31, truncf)
WG_PARTS(f64, double, 63, trunc)

#undef WG_OP_CLONES
#define WG_OP_CLONES WG_CLONES

#endif
