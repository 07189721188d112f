"""Helpers of formulas: operations by SciPy's names, numbers beside tensors, a derivative that is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor, find_op


def special(name: str, *arguments: Any) -> Tensor:
    """Call the operation ``special.NAME``."""
    result: Tensor = find_op(f"special_{name}")(*arguments)
    return result


def internal(name: str, *arguments: Any) -> Tensor:
    """Call an internal operation."""
    result: Tensor = find_op(name)(*arguments)
    return result


def tensors(*values: Any) -> tuple[Tensor, ...]:
    """Return all values as tensors; numbers and integers in the dtype of the first that is floating or complex."""
    first = next(one for one in values if isinstance(one, Tensor) and is_inexact(one))
    return tuple(
        one if isinstance(one, Tensor) and is_inexact(one)
        else one.to(first.dtype) if isinstance(one, Tensor)
        else wc.tensor(one, dtype=first.dtype, device=first.device)
        for one in values
    )


def is_inexact(value: Tensor) -> bool:
    """Return whether a tensor is floating or complex."""
    return value.dtype.is_floating_point or value.dtype.is_complex


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return x where the condition holds, else y; the condition of numbers is a number."""
    return wc.where(condition, x, y) if isinstance(condition, Tensor) else x if condition else y


def missing(what: str) -> Callable[[], Tensor]:
    """Return the slope of an argument by which there is no derivative: an error that says so."""

    def slope() -> Tensor:
        raise NotImplementedError(f"the derivative for '{what}' is not implemented.")

    return slope


def missing_each(function: str, *arguments: str) -> dict[str, Any]:
    """Return ``missing`` for several arguments of a function."""
    return {argument: missing(f"{function}: {argument}") for argument in arguments}
