"""The simulated device for all tests of this folder."""

import sys
from pathlib import Path

import pytest
from wengert_core.devices import device as devices
from wengert_registry import registry
from wengert_testing.sim import SimDevice, reset

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _sim():
    group = registry.group("devices")
    reset()
    if "sim" in group:
        yield
    else:
        with group.register("sim", SimDevice, owner="packages/replay/tests"):
            yield
    plugin = devices.plugin_of("sim")
    assert not any(stream.capture for stream in plugin.streams())
