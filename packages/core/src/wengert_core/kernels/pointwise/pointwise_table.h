/* Instantiates the pointwise ops and lists them: name, dtype, inputs, parameters, output. For pointwise.pyx only. */
#ifndef WENGERT_POINTWISE_TABLE_H
#define WENGERT_POINTWISE_TABLE_H

#include "elementary.h"
#include "erfinv.h"
#include "gamma.h"
#include "pointwise.h"
#include "wengert_core/kernels/vecmath.h"
#include <float.h>

#define R float
#define SUF f32
#define ABS fabsf
#define SQRT sqrtf
#include "activations.h"

#define R double
#define SUF f64
#define ABS fabs
#define SQRT sqrt
#include "activations.h"

#define WG_ELU(R) WG_PARAM(R, alpha, 0); WG_PARAM(R, scale, 1); WG_PARAM(R, rate, 2)
#define WG_BOUNDS(R) WG_PARAM(R, low, 0); WG_PARAM(R, high, 1)
/* a bound that is NaN stands for both: then all is NaN */
#define WG_CLIP_BOUNDS(R) WG_PARAM(R, first, 0); WG_PARAM(R, second, 1); \
    const R low = second != second ? second : first, high = first != first ? first : second
#define WG_LIMITS(R) WG_PARAM(R, nan, 0); WG_PARAM(R, posinf, 1); WG_PARAM(R, neginf, 2)

#define R float
#define SUF f32
#include "piecewise.h"

#define R double
#define SUF f64
#include "piecewise.h"

/* exp: a chunk that holds a number whose result may be denormal, infinite or NaN is computed the long way, to the same
   bits otherwise. The largest number is that with the largest bits, without its sign; NaN is larger than all. */
