"""Which argument of a composite that has failed was of the wrong type: a TypeError in torch's words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from numbers import Number
from operator import index
from typing import Any

from wengert_core.tensor import Tensor


def misfit(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> TypeError | ValueError | None:
    """What to raise instead of ``error``; None when the arguments' types are those that the function names."""
    if isinstance(error, OverflowError) and str(error).startswith("Python int too large"):
        return ValueError(f"Overflow when unpacking long long: {name}() got an integer beyond 64 bits")
    if isinstance(error, TypeError) and str(error).startswith(f"{name}(): argument "):
        return None
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return miscalled(signature, name, args, kwargs)
    for place, (parameter, value) in enumerate(bound.items(), 1):
        described = signature.parameters[parameter]
        if parameter in SEQUENCES:
            expected = sequence_wanted(value, described.kind is inspect.Parameter.VAR_POSITIONAL)
            if isinstance(expected, TypeError):
                return expected
        else:
            annotation = described.annotation
            shown = "Any" if annotation is inspect.Parameter.empty else str(annotation)
            expected = wanted(parameter, shown, value, error)
        if expected:
            called = "input" if parameter == "self" else parameter
            return TypeError(
                f"{name}(): argument '{called}' (position {place}) must be {expected}, not {type(value).__name__}; "
                f"{name}() received an invalid combination of arguments, its signature is {name}{signature}"
            )
    return None


def miscalled(
    signature: inspect.Signature, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> TypeError | None:
    """For a call with too many arguments, with too few, or with a name that is not there."""
    own = signature.parameters.values()
    kinds = {p.kind for p in own}
    by_place = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(by_place) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        s = "" if len(by_place) == 1 else "s"
        return TypeError(f"{name}() takes {len(by_place)} positional argument{s} but {len(args)} were given")
    for word in kwargs:
        if word not in signature.parameters and inspect.Parameter.VAR_KEYWORD not in kinds:
            return TypeError(f"{name}() got an unexpected keyword argument '{word}'")
        if word in by_place[: len(args)]:
            return TypeError(f"{name}() got multiple values for argument '{word}'")
    given = {*by_place[: len(args)], *kwargs}
    left = [p.name for p in own if p.default is p.empty and p.name not in given and p.kind.name[:3] != "VAR"]
    shown = ", ".join(f'"{"input" if word == "self" else word}"' for word in left)
    return TypeError(f"{name}() missing {len(left)} required positional arguments: {shown}") if left else None


def renamed(function: Callable[..., Any], name: str, kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The keywords under the function's own names, where some have the other name that torch has for them; else None.

    A function cannot have run when it got a name that it does not have: the call is made again.
    """
    own = inspect.signature(function).parameters
    known = OTHER_NAMES.get(name) or OTHER_NAMES.get(getattr(function, "__name__", ""), {})
    others = {"input": next(iter(own), "input")} | known
    if all(word in own or word not in others or others[word] in kwargs for word in kwargs):
        return None
    return {word if word in own else others.get(word, word): value for word, value in kwargs.items()}


PARTS = {"sections": "indices_or_sections", "indices": "indices_or_sections"}
OTHER_NAMES = {
    "lstsq": {"b": "B"},
    "tensorsolve": {"other": "B"},
    "cholesky_solve": {"input2": "L"},
    "ormqr": {"input2": "tau", "input3": "other"},
    "isin": {"element": "elements", "test_element": "test_elements"},
    "searchsorted": {"self": "input"},
    "hsplit": PARTS,
    "vsplit": PARTS,
    "quantile": {"keepdims": "keepdim"},
    "nanquantile": {"keepdims": "keepdim"},
    "vector_norm": {"axis": "dim", "keepdims": "keepdim"},
    "linalg_norm": {"axis": "dim", "keepdims": "keepdim"},
    "matrix_norm": {"axis": "dim", "keepdims": "keepdim"},
    "dsplit": PARTS,
}
"""The names that torch itself looks for, where they are not those of its documentation. Of all functions, "input" is
another name of the first argument.
"""


def sequence_wanted(value: Any, several: bool) -> str | TypeError | None:
    """For an argument that takes tensors: what it must be, or the exception for what is in it; None when it fits."""
    if several and len(value) == 1 and isinstance(value[0], (tuple, list)):
        value = value[0]
    if not isinstance(value, (tuple, list)):
        return None if isinstance(value, Tensor) else "tuple of Tensors"
    for i, item in enumerate(value):
        if not isinstance(item, Tensor):
            return TypeError(f"expected Tensor as element {i} in argument 0, but got {type(item).__name__}")
    return None


def is_surprise(error: Exception) -> bool:
    """Whether an exception is of what the function itself did not look at."""
    return isinstance(error, (AttributeError, TypeError)) or str(error).startswith(
        ("The truth value of an array", "Boolean value of Tensor with more than one", "Could not infer dtype of")
    )


def wanted(parameter: str, annotation: str, value: Any, error: Exception) -> str | None:
    """What an argument annotated so must be, in torch's words, when ``value`` is not; None when it is."""
    surprise = is_surprise(error)
    kinds = {part.strip() for part in annotation.split("|")}
    if isinstance(value, Tensor) and not (surprise and kinds <= {"int", "bool", "str", "None"}):
        return None
    if annotation == "Any" and parameter not in OPERANDS:
        return None
    if annotation == "Any" and not surprise:  # numbers and sequences of them may be what the function takes
        return None if isinstance(value, (Number, list, tuple, type(None))) else "Tensor"
    if value is None and "None" in kinds:
        return None
    if annotation == "Any" and isinstance(error, AttributeError):
        return "Tensor"  # the function does not take numbers here
    for kind, (fits, words) in KINDS.items():
        if kind in kinds:
            return None if fits(value) or len(kinds - {"None"}) > 1 else words
    return None


OPERANDS = {"self", "input", "other", "x", "y", "A", "a", "tensor", "elements", "test_elements", "vec2"}
"""What an argument is called that is a tensor, or a number where the function takes one."""

SEQUENCES = {"tensors", "matrices", "operands"}
"""What an argument is called that is a sequence of tensors."""


def is_index(value: Any) -> bool:
    """Whether a value counts as an int."""
    try:
        index(value)
    except TypeError:
        return False
    return not isinstance(value, bool)


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "Tensor": (lambda value: False, "Tensor"),
    "Any": (lambda value: isinstance(value, Number), "Tensor"),  # of an operand: a tensor, or a number
    "int": (is_index, "int"),
    "float": (lambda value: isinstance(value, Number), "float"),
    "bool": (lambda value: isinstance(value, int), "bool"),
    "str": (lambda value: isinstance(value, str), "str"),
}
"""By annotation: whether a value that is no tensor fits, and what torch calls what does."""
