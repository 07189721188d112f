"""OpCase: a row of the sample table. What an op gets, what it should give, where its derivative has kinks.

>>> import numpy as np
>>> from wengert_testing.case import OpCase, T
>>> case = OpCase("add", np.add, [(T(2, 3), T(3)), (T(2), 1.5)])
>>> [tuple(a.shape if hasattr(a, "shape") else a for a in sample.args) for sample in case.samples("float64")]
[((2, 3), (3,)), ((2,), 1.5)]
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
COMPLEX_OF = {"float64": "complex128", "float32": "complex64"}


@dataclass(frozen=True)
class T:
    """Stands for a tensor of random, distinct numbers. dtype None: the one the sample is made for."""

    shape: tuple[int, ...]
    domain: tuple[float, float] | None
    dtype: str | None

    def __init__(self, *shape: int, domain: tuple[float, float] | None = None, dtype: str | None = None) -> None:
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "dtype", dtype)


class Fixed(np.ndarray[Any, Any]):
    """An array that is no variable: what depends on it is not differentiated by it (weights of classes, signs)."""


def fixed(numbers: Any) -> Fixed:
    """Floating numbers as a Fixed array."""
    return np.asarray(numbers, float).view(Fixed)


class Sample:
    """The arguments of one call, with arrays in place of tensors."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs

    def __repr__(self) -> str:
        parts = [short_text(a) for a in self.args] + [f"{k}={short_text(v)}" for k, v in self.kwargs.items()]
        return f"({', '.join(parts)})"


def short_text(value: Any) -> str:
    """An argument, shortly."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return f"[{', '.join(map(short_text, value))}]" if isinstance(value, (list, tuple)) else repr(value)


@dataclass
class OpCase:
    """A row: inputs and the expected results of one op or composite.

    op: its name in the table.   oracle: the same on NumPy arrays; gets the arguments as the op does. None: there is
    none, the reason is in ``note``.
    inputs: argument tuples; ``T(...)`` stands for a tensor, an array for itself, a dict at the end for keywords.
    Derivatives are checked by all floating arrays that are not ``fixed``.
    domain: of all random numbers.   kinks: values of them that finite differences must not come near.
    complex: whether it is also tested on complex numbers.   grad: False where results are not differentiable; "first"
    where only the first derivative is tested.   rtol: a tolerance of its own, with the reason in ``note``.
    dtypes: those the values are checked for; default: those the op's row in core names, else float32 and float64.
    strided: False when only contiguous inputs are taken.   warns: the start of a warning that the op always gives.
    prepared: a function of the arguments that makes what the op takes of them (a Hermitian matrix of any); what is
    checked is then the op after it.   invariant: a function of the results that keeps what is determined of them (of
    eigenvectors no phase); only that is checked. Both get arrays or tensors.
    """

    op: str
    oracle: Callable[..., Any] | None
    inputs: Sequence[tuple[Any, ...]]
    domain: tuple[float, float] = (-2.0, 2.0)
    kinks: Sequence[float] = ()
    complex: bool = False
    grad: bool | str = True
    rtol: float | None = None
    dtypes: Sequence[str] = ()
    strided: bool = True
    warns: str = ""
    note: str = ""
    prepared: Callable[..., tuple[Any, ...]] | None = None
    invariant: Callable[..., Any] | None = None

    def __str__(self) -> str:
        return self.op

    def arguments(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the op gets."""
        return args if self.prepared is None else self.prepared(*args)

    def results(self, outputs: Any) -> tuple[Any, ...]:
        """What is checked of the results, as a tuple."""
        parts = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
        if self.invariant is None:
            return parts
        kept = self.invariant(*parts)
        return kept if isinstance(kept, tuple) else (kept,)

    def samples(self, dtype: str) -> Iterator[Sample]:
        """The argument lists, the same in every run."""
        for i, given in enumerate(self.inputs):
            maker = Maker(self, dtype, zlib.crc32(f"{self.op} {i}".encode()))
            args, kwargs = (given[:-1], given[-1]) if given and isinstance(given[-1], dict) else (given, {})
            yield Sample(tuple(map(maker.make, args)), {name: maker.make(value) for name, value in kwargs.items()})


class Maker:
    """Makes the arrays of one sample."""

    def __init__(self, case: OpCase, dtype: str, seed: int) -> None:
        self.case = case
        self.dtype = dtype
        self.random = np.random.default_rng(seed)

    def make(self, value: Any) -> Any:
        """An argument with arrays for all ``T``."""
        if isinstance(value, T):
            return self.array(value)
        if isinstance(value, (list, tuple)) and any(isinstance(v, (T, np.ndarray)) for v in value):
            return type(value)(map(self.make, value))
        if isinstance(value, np.ndarray) and value.dtype == np.float64:
            return value.astype(self.dtype)
        return value

    def array(self, spec: T) -> Array:
        """Random numbers, all different, away from kinks."""
        dtype = spec.dtype or self.dtype
        low, high = spec.domain or self.case.domain
        if dtype == "bool":
            return self.random.random(spec.shape) < 0.5
        if np.issubdtype(np.dtype(dtype), np.integer):
            return self.random.integers(int(low), int(high) + 1, spec.shape).astype(dtype)
        real = self.numbers(spec.shape, low, high)
        if np.issubdtype(np.dtype(dtype), np.complexfloating):
            return np.asarray(real + 1j * self.numbers(spec.shape, low, high), dtype)
        return real.astype(dtype)

    def numbers(self, shape: tuple[int, ...], low: float, high: float) -> Array:
        """Numbers between low and high, one in each of as many equal parts: none is near another."""
        n = int(np.prod(shape))
        places = (self.random.permutation(n) + self.random.uniform(0.3, 0.7, n)) / max(n, 1)
        x = low + (high - low) * places
        for kink in self.case.kinks:
            near = np.abs(x - kink) < 0.05
            x = np.where(near, kink + np.where(x < kink, -0.05, 0.05) * (1 + places), x)
        return x.reshape(shape)


def of_nodes(cases: Sequence[OpCase], **names: str) -> list[OpCase]:
    """The cases again for the rows that composites call to be one node. names: the composite's, by the row's."""
    return [replace(case, op=row, warns="") for row, name in names.items() for case in cases if case.op == name]
