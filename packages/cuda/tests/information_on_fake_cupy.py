"""Tests of wengert.cuda's information with a stand-in for CuPy: run by test_on_fake_cupy.py, in its process."""

from __future__ import annotations

import fake_cupy
import pytest
import stand_ins
import wengert as torch
from wengert_core.devices import device as devices

stand_ins.install()


@pytest.fixture(autouse=True)
def _memory():
    fake_cupy.CALLS.clear()
    fake_cupy.CACHED[0] = 0
    yield
    fake_cupy.CACHED[0] = 0


def test_properties_have_torchs_names():
    found = torch.cuda.get_device_properties()
    assert (found.name, found.total_memory, found.multi_processor_count) == ("a stand-in", 1 << 40, 132)
    assert (torch.cuda.get_device_name(0), torch.cuda.get_device_capability("cuda")) == ("a stand-in", (9, 0))
    assert torch.cuda.get_arch_list() == ["sm_90"]
    assert torch.cuda.is_tf32_supported()
    assert not hasattr(found, "luid")  # CUDA's own names are not given out
    assert torch.cuda.can_device_access_peer(0, 0) is False
    with pytest.raises(AssertionError, match="Invalid device id"):
        torch.cuda.get_device_properties(1)


def test_memory_that_the_pool_keeps_is_reserved():
    torch.cuda.reset_peak_memory_stats()
    x = torch.ones(1000, device="cuda")
    used = torch.cuda.memory_allocated()
    fake_cupy.CACHED[0] = 5000
    assert torch.cuda.memory_reserved() == used + 5000
    torch.cuda.empty_cache()
    assert (torch.cuda.memory_reserved(), torch.cuda.max_memory_reserved()) == (used, used + 5000)
    fake_cupy.CACHED[0] = 9000
    torch.cuda.empty_cache()  # nobody has asked before
    assert torch.cuda.memory_stats()["reserved_bytes.all.peak"] == used + 9000
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_reserved() == torch.cuda.max_memory_allocated() == used
    free, total = torch.cuda.mem_get_info()
    assert torch.cuda.device_memory_used() == total - free == used
    assert x.numel() == 1000


@pytest.mark.parametrize("is_old", [False, True])
def test_streams_of_other_libraries(is_old, monkeypatch):
    if is_old:  # ahead of CuPy 14
        monkeypatch.delattr(fake_cupy.Stream, "from_external")
    stream = torch.cuda.ExternalStream(0x1234, device=0)
    assert (stream.cuda_stream, stream.device) == (0x1234, torch.device("cuda", 0))
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
    assert torch.cuda.get_stream_from_external(0x1234) == stream
    devices.plugin_of("cuda").export_stream(0, 0x1234)
    assert fake_cupy.CALLS[-1].startswith("4660 waits")


def test_random_numbers_go_on_from_a_state():
    state = torch.cuda.get_rng_state()
    drawn = torch.rand(3, device="cuda")
    torch.cuda.set_rng_state(state)
    assert drawn.tolist() == torch.rand(3, device="cuda").tolist()
    assert [one.device for one in torch.cuda.default_generators] == [torch.device("cuda", 0)]
