"""Tensors for libraries that look for arrays' functions by their type: importing this module makes tensors known to
einops and opt_einsum, those of them that are installed.

    import einops, wengert as wg, wengert.interop
    einops.rearrange(wg.ones(2, 6), "a (b c) -> c b a", b=2).shape          torch.Size([3, 2, 2])
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import wengert as wg
from wengert import Tensor


class EinopsOperations:
    """Operations of einops on tensors."""

    framework_name = "wengert"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Return whether an object is a tensor."""
        return isinstance(tensor, Tensor)

    def from_numpy(self, x: Any) -> Tensor:
        """Return an array as a tensor."""
        return wg.from_numpy(x)

    def to_numpy(self, x: Tensor) -> Any:
        """Return the values of a tensor, which einops asks for in its own tests only."""
        return x.numpy(force=True)

    def arange(self, start: int, stop: int) -> Tensor:
        """Return consecutive integers."""
        return wg.arange(start, stop)

    def reduce(self, x: Tensor, operation: str, axes: Sequence[int]) -> Tensor:
        """Return a reduction over axes."""
        return reduce(x, operation, axes)

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return the axes in another order."""
        return x.permute(*axes)

    def stack_on_zeroth_dimension(self, tensors: list[Tensor]) -> Tensor:
        """Stack tensors along a new first axis."""
        return wg.stack(tensors)

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        """Return a tensor with a new axis of length 1."""
        return x.unsqueeze(new_position)

    def add_axes(self, x: Tensor, n_axes: int, pos2len: dict[int, int]) -> Tensor:
        """Return a tensor repeated along new axes, by strides of 0."""
        lengths = [-1] * n_axes
        for position, length in pos2len.items():
            x = x.unsqueeze(position)
            lengths[position] = length
        return x.expand(lengths)

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        """Repeat a tensor along its axes."""
        return x.repeat(*repeats)

    def concat(self, tensors: list[Tensor], axis: int) -> Tensor:
        """Concatenate tensors along an axis."""
        return wg.cat(tensors, dim=axis)

    def is_float_type(self, x: Tensor) -> bool:
        """Return whether a tensor has a floating dtype, as means need it."""
        return bool(x.dtype.is_floating_point)

    def einsum(self, pattern: str, *x: Tensor) -> Tensor:
        """Return a sum of products."""
        return wg.einsum(pattern, *x)


def reduce(x: Tensor, operation: str, axes: Sequence[int]) -> Tensor:
    """Return einops' reduction of a tensor over axes."""
    if operation in ("any", "all", "prod"):
        for axis in sorted(axes, reverse=True):
            x = getattr(wg, operation)(x, axis)
        return x
    operations = {"min": wg.amin, "max": wg.amax, "sum": wg.sum, "mean": wg.mean}
    if operation not in operations:
        raise NotImplementedError(f"reduce(): expected a reduction among {', '.join(operations)}, got {operation!r}")
    result: Tensor = operations[operation](x, list(axes))
    return result


def define_einops_backend() -> type | None:
    """Define the backend that einops finds among the subclasses of its AbstractBackend; None without einops."""
    try:
        base = import_module("einops._backends").AbstractBackend
    except ImportError:
        return None
    return type("WengertBackend", (EinopsOperations, base), {})


def name_opt_einsum_backend() -> None:
    """Let opt_einsum, which goes by the name of a type's module, call NumPy's functions: they take tensors, too."""
    with contextlib.suppress(ImportError):
        dispatch = import_module("opt_einsum.backends.dispatch")
        for name in (Tensor.__module__.partition(".")[0], "wengert"):
            dispatch._aliases[name] = "numpy"
            for function in ("tensordot", "transpose", "einsum"):
                dispatch._cached_funcs.pop((function, name), None)  # of contractions before this import


EINOPS_BACKEND = define_einops_backend()
"""The backend of einops: a reference keeps it among the subclasses; None without einops."""
name_opt_einsum_backend()
