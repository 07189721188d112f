"""Convolutions and their transposes, in one to three dims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from wengert_core.optable.core_table import TABLE
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops


# ---- references


def as_list(value: Any, n: int) -> list[int]:
    """n numbers, or one for all of them."""
    values = [value] if isinstance(value, int) else list(value)
    return values * n if len(values) == 1 else values


def split_groups(x: Any, groups: int, dim: int) -> Any:
    """A dim as [groups, rest]."""
    return x.reshape(*x.shape[:dim], groups, x.shape[dim] // groups, *x.shape[dim + 1 :])


def windows(xp: Any, tap: Any, narrow: Any, stride: Any, dilation: Any) -> Any:
    """The elements of a padded tensor that a tap meets, one for each position."""
    steps = zip(tap, narrow, stride, dilation, strict=True)
    return (..., *[slice(t * d, t * d + s * (n - 1) + 1, s) for t, n, s, d in steps])


def pad_dims(xp: Any, x: Any, padding: Any) -> Any:
    """Zeros around the last dims."""
    return xp.pad(x, [(0, 0)] * (x.ndim - len(padding)) + [(p, p) for p in padding])


def convolution_reference(
    xp: Any,
    x: Any,
    w: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: Any,
    output_padding: Any,
    groups: Any,
) -> Any:
    """The reference of convolution: a product of matrices for each tap of the kernel."""
    n = x.ndim - 2
    stride, padding, dilation, more = (as_list(v, n) for v in (stride, padding, dilation, output_padding))
    kernel, inside = w.shape[2:], x.shape[2:]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    x, w = split_groups(x, groups, 1), split_groups(w, groups, 0)
    if transposed:
        size = [(i - 1) * s + r + m for i, s, r, m in zip(inside, stride, reach, more, strict=True)]
        out = xp.zeros((x.shape[0], groups, w.shape[2], *size), x.dtype)
        for tap in xp.ndindex(*kernel):
            out[windows(xp, tap, inside, stride, dilation)] += xp.einsum("ngi...,gio->ngo...", x, w[(..., *tap)])
        out = out[(..., *[slice(p, s - p) for p, s in zip(padding, size, strict=True)])]
    else:
        x = pad_dims(xp, x, padding)
        size = [(i - r) // s + 1 for i, r, s in zip(x.shape[3:], reach, stride, strict=True)]
        out = xp.zeros((x.shape[0], groups, w.shape[1], *size), x.dtype)
        for tap in xp.ndindex(*kernel):
            out += xp.einsum("ngi...,goi->ngo...", x[windows(xp, tap, size, stride, dilation)], w[(..., *tap)])
    out = out.reshape(out.shape[0], groups * out.shape[2], *out.shape[3:])
    return out if bias is None else out + bias.reshape(-1, *[1] * n)


def convolution_weight_reference(
    xp: Any, x: Any, y: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Any:
    """The reference of convolution_weight."""
    n = x.ndim - 2
    kernel, stride, padding, dilation = (as_list(v, n) for v in (kernel, stride, padding, dilation))
    x, y = split_groups(pad_dims(xp, x, padding), groups, 1), split_groups(y, groups, 1)
    out = xp.zeros((groups, y.shape[2], x.shape[2], *kernel), x.dtype)
    count = math.prod(y.shape[3:])
    flat = y.reshape(*y.shape[:3], count)
    for tap in xp.ndindex(*kernel):
        met = x[windows(xp, tap, y.shape[3:], stride, dilation)]
        out[(..., *tap)] = xp.einsum("ngip,ngop->goi", met.reshape(*met.shape[:3], count), flat)
    return out.reshape(groups * y.shape[2], *out.shape[2:])


# ---- primitives


def of_parts(product: Any, a: Tensor, b: Tensor) -> Any:
    """A bilinear function of two complex tensors, by three of real ones. Source: Gauss's trick."""
    real, imag = ops["real"], ops["imag"]
    ar, ai, br, bi = real(a), imag(a), real(b), imag(b)
    first, second = product(ar, br), product(ai, bi)
    return ops["complex"](first - second, product(ar + ai, br + bi) - first - second)


