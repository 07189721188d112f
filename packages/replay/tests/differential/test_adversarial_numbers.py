"""Numbers at the edges of their types, alone and in rows: a replay gives the same bits, signs of zero included."""

from __future__ import annotations

import pytest
import wengert as wg

from .scenarios import compare_runs

NUMBERS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    float("inf"),
    -float("inf"),
    float("nan"),
    1e-40,
    -1e-40,
    3e38,
    88.8,
    -104.0,
    9.01,
    -9.01,
]
FUNCTIONS = {
    "clamp min": lambda x: x.clamp(min=0), "clamp max": lambda x: x.clamp(max=0.0),
    "clamp": lambda x: x.clamp(-0.0, 0.5),
    "relu": lambda x: x.relu(), "hardtanh": wg.nn.functional.hardtanh, "sign": lambda x: x.sign(),
    "abs": lambda x: x.abs(),
    "tanh": lambda x: x.tanh(), "exp": lambda x: x.exp(), "expm1": lambda x: x.expm1(),
    "sigmoid": lambda x: x.sigmoid(),
    "reciprocal": lambda x: 1 / x, "atan2": lambda x: wg.atan2(x.clamp(min=0), x),
    "maximum": lambda x: wg.maximum(x, -x),
    "pow": lambda x: x.pow(-1) + x.pow(0.5), "sum": lambda x: x.sum(), "softplus": wg.nn.functional.softplus,
    "times zero": lambda x: x * -0.0, "round": lambda x: x.round(), "fmod": lambda x: x.fmod(2),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [wg.float32, wg.float64, wg.float16])
def test_numbers_at_the_edges(name, dtype):
    def generate(capture):
        f = capture(lambda x: [FUNCTIONS[name](x), FUNCTIONS[name](x * 1)])
        for length in (1, 3, len(NUMBERS)):
            for first in range(0, len(NUMBERS), 1 if length == 1 else 4):
                yield f(wg.tensor((NUMBERS[first:] + NUMBERS[:first])[:length], dtype=dtype))

    assert compare_runs(generate).replays > 10
