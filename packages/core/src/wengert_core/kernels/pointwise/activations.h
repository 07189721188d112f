/* Pointwise operations of one real type, included once for float and once for double.
 *
 * The includer defines R (the type), SUF (its suffix in kernels/vecmath.h), ABS and SQRT. One line per op at the end.
 */
#define FN(name) WG_CAT(WG_CAT(name, _), SUF)
#define EXP WG_CAT(wg_exp_, SUF)
#define LOG1P_UNIT WG_CAT(wg_log1p_unit_, SUF)
#define ERFC WG_CAT(wg_erfc_, SUF)

WG_INLINE R FN(wg_sigmoid)(R x) {                               /* exp(-|x|) cannot overflow */
    const R e = EXP(-ABS(x)), top = x >= 0 ? 1 : e;
    return top / (1 + e);
}
WG_INLINE R FN(wg_log_sigmoid)(R x) { return (x > 0 ? 0 : x) - LOG1P_UNIT(EXP(-ABS(x))); }
WG_INLINE R FN(wg_softplus)(R x, R beta, R threshold) {
    const R z = x * beta, soft = ((z > 0 ? z : 0) + LOG1P_UNIT(EXP(-ABS(z)))) / beta;
    return z > threshold ? x : soft;
}
WG_INLINE R FN(wg_softplus_slope)(R x, R beta, R threshold) {
    const R z = x * beta, s = FN(wg_sigmoid)(z);
    return z > threshold ? 1 : s;
}
WG_INLINE R FN(wg_silu_slope)(R x) {
    const R s = FN(wg_sigmoid)(x), rest = FN(wg_sigmoid)(-x);
    return s * (1 + x * rest);
}
WG_INLINE R FN(wg_gelu)(R x) { return x * WG_CAT(wg_normal_cdf_, SUF)(x, WG_CAT(wg_bell_, SUF)(x)); }
WG_INLINE R FN(wg_gelu_slope)(R x) {                            /* cdf + x pdf */
    const R e = WG_CAT(wg_bell_, SUF)(x);
    return WG_CAT(wg_normal_cdf_, SUF)(x, e) + x * e * (R)0.39894228040143267794;
}
/* 0.5 (1 + tanh(u)) is sigmoid(2 u); here twice u, u = sqrt(2 / pi) (x + 0.044715 x^3), and its slope. */
WG_INLINE R FN(wg_gelu_tanh_arg)(R x) { return (R)1.59576912160573071176 * (x + (R)0.044715 * x * x * x); }
WG_INLINE R FN(wg_gelu_tanh_slope)(R x) {
    const R twice = FN(wg_gelu_tanh_arg)(x), slope = (R)1.59576912160573071176 * (1 + (R)0.134145 * x * x);
    const R s = FN(wg_sigmoid)(twice), rest = FN(wg_sigmoid)(-twice);
    return s + x * s * rest * slope;
}
WG_INLINE R FN(wg_lerp)(R a, R b, R weight) {                   /* exact at both ends */
    const R gap = b - a, from_a = a + weight * gap, from_b = b - gap * (1 - weight);
    return ABS(weight) < (R)0.5 ? from_a : from_b;
}
WG_INLINE R FN(wg_maximum)(R x, R y) { const R best = y > x ? y : x; return y != y ? y : best; }
WG_INLINE R FN(wg_minimum)(R x, R y) { const R best = y < x ? y : x; return y != y ? y : best; }

WG_INLINE R FN(wg_smooth_l1)(R size, R beta) {
    const R inside = size * size * ((R)0.5 / beta), outside = size - (R)0.5 * beta;
    return size < beta ? inside : outside;
}
WG_INLINE R FN(wg_smooth_l1_slope)(R gap, R beta) {
    const R inside = gap / beta, outside = (R)(gap > 0) - (R)(gap < 0);
    return ABS(gap) < beta || gap != gap ? inside : outside;
}
WG_INLINE R FN(wg_huber)(R size, R delta) {
    const R inside = (R)0.5 * size * size, outside = delta * (size - (R)0.5 * delta);
    return size <= delta ? inside : outside;
}
WG_INLINE R FN(wg_huber_slope)(R gap, R delta) {
    const R upper = gap > delta ? delta : gap;
    return upper < -delta ? -delta : upper;
}
/* -(t log(x) + (1 - t) log(1 - x)), x in [0, 1], each logarithm at least -100. What 1 - x loses is put back. */
WG_INLINE R FN(wg_binary_cross_entropy)(R x, R t) {
    const R left = 1 - x, lost = (1 - left) - x, one = WG_CAT(wg_log_, SUF)(x), other = WG_CAT(wg_log_, SUF)(left);
    const R by_one = one < -100 ? -100 : one, whole = left > 0 ? other + lost / left : other;
    return (t - 1) * (whole < -100 ? -100 : whole) - t * by_one;
}
WG_INLINE R FN(wg_binary_cross_entropy_slope)(R x, R t) {
    const R spread = (1 - x) * x;
    return (x - t) / (spread < (R)1e-12 ? (R)1e-12 : spread);
}

#define BETA_THRESHOLD WG_PARAM(R, beta, 0); WG_PARAM(R, threshold, 1)

