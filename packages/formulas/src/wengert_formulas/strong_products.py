"""Products in which zero times anything is zero: what the ops of formulas are where derivatives have strong zeros.

Each rule gets the call of an op by a formula, runs it, and mends the places that are NaN because a factor is zero: in
the result's own memory, so that what was recorded stays. Where nothing is NaN, nothing else is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import wengert_core as wc
from wengert_core.drivers.pointwise.pointwise_checks import is_batched
from wengert_core.tensors.tensor import Tensor
from wengert_engine.modes.grad_mode import no_grad
from wengert_engine.modes.strong_zeros import Product

from wengert_formulas import forward

Mask = Any
"""A tensor of truth values, or one truth value for all places."""


def some(nan_mask: Tensor) -> bool:
    """Whether there is a place to mend; of a batch, whose numbers nobody may look at, perhaps."""
    return is_batched(nan_mask) or bool(nan_mask.any())


# ---- element by element
def is_zero(factor: Any) -> Mask:
    """The places where a factor, a tensor or a number, is zero."""
    return False if factor is None else factor == 0


def product(call: Product) -> Any:
    """mul: zero where a factor is."""
    a, b = call.arguments[:2]
    return zero_nans_of_zeros(call, lambda: is_zero(a) | is_zero(b))


def part_and_logarithm(call: Product) -> Any:
    """xlogy: zero where the part is, also for the logarithm of NaN."""
    return zero_nans_of_zeros(call, lambda: is_zero(call.arguments[0]))


def quotient(call: Product) -> Any:
    """div: zero where the dividend is, or the divisor infinite.

    These are products with the reciprocal there: a tangent of a quotient is made of the quotient, which is NaN.
    """
    a, b = call.arguments[:2]

    def zeros() -> Mask:
        return is_zero(a) | (b.isinf() if isinstance(b, Tensor) else math.isinf(abs(b)))

    if call.op.is_inplace:
        return zero_nans_of_zeros(call, zeros)
    result = call.run()
    with no_grad():
        nan_mask = result.isnan() & zeros()
        if not some(nan_mask):
            return result
    by_product = times(a, b.reciprocal()) if isinstance(b, Tensor) else wc.zeros_like(result)
    return wc.where(nan_mask, by_product, result)


def scaled_product(call: Product) -> Any:
    """addcmul: the first tensor alone where the product has a factor that is zero."""
    start, a, b, value = call.arguments[:4]
    with no_grad():
        zeros = is_zero(a) | is_zero(b) | is_zero(value)
        before = start.detach().clone() if call.op.is_inplace else start.detach()
    return replace_nans(call.run(), lambda: wc.where(zeros, before, math.nan))


def zero_nans_of_zeros(call: Product, zeros: Callable[[], Mask]) -> Any:
    """The op's result, zero where it is NaN and a factor was zero; those of an in-place op are looked at before it."""
    with no_grad():
        before = zeros() if call.op.is_inplace else None
    result = call.run()
    return zero_nans(result, zeros if before is None else lambda: before)


def zero_nans(result: Tensor, zeros: Callable[[], Mask]) -> Tensor:
    """A result that nobody has seen, zero where it is NaN and ``zeros`` says so; its history is as it was."""
    with no_grad():
        nan_mask = result.isnan()
        if some(nan_mask):
            memory(result).masked_fill_(nan_mask & zeros(), 0)
    return result


def replace_nans(result: Tensor, values: Callable[[], Tensor]) -> Tensor:
    """A result that nobody has seen, with other values where it is NaN."""
    with no_grad():
        nan_mask = result.isnan()
        if some(nan_mask):
            memory(result).copy_(wc.where(nan_mask, values(), result.detach()))
    return result


def memory(result: Tensor) -> Tensor:
    """A tensor's memory, to be written to as if it had always been so."""
    return result.detach() if is_batched(result) else result.data


def times(a: Tensor, b: Tensor) -> Tensor:
    """a * b, zero where a factor is."""
    return zero_nans(a * b, lambda: is_zero(a) | is_zero(b))


