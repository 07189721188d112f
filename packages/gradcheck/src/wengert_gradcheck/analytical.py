"""Jacobians by the derivatives under test: an output element at a time (reverse), an input element (forward)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import wengert_engine as we
from wengert_core.extend import Tensor, is_strided
from wengert_engine.extend import pullback
from wengert_engine.namespaces.forward_ad import dual_level, make_dual, unpack_dual

from wengert_gradcheck.errors import Array, GradcheckError
from wengert_gradcheck.subject import Subject, array_of, has_array, tensor_of

CHUNK = 64


def zeros_like(y: Tensor) -> Tensor:
    """A gradient or tangent to fill."""
    return y.new_zeros(tuple(y.shape))


class Gradients:
    """The gradients of outputs by all inputs. The engine sees to it that they have the shapes of the inputs."""

    def __init__(self, subject: Subject, check_dtypes: bool) -> None:
        self.inputs = subject.inputs
        self.check_dtypes = check_dtypes

    def of(self, output: Tensor, grad_output: Tensor) -> list[Tensor | None]:
        """The gradients by all inputs; None for an input that takes no part."""
        return next(self.each(output, [grad_output]))

    def each(self, output: Tensor, grad_outputs: Iterable[Tensor]) -> Iterator[list[Tensor | None]]:
        """The same for each of several gradients of an output, one after the other."""
        pull = pullback(output, self.inputs)
        for grad_output in grad_outputs:
            grads = pull(grad_output)
            if self.check_dtypes:
                self.check(grads)
            yield grads

    def check(self, grads: Sequence[Tensor | None]) -> None:
        """GradcheckError for a gradient that has not the dtype of its input."""
        for i, (x, g) in enumerate(zip(self.inputs, grads, strict=True)):
            if g is not None and g.dtype is not x.dtype:
                raise GradcheckError(f"The gradient with respect to input {i} has dtype {g.dtype}, the input {x.dtype}",
                                     input=i)


def reverse(gradients: Gradients, output: Tensor, unit: complex, done: Callable[[], Any]) -> list[Array]:
    """The jacobian of one output by each input. unit: 1, or 1j for the imaginary part of a complex output."""
    n = output.numel()
    found = [x.new_zeros((n, *x.shape)) for x in gradients.inputs]
    with we.no_grad():  # a gradient is written down at once: a backward may use its memory again
        copies = zip(*[rows.unbind(0) for rows in found], strict=True)
        for rows, grads in zip(copies, gradients.each(output, seeds(output, unit)), strict=True):
            for row, grad in zip(rows, grads, strict=True):
                if grad is not None:
                    row.copy_(grad if is_strided(grad) else grad.to_dense())
            done()
    return [array_of(rows).reshape(n, x.numel()).T for rows, x in zip(found, gradients.inputs, strict=True)]


def seeds(output: Tensor, unit: complex) -> Iterator[Tensor]:
    """For each element of an output a gradient that is ``unit`` there and zero elsewhere. Each has memory of its own,
    as a backward may keep or change what it gets; CHUNK of them are made at once.
    """
    n = output.numel()
    for start in range(0, n, CHUNK):
        block = output.new_zeros((min(CHUNK, n - start), *output.shape))
        some = block.unbind(0)
        if has_array(block):
            np.fill_diagonal(block.numpy().reshape(len(some), n)[:, start:], unit)
        else:
            for k, seed in enumerate(some, start):
                set_element(seed, k, unit)
        yield from some


def set_element(tensor: Tensor, k: int, value: complex) -> None:
    """Put a number at a flat index of a contiguous tensor."""
    array = tensor.detach()
    if has_array(array):
        array.numpy().reshape(-1)[k] = value
    else:
        array.view(-1)[k] = value


def forward(subject: Subject, which: int, likes: Sequence[Tensor], positions: Sequence[int], unit: complex,
            done: Callable[[], Any]) -> list[Array]:
    """The jacobian of each output by one input, by forward mode. unit: 1, or 1j for imaginary parts of the input."""
    x = subject.inputs[which]
    n = x.numel()
    found = [np.zeros((n, y.numel()), array_of(y).dtype) for y in likes]
    for i in range(n):
        tangent = zeros_like(x)
        set_element(tangent, i, unit)
        for rows, t in zip(found, push_tangent(subject, which, tangent, positions), strict=True):
            if t is not None:
                rows[i] = array_of(t).reshape(-1)
        done()
    return found


def push_tangent(subject: Subject, which: int, tangent: Tensor, positions: Sequence[int]) -> list[Tensor | None]:
    """The tangents of the outputs for a tangent of one input."""
    with dual_level():
        args = list(subject.args)
        for i, (position, x) in enumerate(zip(subject.positions, subject.inputs, strict=True)):
            # they require grad: a function may differentiate itself, as that of gradgradcheck does
            args[position] = make_dual(x.detach().requires_grad_(), tangent if i == which else zeros_like(x))
        outputs = subject.func(*args)
        chosen = [outputs] if isinstance(outputs, Tensor) else [outputs[i] for i in positions]
        return [unpack_dual(y).tangent for y in chosen]


def push_numbers(subject: Subject, which: int, direction: Array, positions: Sequence[int]) -> list[Array | None]:
    """The same for a direction given as numbers, flat."""
    tangents = push_tangent(subject, which, tensor_of(direction, subject.inputs[which]), positions)
    return [None if t is None else array_of(t).reshape(-1) for t in tangents]
