"""Programs whose values share memory, with launches that groups put into another order, captured beside eager."""

from __future__ import annotations

import pytest
import wengert as wg

from .scenarios import Scenario, compare_runs

PARTS = {
    "parts of one block, the second ahead of a group": lambda x, y: wg.cat([x.sin().cos().t(), y.t()], 0) * 2,
    "three parts": lambda x, y: wg.cat([x.sin().cos().t(), y.t(), x.t() + 1], 0) * 2,
    "parts side by side": lambda x, y: wg.cat([x.sin().cos(), y, x], 1) * 2,
    "stack of transposed": lambda x, y: wg.stack([x.sin().cos().t(), y.t(), x.t()], 0).sum(0),
    "parts of parts": lambda x, y: wg.cat([wg.cat([x.exp().neg().t(), y.t()], 0).t(), x], 1).sin(),
}  # fmt: skip


def scenario_of(function, shape: tuple[int, ...]) -> Scenario:
    def generate(capture):
        f = capture(function)
        for _ in range(4):
            yield f(wg.randn(shape), wg.randn(shape))

    return generate


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("shape", [(64, 128), (70, 65)])
def test_parts_of_a_block_are_all_there(name, shape):
    assert compare_runs(scenario_of(PARTS[name], shape)).replays == 3