def plain(arguments: list[Any]) -> list[Any]:
    """Arguments without history."""
    return [one.detach() if isinstance(one, Tensor) else one for one in arguments]


def strong_product(call: Product) -> Any:
    """A gradient times a slope in one kernel: zero where one of them is. The slope is what a gradient of 1 gives."""

    def zeros() -> Mask:
        grad, *rest = plain(call.arguments)
        return is_zero(grad) | is_zero(forward.call(call.op, [wc.ones_like(grad), *rest]))

    return zero_nans(call.run(), zeros)


FUSED = (
    "elu_backward gelu_backward hardshrink_backward hardsigmoid_backward hardswish_backward hardtanh_backward "
    "leaky_relu_backward log_sigmoid_backward mish_backward sigmoid_backward silu_backward softplus_backward "
    "softshrink_backward tanh_backward threshold_backward _prelu_kernel_backward"
).split()


# ---- softmax
def softmax_product(call: Product) -> Any:
    """y * (g - sum(g * y))."""

    def values() -> Tensor:
        grad, y, dim = plain(call.arguments)
        return times(y, grad - times(grad, y).sum(dim, True))

    return replace_nans(call.run(), values)


def log_softmax_product(call: Product) -> Any:
    """g - exp(y) * sum(g)."""

    def values() -> Tensor:
        grad, y, dim = plain(call.arguments)
        return grad - times(y.exp(), grad.sum(dim, True))

    return replace_nans(call.run(), values)


# ---- sums of products: of matrices and vectors, convolutions
def bilinear(call: Product) -> Any:
    """Sums of products of the first two arguments' elements; a product with a factor zero adds nothing."""

    def values() -> Tensor:
        x, y, *rest = plain(call.arguments)
        return sum_of_products(call, x, y, rest)

    return replace_nans(call.run(), values)


def sum_of_products(call: Product, x: Tensor, y: Tensor, rest: list[Any]) -> Tensor:
    """The sum over finite factors, and what the others add: counted by sums of truth values, each by the op itself."""
    takes_bias = "bias" in call.op.params
    added = [None, *rest[1:]] if takes_bias else rest

    def counted_call(a: Tensor, b: Tensor) -> Tensor:
        found = forward.call(call.op, [a.to(real), b.to(real), *added])
        return found > 0.5

    real = x.dtype.to_real() if x.is_complex() else x.dtype
    a, b = (wc.where(one.isfinite(), one, 0) for one in (x, y))
    total = forward.call(call.op, [a, b, *rest])
    if x.is_complex() or y.is_complex():
        lost = counted_call(~x.isfinite(), y != 0) | counted_call(x != 0, ~y.isfinite())
        return total.masked_fill(lost, math.nan)
    up = counted_call(x == math.inf, y > 0) | counted_call(x == -math.inf, y < 0)
    up = up | counted_call(a > 0, y == math.inf) | counted_call(a < 0, y == -math.inf)
    down = counted_call(x == math.inf, y < 0) | counted_call(x == -math.inf, y > 0)
    down = down | counted_call(a > 0, y == -math.inf) | counted_call(a < 0, y == math.inf)
    lost = counted_call(x.isnan(), y != 0) | counted_call(x != 0, y.isnan()) | (up & down)
    return total.masked_fill(up, math.inf).masked_fill(down, -math.inf).masked_fill(lost, math.nan)


PRODUCTS: dict[str, Callable[[Product], Any]] = {
    **dict.fromkeys(("mul", "mul_"), product),
    **dict.fromkeys(("div", "div_"), quotient),
    **dict.fromkeys(("addcmul", "addcmul_"), scaled_product),
    **dict.fromkeys(("xlogy", "xlogy_"), part_and_logarithm),
    **dict.fromkeys(FUSED, strong_product),
    **dict.fromkeys(("mm", "bmm", "mv", "dot", "vdot", "linear", "convolution", "convolution_weight"), bilinear),
    "_softmax_backward_data": softmax_product,
    "_log_softmax_backward_data": log_softmax_product,
}
"""The rules, by names of core's ops."""