WG_OP1(FN(sigmoid), R, R, WG_NO_PARAMS, FN(wg_sigmoid)(x))
WG_OP1(FN(log_sigmoid), R, R, WG_NO_PARAMS, FN(wg_log_sigmoid)(x))
WG_OP1(FN(silu), R, R, WG_NO_PARAMS, x * FN(wg_sigmoid)(x))
WG_OP1(FN(relu), R, R, WG_NO_PARAMS, x < 0 ? 0 : x)
WG_OP1(FN(gelu), R, R, WG_NO_PARAMS, FN(wg_gelu)(x))
WG_OP1(FN(gelu_tanh), R, R, WG_NO_PARAMS, x * FN(wg_sigmoid)(FN(wg_gelu_tanh_arg)(x)))
WG_OP1(FN(softplus), R, R, BETA_THRESHOLD, FN(wg_softplus)(x, beta, threshold))
WG_OP1(FN(erf), R, R, WG_NO_PARAMS, WG_CAT(wg_erf_, SUF)(x))
WG_OP1(FN(erfc), R, R, WG_NO_PARAMS, ERFC(x))
WG_OP1(FN(lgamma), R, R, WG_NO_PARAMS, WG_CAT(wg_lgamma_, SUF)(x))
WG_OP1(FN(digamma), R, R, WG_NO_PARAMS, WG_CAT(wg_digamma_, SUF)(x))
WG_OP1(FN(reciprocal), R, R, WG_NO_PARAMS, 1 / x)
WG_OP1(FN(rsqrt), R, R, WG_NO_PARAMS, 1 / SQRT(x))
WG_OP2(FN(xlogy), R, R, R, WG_NO_PARAMS, y != y ? y : x == 0 ? 0 : x * (y == (R)INFINITY ? y : WG_CAT(wg_log_, SUF)(y)))
WG_OP1(FN(square), R, R, WG_NO_PARAMS, x * x)
WG_OP1(FN(cube), R, R, WG_NO_PARAMS, x * x * x)
WG_OP1(FN(sign), R, R, WG_NO_PARAMS, (R)(x > 0) - (R)(x < 0))

WG_OP2(FN(sigmoid_backward), R, R, R, WG_NO_PARAMS, x * (y * (1 - y)))
WG_OP2(FN(tanh_backward), R, R, R, WG_NO_PARAMS, x * (1 - y * y))
WG_OP2(FN(log_sigmoid_backward), R, R, R, WG_NO_PARAMS, x * FN(wg_sigmoid)(-y))
WG_OP2(FN(silu_backward), R, R, R, WG_NO_PARAMS, x * FN(wg_silu_slope)(y))
WG_OP2(FN(relu_backward), R, R, R, WG_NO_PARAMS, y <= 0 ? 0 : x)
WG_OP2(FN(threshold_backward), R, R, R, WG_PARAM(R, threshold, 0), y <= threshold ? 0 : x)
WG_OP2(FN(gelu_backward), R, R, R, WG_NO_PARAMS, x * FN(wg_gelu_slope)(y))
WG_OP2(FN(gelu_tanh_backward), R, R, R, WG_NO_PARAMS, x * FN(wg_gelu_tanh_slope)(y))
WG_OP2(FN(softplus_backward), R, R, R, BETA_THRESHOLD, x * FN(wg_softplus_slope)(y, beta, threshold))
WG_OP2(FN(binary_cross_entropy), R, R, R, WG_NO_PARAMS, FN(wg_binary_cross_entropy)(x, y))
WG_OP2(FN(binary_cross_entropy_slope), R, R, R, WG_NO_PARAMS, FN(wg_binary_cross_entropy_slope)(x, y))
WG_OP2(FN(maximum), R, R, R, WG_NO_PARAMS, FN(wg_maximum)(x, y))
WG_OP2(FN(minimum), R, R, R, WG_NO_PARAMS, FN(wg_minimum)(x, y))

WG_OP2(FN(leaky_relu), R, R, R, WG_NO_PARAMS, x > 0 ? x : x * y)
WG_OP3(FN(leaky_relu_backward), R, R, R, R, WG_NO_PARAMS, y > 0 ? x : x * z)
WG_OP3(FN(smooth_l1), R, R, R, R, WG_NO_PARAMS, FN(wg_smooth_l1)(ABS(x - y), z))
WG_OP3(FN(smooth_l1_slope), R, R, R, R, WG_NO_PARAMS, FN(wg_smooth_l1_slope)(x - y, z))
WG_OP3(FN(huber), R, R, R, R, WG_NO_PARAMS, FN(wg_huber)(ABS(x - y), z))
WG_OP3(FN(huber_slope), R, R, R, R, WG_NO_PARAMS, FN(wg_huber_slope)(x - y, z))

WG_OP3(FN(lerp), R, R, R, R, WG_NO_PARAMS, FN(wg_lerp)(x, y, z))
WG_OP3(FN(addcmul), R, R, R, R, WG_PARAM(R, value, 0), x + value * y * z)
WG_OP3(FN(addcdiv), R, R, R, R, WG_PARAM(R, value, 0), x + value * y / z)

#undef FN
#undef EXP
#undef LOG1P_UNIT
#undef ERFC
#undef BETA_THRESHOLD
#undef R
#undef SUF
#undef ABS
#undef SQRT
