"""Gradients and tangents of a batch in one call agree with those one after the other."""

from __future__ import annotations

import numpy as np
import wengert_engine as we

from wengert_gradcheck.analytical import push_numbers
from wengert_gradcheck.errors import Array, GradcheckError
from wengert_gradcheck.subject import Subject, array_of, tensor_of

BATCH = 5
ADVICE = ("gradcheck or gradgradcheck failed while testing batched gradient computation. Call it with "
          "`check_batched_grad=False` where that is expected.")


def randoms(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """Random numbers of a dtype."""
    rng = np.random.default_rng(sum(shape) + 17)
    numbers = rng.standard_normal(shape)
    return (numbers + 1j * rng.standard_normal(shape) if dtype.kind == "c" else numbers).astype(dtype)


def check_batched(subject: Subject, atol: float, rtol: float) -> None:
    """grad(..., is_grads_batched=True) against a loop, for each output."""
    outputs, _ = subject.checked()
    for i, y in enumerate(outputs):
        seeds = randoms((BATCH, *y.shape), array_of(y).dtype)
        singles = [we.grad(y, subject.inputs, tensor_of(seed, y), retain_graph=True, allow_unused=True)
                   for seed in seeds]
        batch = y.new_zeros((BATCH, *y.shape))
        batch.detach().numpy()[...] = seeds
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
    """Forward mode is linear over a batch: the tangents of a sum of directions are the sum of their tangents.

    (There is no batched forward mode to compare with until vmap exists: a batch is a loop.)
    """
    _, places = subject.checked()
    for j, x in enumerate(subject.inputs):
        directions = randoms((BATCH, x.numel()), array_of(x).dtype)
        rows = [push_numbers(subject, j, direction, places) for direction in directions]
        total = push_numbers(subject, j, directions.sum(axis=0), places)
        for i, tangent in enumerate(total):
            parts = [row[i] for row in rows]
            expected = sum(part for part in parts if part is not None)
            got = 0.0 if tangent is None else tangent
            if not np.allclose(got, expected, atol=atol * BATCH, rtol=rtol, equal_nan=True):
                raise GradcheckError(f"For output {i} and input {j}: batched tangents differ from those computed one "
                                     "by one (forward-mode AD). Call it with `check_batched_forward_grad=False` where "
                                     "that is expected.", output=i, input=j)
