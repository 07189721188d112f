"""Values: the tensors of a program as its steps name them, and what stands in steps beside operations."""

from __future__ import annotations

from typing import Any, NamedTuple


class Value(NamedTuple):
    """A tensor of a program: a result, an argument, or a tensor from outside.

    Two tensors on the same elements of the same memory are one value; one that an operation writes to is another value
    from there on.
    """

    kind: str
    """"result", "input" or "outside"."""
    number: int
    """The number of the result in the program, of the argument, or the place in ``steps.outside``."""
    name: str
    """The name in a printed program: "%12", "%12.1", "a0", "w3"."""
    dtype: Any
    """None where the engine wrote bytes and nobody has looked at them as a tensor."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """Elements."""
    step: int | None
    """The number of the step that made it."""


class PseudoOp(NamedTuple):
    """A step that is no operation of the program: the engine's own copy, Python data, a guard."""

    name: str
    params: tuple[str, ...]


class UnknownArgument(NamedTuple):
    """An argument that a program does not hold."""

    type_name: str


PSEUDO_OPS = (
    PseudoOp("copy", ("source", "into")),
    PseudoOp("fill", ("number", "into")),
    PseudoOp("store", ("contents", "offset")),
    PseudoOp("view", ("base", "dtype", "shape", "strides", "offset")),
    PseudoOp("guard", ("value", "contents")),
    PseudoOp("launch", ("sources", "into")),
)
"""In the order of the numbers that steps have for them."""
