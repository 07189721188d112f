"""Functions of SciPy that run on tensors where an argument holds one, and as SciPy has them where none does."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.array import ndarray
from wengert_numpy.autograd_numpy.arrays.faces import DisableTorchFunctionSubclass, as_array
from wengert_numpy.autograd_numpy.nested import holds_tensor, leaves_of, map_leaves
from wengert_numpy.operands import inexact, promote, to_tensor

F = Callable[..., Any]


def to_face(value: Any, of_arrays: bool) -> Any:
    """Return results as arrays of differentiated code, or as tensors that are no arrays; what is no tensor as it is."""
    if of_arrays:
        return as_array(value)
    return map_leaves(lambda leaf: leaf.as_subclass(Tensor) if leaf.__class__ is ndarray else leaf, value)


def on_tensors(function: F, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function written for tensors gives: arrays where an argument is one, else tensors."""
    with DisableTorchFunctionSubclass() as level:
        of_arrays = any(leaf.__class__ is ndarray for leaf in leaves_of((args, kwargs)))
        result = function(*args, **kwargs)
        return result if level else to_face(result, of_arrays)


def for_tensors(plain: F) -> Callable[[F], Any]:
    """Return a decorator: the function runs where the arguments hold tensors, else SciPy's."""

    def decorate(function: F) -> Any:
        @wraps(plain)
        def override(*args: Any, **kwargs: Any) -> Any:
            if holds_tensor(args) or (kwargs and holds_tensor(kwargs)):
                return on_tensors(function, args, kwargs)
            return plain(*args, **kwargs)

        override.on_tensors = function  # type: ignore[attr-defined]
        return override

    return decorate


def double(value: Any, name: str, argument: str) -> Tensor:
    """Return an operand as a tensor in double precision, in which SciPy's distributions compute."""
    return to_tensor(value, name, argument).to(wg.float64)


def floating(*values: Any, name: str) -> Any:
    """Return operands as tensors of their common floating or complex dtype."""
    return promote(*(inexact(to_tensor(value, name)) for value in values))


def names_of(module: ModuleType) -> dict[str, Any]:
    """Return the public names of a module of SciPy."""
    return {name: getattr(module, name) for name in module.__all__ if hasattr(module, name)}
