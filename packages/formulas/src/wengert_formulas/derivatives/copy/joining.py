"""Derivatives of joining and repeating."""

from __future__ import annotations

from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_formulas.derivatives.base import TABLE

linear = TABLE.linear
Shape = tuple[int, ...]


# ---- several tensors made one
def cut(grad: Tensor, tensors_shape: tuple[Shape, ...], dim: int) -> list[Tensor]:
    """The part of each tensor; an empty vector, which cat skips whatever the others' rank, has none."""
    parts, start = [], 0
    for shape in tensors_shape:
        if shape == (0,):
            parts.append(grad.reshape(-1).narrow(0, 0, 0))
            continue
        parts.append(grad.narrow(dim, start, shape[dim]))
        start += shape[dim]
    return parts


linear("cat", tensors=cut)
linear("stack", tensors=lambda grad, dim: grad.unbind(dim))


def sum_of_copies(grad: Tensor, self_shape: Shape, repeats: Any) -> Tensor:
    """The copies along each dim summed; new dims in front summed away."""
    repeats = [repeats] if isinstance(repeats, int) else list(repeats)
    sizes = [1] * (len(repeats) - len(self_shape)) + list(self_shape)
    if 0 in repeats:
        return grad.new_zeros(self_shape)
    grad = grad.reshape([n for pair in zip(repeats, sizes, strict=True) for n in pair])
    return (grad.sum(list(range(0, 2 * len(sizes), 2))) if sizes else grad).reshape(self_shape)


linear("repeat", self=sum_of_copies)

def blocks(grad: Tensor, tensors_shape: tuple[Shape, ...]) -> list[Tensor]:
    """The block of each tensor."""
    parts, row, column = [], 0, 0
    for shape in tensors_shape:
        m, n = (1,) * (2 - len(shape)) + shape
        parts.append(grad.narrow(0, row, m).narrow(1, column, n).reshape(shape))
        row, column = row + m, column + n
    return parts


linear("block_diag", tensors=blocks)
