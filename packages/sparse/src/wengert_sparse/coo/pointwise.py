"""Pointwise kernels: functions of one tensor that map zero to zero, and arithmetic of two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import CPP_NAMES, Tensor, is_strided

from wengert_sparse.components import coo_of, is_coo, make_coo, replace_parts
from wengert_sparse.coo import fast_paths
from wengert_sparse.coo.convert import dense_rows, values_at, with_sparse_dim
from wengert_sparse.coo.indices import coalesce, find, positions
from wengert_sparse.messages import size_text
from wengert_sparse.parts import Coo


def coalesced_unary(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The kernel of a function that has to see each element whole."""

    def kernel(self: Tensor, *rest: Any) -> Tensor:
        parts = coalesce(coo_of(self), self.shape)
        return make_coo(parts.indices, function(parts.values, *rest), self.shape, True)

    return kernel


def linear_unary(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The kernel of a function that may be applied to each of the values that are added at an index."""

    def kernel(self: Tensor, *rest: Any) -> Tensor:
        parts = coo_of(self)
        return make_coo(parts.indices, function(parts.values, *rest), self.shape, parts.coalesced)

    return kernel


def is_number(value: Any) -> bool:
    """Whether an operand is a number, or a strided tensor without dims."""
    return not isinstance(value, Tensor) or (value.dim() == 0 and is_strided(value))


# ---- add


def add(self: Any, other: Any, alpha: Any = 1) -> Any:
    """self + alpha * other."""
    found = fast_paths.add(self, other, alpha)
    if found is not None:
        return found
    if is_coo(self) and is_coo(other):
        return add_sparse(self, other, alpha)
    if is_coo(self):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(self, Tensor):
        raise different_sizes((), other.shape)
    if not is_strided(self):
        return NotImplemented
    dense = self.to(wc.result_type(self, other))
    return add_into(dense.clone() if dense is self else dense, self, other, alpha)


def sub(self: Any, other: Any, alpha: Any = 1) -> Any:
    """self - alpha * other."""
    return add(self, other, -alpha)


def add_sparse(self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    """The sum of two sparse tensors: coalesced where both are."""
    if self.shape != other.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {size_text(self.shape)} != "
            f"{size_text(other.shape)}"
        )
    a, b = coo_of(self), coo_of(other)
    if a.indices.shape[0] != b.indices.shape[0]:
        fewer = min(a.indices.shape[0], b.indices.shape[0])
        a, b = with_sparse_dim(a, self.shape, fewer), with_sparse_dim(b, other.shape, fewer)
    kind = wc.result_type(self, other)
    left, right = a.values.to(kind), scale(b.values, alpha, kind)
    if same_indices(a.indices, b.indices):
        return make_coo(a.indices, left + right, self.shape, a.coalesced and b.coalesced)
    parts = Coo(wc.cat([a.indices, b.indices], 1), wc.cat([left, right]), False)
    if a.coalesced and b.coalesced:
        parts = coalesce(parts, self.shape)
    return make_coo(*parts[:2], self.shape, parts.coalesced)


def same_indices(a: Tensor, b: Tensor) -> bool:
    """Whether two index tensors are equal."""
    return a is b or (a.shape == b.shape and bool((a == b).all().item()))


def scale(values: Tensor, alpha: Any, kind: Any) -> Tensor:
    """alpha * values, as a dtype."""
    values = values.to(kind)
    return values if not isinstance(alpha, Tensor) and alpha == 1 else values * alpha


def different_sizes(dense: Sequence[int], sparse: Sequence[int]) -> RuntimeError:
    """PyTorch's error for the sum of a strided and a sparse tensor of different sizes."""
    return RuntimeError(
        f"add: expected 'self' and 'other' to have same size, but self has size {size_text(dense)} while other has "
        f"size {size_text(sparse)} (FYI: dense-sparse addition does not currently support broadcasting)"
    )


def add_into(target: Tensor, self: Tensor, other: Tensor, alpha: Any) -> Tensor:
    """Add alpha * other to a strided tensor, whose contents are those of ``self``."""
    if target.shape != other.shape:
        raise different_sizes(self.shape, other.shape)
    indices, values, _coalesced = coo_of(other)
    if not target.is_contiguous():
        return target.add_(other.to_dense(), alpha=alpha)
    flat = positions(indices, target.shape[: indices.shape[0]])
    rows = target.view(dense_rows(target.shape, indices.shape[0]))
    rows.index_add_(0, flat, values.to(target.dtype), alpha=alpha)
    return target


def add_(self: Tensor, other: Any, alpha: Any = 1) -> Any:
    """self += alpha * other, with a strided ``self`` in its own memory."""
    if is_strided(self) and is_coo(other):
        kind = wc.result_type(self, other)
        if not wc.can_cast(kind, self.dtype):
            raise RuntimeError(f"result type {kind} can't be cast to the desired output type {self.dtype} in add_")
        add_into(self, self, other, alpha)
        return self
    replace_by(self, add(self, other, alpha), "add_")
    return self


def sub_(self: Tensor, other: Any, alpha: Any = 1) -> Any:
    """self -= alpha * other."""
    return add_(self, other, -alpha)


def replace_by(self: Tensor, result: Tensor, name: str) -> None:
    """Let a sparse tensor have the components of a new one of its dtype and shape."""
    if result.dtype is not self.dtype:
        raise RuntimeError(f"Can't convert result type {result.dtype} to output {self.dtype} in {name} operation")
    replace_parts(self, coo_of(result))


# ---- mul, div


def mul(self: Any, other: Any) -> Any:
    """self * other: at the indices of the sparse one; of two at those which both have."""
    found = fast_paths.mul(self, other)
    if found is not None:
        return found
    if is_coo(other) and not is_coo(self):
        self, other = other, self
    if is_number(other):
        parts = coo_of(self)
        values = parts.values * other
        return make_coo(parts.indices, values, self.shape, parts.coalesced)
    if is_coo(other):
        return mul_sparse(self, other)
    if not is_strided(other):
        return NotImplemented
    return mul_dense(self, other)


def mul_sparse(self: Tensor, other: Tensor) -> Tensor:
    """The product of two sparse tensors."""
    if self.shape != other.shape:
        raise RuntimeError(
            "mul: expects sparse inputs with equal dimensionality, number of sparse dimensions, and shape of sparse "
            f"dimensions, got {size_text(self.shape)} and {size_text(other.shape)}"
        )
    a, b = coo_of(self), coo_of(other)
    rank = min(a.indices.shape[0], b.indices.shape[0])
    a, b = (coalesce(with_sparse_dim(parts, self.shape, rank), self.shape) for parts in (a, b))
    if same_indices(a.indices, b.indices):
        return make_coo(a.indices, a.values * b.values, self.shape, True)
    swapped = a.values.shape[0] > b.values.shape[0]
    few, many = (b, a) if swapped else (a, b)
    sizes = self.shape[:rank]
    wanted = positions(few.indices, sizes)
    place, there = find(positions(many.indices, sizes), wanted)
    place = place[there]
    left = few.values[there]
    values = left * many.values.index_select(0, place)
    return make_coo(few.indices[:, there], values, self.shape, True)


def mul_dense(self: Tensor, other: Tensor) -> Tensor:
    """The product of a sparse tensor and a strided one, which is broadcast to its shape."""
    parts = coo_of(self)
    check_broadcast(other.shape, self.shape)
    shape = wc.broadcast_shapes(tuple(self.shape), tuple(other.shape))
    if tuple(shape) != tuple(self.shape):
        raise RuntimeError(
            f"mul: a sparse tensor cannot be broadcast: it has the size {size_text(self.shape)}, the product with a "
            f"strided one of size {size_text(other.shape)} would have {list(shape)}"
        )
    values = parts.values * gather_broadcast(other, parts.indices, self.shape)
    return make_coo(parts.indices, values, self.shape, parts.coalesced)


def check_broadcast(dense: Sequence[int], sparse: Sequence[int]) -> None:
    """RuntimeError for sizes that do not broadcast."""
    for back in range(1, min(len(dense), len(sparse)) + 1):
        a, b = int(dense[-back]), int(sparse[-back])
        if a != b and 1 not in (a, b):
            raise RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension "
                f"{max(len(dense), len(sparse)) - back}: mul got a strided tensor of size {size_text(dense)} and a "
                f"sparse one of size {size_text(sparse)} (see docs/errors/shape-mismatch)"
            )


