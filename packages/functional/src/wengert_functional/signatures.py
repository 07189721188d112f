"""Type variables for transforms, whose results have the parameters of the functions that they are given."""

from __future__ import annotations

from typing import ParamSpec, TypeVar, TypeVarTuple

A = TypeVar("A")
"""The first argument."""
B = TypeVar("B")
"""The second argument."""
P = ParamSpec("P")
"""The other parameters, or all."""
R = TypeVar("R")
"""The result."""
X = TypeVar("X")
"""The auxiliary output."""
Primals = TypeVarTuple("Primals")
"""All arguments, by position."""
