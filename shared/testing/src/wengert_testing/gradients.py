"""Gradient checks: reverse mode against central differences, forward against reverse, the second order.

Complex numbers by torch's convention: the gradient of a real L by z = x + iy is dL/dx + i dL/dy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any

import numpy as np
import wengert_core as wc
import wengert_engine as we
from wengert_core.tensors.tensor import Tensor
from wengert_engine.namespaces.forward_ad import dual_level, make_dual, unpack_dual

from wengert_testing.calls import (
    array_of,
    as_tensors,
    contiguous,
    function_of,
    inplace_of,
    is_floating,
)
from wengert_testing.case import Array, Fixed, OpCase, Sample
from wengert_testing.tolerance import assert_close

Inputs = list[Array]
STEP = 1e-5
"""Of central differences in float64: its square and the rounding error 1e-16 / STEP are both near 1e-10."""
RTOL, ATOL = 2e-6, 2e-6


class Program:
    """A case's call as a function of its floating inputs alone."""

    def __init__(self, case: OpCase, sample: Sample, change: Callable[[Array], Tensor] = contiguous) -> None:
        self.case = case
        self.function: Callable[..., Any] = function_of(case.op)
        self.sample = sample
        self.change = change
        self.inputs: Inputs = []
        self.differentiable: list[bool] = []  # of the outputs, known with their cotangents
        as_tensors(sample, self.note)

    def note(self, array: Array) -> Array:
        if is_variable(array):
            self.inputs.append(array)
        return array

    def tensors(
        self, inputs: Inputs, requires_grad: bool, tangents: Inputs | None = None
    ) -> tuple[list[Tensor], tuple[Any, ...], dict[str, Any]]:
        """The floating inputs as tensors, and all arguments. tangents: makes dual tensors of the inputs."""
        rest, directions = iter(inputs), iter(tangents or ())
        made: list[Tensor] = []

        def change(array: Array) -> Tensor:
            if not is_variable(array):
                return self.change(array)
            made.append(self.change(next(rest)).requires_grad_(requires_grad))
            if tangents is not None:
                made[-1] = make_dual(made[-1], contiguous(next(directions)))
            return made[-1]

        args, kwargs = as_tensors(self.sample, change)
        return made, args, kwargs

    def run(
        self, inputs: Inputs, requires_grad: bool = False, tangents: Inputs | None = None
    ) -> tuple[list[Tensor], list[Tensor]]:
        """(floating inputs, floating outputs)."""
        made, args, kwargs = self.tensors(inputs, requires_grad, tangents)
        outputs = self.case.results(self.function(*self.case.arguments(args), **kwargs))
        return made, [y for y in outputs if is_floating(y)]

    def cotangents(self, seed: int = 0) -> Inputs:
        """Random gradients of the outputs that are differentiable."""
        outputs = self.run(self.inputs, True)[1]
        self.differentiable = [y.requires_grad for y in outputs]
        return [randoms(array_of(y), seed + i) for i, y in enumerate(outputs) if y.requires_grad]


def is_variable(array: Array) -> bool:
    """Whether derivatives by this input are checked."""
    return array.dtype.kind in "fc" and not isinstance(array, Fixed)


def randoms(like: Array, seed: int) -> Array:
    """Random numbers of an array's shape and dtype."""
    rng = np.random.default_rng(seed + 17)
    numbers = rng.uniform(-1, 1, like.shape)
    return np.asarray(numbers + 1j * rng.uniform(-1, 1, like.shape) if like.dtype.kind == "c" else numbers, like.dtype)


def inner(a: Iterable[Array], b: Iterable[Array]) -> float:
    """The sum of Re(conj(a) b)."""
    return float(sum(np.real(np.conj(x) * y).sum() for x, y in zip(a, b, strict=True)))


# ---- first order
def loss(program: Program, inputs: Inputs, weights: Inputs) -> float:
    """A weighted sum of the differentiable outputs."""
    with we.no_grad():
        outputs = program.run(inputs)[1]
    return inner(weights, [array_of(y) for y in compress(outputs, program.differentiable)])


