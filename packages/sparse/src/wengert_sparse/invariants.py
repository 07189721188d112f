"""Invariants of the components of a sparse tensor, and whether constructors check them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Self

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_sparse.coo.indices import positions


class _State:
    """Whether constructors that are told nothing check."""

    enabled = False


class check_sparse_tensor_invariants:
    """A context, and a decorator, in which constructors of sparse tensors check their components, or do not.

    >>> import wengert as wg
    >>> with wg.sparse.check_sparse_tensor_invariants():
    ...     wg.sparse_coo_tensor([[5]], [1.0], (2,))
    Traceback (most recent call last):
    RuntimeError: size is inconsistent with indices: for dim 0, size is 2 but found index 5
    """

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.before: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether constructors check."""
        return _State.enabled

    @staticmethod
    def enable() -> None:
        """Let constructors check."""
        _State.enabled = True

    @staticmethod
    def disable() -> None:
        """Let constructors check no more than what costs nothing."""
        _State.enabled = False

    def __enter__(self) -> Self:
        if self.before is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for "
                "context nesting."
            )
        self.before, _State.enabled = _State.enabled, self.state
        return self

    def __exit__(self, *error: object) -> None:
        assert self.before is not None
        _State.enabled, self.before = self.before, None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call_in_context(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)

        return call_in_context


def checks_invariants(wanted: bool | None) -> bool:
    """Whether a constructor checks: as it is told, or as all do."""
    return _State.enabled if wanted is None else bool(wanted)


def check_indices(indices: Tensor, size: Sequence[int]) -> None:
    """RuntimeError for indices outside of the size."""
    if indices.shape[1] and indices.shape[0]:
        lowest, highest = indices.amin(1).tolist(), indices.amax(1).tolist()
        for dim in range(indices.shape[0]):
            if lowest[dim] < 0:
                raise RuntimeError(f"found negative index {lowest[dim]} for dim {dim}")
            if highest[dim] >= size[dim]:
                raise RuntimeError(
                    f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found index "
                    f"{highest[dim]}"
                )


def check_coo(indices: Tensor, values: Tensor, size: Sequence[int], coalesced: bool) -> None:
    """RuntimeError for indices outside of the size, and for indices that are not sorted where they are said to be."""
    check_indices(indices, size)
    if coalesced and indices.shape[1] > 1:
        flat = positions(indices, size[: indices.shape[0]])
        if not wc.all(flat[1:] > flat[:-1]).item():
            raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")
