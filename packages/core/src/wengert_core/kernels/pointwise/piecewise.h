/* Activations made of pieces: elu and its kin, hardtanh, hardsigmoid, hardswish, mish, shrinking, nan_to_num, and
 * gradients.
 *
 * Included once for float and once for double, by pointwise_table.h. The includer defines R, SUF, and what the
 * parameters of the ops are (WG_ELU, WG_BOUNDS, WG_CLIP_BOUNDS, WG_LIMITS).
 */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define EXP WG_CAT(wg_exp_, SUF)

WG_INLINE R FN(wg_clip)(R x, R low, R high) {
    const R least = x >= low ? x : low, clipped = x <= high ? least : high;
    return x != x ? x : clipped;
}
WG_INLINE R FN(wg_hardswish_slope)(R x) { return x < 3 ? x / 3 + (R)0.5 : 1; }
WG_INLINE R FN(wg_elu_slope)(R x, R below, R above, R rate) {
    return x <= 0 ? below * EXP(x * rate) : above;
}
/* tanh(softplus(x)) = n / (n + 2), n = exp(x) (exp(x) + 2), is 1 beyond 40 */
WG_INLINE R FN(wg_mish)(R x) {
    const R e = EXP(x > 40 ? 40 : x), n = e * (e + 2);
    return x * (x > 40 ? 1 : n / (n + 2));
}
WG_INLINE R FN(wg_mish_slope)(R x) {
    const R e = EXP(x > 40 ? 40 : x), n = e * (e + 2), t = n / (n + 2);
    const R rest = x > 40 ? 0 : 4 * ((n + 1) / (n + 2)) / (n + 2);        /* 1 - t * t */
    return t + x * (e / (1 + e)) * rest;
}
WG_INLINE R FN(wg_softshrink)(R x, R lambd) {
    const R low = x < -lambd ? -lambd : x;
    return x - (low > lambd ? lambd : low);
}
WG_INLINE R FN(wg_finite)(R x, R nan, R posinf, R neginf) {
    const R low = x == -(R)INFINITY ? neginf : x, both = x == (R)INFINITY ? posinf : low;
    return x == x ? both : nan;
}
WG_OP1(FN(elu), R, R, WG_ELU(R), x < 0 ? scale * alpha * FN(wg_expm1)(x * rate) : scale * x)
WG_OP1(FN(celu), R, R, WG_PARAM(R, alpha, 0), x < 0 ? alpha * FN(wg_expm1)(x / alpha) : x)
WG_OP2(FN(elu_backward), R, R, R, WG_ELU(R), x * FN(wg_elu_slope)(y, scale * alpha * rate, scale, rate))
WG_OP2(FN(elu_backward_of_result), R, R, R, WG_ELU(R), x * (y <= 0 ? rate * (y + scale * alpha) : scale))
WG_OP1(FN(hardtanh), R, R, WG_CLIP_BOUNDS(R), FN(wg_clip)(x, low, high))
WG_OP2(FN(hardtanh_backward), R, R, R, WG_BOUNDS(R), y <= low || y >= high ? 0 : x)
WG_OP1(FN(hardsigmoid), R, R, WG_NO_PARAMS, FN(wg_clip)(x + 3, 0, 6) / 6)
WG_OP2(FN(hardsigmoid_backward), R, R, R, WG_NO_PARAMS, y > -3 && y < 3 ? x / 6 : 0)
WG_OP1(FN(hardswish), R, R, WG_NO_PARAMS, x * FN(wg_clip)(x + 3, 0, 6) / 6)
WG_OP2(FN(hardswish_backward), R, R, R, WG_NO_PARAMS, y <= -3 ? 0 : x * FN(wg_hardswish_slope)(y))
WG_OP1(FN(mish), R, R, WG_NO_PARAMS, FN(wg_mish)(x))
WG_OP2(FN(mish_backward), R, R, R, WG_NO_PARAMS, x * FN(wg_mish_slope)(y))
WG_OP1(FN(hardshrink), R, R, WG_PARAM(R, lambd, 0), x >= -lambd && x <= lambd ? 0 : x)
WG_OP1(FN(softshrink), R, R, WG_PARAM(R, lambd, 0), FN(wg_softshrink)(x, lambd))
WG_OP2(FN(shrink_backward), R, R, R, WG_PARAM(R, lambd, 0), y >= -lambd && y <= lambd ? 0 : x)
WG_OP1(FN(nan_to_num), R, R, WG_LIMITS(R), FN(wg_finite)(x, nan, posinf, neginf))

#undef FN
#undef EXP
#undef R
#undef SUF
