"""Settings of all tests of constructs."""

import pytest
from wengert_replay.loops.unrolled import UNROLLED


@pytest.fixture(autouse=True)
def _forget_bodies():
    """Bodies of one line are tried one after the other: none is recorded operation by operation for another's sake."""
    UNROLLED.clear()
