"""wengert._foreach_add, _foreach_mul_, ...: operations on each tensor of a list, for optimizers of PyTorch programs.

Each tensor is an operation of its own, with its own node: results, gradients and versions are PyTorch's, the speed is
that of a loop.

>>> import wengert as wg
>>> wg._foreach_add([wg.ones(2), wg.zeros(1)], [1.0, 2.0])
(tensor([2., 2.]), tensor([2.]))
>>> params = [wg.ones(2), wg.zeros(1)]
>>> _ = wg._foreach_lerp_(params, [wg.zeros(2), wg.ones(1)], 0.25)
>>> params
[tensor([0.7500, 0.7500]), tensor([0.2500])]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import wengert_core as wc
from wengert_core.extend import Tensor

from wengert_compat.foreach.signatures import ForeachFunction

UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal
round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc""".split()
LIMITS = {"maximum": "clamp_min_", "minimum": "clamp_max_"}
"""For each function its in-place variant, which the operation itself does not have."""
VECTOR_NORM = wc.TABLE.ops["linalg.vector_norm"]


def method(name: str) -> Callable[..., Any]:
    """The function that calls a method of its first argument."""

    def call(x: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(x, name)(*arguments, **keywords)

    return call


def with_value(name: str) -> Callable[..., Any]:
    """A method whose last argument is its ``value``."""

    def call(x: Any, tensor1: Tensor, tensor2: Tensor, value: Any) -> Any:
        return getattr(x, name)(tensor1, tensor2, value=value.item() if isinstance(value, Tensor) else value)

    return call


def limit(name: str) -> Callable[..., Any]:
    """maximum or minimum, of a number too: equal numbers share the gradient."""

    def call(x: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor):
            other = wc.tensor(other, dtype=x.dtype if x.is_floating_point() else None, device=x.device)
        return getattr(x, name)(other)

    return call


def power_of_number(base: Any, exponent: Tensor) -> Tensor:
    """A number to the power of a tensor."""
    return wc.pow(base, exponent)


def norm(x: Tensor, ord: Any, dtype: Any) -> Tensor:
    """The norm of a tensor as one vector."""
    if ord == math.inf and not x.numel():
        raise RuntimeError("_foreach_norm cannot compute the infinity norm on an empty tensor because the operation "
                           "does not have an identity")
    found: Tensor = VECTOR_NORM(x, ord, dtype=dtype)
    return found


def power_sum(x: Tensor, ord: Any, dtype: Any) -> Tensor:
    """The sum of the absolute values to a power."""
    return (x if dtype is None else x.to(dtype)).abs().pow(ord).sum()


def maximum_of_all(x: Tensor) -> Tensor:
    """The largest element."""
    if not x.numel():
        raise RuntimeError("_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is "
                           "undefined.")
    return x.max()


LISTS = "Tensor[] self, Tensor[] other"
NUMBER = "Tensor[] self, Scalar scalar"
SCALARS = "Tensor[] self, Scalar[] scalars"
ALPHA = ", *, Scalar alpha=1"
PAIRS = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2"
WEIGHTS = "Tensor[] self, Tensor[] tensors1"

TABLE: dict[str, dict[str, str]] = {
    **{name: {"Tensor[] self": name} for name in UNARY},
    "add": {f"Tensor[] self, Tensor other{ALPHA}": "add", NUMBER: "add", SCALARS: "add", LISTS + ALPHA: "add"},
    "sub": {NUMBER: "sub", SCALARS: "sub", LISTS + ALPHA: "sub"},
    "mul": {"Tensor[] self, Tensor other": "mul", NUMBER: "mul", SCALARS: "mul", LISTS: "mul"},
    "div": {"Tensor[] self, Tensor other": "div", NUMBER: "div", SCALARS: "div", LISTS: "div"},
    **{name: {NUMBER: name, SCALARS: name, LISTS: name} for name in ("clamp_min", "clamp_max")},
    "pow": {"Tensor[] self, Scalar exponent": "pow", "Tensor[] self, Scalar[] exponent": "pow",
            "Tensor[] self, Tensor[] exponent": "pow"},
    "lerp": {f"{WEIGHTS}, Scalar weight": "lerp", f"{WEIGHTS}, Scalar[] weight": "lerp",
             f"{WEIGHTS}, Tensor[] weights": "lerp"},
}
"""For each function that has an in-place variant its signatures, each with the method that it stands for."""
WITH_VALUE = ("addcmul", "addcdiv")
OTHERS: dict[str, dict[str, Callable[..., Any]]] = {
    "norm": {"Tensor[] self, Scalar ord=2, ScalarType? dtype=None": norm},
    "powsum": {"Tensor[] self, Scalar ord=2, ScalarType? dtype=None": power_sum},
    "max": {"Tensor[] self": maximum_of_all},
    "mm": {"Tensor[] self, Tensor[] mat2": method("mm")},
    "clone": {"Tensor[] self, *, MemoryFormat? memory_format=None": method("clone")},
    "copy_": {"Tensor[] self, Tensor[] src, bool non_blocking=False": method("copy_")},
    "zero_": {"Tensor[] self": method("zero_")},
}


def functions() -> Iterator[ForeachFunction]:
    """All functions."""
    for place in ("", "_"):
        for name, signatures in TABLE.items():
            steps = {text: method(step + place) for text, step in signatures.items()}
            if name == "pow" and not place:
                steps["Scalar self, Tensor[] exponent"] = power_of_number
            yield ForeachFunction(name + place, steps)
        for name in WITH_VALUE:
            yield ForeachFunction(name + place, dict.fromkeys(
                (f"{PAIRS}, Packed scalars", f"{PAIRS}, Scalar value=1", f"{PAIRS}, Scalar[] scalars"),
                with_value(name + place)))
    for name, inplace in LIMITS.items():
        yield ForeachFunction(name, dict.fromkeys((NUMBER, SCALARS, LISTS), limit(name)))
        yield ForeachFunction(name + "_", dict.fromkeys((NUMBER, SCALARS, LISTS), method(inplace)))
    for name, others in OTHERS.items():
        yield ForeachFunction(name, others)


FUNCTIONS = {function.__name__: function for function in functions()}


def __getattr__(name: str) -> ForeachFunction:
    """A function by its name."""
    if name not in FUNCTIONS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return FUNCTIONS[name]
