"""Gradients of outputs that are zero must give zeros, and those that are not there (None) must work as zeros do."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import wengert_engine as we
from wengert_core.extend import Tensor
from wengert_engine.namespaces.forward_ad import dual_level, make_dual, unpack_dual

from wengert_gradcheck.errors import GradcheckError
from wengert_gradcheck.subject import Subject, array_of, tensor_of

WARNING = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    "existing callers of this function. If this is true for you, you can call this function with "
    '"check_undefined_grad=False" to disable the feature'
)


def check_multiplied(subject: Subject, outputs: list[Tensor]) -> None:
    """GradcheckError for a backward that does not multiply with the gradient it gets: a scalar's is 1 otherwise."""
    zeros = [y.new_zeros(tuple(y.shape)) for y in outputs]
    grads = we.grad(outputs, subject.inputs, zeros, retain_graph=True, allow_unused=True)
    for i, grad in enumerate(grads):
        if grad is not None and np.any(array_of(grad) != 0):
            largest = float(np.max(np.abs(array_of(grad))))
            raise GradcheckError(f"backward not multiplied by grad_output: the gradients of all outputs are zero, but "
                                 f"input {i} gets a gradient of up to {largest:.3g}", input=i)


def check_undefined_forward(subject: Subject, positions: Sequence[int]) -> None:
    """GradcheckError where an input without a tangent does not count as one whose tangent is zero."""
    rng = np.random.default_rng(0)
    directions = [rng.standard_normal(x.numel()).astype(array_of(x).dtype) for x in subject.inputs]
    with dual_level():
        args = list(subject.args)
        for position, x, direction in zip(subject.positions, subject.inputs, directions, strict=True):
            args[position] = make_dual(fresh(x), tensor_of(direction, x))
        for i, (position, x) in enumerate(zip(subject.positions, subject.inputs, strict=True)):
            found = []
            for one in (make_dual(fresh(x), x.new_zeros(tuple(x.shape))), fresh(x)):
                outputs = subject.func(*args[:position], one, *args[position + 1:])
                several = [outputs] if isinstance(outputs, Tensor) else [outputs[k] for k in positions]
                found.append([unpack_dual(y).tangent for y in several])
            for k, (zero, none) in enumerate(zip(*found, strict=True)):
                compare_tangents(positions[k] if positions else k, i, x, zero, none)


def fresh(x: Tensor) -> Tensor:
    """An input without its history; it requires grad, as a function may differentiate itself."""
    return x.detach().requires_grad_()


def compare_tangents(output: int, which: int, x: Tensor, zero: Tensor | None, none: Tensor | None) -> None:
    """GradcheckError unless two tangents agree; None is as good as zeros."""
    one, other = (np.zeros(()) if tangent is None else array_of(tangent) for tangent in (zero, none))
    if not np.allclose(one, other, rtol=1e-5, atol=1e-8):
        raise GradcheckError(f"Mismatch in tangent values for output with index: {output} when input: {x} has an "
                             f"undefined tangent value.  Got: {zero} but expected: {none}. The first is for zeros as "
                             f"the tangent of input {which}, the second for none", output=output, input=which)


class UndefinedGrad(we.Function):
    """The tensor itself, with no gradient: what has made it, and its hooks, get None."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> None:
        return None


def check_undefined(subject: Subject, stacklevel: int) -> None:
    """All gradients None, and each of them with zeros for the others: the inputs' must be None or zero."""
    outputs, _ = subject.checked_outputs()
    chosen = [list(range(len(outputs)))]
    if len(outputs) > 1:
        chosen += [[i] for i in range(len(outputs))]
    for which in chosen:
        outputs = [UndefinedGrad.apply(y) if i in which else y for i, y in enumerate(subject.checked_outputs()[0])]
        seeds = [y.new_ones(tuple(y.shape)) if i in which else y.new_zeros(tuple(y.shape))
                 for i, y in enumerate(outputs)]
        grads = we.grad(outputs, subject.inputs, seeds, allow_unused=True)
        bad = [i for i, g in enumerate(grads) if g is not None and np.any(array_of(g) != 0)]
        if bad:
            warnings.warn(WARNING, UserWarning, stacklevel=stacklevel)
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                f"The gradients of output{'s' if len(which) > 1 else ''} {', '.join(map(str, which))} are None (those "
                f"of others zero), but input {bad[0]} gets a gradient that is not zero: a backward with "
                "set_materialize_grads(False) must take None for zeros", input=bad[0])