#define WG_EXPONENTIAL(SUF, R, WORD, ABS_MASK, FAR) \
    WG_CLONES static void WG_CAT(exp_##SUF, _kernel)(char **args, Py_ssize_t n, const double *params) { \
        const R *x = (const R *)args[0]; \
        R *out = (R *)args[1]; \
        (void)params; \
        while (n > 0) { \
            const Py_ssize_t m = n < WG_CHUNK ? n : WG_CHUNK; \
            WORD far = 0; \
            for (Py_ssize_t i = 0; i < m; i++) { \
                const WORD size = WG_CAT(WG_CAT(wg_, SUF), _bits)(x[i]) & ABS_MASK; \
                far = size > far ? size : far; \
            } \
            if (far > WG_CAT(WG_CAT(wg_, SUF), _bits)(FAR)) { \
                WG_IVDEP \
                for (Py_ssize_t i = 0; i < m; i++) out[i] = wg_exp_##SUF(x[i]); \
            } else { \
                WG_IVDEP \
                for (Py_ssize_t i = 0; i < m; i++) out[i] = wg_exp_near_##SUF(x[i]); \
            } \
            n -= m; x += m; out += m; \
        } \
    } \
    WG_LOOP(exp_##SUF, 1, sizeof(R), sizeof(R))
WG_EXPONENTIAL(f32, float, uint32_t, 0x7FFFFFFFu, 87.0f)
WG_EXPONENTIAL(f64, double, uint64_t, 0x7FFFFFFFFFFFFFFFu, 708.0)

/* sin and cos: a chunk that holds a number out of range of the fast reduction (or NaN) goes to the C library. */
#define WG_TRIGONOMETRIC(NAME, QUARTER, EXACT) \
    WG_CLONES static void WG_CAT(NAME, _kernel)(char **args, Py_ssize_t n, const double *params) { \
        const double *x = (const double *)args[0]; \
        double *out = (double *)args[1]; \
        (void)params; \
        while (n > 0) { \
            const Py_ssize_t m = n < WG_CHUNK ? n : WG_CHUNK; \
            int64_t far = 0; \
            for (Py_ssize_t i = 0; i < m; i++) far |= -(int64_t)!(fabs(x[i]) < 1e5); \
            if (far) \
                for (Py_ssize_t i = 0; i < m; i++) out[i] = EXACT(x[i]); \
            else { \
                WG_IVDEP \
                for (Py_ssize_t i = 0; i < m; i++) { \
                    const double value = x[i]; \
                    out[i] = QUARTER == 0 && value == 0 ? value : wg_sincos_f64(value, QUARTER); \
                } \
            } \
            n -= m; x += m; out += m; \
        } \
    } \
    WG_LOOP(NAME, 1, sizeof(double), sizeof(double))
WG_TRIGONOMETRIC(sin_f64, 0, sin)
WG_TRIGONOMETRIC(cos_f64, 1, cos)

/* Remainders of float32, exact as fmod's: the quotient is rounded in double, whose 53 bits hold quotient * y. A chunk
   with a quotient of 2^28 or more, or with what is not finite, goes to the C library. */
WG_INLINE float wg_fast_fmod(float x, float y) {
    const double q = trunc((double)x / (double)y), r = (double)x - q * (double)y;
    /* the quotient was rounded up */
    const double fixed = r * (double)x < 0 ? r + copysign(fabs((double)y), (double)x) : r;
    return copysignf((float)fabs(fixed), x);
}
WG_INLINE float wg_to_sign_of(float mod, float y) { return mod != 0 && (y < 0) != (mod < 0) ? mod + y : mod; }
WG_INLINE float wg_floor_quotient(float mod, float x, float y) {
    const float near = (x - mod) / y, quotient = mod != 0 && (y < 0) != (mod < 0) ? near - 1 : near;
    const float low = floorf(quotient), nearest = quotient - low > 0.5f ? low + 1 : low;
    return y == 0 ? x / y : quotient != 0 ? nearest : copysignf(0, x / y);
}
#define WG_REMAINDER(NAME, EXPR) \
    WG_CLONES static void WG_CAT(NAME, _kernel)(char **args, Py_ssize_t n, const double *params) { \
        const float *xs = (const float *)args[0], *ys = (const float *)args[1]; \
        float *out = (float *)args[2], mods[WG_CHUNK]; \
        (void)params; \
        while (n > 0) { \
            const Py_ssize_t m = n < WG_CHUNK ? n : WG_CHUNK; \
            int32_t far = 0; \
            for (Py_ssize_t i = 0; i < m; i++) \
                far |= -(int32_t)!(fabs((double)xs[i] / (double)ys[i]) < 0x1p28 && fabsf(ys[i]) <= FLT_MAX); \
            if (far) for (Py_ssize_t i = 0; i < m; i++) mods[i] = fmodf(xs[i], ys[i]); \
            else for (Py_ssize_t i = 0; i < m; i++) mods[i] = wg_fast_fmod(xs[i], ys[i]); \
            for (Py_ssize_t i = 0; i < m; i++) { \
                const float x = xs[i], y = ys[i], mod = mods[i]; \
                (void)x; (void)y; \
                out[i] = EXPR; \
            } \
            n -= m; xs += m; ys += m; out += m; \
        } \
    } \
    WG_LOOP(NAME, 2, sizeof(float), sizeof(float), sizeof(float))
WG_REMAINDER(fmod_f32, mod)
WG_REMAINDER(remainder_f32, wg_to_sign_of(mod, y))
WG_REMAINDER(floor_divide_f32, wg_floor_quotient(mod, x, y))
WG_OP2(div_trunc_f32, float, float, float, WG_NO_PARAMS, truncf(x / y))
WG_OP2(div_trunc_f64, double, double, double, WG_NO_PARAMS, trunc(x / y))

/* The sign of what does not fit goes as in torch: abs() of the wrapped product, which in 64 bits may be the least
   number. */
#define WG_LCM(SUF, T, WORD) \
    WG_INLINE T wg_lcm_##SUF(T a, T b) { \
        const WORD x = a < 0 ? 0 - (WORD)a : (WORD)a, y = b < 0 ? 0 - (WORD)b : (WORD)b; \
        WORD g = x, rest = y; \
        while (rest) { const WORD next = g % rest; g = rest; rest = next; } \
        const WORD product = g ? x / g * y : 0; \
        return (T)product < 0 ? (T)(0 - product) : (T)product; \
    } \
    WG_OP2(lcm_##SUF, T, T, T, WG_NO_PARAMS, wg_lcm_##SUF(x, y))
WG_LCM(i32, int32_t, uint32_t)
WG_LCM(i64, int64_t, uint64_t)

/* A loop of NumPy takes one number alone another way than in a vector, and rounds it otherwise. */
#define WG_COMPLEX_SQUARE(SUF, C) \
    WG_INLINE C wg_square_##SUF(C x) { \
        const C square = {x.re * x.re - x.im * x.im, x.re * x.im + x.re * x.im}; \
        return square; \
    } \
    WG_OP1(square_##SUF, C, C, WG_NO_PARAMS, wg_square_##SUF(x))
WG_COMPLEX_SQUARE(c64, wg_c64)
WG_COMPLEX_SQUARE(c128, wg_c128)

#undef WG_OP_CLONES
#define WG_OP_CLONES WG_TWO_CLONES
/* where(mask, a, b), by item size; masked_fill is where(mask, value with stride 0, x). */
#define WG_WHERE(SIZE, T) WG_OP3(where_##SIZE, uint8_t, T, T, T, WG_NO_PARAMS, (T)(z ^ ((y ^ z) & (T)-(T)(x != 0))))
WG_WHERE(1, uint8_t)
WG_WHERE(2, uint16_t)
WG_WHERE(4, uint32_t)
WG_WHERE(8, uint64_t)
WG_OP3(where_16, uint8_t, wg_c128, wg_c128, wg_c128, WG_NO_PARAMS, x ? y : z)

#define WG_COMPARE(SUF, T, LOAD) \
    WG_OP2(eq_##SUF, T, T, uint8_t, WG_NO_PARAMS, LOAD(x) == LOAD(y)) \
    WG_OP2(ne_##SUF, T, T, uint8_t, WG_NO_PARAMS, LOAD(x) != LOAD(y)) \
    WG_OP2(lt_##SUF, T, T, uint8_t, WG_NO_PARAMS, LOAD(x) < LOAD(y)) \
    WG_OP2(le_##SUF, T, T, uint8_t, WG_NO_PARAMS, LOAD(x) <= LOAD(y)) \
    WG_OP2(gt_##SUF, T, T, uint8_t, WG_NO_PARAMS, LOAD(x) > LOAD(y)) \
    WG_OP2(ge_##SUF, T, T, uint8_t, WG_NO_PARAMS, LOAD(x) >= LOAD(y))
WG_COMPARE(f16, uint16_t, wg_half_to_float)
WG_COMPARE(bf16, uint16_t, wg_bfloat_to_float)
WG_COMPARE(f32, float, WG_LD_F32)
WG_COMPARE(f64, double, WG_LD_F64)
#undef WG_OP_CLONES
#define WG_OP_CLONES WG_CLONES

#define WG_REAL(NAME, NIN, NPARAMS) \
    {#NAME, WG_F32, NIN, NPARAMS, WG_F32, NAME##_f32_loop}, {#NAME, WG_F64, NIN, NPARAMS, WG_F64, NAME##_f64_loop}
#define WG_WHERE_OF(DTYPE, SIZE) {"where", DTYPE, 3, 0, DTYPE, where_##SIZE##_loop}
#define WG_COMPARISON(NAME) \
    {#NAME, WG_F16, 2, 0, WG_BOOL, NAME##_f16_loop}, {#NAME, WG_BF16, 2, 0, WG_BOOL, NAME##_bf16_loop}, \
    {#NAME, WG_F32, 2, 0, WG_BOOL, NAME##_f32_loop}, {#NAME, WG_F64, 2, 0, WG_BOOL, NAME##_f64_loop}

static const wg_pointwise_entry WG_POINTWISE[] = {
    WG_REAL(sigmoid, 1, 0), WG_REAL(log_sigmoid, 1, 0), WG_REAL(silu, 1, 0), WG_REAL(relu, 1, 0), WG_REAL(gelu, 1, 0),
    WG_REAL(gelu_tanh, 1, 0), WG_REAL(softplus, 1, 2), WG_REAL(exp, 1, 0), WG_REAL(erf, 1, 0), WG_REAL(erfc, 1, 0),
    WG_REAL(erfinv, 1, 0),
    WG_REAL(lgamma, 1, 0), WG_REAL(digamma, 1, 0), WG_REAL(reciprocal, 1, 0), WG_REAL(rsqrt, 1, 0),
    WG_REAL(square, 1, 0), WG_REAL(cube, 1, 0), WG_REAL(sign, 1, 0),
    WG_REAL(xlogy, 2, 0), WG_REAL(sigmoid_backward, 2, 0), WG_REAL(tanh_backward, 2, 0),
    WG_REAL(log_sigmoid_backward, 2, 0),
    WG_REAL(silu_backward, 2, 0), WG_REAL(relu_backward, 2, 0), WG_REAL(threshold_backward, 2, 1),
    WG_REAL(gelu_backward, 2, 0), WG_REAL(gelu_tanh_backward, 2, 0), WG_REAL(softplus_backward, 2, 2),
    WG_REAL(binary_cross_entropy, 2, 0), WG_REAL(binary_cross_entropy_slope, 2, 0),
    WG_REAL(maximum, 2, 0), WG_REAL(minimum, 2, 0), WG_REAL(lerp, 3, 0), WG_REAL(addcmul, 3, 1),
    WG_REAL(addcdiv, 3, 1), WG_REAL(leaky_relu, 2, 0), WG_REAL(leaky_relu_backward, 3, 0), WG_REAL(smooth_l1, 3, 0),
    WG_REAL(smooth_l1_slope, 3, 0), WG_REAL(huber, 3, 0), WG_REAL(huber_slope, 3, 0), WG_REAL(div_trunc, 2, 0),
    WG_REAL(elu, 1, 3), WG_REAL(celu, 1, 1), WG_REAL(elu_backward, 2, 3), WG_REAL(elu_backward_of_result, 2, 3),
    WG_REAL(hardtanh, 1, 2), WG_REAL(hardtanh_backward, 2, 2), WG_REAL(hardsigmoid, 1, 0),
    WG_REAL(hardsigmoid_backward, 2, 0),
    WG_REAL(hardswish, 1, 0), WG_REAL(hardswish_backward, 2, 0), WG_REAL(mish, 1, 0), WG_REAL(mish_backward, 2, 0),
    WG_REAL(hardshrink, 1, 1), WG_REAL(softshrink, 1, 1), WG_REAL(shrink_backward, 2, 1), WG_REAL(nan_to_num, 1, 3),
    WG_REAL(tanh, 1, 0), WG_REAL(expm1, 1, 0), WG_REAL(exp2, 1, 0), WG_REAL(sinh, 1, 0), WG_REAL(cosh, 1, 0),
    WG_REAL(log, 1, 0), WG_REAL(log1p, 1, 0), WG_REAL(log2, 1, 0), WG_REAL(log10, 1, 0), WG_REAL(atanh, 1, 0),
    WG_REAL(entr, 1, 0), WG_REAL(logit, 1, 1), WG_REAL(asin, 1, 0), WG_REAL(atan, 1, 0), WG_REAL(sinc, 1, 0),
    WG_REAL(frac, 1, 0),
    WG_REAL(deg2rad, 1, 0), WG_REAL(rad2deg, 1, 0), {"tan", WG_F32, 1, 0, WG_F32, tan_f32_loop},
    {"acos", WG_F32, 1, 0, WG_F32, acos_f32_loop}, {"signbit", WG_F32, 1, 0, WG_BOOL, signbit_f32_loop},
    {"signbit", WG_F64, 1, 0, WG_BOOL, signbit_f64_loop},
    {"fmod", WG_F32, 2, 0, WG_F32, fmod_f32_loop}, {"remainder", WG_F32, 2, 0, WG_F32, remainder_f32_loop},
    {"floor_divide", WG_F32, 2, 0, WG_F32, floor_divide_f32_loop},
    {"lcm", WG_I32, 2, 0, WG_I32, lcm_i32_loop}, {"lcm", WG_I64, 2, 0, WG_I64, lcm_i64_loop},
    {"square", WG_C64, 1, 0, WG_C64, square_c64_loop}, {"square", WG_C128, 1, 0, WG_C128, square_c128_loop},
    WG_REAL(sin, 1, 0), WG_REAL(cos, 1, 0),
    WG_WHERE_OF(WG_BOOL, 1), WG_WHERE_OF(WG_U8, 1), WG_WHERE_OF(WG_I8, 1), WG_WHERE_OF(WG_I16, 2),
    WG_WHERE_OF(WG_I32, 4), WG_WHERE_OF(WG_I64, 8), WG_WHERE_OF(WG_F16, 2), WG_WHERE_OF(WG_BF16, 2),
    WG_WHERE_OF(WG_F32, 4), WG_WHERE_OF(WG_F64, 8), WG_WHERE_OF(WG_C64, 8), WG_WHERE_OF(WG_C128, 16),
    WG_WHERE_OF(WG_U16, 2), WG_WHERE_OF(WG_U32, 4), WG_WHERE_OF(WG_U64, 8),
    WG_COMPARISON(eq), WG_COMPARISON(ne), WG_COMPARISON(lt), WG_COMPARISON(le), WG_COMPARISON(gt), WG_COMPARISON(ge)};

static const wg_pointwise_entry *wg_find_pointwise(const char *name, int dtype) {
    for (int i = 0; i < WG_COUNT(WG_POINTWISE); i++)
        if (WG_POINTWISE[i].dtype == dtype && strcmp(WG_POINTWISE[i].name, name) == 0) return &WG_POINTWISE[i];
    return NULL;
}

#endif
