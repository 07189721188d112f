"""Derivatives of reading and writing at positions, and of whole-tensor writes."""

from __future__ import annotations

from typing import Any

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.base import TABLE, by_value, of_tensor, zeros_of

linear, derivative = TABLE.linear, TABLE.derivative
Shape = tuple[int, ...]

# ---- writes to a whole tensor


def fill_name(value: str, inplace: bool, operator: bool) -> str:
    """Of a number, of a tensor; then the same in place. x[...] = 2 is as with a tensor."""
    return f"FillBackward{int(operator or of_tensor(value)) + 2 * inplace}"


linear(
    "copy_",
    self=None,
    src=1,
    jvp=lambda src_t, result: src_t.new_zeros(result.shape, dtype=result.dtype).copy_(src_t),
    node="torch::autograd::CopyBackwards",
)
linear("fill", self=None, value=1, node=fill_name)  # the engine's edge sums
TABLE.zero("zero_")

# ---- masks
linear(
    "masked_fill",
    self=lambda grad, mask: grad.masked_fill(mask, 0),
    value=lambda grad, mask: wc.where(mask, grad, 0),
    node=by_value("MaskedFill"),
)


# ---- x[...] with index tensors
linear("index", self=lambda grad, self_shape, indices: wc.index_put(zeros_of(grad, self_shape), indices, grad, True))
linear(
    "index_put",
    self=lambda grad, indices, accumulate: grad if accumulate else wc.index_put(grad, indices, grad.new_zeros(())),
    values=lambda grad, indices: wc.index(grad, indices),
)

# ---- along one dim
linear(
    "index_select", self=lambda grad, self_shape, dim, index: wc.index_add(zeros_of(grad, self_shape), dim, index, grad)
)


def rows_gradient(
    grad: Tensor, weight_shape: Shape, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """The gradient of embedding's rows; that of the row padding_idx is 0."""
    places, rows = indices, grad
    if indices.ndim != 1:
        places = indices.reshape(indices.numel())
        rows = grad.reshape(indices.numel(), weight_shape[1])
    if scale_grad_by_freq:
        counts = wc.bincount(places, None, weight_shape[0]).index_select(0, places)
        rows = rows * (1 / counts).to(rows.dtype).unsqueeze(1)
    if padding_idx >= 0:
        rows = rows.masked_fill((places == padding_idx).unsqueeze(1), 0)
    return wc.index_add(zeros_of(grad, weight_shape), 0, places, rows)


linear("embedding", weight=rows_gradient)


def added(grad: Tensor, dim: int, index: Tensor, source_shape: Shape, alpha: Any) -> Tensor:
    """The gradient at the places added to, times alpha."""
    part = wc.index_select(grad, dim, index).reshape(source_shape)
    return part if alpha == 1 else part * alpha


linear("index_add", self=1, source=added)
linear(
    "index_copy",
    self=lambda grad, dim, index: wc.index_fill(grad, dim, index, 0),
    source=lambda grad, dim, index, source_shape: wc.index_select(grad, dim, index).reshape(source_shape),
)


def at_filled(grad: Tensor, dim: int, index: Tensor) -> Tensor:
    """The sum of the gradient over the places that were filled, each once also where the index names it twice."""
    if index.numel() == 1:
        return wc.index_select(grad, dim, index).sum()
    rest = wc.index_fill(wc.ones_like(grad, dtype=wc.bool), dim, index, False)
    return wc.masked_fill(grad, rest, 0).sum()


linear(
    "index_fill",
    self=lambda grad, dim, index: wc.index_fill(grad, dim, index, 0),
    value=at_filled,
    node=by_value("IndexFill"),
)
linear("gather", self=lambda grad, self_shape, dim, index: wc.scatter_add(zeros_of(grad, self_shape), dim, index, grad))


def taken(grad: Tensor, dim: int, index: Tensor, src_shape: Shape) -> Tensor:
    """The gradient at the places written to, in the shape of a source of which only a part may have been used."""
    part = wc.gather(grad, dim, index)
    for d, size in enumerate(src_shape):
        if part.shape[d] != size:
            part = wc.slice_backward(part, [*part.shape[:d], size, *part.shape[d + 1 :]], d, 0, part.shape[d], 1)
    return part


def kept(grad: Tensor, dim: int, index: Tensor, reduce: str | None) -> Tensor:
    """The gradient, and 0 at the places written to."""
    if reduce == "multiply":
        raise RuntimeError("derivative for aten::scatter is not implemented: for reduce='multiply'")
    return grad if reduce == "add" else wc.scatter(grad, dim, index, 0)


def scattered(self_t: Tensor, dim: int, index: Tensor, src: Any, src_t: Any, reduce: str | None) -> Tensor:
    """The tangents of self and src put together; 0 at the places where a number was written."""
    return wc.scatter(self_t, dim, index, src_t if isinstance(src, Tensor) else 0, reduce=reduce)


linear(
    "scatter",
    self=kept,
    src=taken,
    jvp=scattered,
    node=lambda src: f"ScatterBackward{int(not of_tensor(src))}",
)
linear("scatter_add", self=1, src=taken)
TABLE.not_differentiable("nonzero")