def gather_broadcast(tensor: Tensor, indices: Tensor, shape: Sequence[int]) -> Tensor:
    """The values at indices (S, N) of a strided tensor that is broadcast to a shape, without making it that large."""
    rank = len(shape)
    if tuple(tensor.shape) == tuple(shape):
        return values_at(tensor, indices)
    tensor = tensor.reshape([1] * (rank - tensor.dim()) + list(tensor.shape))
    sparse_dim = indices.shape[0]
    kept = [dim for dim in range(sparse_dim) if tensor.shape[dim] != 1]
    narrow = tensor.reshape([tensor.shape[dim] for dim in kept] + list(tensor.shape[sparse_dim:]))
    if not kept:
        return narrow.unsqueeze(0)
    chosen = indices if len(kept) == sparse_dim else indices.index_select(0, wc.tensor(kept, device=indices.device))
    return values_at(narrow, chosen)


def mul_(self: Tensor, other: Any) -> Any:
    """self *= other."""
    if is_strided(self):
        return NotImplemented
    found = mul(self, other)
    check_kept(self, found.dtype)
    replace_by(self, found, "mul_")
    return self


def check_kept(self: Tensor, kind: Any) -> None:
    """RuntimeError where a result has another dtype than the tensor that it is written to."""
    if kind is not self.dtype:
        raise RuntimeError(
            f"dtype of values ({CPP_NAMES[kind.name]}) must match dtype of sparse tensor ({CPP_NAMES[self.dtype.name]})"
        )


