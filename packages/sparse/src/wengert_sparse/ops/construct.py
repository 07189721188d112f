"""Constructors of sparse tensors: ``sparse_coo_tensor``; those of the compressed layouts are in compressed.py."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided, short_repr, type_words

from wengert_sparse.components import make_coo, make_coo_if_plain
from wengert_sparse.invariants import check_coo, checks_invariants
from wengert_sparse.messages import size_text
from wengert_sparse.table import TABLE

row = TABLE.staged(
    "_sparse_coo_tensor(Tensor indices, Tensor values, int[] size, bool coalesced=False) -> Tensor",
    stages=lambda indices, values, size, coalesced: make_coo(
        indices.detach(), values.detach(), (size,) if isinstance(size, int) else size, coalesced
    ),
    reference=None,
    method=False,
    out=False,
    doc="A tensor of layout sparse_coo with these components, which are not checked.",
)


def is_plain(value: Any) -> bool:
    """Whether an argument is a strided tensor as it is."""
    return type(value) is Tensor and is_strided(value)


def as_strided_tensor(name: str, argument: str, value: Any, **options: Any) -> Tensor:
    """An argument as a strided tensor."""
    found = wc.as_tensor(value, **options)
    if not is_strided(found):
        raise RuntimeError(
            f"{name}: expected {argument} to be a strided tensor, but got a tensor of layout {found.layout!r}"
        )
    return found


def components(indices: Any, values: Any, dtype: Any, device: Any) -> tuple[Tensor, Tensor]:
    """The arguments as strided tensors, the indices of int64."""
    if dtype is not None or device is not None or not is_plain(values):
        values = as_strided_tensor("sparse_coo_tensor", "values", values, dtype=dtype, device=device)
    if values.dim() == 0:
        values = values.reshape(1)
    if not is_plain(indices) or indices.device != values.device:
        indices = as_strided_tensor("sparse_coo_tensor", "indices", indices, device=values.device)
    if indices.dtype is not wc.int64:
        indices = indices.to(wc.int64)
    return indices, values


def sparse_coo_tensor(
    indices: Any,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """A tensor of layout ``sparse_coo`` with values at indices, those of one index added, and zeros elsewhere.

    indices: (S, N), of integers: the N indices of the S sparse dims.   values: (N, ...): what is there; the other dims
    are the dense dims.   size: of all dims; None: as large as the indices need.   dtype, device: of the values.
    check_invariants: whether to check what costs time; None: as ``sparse.check_sparse_tensor_invariants`` says.
    is_coalesced: True where the indices are sorted and different.
    ``sparse_coo_tensor(size)`` has no element. The gradient of the values is the sparse gradient at the indices.

    RuntimeError for components that do not fit each other or the size, and for negative indices.

    >>> import wengert as wg
    >>> x = wg.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    >>> x.to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 5.]])
    """
    if dtype is None and device is None and check_invariants is None and is_coalesced is None:
        plain = None if requires_grad or checks_invariants(None) else make_coo_if_plain(indices, values, size)
        if plain is not None:
            return plain
    if values is None:
        if size is not None or isinstance(indices, Tensor):
            raise TypeError("sparse_coo_tensor(): expected indices and values, or a size alone; got no values")
        return with_grad(empty_coo(indices, dtype, device), requires_grad)
    indices, values = components(indices, values, dtype, device)
    if indices.dim() != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {size_text(indices.shape)}")
    sparse_dim, count = indices.shape
    if values.shape[0] != count:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {count}, nnz from values: "
            f"{values.shape[0]}"
        )
    dense_sizes = tuple(values.shape[1:])
    if size is None:
        size = (*needed_sizes(indices), *dense_sizes)
    else:
        size = sizes_of(size)
        check_size(size, sparse_dim, count, dense_sizes)
    if checks_invariants(check_invariants):
        check_coo(indices, values, size, bool(is_coalesced))
    found: Tensor = row(indices, values, size, bool(is_coalesced))
    return with_grad(found, requires_grad)


def with_grad(tensor: Tensor, requires_grad: bool) -> Tensor:
    """The tensor, as a leaf that requires grad where that is asked for."""
    if not requires_grad:
        return tensor
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients: this one is of dtype "
            f"{tensor.dtype!r}"
        )
    return tensor.detach().requires_grad_()


def needed_sizes(indices: Tensor) -> list[int]:
    """The sizes of the sparse dims that hold all indices. RuntimeError for a negative index."""
    if indices.shape[1] == 0:
        return [0] * indices.shape[0]
    if indices.shape[0] == 0:
        return []
    lowest = indices.amin(1).tolist()
    for dim, least in enumerate(lowest):
        if least < 0:
            raise RuntimeError(f"found negative index {least} for dim {dim}")
    return [most + 1 for most in indices.amax(1).tolist()]


def check_size(size: Sequence[int], sparse_dim: int, count: int, dense_sizes: Sequence[int]) -> None:
    """RuntimeError for a size that the components do not fit."""
    if len(size) != sparse_dim + len(dense_sizes):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {len(dense_sizes)}"
        )
    if any(n < 0 for n in size):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(size)}")
    if tuple(size[sparse_dim:]) != tuple(dense_sizes):
        raise RuntimeError(
            f"values has incorrect size, expected {size_text((count, *size[sparse_dim:]))}, got "
            f"{size_text((count, *dense_sizes))}"
        )


def sizes_of(size: Any) -> tuple[int, ...]:
    """A size as a tuple of ints. TypeError for anything else."""
    try:
        return (index(size),) if hasattr(size, "__index__") else tuple(index(n) for n in size)
    except TypeError:
        raise TypeError(
            f"sparse_coo_tensor(): argument 'size' must be tuple of ints, but found {short_repr(size)} of type "
            f"{type_words(size)}"
        ) from None


def empty_coo(size: Any, dtype: Any = None, device: Any = None, dense_dim: int = 0) -> Tensor:
    """A tensor of layout ``sparse_coo`` in which no element is specified."""
    size = sizes_of(size)
    split = len(size) - dense_dim
    values = wc.empty((0, *size[split:]), dtype=dtype, device=device)
    return make_coo(wc.empty((split, 0), dtype=wc.int64, device=values.device), values, size, True)


TABLE.composite(sparse_coo_tensor)
