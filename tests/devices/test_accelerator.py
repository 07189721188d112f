"""The functions that wengert.cuda is made of, for the simulated device; and wengert.cuda itself without a GPU."""

from __future__ import annotations

import pytest
import wengert as torch
from wengert_core import cuda
from wengert_core.backends.accelerator import functions

sim_api = functions("sim")


def test_devices_are_counted_and_chosen():
    assert sim_api["is_available"]()
    assert sim_api["device_count"]() == 2
    sim_api["set_device"](1)
    assert sim_api["current_device"]() == 1
    with sim_api["device"]("sim:0"):
        assert torch.ones(1, device="sim").device == torch.device("sim", 0)
    assert torch.ones(1, device="sim").device == torch.device("sim", 1)
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        sim_api["set_device"](7)
    with pytest.raises(ValueError, match="Expected a sim device, but got: cpu"):
        sim_api["synchronize"]("cpu")


def test_memory():
    before = sim_api["memory_allocated"]()
    sim_api["reset_peak_memory_stats"]()
    x = torch.zeros(100, device="sim")
    assert sim_api["memory_allocated"]() == before + 400
    del x
    assert sim_api["memory_allocated"]() == before
    assert sim_api["max_memory_allocated"]() == before + 400
    sim_api["empty_cache"]()
    sim_api["synchronize"]()


def test_seeds():
    sim_api["manual_seed_all"](5)
    a = torch.rand(3, device="sim:1")
    sim_api["manual_seed_all"](5)
    assert a.equal(torch.rand(3, device="sim:1"))
    assert sim_api["initial_seed"]() == 5


def test_streams_are_set_inside_of_a_block():
    before, side = sim_api["current_stream"](), sim_api["Stream"]()
    with sim_api["stream"](side):
        assert sim_api["current_stream"]() is side
    assert sim_api["current_stream"]() is before is sim_api["default_stream"]()
    with sim_api["stream"](None):
        assert sim_api["current_stream"]() is before


@pytest.mark.skipif(cuda.is_available(), reason="there is a GPU: packages/cuda/tests look at it")
def test_cuda_without_a_gpu_answers_as_torch():
    assert (cuda.device_count(), cuda.is_initialized()) == (0, False)
    assert (cuda.memory_allocated(), cuda.max_memory_allocated()) == (0, 0)
    assert cuda.manual_seed(1) is None
    assert cuda.empty_cache() is None
    with cuda.stream(None):
        pass
    for call in (cuda.current_device, cuda.synchronize, cuda.current_stream, lambda: torch.ones(1).cuda()):
        with pytest.raises(RuntimeError, match="CUDA"):
            call()
    with pytest.raises(RuntimeError, match="Stream requires CUDA support"):
        cuda.Stream()
    with pytest.raises(RuntimeError, match="Tried to instantiate dummy base class Event"):
        cuda.Event()
    with pytest.raises(AttributeError, match=r"wengert.cuda' has no attribute 'nothing'"):
        cuda.nothing  # noqa: B018