def check_divisor(self: Tensor, other: Any) -> None:
    """RuntimeError for a divisor that is not a number."""
    if not is_coo(self) or not is_number(other):
        got = size_text(other.shape) if isinstance(other, Tensor) else type(other).__name__
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {got} for divisor)"
        )


def div(self: Any, other: Any, rounding_mode: str | None = None) -> Any:
    """self / other, a number, or a tensor with the same indices; with rounding all values of an index are added
    first.
    """
    if is_coo(self) and is_coo(other) and self.shape == other.shape:
        a, b = coalesce(coo_of(self), self.shape), coalesce(coo_of(other), other.shape)
        if same_indices(a.indices, b.indices):
            return make_coo(a.indices, wc.div(a.values, b.values, rounding_mode=rounding_mode), self.shape, True)
    if not is_coo(self):
        return NotImplemented
    check_divisor(self, other)
    parts = coo_of(self) if rounding_mode is None else coalesce(coo_of(self), self.shape)
    values = wc.div(parts.values, other, rounding_mode=rounding_mode)
    return make_coo(parts.indices, values, self.shape, parts.coalesced)


def div_(self: Tensor, other: Any, rounding_mode: str | None = None) -> Any:
    """self /= other, in the memory of the values where nothing has to be added first."""
    check_divisor(self, other)
    parts = coo_of(self)
    if rounding_mode is None or parts.coalesced:
        parts.values.div_(other, rounding_mode=rounding_mode)
        return self
    replace_by(self, div(self, other, rounding_mode), "div_")
    return self


def floor_divide(self: Any, other: Any) -> Any:
    """self // other, a number."""
    return div(self, other, "floor")


# ---- pow, and gradients of functions of one tensor


def pow(self: Tensor, exponent: Any) -> Any:
    """self ** exponent, a number that is not 0."""
    if not is_coo(self) or isinstance(exponent, Tensor):
        return NotImplemented
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    parts = coalesce(coo_of(self), self.shape)
    return make_coo(parts.indices, parts.values**exponent, self.shape, True)


def threshold_backward(grad_output: Tensor, self: Tensor, threshold: Any) -> Tensor:
    """The gradient where ``self`` is above a threshold, at the indices of ``self``."""
    parts = coalesce(coo_of(self), self.shape)
    grad = values_at(grad_output, parts.indices)
    return make_coo(parts.indices, wc.threshold_backward(grad, parts.values, threshold), self.shape, True)
