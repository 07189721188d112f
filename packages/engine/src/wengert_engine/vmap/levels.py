"""Levels of vmap: how a function opens one, gives tensors a batch dim in it, and takes the batch dim away again."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_engine.vmap.batched_grad import peel_levels, row_tensor
from wengert_engine.vmap.batched_tensor import in_dim_of, level_of, lift, physical_of, wrap_batched
from wengert_engine.vmap.level_stack import depth, outside


def add_batch_dim(tensor: Any, in_dim: int, level: int) -> Any:
    """Return a tensor as a batched one of an open level: without its dim ``in_dim``, in which it has the batch."""
    if not in_dim:
        return wrap_batched(tensor, level)
    with outside(level - 1):
        physical = tensor.movedim(in_dim, 0)
    return wrap_batched(physical, level, in_dim)


def remove_batch_dim(tensor: Any, level: int, size: int) -> Any:
    """Return a tensor with the batch of a level in dim 0; one that is not batched in it is expanded to ``size``."""
    return row_tensor(tensor, level, size)


def unwrap_batched(tensor: Any) -> Any:
    """Return the tensor below all levels of vmap, whose first dims are theirs; a tensor without a batch as it is."""
    return peel_levels(tensor)[0]


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """Return the tensor below the levels of vmap, for prints and debuggers only.

    An argument has the batch where vmap took it, what was computed of it in the first dim.
    recurse: below all levels; False: below the innermost one. A tensor without a batch is returned as it is.
    Raises TypeError for what is no tensor.

    >>> import wengert as wg
    >>> def show(x):
    ...     print(tuple(x.shape), tuple(wg.func.debug_unwrap(x).shape))
    ...     return x
    >>> _ = wg.func.vmap(show, in_dims=1)(wg.ones(3, 2))
    (3,) (3, 2)
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"debug_unwrap(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    while level := level_of(tensor):
        with outside(level - 1):
            tensor = physical_of(tensor).detach().movedim(0, in_dim_of(tensor))
        if not recurse:
            break
    return tensor


def lift_to_levels(tensor: Any, skip: Collection[int] = ()) -> Any:
    """Return a tensor that is batched in each level which is open, expanded where it was not; but for those in skip."""
    return lift_up_to(depth(), tensor, skip)


def lift_up_to(level: int, tensor: Any, skip: Collection[int]) -> Any:
    """The same for the levels up to one."""
    if not level:
        return tensor
    if level in skip and level_of(tensor) < level:
        return lift_up_to(level - 1, tensor, skip)
    if level_of(tensor) == level:
        physical = physical_of(tensor)
        inner = lift_up_to(level - 1, physical, skip)
        return tensor if inner is physical else wrap_batched(inner, level)
    return lift_up_to(level, lift(tensor, level), skip)
