"""NestedIOFunction (deprecated): the base of Functions with nested arguments. It has no use of its own any more."""

from __future__ import annotations

from typing import Any

from wengert_engine.function.function_class import Function


class NestedIOFunction(Function):
    """Kept for older code that names it; PyTorch 2.13 cannot run it either. Flatten the arguments of a Function.

    >>> from wengert_engine import Function
    >>> from wengert_engine.function.nested import NestedIOFunction
    >>> issubclass(NestedIOFunction, Function)
    True
    """

    to_save: tuple[Any, ...]
    dirty_tensors: tuple[Any, ...]
    non_differentiable: tuple[Any, ...]

    def save_for_backward(self, *args: Any) -> None:
        """Keep tensors for backward."""
        self.to_save = args

    def mark_dirty(self, *args: Any) -> None:
        """Note what was changed in place."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Note outputs without a gradient."""
        self.non_differentiable = args

    def forward_extended(self, *input: Any) -> Any:
        """The operation; to be overridden."""
        raise NotImplementedError("forward_extended is to be overridden")

    def backward_extended(self, *grad_output: Any) -> Any:
        """Its derivative; to be overridden."""
        raise NotImplementedError("backward_extended is to be overridden")
