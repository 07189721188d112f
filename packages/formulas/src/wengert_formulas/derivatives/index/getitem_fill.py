"""Derivatives of subscripts and of whole-tensor writes."""

from __future__ import annotations

import wengert_core as wc
from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE, by_value, of_tensor, zeros_of

linear = TABLE.linear


# ---- writes to a whole tensor
def fill_name(value: str, inplace: bool, operator: bool) -> str:
    """Of a number, of a tensor; then the same in place. x[...] = 2 is as with a tensor."""
    return f"FillBackward{int(operator or of_tensor(value)) + 2 * inplace}"


def copy_tangent(src_t: Tensor, result: Tensor) -> Tensor:
    """The tangent of a tensor that is written to: that of the source, in the shape and dtype of the tensor."""
    if src_t.layout is not wc.strided:  # which are not broadcast
        return src_t.to(result.dtype)
    return src_t.new_zeros(result.shape, dtype=result.dtype).copy_(src_t)


linear(
    "copy_",
    self=None,
    src=1,
    jvp=copy_tangent,
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
