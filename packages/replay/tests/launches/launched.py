"""Checks that operations are replayed by launches, to the bits of eager calls."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg


def gradients_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that gives a function's results and the gradients of a sum of their squares."""

    def run(*tensors: Any) -> Any:
        leaves = [t.detach().requires_grad_() if t.is_floating_point() else t for t in tensors]
        results = function(*leaves)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        wanted = [one for one in results if one.requires_grad]
        total = wg.zeros((), dtype=wg.float64)
        for one in wanted:
            total = total + (one * one).sum()
        grads = wg.autograd.grad(total, [t for t in leaves if t.requires_grad], allow_unused=True)
        return [one.detach().clone() for one in results], list(grads)

    return run


def bits_of(value: Any) -> Any:
    """Describe results. The sign of a NaN is nobody's: it depends on where in a vector of registers it lies."""
    if isinstance(value, wg.Tensor):
        array = (value.float() if value.dtype is wg.bfloat16 else value).detach().numpy().flatten()
        if array.dtype.kind in "fc":
            parts = array.view(array.real.dtype)
            parts[np.isnan(parts)] = np.nan
        return value.dtype, tuple(value.shape), value.stride(), array.tobytes()
    return [bits_of(one) for one in value] if isinstance(value, (list, tuple)) else value


def outcome_of(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bits_of(function(*args))
    except Exception as error:
        return type(error), str(error)


def check_launched(function: Callable[..., Any], *calls: tuple[Any, ...], but: tuple[str, ...] = ()) -> Any:
    """Call a function captured beside eager, twice with each of several arguments of one signature.

    Every operation must be replayed by launches, as a view or by a stored value, those in ``but`` excepted. Returns
    the captured function.
    """
    captured = wg.capture(function)
    for args in calls + calls:
        expected = outcome_of(function, args)
        got = outcome_of(captured, args)
        assert got == expected, f"{args}: captured {got}, eager {expected}; {wg.replay.explain(captured)}"
    found = wg.replay.explain(captured)
    assert len(found.programs) == 1, found.reasons
    assert found.replays > 0, found.reasons
    called = {step.name for step in found.programs[0].steps if step.way == "call"}
    assert called == set(but), str(found.programs[0])
    return captured


def numbers(*shape: int, dtype: Any = wg.float32, shift: float = 0.0) -> Any:
    """Return numbers between -3 and 3; others for another shift."""
    count = 1
    for size in shape:
        count *= size
    return ((wg.arange(count, dtype=wg.float64) * 0.37 + shift).sin() * 3).reshape(shape).to(dtype)


def numbers_with_gaps(*shape: int, dtype: Any = wg.float32, shift: float = 0.0) -> Any:
    """Numbers with gaps between them, whose dims lie in reverse order."""
    whole = numbers(*[2 * size for size in reversed(shape)], dtype=dtype, shift=shift)
    return whole.permute(*reversed(range(len(shape))))[tuple(slice(None, None, 2) for _ in shape)]
