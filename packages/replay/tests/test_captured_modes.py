"""Captured functions under function modes and other default devices: those of the call count, not of the recording."""

from __future__ import annotations

from typing import Any

import pytest
import wengert as wg
from wengert.overrides import TorchFunctionMode
from wengert_registry import registry
from wengert_testing.sim import SimDevice, reset

explain = wg.replay.explain


class Tenfold(TorchFunctionMode):
    """A mode that multiplies sines."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        return found * 10 if getattr(func, "__name__", "") == "sin" else found


@pytest.fixture
def _sim():
    group = registry.group("devices")
    reset()
    if "sim" in group:
        yield
    else:
        with group.register("sim", SimDevice, owner=__name__):
            yield


@pytest.mark.parametrize("first", [False, True])
def test_a_mode_is_asked_in_each_call(first: bool) -> None:
    captured, x = wg.capture(lambda x: x.sin()), wg.linspace(-1, 1, 5)
    for number in range(8):
        if (number % 4 < 2) is first:
            with Tenfold():
                assert wg.equal(captured(x), x.sin())
        else:
            assert wg.equal(captured(x), x.sin())
    assert explain(captured).replays == 3


@pytest.mark.usefixtures("_sim")
def test_the_default_device_is_part_of_the_signature() -> None:
    captured = wg.capture(lambda: wg.ones(2), quiet=True)
    for _ in range(3):
        assert captured().device.type == "cpu"
        with wg.device("sim"):
            assert captured().device.type == "sim"
        wg.set_default_device("sim")
        try:
            assert captured().device.type == "sim"
        finally:
            wg.set_default_device(None)
    assert explain(captured).replays == 2
    double = wg.capture(lambda x: x * 2)
    double(wg.ones(1))
    with wg.device("sim"):
        double(wg.ones(1, device="cpu"))
    assert explain(double).differences[1] == "unlike program 0: default device is sim:0, not cpu"
