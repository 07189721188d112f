"""Branches behind operations with constants: a constant that each call makes anew is compared by its value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import wengert as wg

from ..differential.scenarios import compare_runs

F = wg.nn.functional
COLUMNS = np.array([0, 2])


class Pair(NamedTuple):
    rows: int
    columns: int


class Whole(int):
    """An int with words of its own."""

    def __repr__(self) -> str:
        return f"<whole at {id(self)}>"


def by_dual(x: Any) -> Any:
    with wg.autograd.forward_ad.dual_level():
        return wg.autograd.forward_ad.unpack_dual(wg.autograd.forward_ad.make_dual(x, x * 2) * 3).tangent


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "a size": lambda x: x.view(wg.ones(4, 3).shape),
    "a size and a tuple": lambda x: x.reshape((4, 3)).reshape(x.shape).reshape((4, 3)),
    "a named tuple": lambda x: x.view(Pair(3, 4)),
    "an int of a class": lambda x: x.sum(Whole(0)),
    "an array from outside": lambda x: x[:, COLUMNS],
    "an array as a tensor": lambda x: x * wg.as_tensor(np.array([1.0, 2.0, 3.0], np.float32)),
    "a number of NumPy": lambda x: x * np.float32(2.0) + np.float64(1.0),
    "a slice of NumPy": lambda x: x[np.int64(0):np.int64(2)],
    "randint": lambda x: x + wg.randint(0, 5, x.shape),
    "randn": lambda x: x + wg.randn(x.shape),
    "interpolate": lambda x: F.interpolate(x[None, None], scale_factor=2.0),
    "interpolate, bilinear": lambda x: F.interpolate(x[None, None], size=(5, 7), mode="bilinear"),
    "a device": lambda x: x.to(wg.device("cpu"), wg.float64),
    "masked_fill": lambda x: x.masked_fill(x > 0, 0.5),
    "masked_fill of halves": lambda x: x.half().masked_fill_(x > 0, 0.25).float(),
    "masked_fill of truth values": lambda x: x.masked_fill((x > 1).masked_fill(x < 0, True), 0.0),
    "scatter": lambda x: x.scatter(0, wg.zeros(1, 3, dtype=wg.int64), 0.5),
    "scatter, added": lambda x: x.scatter(0, wg.zeros(1, 3, dtype=wg.int64), 0.5, reduce="add"),
    "index_fill": lambda x: x.index_fill(0, wg.tensor([0, 1]), 0.5),
    "one_hot": lambda x: F.one_hot((x > 0).long()[:, 0], 5).float(),
    "jvp": lambda x: wg.func.jvp(lambda y: y.view(y.shape) * 2, (x,), (x,))[1],
    "jacfwd": wg.func.jacfwd(lambda y: (y * y).sum(0)),
    "a dual tensor": by_dual,
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_branches_behind_a_constant(name: str) -> None:
    def either(x: Any, number: Any) -> Any:
        y = OPERATIONS[name](x)
        if number == 1:
            return y * 3
        return y - 3 if number == 2 else y + 1

    def calls(capture: Any) -> Any:
        captured = capture(either, quiet=True)
        for k in range(12):
            yield captured(wg.randn(4, 3), wg.tensor(k % 3))

    outcome = compare_runs(calls)
    assert (outcome.replays, outcome.reasons) == (9, [])


@pytest.mark.parametrize("constants", [
    lambda: [np.array([0, 1]), np.array([0, 2])], lambda: [[0, 1], [0, 2]], lambda: [[0, 1], [False, True, False]],
    lambda: [np.array([0, 1]), np.array([0, 1], np.int32)],
], ids=["arrays", "lists", "a list and truth values", "dtypes"])  # fmt: skip
def test_another_constant_is_no_branch(constants: Callable[[], Any]) -> None:
    state = {"number": 0}

    def either(x: Any) -> Any:
        y = x[:, constants()[state["number"]]].float()
        return y * 2 if x.sum() > 0 else y.flip(0)

    captured = wg.capture(either, quiet=True)
    for k in range(2):
        state["number"] = k
        x = wg.arange(6.0).reshape(2, 3) * (-1) ** k
        assert captured(x).tolist() == either(x).tolist()
    assert "depends on Python's state" in str(wg.replay.explain(captured))
