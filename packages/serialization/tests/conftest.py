"""The simulated device, for the tests that ask for it."""

from collections.abc import Iterator

import pytest
from wengert_registry import registry
from wengert_testing.sim import SimDevice


@pytest.fixture(scope="module")
def sim() -> Iterator[None]:
    group = registry.group("devices")
    if "sim" in group:
        yield
        return
    with group.register("sim", SimDevice):
        yield
