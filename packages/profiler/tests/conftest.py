"""Fixtures of the profiler's tests."""

import pytest
from wengert_engine.observe import observing


@pytest.fixture(autouse=True)
def nobody_observes():
    """No test leaves its thread observed."""
    yield
    left = observing.current_recording()
    observing.stop()
    observing.listen(None)
    assert left is None
