"""Which argument of a composite that has failed was of the wrong type: a TypeError in torch's words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from numbers import Number
from operator import index
from typing import Any

from wengert_core.dispatch.op import type_words
from wengert_core.tensors.tensor import Tensor


def argument_type_error(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception | None:
    """What to raise instead of ``error``; None when the arguments' types are those that the function names."""
    own = re.match(rf"{re.escape(name)}\(\): argument '?(\w*)", str(error)) if isinstance(error, TypeError) else None
    if own and (own[1] != "input" or {"input", "self"} & set(inspect.signature(function).parameters)):
        return None
    if isinstance(error, (OverflowError, MemoryError)):
        return restate_error(name, error, args)
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return call_error(signature, name, args, kwargs)
    for position, (parameter, value) in enumerate(bound.items(), 1):
        described = signature.parameters[parameter]
        if parameter in SEQUENCES:
            expected = expected_sequence(value, described.kind is inspect.Parameter.VAR_POSITIONAL)
            if isinstance(expected, TypeError):
                return TypeError(f"{expected}; {name}() takes tensors as '{parameter}'")
        else:
            annotation = described.annotation
            shown = "Any" if annotation is inspect.Parameter.empty else str(annotation)
            expected = expected_type(parameter, shown, value, error)
        if expected:
            called = "input" if parameter == "self" else parameter
            return TypeError(
                f"{name}(): argument '{called}' (position {position}) must be {expected}, not {type_words(value)}; "
                f"{name}() received an invalid combination of arguments, its signature is {name}{signature}"
            )
    refusal = restate_error(name, error)
    if refusal is not None:
        refusal.__cause__ = error
    return refusal


INNER = re.compile(
    r"' object (is not|cannot be|does not|doesn't|has no)|^object of type '|not supported between instances of '|"
    r"^unsupported operand type|^bad operand type|^must be real number, not |argument must be a string|"
    r"^can't multiply sequence|^can only concatenate|indices must be integers|values to unpack|"
    r"^cannot unpack non-iterable |^Argument '\w+' has incorrect type|^unhashable type|^argument of type '|"
    r"requires string as left operand|"
    r"^a bytes-like object is required|^Cannot interpret '.*' as a data type|^ufunc '|^Cannot cast ufunc |"
    r"arrays can be converted to Python scalars|^cannot convert float |index out of range$|^expected str"
    r"|^Expected (tuple|list|int|str), got |^pop from empty|must be called with a |^loop of ufunc |"
    r"can be converted to a scalar index$|^ndarray\(\) |^Field elements must be "
)
"""Texts of Python, Cython and NumPy for what none of our checks has looked at."""
UNNAMED = re.compile(r"^argument '\w+' (\(position \d+\) )?must be ")
"""Our own texts where the function that was called is not known."""
NAMED = re.compile(r"^\w+\(\)(: argument '| received an invalid combination of arguments, its signature is)")
"""Our own texts for an argument of an op: another one, perhaps, than the function that was called."""
LIBRARIES = ("numpy", "scipy")

TOO_BIG = re.compile(
    r"^array is too big|^Maximum allowed (size|dimension) exceeded|^negative dimensions are not allowed"
)
"""NumPy's texts for an array that no memory could hold."""


def restate_error(name: str, error: Exception, args: Sequence[Any] = ()) -> Exception | None:
    """Return the exception to raise instead of one that speaks of what is inside, or of another function than ``name``;
    None: it says what it should, or is the caller's, raised by code that was handed in. Notes go with it.
    """
    refusal = rename_error(name, error, args)
    if refusal is not None:
        for note in getattr(error, "__notes__", ()):
            refusal.add_note(note)
    return refusal


def rename_error(name: str, error: Exception, args: Sequence[Any]) -> Exception | None:
    """The exception of ``restate_error``, without the notes of the one that it stands for."""
    if isinstance(error, MemoryError):
        return without_memory(name, error, args)
    text = str(error)
    if isinstance(error, OverflowError) and text.startswith("Python int too large"):
        return ValueError(f"Overflow when unpacking long long: {name}() got an integer beyond 64 bits")
    if f"{name}(" in text or not is_ours(error):
        return None
    if type(error) is ValueError and TOO_BIG.search(text) and name not in ("numpy", "__array__"):  # torch leaves those
        return RuntimeError(f"Storage size calculation overflowed: {name}() would need an array of more than "
                            "2**63 - 1 bytes")
    words = f"{name}() received an invalid combination of arguments: {text}"
    if isinstance(error, TypeError):
        return type_error(name, text)
    if isinstance(error, (AttributeError, UnboundLocalError)):
        return TypeError(words) if INNER.search(text) or "has no attribute" in text else None
    if type(error) is ValueError and text.startswith("could not convert string to float"):
        return TypeError(words)
    if type(error) in (KeyError, IndexError, ValueError, OverflowError) and INNER.search(text):
        return IndexError(words) if isinstance(error, IndexError) else ValueError(words)
    return TypeError(f"{words} is not known") if type(error) is KeyError else None


def type_error(name: str, text: str) -> TypeError | None:
    """A TypeError that names the function, for the text of one that does not; None: it need not."""
    if text.startswith("expected Tensor as element "):
        return TypeError(f"{text}; {name}() takes tensors there")
    if UNNAMED.search(text):
        return TypeError(f"{name}(): {text}")
    if INNER.search(text) or NAMED.search(text):
        return TypeError(f"{name}() received an invalid combination of arguments: {text}")
    return None


def without_memory(name: str, error: MemoryError, args: Sequence[Any]) -> Exception | None:
    """The exception for memory that is missing, with the call that asked for it; None: it is told already."""
    text = str(error) or "DefaultCPUAllocator: can't allocate memory"
    if text.startswith("Unable to allocate "):  # NumPy's words
        text = f"DefaultCPUAllocator: can't allocate memory: {text}"
    if "(asked for by " in text or not is_ours(error):
        return None
    from wengert_core.runtime.allocator import AllocationError

    return AllocationError(f"{text} (asked for by {name}({', '.join(map(describe_argument, args))}))")


def describe_argument(value: Any) -> str:
    """An argument in a few words: dtype and shape of a tensor, numbers as they are."""
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    return repr(value) if isinstance(value, (int, float)) else type(value).__name__


def is_ours(error: Exception) -> bool:
    """Return whether an exception was raised by this library, or by one that it calls."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return True
    package = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
    return package.startswith("wengert") or package in LIBRARIES


def call_error(
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


def expected_sequence(value: Any, several: bool) -> str | TypeError | None:
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


def expected_type(parameter: str, annotation: str, value: Any, error: Exception) -> str | None:
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
