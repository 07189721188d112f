"""The TypeError of a function for an argument that is no tensor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from wengert import Tensor

F = TypeVar("F", bound=Callable[..., Any])
KINDS = ("Tensor", "Tensor | None")
"""Annotations of the arguments that are looked at."""


def with_type_errors(function: F) -> F:
    """Return the function, which raises PyTorch's TypeError for an argument that is annotated as a tensor and is none.

    Arguments are looked at when a call has failed, so that others cost next to nothing.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    kinds = {name: str(kind) for name, kind in function.__annotations__.items() if str(kind) in KINDS}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (AttributeError, TypeError, IndexError, ValueError) as error:
            problem = wrong_argument(function.__name__, dict(zip(names, args, strict=False)) | kwargs, names, kinds)
            if not problem:
                raise
            raise TypeError(problem) from error

    return call  # type: ignore[return-value]  # it has the same arguments


def wrong_argument(function: str, values: dict[str, Any], names: tuple[str, ...], kinds: dict[str, str]) -> str:
    """Return the sentence about the first argument that is no tensor; '' where all are."""
    for name, value in values.items():
        kind = kinds.get(name)
        if kind is None or isinstance(value, Tensor) or hasattr(value, "__torch_function__"):
            continue
        if value is None and kind == "Tensor | None":
            continue
        position = f" (position {names.index(name) + 1})" if name in names else ""
        return f"{function}(): argument '{name}'{position} must be Tensor, not {type(value).__name__}"
    return ""
