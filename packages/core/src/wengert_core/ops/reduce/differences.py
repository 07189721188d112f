"""Differences, numerical gradients, integrals by trapezoids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.dispatch.composite import UNSAID
from wengert_core.drivers.composite_arguments import check_tensor, give_result
from wengert_core.ops.view.diagonals import front
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

composite, ops = TABLE.composite, TABLE.ops


# ---- differences
def extend_ends(input: Tensor, dim: int, prepend: Any, append: Any) -> Any:
    """input with what stands before and after it."""
    for part in (prepend, append):
        if part is None:
            continue
        if part.dim() != input.dim():
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for d in range(input.dim()):
            if d != dim and part.shape[d] != input.shape[d]:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({d}) = {input.shape[d]}, but got tensor.size({d}) = "
                    f"{part.shape[d]}"
                )
    parts = [part for part in (prepend, input, append) if part is not None]
    return input if len(parts) == 1 else ops["cat"](parts, dim)


def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None, *, out: Any = None) -> Any:
    check_tensor("diff", input, "input")
    if input.dim() == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = front(dim, input.dim())
    x = extend_ends(input, dim, prepend, append)
    size = x.shape[dim]
    subtract = ops["logical_xor" if x.dtype.name == "bool" else "sub"]
    result = x if n else ops["zeros_like"](input).copy_(input)  # as torch: what is prepended does not count then
    for left in range(size - 1, size - 1 - min(n, size), -1):
        result = subtract(result.narrow(dim, 1, left), result.narrow(dim, 0, left))
    result = result if size or not n else x.clone()
    return give_result("diff", result, out, strict=False)


# ---- gradient
def dims_of(input: Tensor, dim: Any) -> list[int]:
    """The dims, counted from the front; all for None."""
    if dim is None:
        return list(range(input.dim()))
    dims = [front(d, input.dim()) for d in ([dim] if isinstance(dim, int) else dim)]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return dims


def spacings(input: Tensor, spacing: Any, dim: Any) -> list[tuple[int, Any]]:
    """(dim, its spacing: a number or a tensor of places) for each dim that is asked for."""
    dims = dims_of(input, dim)
    if spacing is None:
        spacing = 1
    if isinstance(spacing, Tensor):
        raise TypeError(
            "gradient() received an invalid combination of arguments: spacing is a number, a list of numbers or a list "
            "of tensors, not a Tensor"
        )
    if not isinstance(spacing, (list, tuple)):
        return [(d, spacing) for d in dims]
    if len(spacing) != len(dims):
        if dim is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() "
                f"= {input.dim()}', since dim argument was not given, but got a list of length {len(spacing)}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{len(dims)}."
        )
    for places in spacing:
        if isinstance(places, Tensor) and places.dim() != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{places.dim()} dimensions!"
            )
    return list(zip(dims, spacing, strict=True))


def gradient(input: Tensor, *, spacing: Any = None, dim: int | Sequence[int] | None = None, edge_order: int = 1) -> Any:
    if input.dtype.category == 1 and not input.dtype.is_signed:
        raise RuntimeError(f"torch.gradient does not support {input.dtype.name} input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    pairs = spacings(input, spacing, dim)
    for d, _ in pairs:
        if input.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(slope(input, d, step, edge_order) for d, step in pairs)


def slope(x: Tensor, dim: int, step: Any, edge_order: int) -> Any:
    """The derivative along one dim."""
    n = x.shape[dim]
    uneven = isinstance(step, Tensor)
    gaps: Any = diff(step) if uneven else None
    parts = [edge(x, dim, step, gaps, edge_order, False)]
    if n > 2:
        before, at, after = (x.narrow(dim, i, n - 2) for i in range(3))
        if not uneven:
            parts.append((after - before) / (step * 2))
        else:
            shape = [-1 if d == dim else 1 for d in range(x.dim())]
            left, right = (gaps.narrow(0, i, n - 2).reshape(shape) for i in range(2))
            whole = left + right
            parts.append(
                -right / (left * whole) * before
                + (right - left) / (left * right) * at
                + left / (right * whole) * after
            )
    parts.append(edge(x, dim, step, gaps, edge_order, True))
    return ops["cat"](parts, dim)


def edge(x: Tensor, dim: int, step: Any, gaps: Any, edge_order: int, last: bool) -> Any:
    """The derivative at the first or the last place."""
    n = x.shape[dim]
    places = [n - 1 - i if last else i for i in range(edge_order + 1)]
    values = [x.narrow(dim, i, 1) for i in places]
    sign = -1 if last else 1
    near = step if gaps is None else gaps.narrow(0, n - 2 if last else 0, 1).reshape(())
    if edge_order == 1:
        first, second = (values[1], values[0]) if last else values
        return (second - first) / near
    far = step if gaps is None else gaps.narrow(0, n - 3 if last else 1, 1).reshape(())
    whole = near + far
    weights = (-(near + whole) / (near * whole), whole / (near * far), -near / (far * whole))
    return sign * (weights[0] * values[0] + weights[1] * values[1] + weights[2] * values[2])


# ---- integrals
def check_integrand(name: str, y: Tensor, x: Any, dx: Any) -> None:
    """bool is refused, and steps that are not real."""
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number. Got {dx}")
    if x is not None and "bool" in (x.dtype.name, y.dtype.name):
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    if y.dtype.name == "bool":
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")


def heights(name: str, y: Tensor, x: Any, dim: int) -> tuple[Any, Any]:
    """(widths of the trapezoids, None where all are one number; twice their heights) along a dim."""
    n = y.shape[dim]
    both = y.narrow(dim, 1, n - 1) + y.narrow(dim, 0, n - 1)
    if x is None:
        return None, both
    if x.dim() == 1:
        x = x.reshape([-1 if d == dim else 1 for d in range(y.dim())])
    elif x.dim() < y.dim():
        x = x.reshape([1] * (y.dim() - x.dim()) + list(x.shape))
    if x.shape[dim] != n:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    return diff(x, 1, dim), both


def trapezoid(y: Tensor, x: Tensor = UNSAID, *, dx: Any = 1, dim: int = -1) -> Any:
    check_tensor("trapezoid", y, "y")
    if y.dim() == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = front(dim, y.dim())
    check_integrand("trapezoid", y, x, dx)
    if not y.shape[dim]:
        return y.sum(dim)
    points: Any = x
    if points is None:
        return inside_and_ends(y, dim) * dx
    widths, both = heights("trapezoid", y, points, dim)
    return (widths * both).sum(dim) / 2


def inside_and_ends(y: Tensor, dim: int) -> Any:
    """The sum of the heights of trapezoids of one width: each element counts twice by one half, but the ends once."""
    n = y.shape[dim]
    if n == 1:
        return y.narrow(dim, 0, 0).sum(dim) / 2
    ends = ops["slice"](y, dim, 0, n, n - 1).sum(dim) / 2
    return y.narrow(dim, 1, n - 2).sum(dim) + ends if n > 2 else ends


def cumulative_trapezoid(y: Tensor, x: Tensor = UNSAID, *, dx: Any = 1, dim: int = -1) -> Any:
    if y.dim() == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = front(dim, y.dim())
    check_integrand("cumulative_trapezoid", y, x, dx)
    if not y.shape[dim]:
        return y.clone()
    widths, both = heights("cumulative_trapezoid", y, x, dim)
    return (both * (dx / 2)).cumsum(dim) if widths is None else (widths * both).cumsum(dim) / 2


def trapz(y: Tensor, x: Tensor = UNSAID, *, dx: float = 1, dim: int = -1) -> Any:
    return trapezoid(y, x, dx=float(dx), dim=dim)


composite(diff, method=True)
for FUNCTION in (gradient, trapezoid, trapz, cumulative_trapezoid):
    composite(FUNCTION)