def reverse(program: Program, inputs: Inputs, weights: Inputs) -> Inputs:
    """The gradients of the weighted sum by reverse mode; zeros for an input that takes no part."""
    made, outputs = program.run(inputs, True)
    outputs = [y for y in outputs if y.requires_grad]
    grads = we.grad(outputs, made, [contiguous(w) for w in weights], allow_unused=True)
    for x, g in zip(made, grads, strict=True):
        assert g is None or (tuple(g.shape) == tuple(x.shape) and g.dtype is x.dtype), (
            f"{program.case.op}: gradient {g.dtype}{list(g.shape)} of an input {x.dtype}{list(x.shape)}"
        )
    return [np.zeros(x.shape, x.dtype) if g is None else array_of(g) for x, g in zip(inputs, grads, strict=True)]


def differences(f: Callable[[Inputs], float], inputs: Inputs) -> Inputs:
    """Central differences of a real function by every element: dL/dx + i dL/dy for a complex one."""
    results = []
    for k, x in enumerate(inputs):
        slope = np.zeros(x.shape, x.dtype)
        for place in np.ndindex(x.shape):
            for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
                slope[place] += unit * difference(f, inputs, k, place, unit * STEP)
        results.append(slope)
    return results


def difference(f: Callable[[Inputs], float], inputs: Inputs, k: int, place: tuple[int, ...], step: complex) -> float:
    """The central difference by one element of one input."""
    sides = []
    for sign in (1, -1):
        moved = inputs[k].copy()
        moved[place] += sign * step
        sides.append(f([*inputs[:k], moved, *inputs[k + 1 :]]))
    return (sides[0] - sides[1]) / (2 * abs(step))


def check_reverse(program: Program) -> None:
    """Reverse mode agrees with central differences."""
    weights = program.cotangents()
    expected = differences(lambda inputs: loss(program, inputs, weights), program.inputs)
    for i, (got, numeric) in enumerate(zip(reverse(program, program.inputs, weights), expected, strict=True)):
        close(program, got, numeric, f"gradient of input {i}")


def close(program: Program, got: Any, expected: Any, what: str) -> None:
    """assert_close with the tolerance of differences."""
    slack = max(1.0, float(np.max(np.abs(expected), initial=0)))
    assert_close(got, expected, f"{program.case.op}{program.sample!r}: {what}", rtol=RTOL, atol=ATOL * slack)


# ---- forward
def check_forward(program: Program) -> None:
    """<weights, forward(tangents)> equals <reverse(weights), tangents>: forward mode by dual tensors."""
    weights = program.cotangents()
    tangents = [randoms(x, 100 + i) for i, x in enumerate(program.inputs)]
    backward = inner(reverse(program, program.inputs, weights), tangents)
    close(program, inner(weights, forward(program, tangents)), backward, "forward against reverse")


def forward(program: Program, tangents: Inputs) -> Inputs:
    """The tangents of the differentiable outputs."""
    with dual_level():
        return [tangent_of(y) for y in program.run(program.inputs, True, tangents)[1] if y.requires_grad]


def tangent_of(tensor: Tensor) -> Array:
    """The tangent of a dual tensor; zeros where it has none."""
    tangent = unpack_dual(tensor).tangent
    assert tangent is None or tuple(tangent.shape) == tuple(tensor.shape)
    return np.zeros_like(array_of(tensor)) if tangent is None else array_of(tangent)


# ---- second order
def check_second(program: Program) -> None:
    """The derivative of <reverse(weights), tangents> along a direction agrees with central differences."""
    weights = program.cotangents()
    tangents = [randoms(x, 200 + i) for i, x in enumerate(program.inputs)]
    at = [*program.inputs, *weights]
    along = [randoms(x, 300 + i) for i, x in enumerate(at)]
    n = len(program.inputs)

    def first(values: Inputs) -> float:
        return inner(reverse(program, values[:n], values[n:]), tangents)

    plus, minus = (first([x + sign * STEP * d for x, d in zip(at, along, strict=True)]) for sign in (1, -1))
    numeric = (plus - minus) / (2 * STEP)
    close(program, inner(reverse_of_reverse(program, weights, tangents), along), numeric, "second derivative")
    close(program, inner(forward_of_reverse(program, weights, along), tangents), numeric, "forward over reverse")
    both = inner(reverse_of_forward(program, weights, tangents), along[:n])
    close(program, both + inner(along[n:], forward(program, tangents)), numeric, "reverse over forward")


