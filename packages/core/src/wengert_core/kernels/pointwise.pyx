"""Pointwise loops which NumPy lacks, or has only slowly, in NumPy's ufunc loop signature.

The mathematics is in activations.h and vecmath.h, the frame in pointwise.h, the list in pointwise_table.h; activations
that are made of pieces are here.
"""
from wengert_core.kernels.types cimport loop_t

cdef extern from "pointwise_table.h" nogil:
    ctypedef struct Entry "wg_pointwise_entry":
        int nin
        int nparams
        int out
        loop_t loop
    const Entry *wg_find_pointwise(const char *name, int dtype)

cdef extern from * nogil:
    """
    /* exp(x) - 1 = 2^k p + (2^k - 1), x = k ln 2 + r, p = exp(r) - 1: no digits are lost near 0. Below -40 it is -1. */
    #define WG_PIECES(R, SUF, BITS, WORD, SHIFT, BIAS, MAGIC, LN2_HIGH, LN2_LOW, SERIES) \
    WG_INLINE R wg_expm1_##SUF(R x) { \
        const R z = x < -40 ? -40 : x < 40 ? x : 40; \
        const R k = (z * (R)1.44269504088896340736 + (R)MAGIC) - (R)MAGIC; \
        const R r = (z - k * (R)LN2_HIGH) - k * (R)LN2_LOW, p = r + r * r * SERIES; \
        const R two = BITS((WORD)((int)k + BIAS) << SHIFT), result = two * p + (two - 1); \
        return x < 40 ? result : wg_exp_##SUF(x) - 1; \
    } \
    WG_INLINE R wg_clip_##SUF(R x, R low, R high) { \
        const R least = x >= low ? x : low, clipped = x <= high ? least : high; \
        return x != x ? x : clipped; \
    } \
    WG_INLINE R wg_hardswish_slope_##SUF(R x) { return x < 3 ? x / 3 + (R)0.5 : 1; } \
    WG_INLINE R wg_elu_slope_##SUF(R x, R below, R above, R rate) { \
        return x <= 0 ? below * wg_exp_##SUF(x * rate) : above; \
    } \
    /* tanh(softplus(x)) = n / (n + 2), n = exp(x) (exp(x) + 2), is 1 beyond 40 */ \
    WG_INLINE R wg_mish_##SUF(R x) { \
        const R e = wg_exp_##SUF(x > 40 ? 40 : x), n = e * (e + 2); \
        return x * (x > 40 ? 1 : n / (n + 2)); \
    } \
    WG_INLINE R wg_mish_slope_##SUF(R x) { \
        const R e = wg_exp_##SUF(x > 40 ? 40 : x), n = e * (e + 2), t = n / (n + 2); \
        const R rest = x > 40 ? 0 : 4 * ((n + 1) / (n + 2)) / (n + 2);        /* 1 - t * t */ \
        return t + x * (e / (1 + e)) * rest; \
    } \
    WG_INLINE R wg_softshrink_##SUF(R x, R lambd) { \
        const R middle = x == x ? 0 : x, negative = x < -lambd ? x + lambd : middle; \
        return x > lambd ? x - lambd : negative; \
    } \
    WG_INLINE R wg_finite_##SUF(R x, R nan, R posinf, R neginf) { \
        const R low = x == -(R)INFINITY ? neginf : x, both = x == (R)INFINITY ? posinf : low; \
        return x == x ? both : nan; \
    } \
    WG_OP1(elu_##SUF, R, R, WG_ELU(R), x < 0 ? scale * alpha * wg_expm1_##SUF(x * rate) : scale * x) \
    WG_OP1(celu_##SUF, R, R, WG_PARAM(R, alpha, 0), x < 0 ? alpha * wg_expm1_##SUF(x / alpha) : x) \
    WG_OP2(elu_backward_##SUF, R, R, R, WG_ELU(R), x * wg_elu_slope_##SUF(y, scale * alpha * rate, scale, rate)) \
    WG_OP2(elu_backward_of_result_##SUF, R, R, R, WG_ELU(R), x * (y <= 0 ? rate * (y + scale * alpha) : scale)) \
    WG_OP1(hardtanh_##SUF, R, R, WG_BOUNDS(R), wg_clip_##SUF(x, low, high)) \
    WG_OP2(hardtanh_backward_##SUF, R, R, R, WG_BOUNDS(R), y > low && y < high ? x : 0) \
    WG_OP1(hardsigmoid_##SUF, R, R, WG_NO_PARAMS, wg_clip_##SUF(x + 3, 0, 6) / 6) \
    WG_OP2(hardsigmoid_backward_##SUF, R, R, R, WG_NO_PARAMS, y > -3 && y < 3 ? x / 6 : 0) \
    WG_OP1(hardswish_##SUF, R, R, WG_NO_PARAMS, x * wg_clip_##SUF(x + 3, 0, 6) / 6) \
    WG_OP2(hardswish_backward_##SUF, R, R, R, WG_NO_PARAMS, y <= -3 ? 0 : x * wg_hardswish_slope_##SUF(y)) \
    WG_OP1(mish_##SUF, R, R, WG_NO_PARAMS, wg_mish_##SUF(x)) \
    WG_OP2(mish_backward_##SUF, R, R, R, WG_NO_PARAMS, x * wg_mish_slope_##SUF(y)) \
    WG_OP1(hardshrink_##SUF, R, R, WG_PARAM(R, lambd, 0), x >= -lambd && x <= lambd ? 0 : x) \
    WG_OP1(softshrink_##SUF, R, R, WG_PARAM(R, lambd, 0), wg_softshrink_##SUF(x, lambd)) \
    WG_OP2(shrink_backward_##SUF, R, R, R, WG_PARAM(R, lambd, 0), y > lambd || y < -lambd ? x : 0) \
    WG_OP1(nan_to_num_##SUF, R, R, WG_LIMITS(R), wg_finite_##SUF(x, nan, posinf, neginf))

    #define WG_ELU(R) WG_PARAM(R, alpha, 0); WG_PARAM(R, scale, 1); WG_PARAM(R, rate, 2)
    #define WG_BOUNDS(R) WG_PARAM(R, low, 0); WG_PARAM(R, high, 1)
    #define WG_LIMITS(R) WG_PARAM(R, nan, 0); WG_PARAM(R, posinf, 1); WG_PARAM(R, neginf, 2)
    WG_PIECES(float, f32, wg_bits_f32, uint32_t, 23, 127, 12582912.0, 0.693359375, -2.12194440e-4,
              WG_P5(r, 5.000000074e-01f, 1.666666675e-01f, 4.166603990e-02f, 8.333263735e-03f, 1.396781768e-03f,
                    1.992892632e-04f))
    WG_PIECES(double, f64, wg_bits_f64, uint64_t, 52, 1023, 6755399441055744.0, 6.93147180369123816490e-01,
              1.90821492927058770002e-10,
              WG_P10(r, 5.00000000000000000e-01, 1.66666666666666713e-01, 4.16666666666666713e-02,
                     8.33333333332608381e-03, 1.38888888888837113e-03, 1.98412698750022792e-04, 2.48015873256774607e-05, 2.75572551700008879e-06,
                     2.75572734787185824e-07, 2.51053127296221029e-08, 2.09147553258932021e-09))

    static const wg_pointwise_entry WG_OF_PIECES[] = {
        WG_REAL(elu, 1, 3), WG_REAL(celu, 1, 1), WG_REAL(elu_backward, 2, 3), WG_REAL(elu_backward_of_result, 2, 3),
        WG_REAL(hardtanh, 1, 2), WG_REAL(hardtanh_backward, 2, 2), WG_REAL(hardsigmoid, 1, 0),
        WG_REAL(hardsigmoid_backward, 2, 0),
        WG_REAL(hardswish, 1, 0), WG_REAL(hardswish_backward, 2, 0), WG_REAL(mish, 1, 0), WG_REAL(mish_backward, 2, 0),
        WG_REAL(hardshrink, 1, 1), WG_REAL(softshrink, 1, 1),
        WG_REAL(shrink_backward, 2, 1), WG_REAL(nan_to_num, 1, 3)};

    static const wg_pointwise_entry *wg_find_piece(const char *name, int dtype) {
        for (int i = 0; i < WG_COUNT(WG_OF_PIECES); i++)
            if (WG_OF_PIECES[i].dtype == dtype && strcmp(WG_OF_PIECES[i].name, name) == 0) return &WG_OF_PIECES[i];
        return NULL;
    }
    """
    const Entry *wg_find_piece(const char *name, int dtype)


cdef inline const Entry* find(const char *name, int dtype) noexcept nogil:
    cdef const Entry *entry = wg_find_pointwise(name, dtype)
    return entry if entry != NULL else wg_find_piece(name, dtype)


cdef loop_t find_pointwise(const char *name, int dtype) noexcept nogil:
    cdef const Entry *entry = find(name, dtype)
    return entry.loop if entry != NULL else NULL


cdef bint describe_pointwise(const char *name, int dtype, Pointwise *into) noexcept nogil:
    cdef const Entry *entry = find(name, dtype)
    if entry == NULL:
        return False
    into.nin, into.nparams, into.out, into.loop = entry.nin, entry.nparams, entry.out, entry.loop
    return True
