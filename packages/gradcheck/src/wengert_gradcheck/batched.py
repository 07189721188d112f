"""Gradients and tangents of a batch in one call agree with those one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import wengert_engine as we
from wengert_core.extend import Tensor
from wengert_engine.extend import add_batch_dim, remove_batch_dim, vmap_level

from wengert_gradcheck.analytical import push_numbers, push_tangent
from wengert_gradcheck.errors import Array, GradcheckError
from wengert_gradcheck.subject import Subject, array_of, tensor_of

BATCH = 5
ADVICE = ("gradcheck or gradgradcheck failed while testing batched gradient computation. Call it with "
          "`check_batched_grad=False` where that is expected.")
FORWARD_ADVICE = ("gradcheck failed while testing batched gradient computation with forward-mode AD. Call it with "
                  "`check_batched_forward_grad=False` where that is expected.")


@contextmanager
def explain_errors(advice: str) -> Iterator[None]:
    """RuntimeErrors of what cannot be batched as GradcheckErrors."""
    try:
        yield
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{advice}") from error


def randoms(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """Random numbers of a dtype."""
    rng = np.random.default_rng(sum(shape) + 17)
    numbers = rng.standard_normal(shape)
    return (numbers + 1j * rng.standard_normal(shape) if dtype.kind == "c" else numbers).astype(dtype)


def check_batched(subject: Subject, atol: float, rtol: float) -> None:
    """grad(..., is_grads_batched=True) against a loop, for each output."""
    outputs, _ = subject.checked_outputs()
    for i, y in enumerate(outputs):
        seeds = randoms((BATCH, *y.shape), array_of(y).dtype)
        singles = [we.grad(y, subject.inputs, tensor_of(seed, y), retain_graph=True, allow_unused=True)
                   for seed in seeds]
        batch = tensor_of(seeds, y.new_zeros((BATCH, *y.shape)))
        with explain_errors(ADVICE):
            together = we.grad(y, subject.inputs, batch, retain_graph=True, allow_unused=True, is_grads_batched=True)
        for j, grad in enumerate(together):
            rows = [single[j] for single in singles]
            if grad is None or rows[0] is None:
                if grad is not rows[0]:
                    raise GradcheckError(f"For output {i} and input {j}: a batched gradient is None where one is not. "
                                         f"{ADVICE}", output=i, input=j)
                continue
            expected = np.stack([array_of(row) for row in rows if row is not None])
            if not np.allclose(array_of(grad), expected, atol=atol, rtol=rtol, equal_nan=True):
                difference = float(np.max(np.abs(array_of(grad) - expected)))
                raise GradcheckError(f"For output {i} and input {j}: batched gradients differ from those computed one "
                                     f"by one, by up to {difference:.3g}. {ADVICE}", output=i, input=j)


def check_batched_forward(subject: Subject, atol: float, rtol: float) -> None:
    """Forward mode with tangents that are batched, as vmap makes them, against a loop."""
    _, positions = subject.checked_outputs()
    for j, x in enumerate(subject.inputs):
        directions = randoms((BATCH, x.numel()), array_of(x).dtype)
        rows = [push_numbers(subject, j, direction, positions) for direction in directions]
        with explain_errors(FORWARD_ADVICE):
            together = push_batch(subject, j, directions, positions)
        for i, tangent in enumerate(together):
            parts = [row[i] for row in rows]
            if tangent is None or parts[0] is None:
                agree = tangent is parts[0]
            else:
                single = np.stack([part for part in parts if part is not None])
                agree = np.allclose(tangent, single, atol=atol, rtol=rtol, equal_nan=True)
            if not agree:
                raise GradcheckError(f"For output {i} and input {j}: batched tangents differ from those computed one "
                                     f"by one. {FORWARD_ADVICE}", output=i, input=j)


def push_batch(subject: Subject, which: int, directions: Array, positions: Sequence[int]) -> list[Array | None]:
    """The tangents that a batch of directions gives, in rows."""
    like = subject.inputs[which]
    batch = stack_directions(directions, like)
    with vmap_level(len(directions)) as level:
        tangents = push_tangent(subject, which, add_batch_dim(batch, 0, level), positions)
        return [None if tangent is None else rows_of(tangent, level, len(directions)) for tangent in tangents]


def stack_directions(directions: Array, like: Tensor) -> Tensor:
    """Directions as a tensor with one dim more in front."""
    return tensor_of(directions, like.new_zeros((len(directions), *like.shape)))


def rows_of(tangent: Tensor, level: int, rows: int) -> Array:
    """The tangent of an output for each direction, flat."""
    return array_of(remove_batch_dim(tangent, level, rows)).reshape(rows, -1)