def complex_convolution(x: Tensor, w: Tensor, bias: Tensor | None, *rest: Any) -> Any:
    """convolution of complex tensors."""
    result = of_parts(lambda a, b: convolution(a, b, None, *rest), x, w)
    return result if bias is None else result + bias.reshape(-1, *[1] * (x.dim() - 2))


convolution = TABLE.convolution_row(
    "convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
    "bool transposed, int[] output_padding, int groups) -> Tensor",
    reference=convolution_reference,
    compose=complex_convolution,
)
convolution_weight: Any = TABLE.convolution_row(
    "convolution_weight(Tensor input, Tensor grad_output, int[] kernel_size, int[] stride, int[] padding, "
    "int[] dilation, int groups) -> Tensor",
    reference=convolution_weight_reference,
    compose=lambda x, y, *rest: of_parts(lambda a, b: convolution_weight(a, b, *rest), x, y),
    weight=True,
)


# ---- functions


def check_rank(name: str, n: int, input: Tensor) -> bool:
    """Whether the input is one image without the dim of images; RuntimeError for another rank."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"{name}() received an invalid combination of arguments: argument 'input' (position 1) must be Tensor, not "
            f"{type(input).__name__}"
        )
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return input.dim() == n + 1


def sizes(value: int | Sequence[int], n: int) -> tuple[int, ...]:
    """One number for all n dims, or as they are."""
    if type(value) is int:
        return (value,) * n
    return tuple(value) * n if len(value) == 1 else tuple(value)  # type: ignore[arg-type]


def same_padding(
    input: Tensor, weight: Tensor, stride: int | Sequence[int], dilation: int | Sequence[int], n: int
) -> tuple[Tensor, Any]:
    """The input (padded at one side where a kernel is even) and the padding that keep the sizes."""
    if any(s != 1 for s in as_list(stride, n)):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    if weight.dim() != n + 2:
        raise RuntimeError(
            "weight should have at least three dimensions"
            if weight.dim() < 3
            else f"Expected {weight.dim()}-dimensional input for {weight.dim()}-dimensional weight "
            f"{list(weight.shape)}, but got {n + 2}-dimensional input of size {list(input.shape)} instead"
        )
    reach = [d * (k - 1) for d, k in zip(as_list(dilation, n), weight.shape[2:], strict=True)]
    more = [r % 2 for r in reach]
    if any(more):
        warn_user(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created"
        )
        input = ops["constant_pad_nd"](input, [one for m in reversed(more) for one in (0, m)])
    return input, tuple(r // 2 for r in reach)


def convolve(
    name: str,
    n: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: int | Sequence[int],
    padding: int | Sequence[int] | str,
    dilation: int | Sequence[int],
    groups: int,
) -> Any:
    """convN d."""
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        if padding == "same":
            check_rank(name, n, input)
            input, around = same_padding(input, weight, stride, dilation, n)
        else:
            around = (0,) * n
    else:
        around = sizes(padding, n)
    single = check_rank(name, n, input)
    result = convolution(
        input.unsqueeze(0) if single else input,
        weight,
        bias,
        sizes(stride, n),
        around,
        sizes(dilation, n),
        False,
        (0,) * n,
        groups,
    )
    return result.squeeze(0) if single else result


def transpose(
    name: str,
    n: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: int | Sequence[int],
    padding: int | Sequence[int] | str,
    output_padding: int | Sequence[int],
    groups: int,
    dilation: int | Sequence[int],
) -> Any:
    """conv_transposeNd."""
    if isinstance(padding, str):
        raise TypeError(f"{name}(): argument 'padding' must be tuple of ints, not str")
    single = check_rank(name, n, input)
    result = convolution(
        input.unsqueeze(0) if single else input,
        weight,
        bias,
        sizes(stride, n),
        sizes(padding, n),
        sizes(dilation, n),
        True,
        sizes(output_padding, n),
        groups,
    )
    return result.squeeze(0) if single else result


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Any:
    return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Any:
    return convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Any:
    return convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Any:
    return transpose("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Any:
    return transpose("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Any:
    return transpose("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation)


for function in (conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d):
    TABLE.composite(function)
    TABLE.composite(function, namespace="nn.functional")
