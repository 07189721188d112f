"""A default device that is refused changes nothing."""

import pytest
import wengert_core as wc
from wengert_core.backends import default_device


@pytest.mark.parametrize("wrong", [wc.ones(2), True, object()], ids=["tensor", "bool", "object"])
def test_a_default_device_that_is_refused_is_forgotten(wrong):
    for choose in (default_device.enter, default_device.set_default_device):
        with pytest.raises((TypeError, RuntimeError)):
            choose(wrong)
        assert default_device.get_default_device() == wc.device("cpu")
        assert wc.zeros(2).device == wc.device("cpu")
    default_device.set_default_device(None)
