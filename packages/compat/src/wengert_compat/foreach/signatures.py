"""Functions of lists of tensors: which signature a call means, what it refuses, and the loop over the tensors.

As in PyTorch a list is one of tensors until its elements are looked at, a list of numbers is one only if all are, and a
tensor of no dims stands for a number where the signature wants one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wengert_core import memory_format
from wengert_core.extend import Tensor, dtype
from wengert_engine import is_grad_enabled

NUMBERS = (int, float, complex)
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
WORDS = {"Tensor[]": "tuple of Tensors", "Scalar[]": "tuple of Scalars", "Scalar": "Number", "Tensor": "Tensor",
         "Packed": "Tensor", "bool": "bool", "ScalarType?": "torch.dtype", "MemoryFormat?": "torch.memory_format"}
"""For each kind of parameter how an error calls it."""


class Parameter(NamedTuple):
    """A parameter of a signature. kind: a key of WORDS; default: of an optional one."""

    name: str
    kind: str
    default: Any
    is_optional: bool
    is_keyword_only: bool


class Signature(NamedTuple):
    """One way to call a function. step: what it does with a tensor and its other arguments."""

    text: str
    parameters: tuple[Parameter, ...]
    step: Callable[..., Any]


def is_number(value: Any) -> bool:
    """Whether a value may stand for a number."""
    if isinstance(value, Tensor):
        return value.dim() == 0 and not value.requires_grad
    return isinstance(value, NUMBERS)


FITS: dict[str, Callable[[Any], bool]] = {
    "Tensor[]": lambda value: isinstance(value, (list, tuple)),
    "Scalar[]": lambda value: isinstance(value, (list, tuple)) and all(map(is_number, value)),
    "Scalar": is_number,
    "Tensor": lambda value: isinstance(value, Tensor),
    "Packed": lambda value: isinstance(value, Tensor),
    "bool": lambda value: isinstance(value, bool),
    "ScalarType?": lambda value: value is None or isinstance(value, dtype),
    "MemoryFormat?": lambda value: value is None or isinstance(value, memory_format),
}


def parse_signature(text: str, step: Callable[..., Any]) -> Signature:
    """A signature of its text."""
    head, _, keywords = text.partition(", *, ")
    parameters = []
    for part, is_keyword in [*((p, False) for p in head.split(", ")), *((p, True) for p in keywords.split(", ") if p)]:
        kind, name = part.split(" ")
        name, mark, default = name.partition("=")
        value = {"None": None, "False": False}.get(default, default) if not default.isdigit() else int(default)
        parameters.append(Parameter(name, kind, value, bool(mark), is_keyword))
    return Signature(text, tuple(parameters), step)


class ForeachFunction:
    """A function of lists of tensors.

    name: without ``_foreach_``; one that ends in "_" writes to the tensors of its first list and returns that list.
    steps: for each signature what is done with a tensor: a function of it, of the elements of the other lists, and of
    the remaining arguments, those by keyword by their names.
    """

    def __init__(self, name: str, steps: dict[str, Callable[..., Any]]) -> None:
        self.__name__ = self.__qualname__ = f"_foreach_{name}"
        self.signatures = [parse_signature(text, step) for text, step in steps.items()]
        self.__doc__ = "\n".join(f"{self.__name__}({signature.text})" for signature in self.signatures)
        self.is_inplace = name.endswith("_")

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        for signature in self.signatures:
            values = bind_arguments(signature, args, kwargs)
            if values is not None:
                return self.run(signature, values)
        if len(self.signatures) == 1:
            raise self.call_error(self.signatures[0], args, kwargs)
        shown = [type(value).__name__ for value in args] + [f"{n}={type(v).__name__}" for n, v in kwargs.items()]
        ways = "".join(f"\n * ({signature.text})" for signature in self.signatures)
        raise TypeError(f"{self.__name__}() received an invalid combination of arguments - got ({', '.join(shown)}), "
                        f"but expected one of:{ways}")

    def run(self, signature: Signature, values: list[Any]) -> Any:
        """Do it for each tensor."""
        count = check_lists(signature, values)
        columns: list[Sequence[Any]] = []
        keywords = {}
        for parameter, value in zip(signature.parameters, values, strict=True):
            if parameter.is_keyword_only:
                keywords[parameter.name] = value
            elif parameter.kind == "Packed":
                columns.append(value.unbind())
            else:
                columns.append(value if parameter.kind.endswith("[]") else [value] * count)
        if self.is_inplace and is_grad_enabled() and any(x.requires_grad and x.is_leaf for x in columns[0]):
            raise RuntimeError(LEAF)
        results = [signature.step(*row, **keywords) for row in zip(*columns, strict=True)]
        return values[0] if self.is_inplace else tuple(results)

    def call_error(self, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
        """The error for a call of a function that has one signature."""
        positional = [parameter for parameter in signature.parameters if not parameter.is_keyword_only]
        if len(args) > len(positional):
            some = f"{len(positional)} positional argument{'s' if len(positional) > 1 else ''}"
            return TypeError(f"{self.__name__}() takes {some} but {len(args)} were given")
        found = {**dict(zip([p.name for p in positional], args, strict=False)), **kwargs}
        missing = [p.name for p in signature.parameters if not p.is_optional and p.name not in found]
        if missing:
            names = ", ".join(f'"{name}"' for name in missing)
            return TypeError(f"{self.__name__}() missing {len(missing)} required positional arguments: {names}")
        for number, parameter in enumerate(signature.parameters, 1):
            value = found.pop(parameter.name, parameter.default)
            if not FITS[parameter.kind](value):
                return TypeError(f"{self.__name__}(): argument '{parameter.name}' (position {number}) must be "
                                 f"{WORDS[parameter.kind]}, not {type(value).__name__}")
        return TypeError(f"{self.__name__}() got an unexpected keyword argument '{next(iter(found))}'")


def bind_arguments(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
    """The value of each parameter; None where the call is not of this signature."""
    parameters = signature.parameters
    if len(args) > sum(not parameter.is_keyword_only for parameter in parameters):
        return None
    rest, values = dict(kwargs), list(args)
    for parameter in parameters[: len(args)]:
        if parameter.name in rest:
            return None
    for parameter in parameters[len(args) :]:
        if parameter.name not in rest and not parameter.is_optional:
            return None
        values.append(rest.pop(parameter.name, parameter.default))
    if rest or not all(FITS[parameter.kind](value) for parameter, value in zip(parameters, values, strict=True)):
        return None
    return values


def check_lists(signature: Signature, values: list[Any]) -> int:
    """Return the number of tensors. TypeError for other elements, RuntimeError for lists of different lengths."""
    pairs = [(parameter.kind, value) for parameter, value in zip(signature.parameters, values, strict=True)]
    for position, (kind, value) in enumerate(pairs):
        for i, element in enumerate(value if kind == "Tensor[]" else ()):
            if not isinstance(element, Tensor):
                raise TypeError(f"expected Tensor as element {i} in argument {position}, but got "
                                f"{type(element).__name__}")
    lists = [value for kind, value in pairs if kind == "Tensor[]"]
    count = len(lists[0])
    if not count:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for other in lists[1:]:
        if len(other) != count:
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(other)}")
    for kind, value in pairs:
        check_numbers(kind, value, count)
    return count


def check_numbers(kind: str, value: Any, count: int) -> None:
    """RuntimeError for numbers, in a list or a tensor, that are not as many as the tensors."""
    if kind == "Scalar[]" and len(value) != count:
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    if kind == "Packed" and value.dim() != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {value.dim()} instead.")
    if kind == "Packed" and len(value) != count:
        raise RuntimeError(f"Expected length of scalars to match input of length {count} but got {len(value)} instead.")
    if kind == "Tensor" and value.dim():
        raise RuntimeError(f"scalar tensor expected to be 0 dim but it has {value.dim()} dimensions and "
                           f"{value.numel()} elements.")