def reverse_of_reverse(program: Program, weights: Inputs, tangents: Inputs) -> Inputs:
    """The gradients of <reverse(weights), tangents> by inputs and weights."""
    made, outputs = program.run(program.inputs, True)
    outputs = [y for y in outputs if y.requires_grad]
    given = [contiguous(w).requires_grad_() for w in weights]
    grads = we.grad(outputs, made, given, create_graph=True, allow_unused=True)
    pairs = [(g, contiguous(t)) for g, t in zip(grads, tangents, strict=True) if g is not None and g.requires_grad]
    second: Sequence[Tensor | None] = [None] * (len(made) + len(given))
    if pairs:
        second = we.grad([g for g, _ in pairs], [*made, *given], [t for _, t in pairs], allow_unused=True)
    return [
        np.zeros(x.shape, x.dtype) if g is None else array_of(g)
        for x, g in zip([*program.inputs, *weights], second, strict=True)
    ]


def forward_of_reverse(program: Program, weights: Inputs, along: Inputs) -> Inputs:
    """The tangents of reverse(weights) where inputs and weights move along a direction."""
    n = len(program.inputs)
    with dual_level():
        made, outputs = program.run(program.inputs, True, along[:n])
        outputs = [y for y in outputs if y.requires_grad]
        given = [make_dual(contiguous(w), contiguous(d)) for w, d in zip(weights, along[n:], strict=True)]
        grads = we.grad(outputs, made, given, allow_unused=True)
        pairs = zip(program.inputs, grads, strict=True)
        return [np.zeros(x.shape, x.dtype) if g is None else tangent_of(g) for x, g in pairs]


def reverse_of_forward(program: Program, weights: Inputs, tangents: Inputs) -> Inputs:
    """The gradients of <weights, forward(tangents)> by the inputs."""
    with dual_level():
        made, outputs = program.run(program.inputs, True, tangents)
        found = [unpack_dual(y).tangent for y in outputs if y.requires_grad]
        pairs = [(t, contiguous(w)) for t, w in zip(found, weights, strict=True) if t is not None and t.requires_grad]
        grads: Sequence[Tensor | None] = [None] * len(made)
        if pairs:
            grads = we.grad([t for t, _ in pairs], made, [w for _, w in pairs], allow_unused=True)
    return [np.zeros(x.shape, x.dtype) if g is None else array_of(g)
            for x, g in zip(program.inputs, grads, strict=True)]  # fmt: skip


def check_gradients(case: OpCase, sample: Sample) -> None:
    """All checks of a case on one sample in float64 or complex128: reverse, forward, second order."""
    program = Program(case, sample)
    if not case.grad or not program.inputs:
        return
    check_reverse(program)
    check_forward(program)
    if case.grad != "first":
        check_second(program)


# ---- in place
def check_inplace(case: OpCase, sample: Sample) -> None:
    """The in-place variant, on a copy and on a view of a copy, has the gradients of the op."""
    op = inplace_of(case)
    program = Program(case, sample)
    if op is None or not case.grad or not program.inputs or not writable(program):
        return
    plain = program.function

    def on_copy(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        return op(x.clone(), *args, **kwargs)

    def on_view(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        both = wc.stack([x, x])
        op(both.select(0, 1), *args, **kwargs)
        return both * 1.5

    def without(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        return wc.stack([x, plain(x, *args, **kwargs)]) * 1.5

    compare_gradients(program, plain, on_copy, "in place")
    compare_gradients(program, without, on_view, "in place on a view")


def writable(program: Program) -> bool:
    """Whether the op's result can be written into its first argument."""
    first = program.sample.args[0]
    with we.no_grad():
        outputs = program.run(program.inputs)[1]
    return (
        isinstance(first, np.ndarray)
        and len(outputs) == 1
        and tuple(outputs[0].shape) == first.shape
        and array_of(outputs[0]).dtype == first.dtype
    )


def compare_gradients(program: Program, one: Callable[..., Any], other: Callable[..., Any], what: str) -> None:
    """Both functions have the same gradients, and the same ones of their tangents."""
    tangents = [randoms(x, 100 + i) for i, x in enumerate(program.inputs)]
    results = []
    for function in (one, other):
        program.function = function
        weights = program.cotangents()
        results.append(reverse(program, program.inputs, weights))
        if program.case.grad != "first":
            results[-1] += reverse_of_forward(program, weights, tangents)
    program.function = one
    for i, (expected, got) in enumerate(zip(*results, strict=True)):
        close(program, got, expected, f"{what}: gradient of input {i}")
