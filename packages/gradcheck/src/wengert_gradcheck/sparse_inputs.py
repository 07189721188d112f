"""Sparse inputs and outputs: the function under test as one of strided tensors.

With ``masked`` an input is moved at the elements that are specified, and its gradient is read there. Without, it is
moved at all elements: all are specified then, as zeros, while derivatives are those of the input as it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
import wengert_engine as we
from wengert_core.extend import Tensor, components_of, find_op, is_strided

from wengert_gradcheck.subject import as_tuple, is_differentiable


def resolve_masked(masked: bool | None, check_sparse_nnz: bool) -> bool:
    """Return ``masked``, also where its older name says it. ValueError where the two disagree."""
    if not check_sparse_nnz:
        return bool(masked)
    if masked is False:
        raise ValueError(
            "Expected specified check_sparse_nnz (=True) to be equal to masked (=False): check_sparse_nnz is the "
            "older name of masked; give one of them"
        )
    return True


def strided_problem(
    func: Callable[..., Any], args: Sequence[Any], masked: bool
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return the function and its arguments with strided tensors in place of sparse ones that require grad.

    The function returns strided tensors in place of sparse ones.
    """
    leaves, rebuild = list(args), {}
    for i, x in enumerate(args):
        if is_differentiable(x) and x.requires_grad and not is_strided(x):
            leaves[i], rebuild[i] = (of_specified if masked else of_all)(x)

    def call_strided(*given: Any) -> Any:
        inside = [rebuild[i](x) if i in rebuild else x for i, x in enumerate(given)]
        outputs = func(*inside)
        several = as_tuple(outputs)
        if all(not isinstance(y, Tensor) or is_strided(y) for y in several):
            return outputs
        found = tuple(
            y if not isinstance(y, Tensor) or is_strided(y) else y.to_dense(masked_grad=masked) for y in several
        )
        return found[0] if isinstance(outputs, Tensor) else found

    return call_strided, tuple(leaves)


def with_values(x: Tensor, values: Tensor) -> Tensor:
    """A sparse tensor with the indices of another."""
    parts, size = components_of(x), tuple(x.shape)
    if x.is_sparse:
        found: Tensor = find_op("_sparse_coo_tensor")(parts.indices, values, size, parts.coalesced)
    else:
        found = find_op("_sparse_compressed_tensor")(parts.compressed, parts.plain, values, size, x.layout)
    return found


def of_specified(x: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """A strided leaf of the values of a sparse tensor, and the function that makes the tensor of them."""
    pattern = x.detach()
    values: Tensor = components_of(pattern).values.clone()
    return values.requires_grad_(), lambda leaf: with_values(pattern, leaf)


def of_all(x: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """A strided leaf of all elements of a sparse tensor, and the function that makes the tensor of them."""
    pattern = x.detach()
    original = pattern.to_dense()

    def build(leaf: Tensor) -> Tensor:
        found: Tensor = FromAll.apply(leaf, pattern, original)
        return found

    return original.clone().requires_grad_(), build


def specify_all(whole: Tensor, pattern: Tensor) -> Tensor:
    """A sparse tensor like ``pattern`` in which all elements of a strided one are specified."""
    sparse_dim, size = pattern.sparse_dim(), tuple(pattern.shape)
    if not pattern.is_sparse:
        sparse_dim = len(size) - pattern.dense_dim()
    first = size[:sparse_dim]
    indices = wc.ones(first, dtype=wc.bool).nonzero().t().contiguous()
    coo: Tensor = find_op("_sparse_coo_tensor")(indices, whole.reshape(-1, *size[sparse_dim:]), size, True)
    if pattern.is_sparse:
        return coo
    values = components_of(pattern).values
    n_batch = components_of(pattern).compressed.dim() - 1
    block = tuple(values.shape[n_batch + 1 : n_batch + 3]) if "bs" in repr(pattern.layout) else None
    found: Tensor = coo.to_sparse(layout=pattern.layout, blocksize=block)
    return found


class FromAll(we.Function):
    """A sparse tensor of all its elements: as it was given where none is moved."""

    @staticmethod
    def forward(ctx: Any, leaf: Tensor, pattern: Tensor, original: Tensor) -> Tensor:
        ctx.pattern = pattern
        if (leaf == original).all().item():
            return pattern.clone()
        return specify_all(leaf, pattern)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return (grad if is_strided(grad) else grad.to_dense(masked_grad=False)), None, None

    @staticmethod
    def jvp(ctx: Any, leaf: Tensor, pattern: Any, original: Any) -> Tensor:
        return specify_all(leaf, ctx.pattern)
