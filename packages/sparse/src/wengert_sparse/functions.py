"""Operations made of others, which record themselves: functions of the values, and factories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, is_strided

from wengert_sparse.components import coo_of, from_parts, is_coo, parts_of_compressed
from wengert_sparse.compressed import functions as compressed
from wengert_sparse.compressed.kinds import is_compressed
from wengert_sparse.compressed.structure import in_layout_of
from wengert_sparse.coo.reduce import reduced_dims
from wengert_sparse.layouts import BLOCKS, COMPRESSED, SPARSE_COO
from wengert_sparse.ops.construct import empty_coo, with_grad
from wengert_sparse.ops.convert import to_sparse
from wengert_sparse.table import TABLE
from wengert_sparse.unary import CLOSED, UNARY


def with_values(tensor: Tensor, values: Tensor) -> Tensor:
    """A sparse tensor with the indices of another, which is coalesced, and with these values."""
    if is_coo(tensor):
        found: Tensor = TABLE.ops["_sparse_coo_tensor"](coo_of(tensor).indices, values, tuple(tensor.shape), True)
        return found
    from wengert_sparse.ops.compressed import like

    return like(tensor, values)


def of_values(function: Callable[..., Tensor]) -> Callable[..., Any]:
    """A function of the values, as a function of a sparse tensor."""

    def apply(self: Tensor, *rest: Any) -> Any:
        whole = self.coalesce() if is_coo(self) else self
        return with_values(whole, function(whole.values(), *rest))

    return apply


def of_complex_values(function: Callable[..., Tensor]) -> Callable[..., Any]:
    """A function whose formula suits sparse tensors only while the numbers are real."""
    apply = of_values(function)
    return lambda self: apply(self) if self.is_complex() else NotImplemented


def power(self: Any, exponent: Any) -> Any:
    """self ** exponent, a number that is not 0."""
    if isinstance(exponent, Tensor) or not isinstance(self, Tensor) or is_strided(self) or exponent == 0:
        return NotImplemented
    return of_values(wc.pow)(self, exponent)


def factory(name: str) -> Callable[..., Any]:
    """A factory of sparse tensors: those in which no element is specified."""

    def make(first: Any, *rest: Any) -> Any:
        like = first if isinstance(first, Tensor) else None
        if like is not None and name.startswith("new_"):
            size, rest = rest[0], rest[1:]
        else:
            size = first if like is None else like.shape
        dtype, layout, device, _, requires_grad = rest[:5]
        kind = layout if layout is not None else like.layout if like is not None else SPARSE_COO
        if like is not None:
            dtype, device = dtype or like.dtype, device or like.device
        if kind is wc.strided:
            plain = wc.empty if "empty" in name else wc.zeros
            found: Tensor = plain(tuple(size), dtype=dtype, device=device)
        elif name == "empty_like" and like is not None and kind is like.layout and kind in COMPRESSED:
            parts = parts_of_compressed(like)  # PyTorch keeps the indices
            values = wc.empty_like(parts.values, dtype=dtype, device=device)
            found = from_parts(kind, parts._replace(values=values), tuple(like.shape))
        elif kind in COMPRESSED:
            if kind in BLOCKS and like is None:
                raise RuntimeError(
                    f"{name}: Only batched sparse compressed (non-block) tensors are supported, but got block size of "
                    f"layout {kind!r}, which nothing says"
                )
            from wengert_sparse.compressed.kernels import empty

            found = empty(kind, tuple(size) if not isinstance(size, int) else (size,), dtype, device, like)
        else:
            dense = like.dense_dim() if like is not None and not is_strided(like) and not name.startswith("new_") else 0
            found = empty_coo(size, dtype, device, dense)
        return with_grad(found, bool(requires_grad))

    return make


def refuse_with(message: str) -> Callable[..., Any]:
    """An operation that sparse tensors do not have, with PyTorch's error."""

    def refuse(*arguments: Any) -> Any:
        raise RuntimeError(message)

    return refuse


def unbind(self: Tensor, dim: int = 0) -> Sequence[Tensor]:
    """The slices of a dim."""
    return tuple(self.select(dim, index) for index in range(self.shape[dim]))


def sum(self: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The sum over some dims, whose gradient is at the indices of the tensor; that of all has a strided one, as in
    PyTorch.
    """
    if not is_coo(self):
        return NotImplemented
    dims = reduced_dims(dim, self.dim())
    if len(dims) == self.dim():
        return NotImplemented
    found: Tensor = TABLE.ops["_sparse_sum"](self, tuple(dims), dtype)
    for d in dims if keepdim else ():
        found = found.unsqueeze(d)
    return found


def through_coo(name: str) -> Callable[..., Any]:
    """An operation of compressed tensors that is recorded as that of their elements in layout ``sparse_coo``."""

    def convert(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [convert(each) for each in value]
        return to_sparse(value) if is_compressed(value) else value

    def apply(*arguments: Any) -> Any:
        every = [each for value in arguments for each in (value if isinstance(value, (list, tuple)) else (value,))]
        first = next((each for each in every if is_compressed(each)), None)
        if first is None:
            return NotImplemented
        found = getattr(wc, name)(*convert(arguments))
        return in_layout_of(found, first)

    return apply


def mul(self: Any, other: Any) -> Any:
    """The product of a compressed tensor and a strided one that is broadcast: its gradient is a sum over some dims."""
    shapes = {tuple(each.shape) for each in (self, other) if isinstance(each, Tensor) and each.dim()}
    return NotImplemented if len(shapes) < 2 else through_coo("mul")(self, other)


FUNCTIONS: dict[str, Any] = {name: of_values(function) for name, function in UNARY.items() if name not in CLOSED}
FUNCTIONS |= {name: of_complex_values(getattr(wc, name)) for name in ("abs", "sgn")}
FUNCTIONS |= {"pow": power, "unbind": unbind, "sum": sum}
FUNCTIONS["mul"] = mul
FUNCTIONS |= {name: factory(name) for name in ("zeros", "empty", "zeros_like", "empty_like", "new_zeros", "new_empty")}
FUNCTIONS |= {name: refuse_with("full(...) is not implemented for sparse layout") for name in ("full", "ones")}


def refuse_expand(self: Tensor, *rest: Any) -> Any:
    """The error for a broadcast of a sparse tensor."""
    raise RuntimeError(f"expand is unsupported for {self.layout._words} tensors")


def in_turn(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """The first of two functions that does not return NotImplemented."""

    def apply(*arguments: Any) -> Any:
        found = first(*arguments)
        return second(*arguments) if found is NotImplemented else found

    return apply


FUNCTIONS["expand"] = refuse_expand
for _name, _function in compressed.FUNCTIONS.items():
    FUNCTIONS[_name] = in_turn(_function, FUNCTIONS[_name]) if _name in FUNCTIONS else _function
