"""Pooling in one to three dims: means and extremes of windows, fixed or adaptive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.dtypes.cpp_names import not_implemented_for
from wengert_core.ops.nn.convolution import as_list
from wengert_core.ops.nn.pooling_reference import (
    adaptive_windows,
    gather_flat,
    mean_backward,
    mean_of,
    most_of,
    scatter_flat,
    windows_of,
)
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops, row = TABLE.ops, TABLE.pooling_row


# ---- primitives


def add_rows(n: int) -> None:
    """The four poolings of n dims."""
    divisor = ", int? divisor_override=None, *, Tensor? out=None" if n > 1 else ""
    row(
        f"avg_pool{n}d(Tensor self, int[] kernel_size, int[]? stride=None, int[] padding=0, bool ceil_mode=False, "
        f"bool count_include_pad=True{divisor}) -> Tensor",
        kind="average",
        ndim=n,
        name=f"nn.functional.avg_pool{n}d" if n > 1 else "avg_pool1d",
        reference=lambda xp, x, kernel, stride, padding, ceil, include, divisor=None: mean_of(
            xp, x, windows_of(x.shape, n, kernel, stride, padding, 1, ceil, include), divisor
        ),
    )
    row(
        f"max_pool{n}d_with_indices(Tensor self, int[] kernel_size, int[]? stride=None, int[] padding=0, "
        "int[] dilation=1, bool ceil_mode=False) -> (Tensor values, Tensor indices)",
        kind="largest",
        ndim=n,
        reference=lambda xp, x, kernel, stride, padding, dilation, ceil: most_of(
            xp, x, windows_of(x.shape, n, kernel, stride, padding, dilation, ceil)
        ),
    )
    row(
        f"_adaptive_avg_pool{n}d(Tensor self, int[] output_size) -> Tensor",
        kind="adaptive_average",
        ndim=n,
        reference=lambda xp, x, size: mean_of(
            xp, x, [adaptive_windows(*pair) for pair in zip(x.shape[-n:], as_list(size, n), strict=True)]
        ),
        doc=f"Means of as many windows over the last {n} dims as asked for.",
    )
    row(
        f"adaptive_max_pool{n}d(Tensor self, int[] output_size) -> (Tensor values, Tensor indices)",
        kind="adaptive_largest",
        ndim=n,
        reference=lambda xp, x, size: most_of(
            xp, x, [adaptive_windows(*pair) for pair in zip(x.shape[-n:], as_list(size, n), strict=True)]
        ),
    )


for dims in (1, 2, 3):
    add_rows(dims)
row(
    "avg_pool_backward(Tensor grad_output, int[] input_sizes, int ndim, int[] kernel_size, int[]? stride, "
    "int[] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    kind="spread_average",
    reference=lambda xp, grad, sizes, n, kernel, stride, padding, ceil, include, divisor: mean_backward(
        xp, grad, sizes, windows_of(sizes, n, kernel, stride, padding, 1, ceil, include), divisor
    ),
)
row(
    "adaptive_avg_pool_backward(Tensor grad_output, int[] input_sizes, int ndim) -> Tensor",
    kind="spread_adaptive",
    reference=lambda xp, grad, sizes, n: mean_backward(
        xp, grad, sizes, [adaptive_windows(*pair) for pair in zip(sizes[-n:], grad.shape[-n:], strict=True)]
    ),
)
row(
    "pool_scatter(Tensor grad_output, Tensor indices, int[] input_sizes, int ndim) -> Tensor",
    kind="scatter",
    reference=scatter_flat,
)
row(
    "pool_gather(Tensor self, Tensor indices, int ndim) -> Tensor",
    kind="gather",
    reference=gather_flat,
)


# ---- functions


def check_one_dim(name: str, input: Tensor) -> None:
    """What the functions of one dim refuse."""
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )


def max_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    check_one_dim("max_pool1d", input)
    if not return_indices and input.dtype.category < 2:
        raise not_implemented_for("max_pool1d_impl", input.dtype)
    both = ops["max_pool1d_with_indices"](input, kernel_size, stride, padding, dilation, ceil_mode)
    return both if return_indices else both[0]


def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    both = ops["max_pool2d_with_indices"](input, kernel_size, stride, padding, dilation, ceil_mode)
    return both if return_indices else both[0]


def max_pool3d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    both = ops["max_pool3d_with_indices"](input, kernel_size, stride, padding, dilation, ceil_mode)
    return both if return_indices else both[0]


def avg_pool1d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for avg_pool1d)"
        )
    return ops["avg_pool1d"](input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def with_sizes(name: str, input: Tensor, output_size: Any, n: int) -> Any:
    """The output's sizes, None standing for the input's."""
    if output_size is None or isinstance(output_size, bool):
        kind = type(output_size).__name__
        raise TypeError(f"{name}(): argument 'output_size' (position 2) must be tuple of ints, not {kind}")
    if isinstance(output_size, int):
        output_size = (output_size,) * n
    elif n == 1 and None in output_size:
        raise TypeError(
            f"{name}(): argument 'output_size' (position 2) must be tuple of ints, but found element of type NoneType"
        )
    elif len(output_size) < n:
        raise RuntimeError(f"{name}: output_size must be {n}: got {len(output_size)} values")
    elif n > 1 and input.dim() <= max(n, len(output_size)):
        least = max(n, len(output_size)) + 1
        raise ValueError(f"Input dimension should be at least {least}: got a tensor of shape {list(input.shape)}")
    inside = input.shape[-n:]
    if len(output_size) != len(inside) or None not in output_size:
        return tuple(output_size)
    return tuple(have if size is None else size for size, have in zip(output_size, inside, strict=True))


def adaptive_mean(name: str, input: Tensor, output_size: Any, n: int) -> Any:
    """adaptive_avg_poolNd."""
    sizes = with_sizes(name, input, output_size, n)
    whole = sizes == (1,) * n and input.dim() in (n + 1, n + 2) and 0 not in input.shape[-n:]
    whole = whole and (n > 1 or input.dtype.is_complex)
    if whole and input.dtype.category >= 2:
        return input.mean(tuple(range(-n, 0)), keepdim=True)
    return ops[f"_adaptive_avg_pool{n}d"](input, sizes)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Any:
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for adaptive_avg_pool1d)"
        )
    return adaptive_mean("adaptive_avg_pool1d", input, output_size, 1)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Any:
    return adaptive_mean("adaptive_avg_pool2d", input, output_size, 2)


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Any:
    return adaptive_mean("adaptive_avg_pool3d", input, output_size, 3)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    both = ops["adaptive_max_pool1d"](input, with_sizes("adaptive_max_pool1d", input, output_size, 1))
    return both if return_indices else both[0]


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    both = ops["adaptive_max_pool2d"](input, with_sizes("adaptive_max_pool2d", input, output_size, 2))
    return both if return_indices else both[0]


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    both = ops["adaptive_max_pool3d"](input, with_sizes("adaptive_max_pool3d", input, output_size, 3))
    return both if return_indices else both[0]


for function in (
    max_pool1d,
    max_pool2d,
    max_pool3d,
    avg_pool1d,
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
):
    TABLE.composite(function, namespace="nn.functional")
TABLE.composite(adaptive_avg_pool1d)


def add_whole(function: Any) -> None:
    """max_pool of the top, which gives no indices."""

    def pool_by_name(
        input: Tensor,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None = None,
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        ceil_mode: bool = False,
    ) -> Any:
        return function(input, kernel_size, stride, padding, dilation, ceil_mode)

    pool_by_name.__name__ = function.__name__
    TABLE.composite(pool_by_name)


for function in (max_pool1d, max_pool2d, max_pool3d):
    add_whole(function)
