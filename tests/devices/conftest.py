"""The simulated device, registered where wengert-testing is not installed (a source tree on PYTHONPATH)."""

from __future__ import annotations

import gc
import os

import pytest
from wengert_core.backends import accelerator
from wengert_core.devices import device as devices
from wengert_registry import registry


def present() -> list[str]:
    """The device types that the table is tried on: the simulated one, and cuda where there is a GPU."""
    only = os.environ.get("WENGERT_TEST_DEVICE")
    if only:
        return [only]
    return ["sim", "cuda"] if accelerator.functions("cuda")["is_available"]() else ["sim"]


@pytest.fixture(params=present())
def device(request, _register_sim):
    """Each device that is present; one that WENGERT_TEST_DEVICE names and that is not there skips, and says why."""
    plugin = devices.plugin_of(request.param)
    if plugin is None or not plugin.device_count():
        pytest.skip("wengert-cuda is not installed" if plugin is None else plugin.unavailable())
    return request.param


@pytest.fixture(scope="session", autouse=True)
def _register_sim():
    from wengert_testing.sim import SimDevice

    group = registry.group("devices")
    if "sim" in group:
        yield
        return
    with group.register("sim", SimDevice, owner="tests/devices"):
        yield


@pytest.fixture(autouse=True)
def sim(_register_sim):
    """The plugin. Races that nothing raised, of memory that was freed too early, fail the test."""
    from wengert_testing.sim import reset
    from wengert_testing.sim.order import WORLD

    plugin = devices.plugin_of("sim")
    reset()
    for index in range(plugin.COUNT):
        plugin.set_stream(plugin.default_stream(index))
        plugin.limit(None, index)
    plugin.set_device(0)
    plugin.accelerator = True  # pin_memory() means it here
    yield plugin
    plugin.accelerator = False
    gc.collect(1)  # what the test made is young; a collection of all takes 0.3 s in the whole suite
    assert WORLD.races == []
