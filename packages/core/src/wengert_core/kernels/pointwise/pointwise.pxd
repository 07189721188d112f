from wengert_core.kernels.types cimport loop_t

cdef struct Pointwise:
    int nin                         # inputs; one output
    int nparams                     # doubles that the loop's data points to
    int out                         # dtype of the output
    loop_t loop

# By name and dtype of the (last) input; NULL when absent. float32 and float64:
#   sigmoid log_sigmoid silu relu gelu gelu_tanh softplus(beta, threshold) exp erf erfc lgamma digamma
#   rsqrt square cube sign sin cos tanh expm1 exp2 sinh cosh log log1p log2 log10 atanh asin atan sinc
#   logit(x; eps, NaN for none) entr frac deg2rad rad2deg signbit (to bool)
#   sigmoid_backward(grad, result) tanh_backward(grad, result)
#   log_sigmoid_backward silu_backward relu_backward gelu_backward gelu_tanh_backward       (grad, input)
#   threshold_backward(grad, input; threshold) softplus_backward(grad, input; beta, threshold)
#   maximum minimum lerp(a, b, weight) addcmul(a, b, c; value) addcdiv(a, b, c; value)
#   leaky_relu(input, slope) leaky_relu_backward(grad, input, slope) div_trunc(a, b)
#   smooth_l1 smooth_l1_slope huber huber_slope     (input, target, beta)
# float32 only: fmod remainder floor_divide tan acos. Every dtype: where(mask, a, b).
# Floats, to bool: eq ne lt le gt ge.
cdef loop_t find_pointwise(const char *name, int dtype) noexcept nogil
cdef bint describe_pointwise(const char *name, int dtype, Pointwise *into) noexcept nogil     # False when absent
