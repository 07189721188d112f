"""A plugin of pytest: a suite that knows of no devices runs on one.

    WENGERT_TEST_DEVICE=sim pytest -p wengert_testing.on_device packages/engine/tests

Factories that are told no device make their tensors there (``set_default_device``), in the modules of the tests as
well. A test that is about memory of the host says so by the mark ``host(reason)`` and is skipped, with the reason. On
the simulated device races that nobody raised fail the test in which they were found.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from wengert_core.backends import default_device
from wengert_core.devices import device
from wengert_registry import registry

NAME = os.environ.get("WENGERT_TEST_DEVICE", "")
_absent: list[str] = []  # why there is no such device here


def pytest_configure(config: Any) -> None:
    """Choose the device before the first test is imported."""
    config.addinivalue_line("markers", "host(reason): about memory of the host, so not for other devices")
    if not NAME:
        raise pytest.UsageError("wengert_testing.on_device: say by WENGERT_TEST_DEVICE which device the tests run on")
    if NAME == "sim" and "sim" not in registry.group("devices"):
        from wengert_testing.sim import SimDevice

        registry.group("devices").register("sim", SimDevice, owner="wengert_testing.on_device")
    try:
        default_device.set_default_device(NAME)
    except device.AbsentDeviceError as error:
        _absent.append(str(error))
    except RuntimeError as error:
        raise pytest.UsageError(f"wengert_testing.on_device: {error}") from None


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave out what is about the host; all, where there is no such device."""
    for item in items:
        if _absent:
            item.add_marker(pytest.mark.skip(reason=_absent[0]))
        mark = item.get_closest_marker("host")
        if mark is not None:
            item.add_marker(pytest.mark.skip(reason=f"for the host only: {mark.args[0]}"))


@pytest.fixture(autouse=True)
def _on_device() -> Iterator[None]:
    """Each test starts with the device as the default one, and no race of the one before."""
    default_device.set_default_device(NAME)
    if device.device(NAME).type != "sim":
        yield
        return
    from wengert_testing.sim import reset
    from wengert_testing.sim.order import WORLD

    plugin = device.plugin_of("sim")
    reset()
    for index in range(plugin.COUNT):
        plugin.set_stream(plugin.default_stream(index))
    yield
    gc.collect(0)
    assert WORLD.races == []
