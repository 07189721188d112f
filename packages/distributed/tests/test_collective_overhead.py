"""The cost of a collective beside its transport's own call: frames of Python, which are the same in every run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import wengert as wg

dist = wg.distributed


@pytest.fixture
def world() -> Iterator[None]:
    dist.init_process_group("self")
    yield
    dist.destroy_process_group()


def count_frames(function: Callable[[], Any]) -> int:
    """Return how many functions of Python a call runs, but for itself."""
    frames: list[str] = []
    function()
    sys.setprofile(lambda frame, event, argument: frames.append(frame.f_code.co_name) if event == "call" else None)
    try:
        function()
    finally:
        sys.setprofile(None)
    return len(frames) - 1


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(("shape", "most"), [((16,), 8), ((4, 4), 8), ((), 8)])
def test_a_synchronous_all_reduce_runs_few_functions(shape: tuple[int, ...], most: int) -> None:
    tensor = wg.ones(shape)
    assert count_frames(lambda: dist.all_reduce(tensor)) <= most


@pytest.mark.usefixtures("world")
def test_an_asynchronous_all_reduce_runs_few_functions() -> None:
    tensor = wg.ones(16)
    assert count_frames(lambda: dist.all_reduce(tensor, async_op=True).wait()) <= 14
