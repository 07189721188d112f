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


def test_numbers_of_devices_that_are_not_there():
    for name in ("synchronize", "current_stream", "memory_allocated", "mem_get_info", "get_rng_state", "Stream"):
        for number in (2, -1, "sim:5"):
            with pytest.raises(RuntimeError, match="invalid device ordinal: expected one of the 2 devices"):
                sim_api[name](number)
    for name in ("get_device_name", "get_device_properties", "get_device_capability"):
        with pytest.raises(AssertionError, match="Invalid device id"):
            sim_api[name](2)
    with pytest.raises(AssertionError, match="Invalid peer device id"):
        sim_api["can_device_access_peer"](0, 2)
    for absent in (None, "sim"):
        with pytest.raises(ValueError, match=r"Expected a torch\.device with a specified index or an integer"):
            sim_api["set_device"](absent)


def test_devices_of_tensors_and_negative_numbers():
    sim_api["set_device"](1)
    with sim_api["device_of"](torch.ones(1, device="sim:0")):
        assert sim_api["current_device"]() == 0
    for unchanged in (sim_api["device_of"](torch.ones(1)), sim_api["device"](-1)):
        with unchanged:
            assert sim_api["current_device"]() == 1
    sim_api["set_device"](-1)
    assert sim_api["current_device"]() == 1
    with pytest.raises(ValueError, match="Expected a sim device, but got: cpu"):
        sim_api["device"]("cpu")
    sim_api["init"]()
    assert sim_api["is_initialized"]()


def test_properties(sim):
    found = sim_api["get_device_properties"]("sim:1")
    assert (found.name, found.total_memory) == ("simulated device", 16 << 30)
    assert sim_api["get_device_name"]() == "simulated device"
    assert sim_api["get_device_capability"](1) == (1, 1)
    assert sim_api["can_device_access_peer"](0, 1)
    assert not sim_api["can_device_access_peer"](0, 0)
    assert sim_api["get_arch_list"]() == ["sm_10", "sm_11"]
    assert not sim_api["is_tf32_supported"]()
    assert not sim_api["is_bf16_supported"](including_emulation=False)
    assert repr(found).startswith("DeviceProperties(name='simulated device', total_memory=17179869184,")
    with pytest.raises(AttributeError, match="have no attribute 'warp_size'; its plugin tells name, total"):
        found.warp_size  # noqa: B018


def test_bfloat16_is_tried(sim, monkeypatch):
    assert sim_api["is_bf16_supported"]() is torch.ones(1, dtype=torch.bfloat16).add(1).eq(2).item()
    monkeypatch.setattr(sim, "allocate", lambda nbytes, index: 1 / 0)
    assert sim_api["is_bf16_supported"]() is False


def test_plugins_without_properties_or_figures():
    from wengert_core.extend import DevicePlugin

    class Plain(DevicePlugin):
        type = "plain"

    plugin = Plain()
    assert plugin.properties(0) == {"name": "plain:0"}
    assert plugin.can_access_peer(0, 1) is False
    with pytest.raises(RuntimeError, match="devices of type 'plain' do not tell how much memory they have"):
        plugin.memory_info(0)
    with pytest.raises(RuntimeError, match="devices of type 'plain' take no streams of other libraries"):
        plugin.external_stream(0, 1)


def test_figures_of_memory_have_torchs_names(sim):
    x = torch.zeros(100, device="sim")
    allocated, peak = sim_api["memory_allocated"](), sim_api["max_memory_allocated"]()
    assert (sim_api["memory_reserved"](), sim_api["max_memory_reserved"]()) == (allocated, peak)  # sim keeps nothing
    stats = sim_api["memory_stats"]()
    assert list(stats) == sorted(stats)
    assert (stats["allocated_bytes.all.current"], stats["allocated_bytes.all.peak"]) == (allocated, peak)
    assert (stats["reserved_bytes.all.current"], stats["reserved_bytes.all.peak"]) == (allocated, peak)
    assert stats["allocated"] == sim.memory_stats(0)["allocated"]  # the plugin's own
    assert sim_api["memory_stats_as_nested_dict"]()["allocated_bytes"] == {"all": {"current": allocated, "peak": peak}}
    assert sim_api["mem_get_info"]() == ((16 << 30) - allocated, 16 << 30)
    sim.limit(1 << 20)
    assert sim_api["mem_get_info"]("sim:0") == ((1 << 20) - allocated, 1 << 20)
    assert sim_api["device_memory_used"]() == allocated
    assert sim_api["ipc_collect"]() is None
    del x


def test_memory_kept_for_reuse(sim, monkeypatch):
    figures = {"allocated": 100, "peak": 3 << 20, "reserved": 2048, "reserved_peak": 5 << 30}
    monkeypatch.setattr(sim, "memory_stats", lambda index: figures)
    assert (sim_api["memory_reserved"](), sim_api["max_memory_reserved"]()) == (2048, 5 << 30)
    lines = sim_api["memory_summary"]().splitlines()
    assert lines[0] == "sim memory summary, device ID 0"
    assert [line.split() for line in lines[3:]][:2] == [
        ["Allocated", "memory", "100", "B", "3.0", "MiB"], ["Reserved", "memory", "2.0", "KiB", "5.0", "GiB"],
    ]  # fmt: skip
    assert lines[5].startswith("Memory of the device")
    assert len(sim_api["memory_summary"](abbreviated=True).splitlines()) == 5
    with pytest.warns(FutureWarning, match="`torch.sim.memory_cached` has been renamed to `torch.sim.memory_reserved`"):
        assert sim_api["memory_cached"]() == 2048
    with pytest.warns(FutureWarning, match="max_memory_cached"):
        assert sim_api["max_memory_cached"]() == 5 << 30
    for name in ("reset_max_memory_allocated", "reset_max_memory_cached"):
        with pytest.warns(FutureWarning, match=f"torch.sim.{name}` now calls `torch.sim.reset_peak_memory_stats"):
            sim_api[name]()


def test_states_of_random_numbers():
    sim_api["manual_seed_all"](3)
    state, states = sim_api["get_rng_state"]("sim:1"), sim_api["get_rng_state_all"]()
    drawn = torch.rand(3, device="sim:1")
    assert len(states) == 2
    sim_api["set_rng_state"](state, "sim:1")
    assert drawn.equal(torch.rand(3, device="sim:1"))
    sim_api["set_rng_state_all"](states)
    assert drawn.equal(torch.rand(3, device="sim:1"))
    with pytest.raises(TypeError, match="RNG state must be a"):
        sim_api["set_rng_state"](torch.ones(3))


def test_seeds_of_the_system():
    sim_api["manual_seed_all"](3)
    sim_api["seed"]()
    generators = sim_api["default_generators"]
    assert len(generators) == 2
    assert generators[0].initial_seed() == sim_api["initial_seed"]() != 3
    assert generators[-1].initial_seed() == 3
    assert [one.device.index for one in generators[:]] == [0, 1]
    sim_api["seed_all"]()
    assert generators[0].initial_seed() == generators[1].initial_seed() != 3


def test_streams_of_other_libraries():
    side = sim_api["Stream"]("sim:1")
    assert sim_api["ExternalStream"](side.number, device="sim:1") is side
    with sim_api["stream"](sim_api["get_stream_from_external"](side.number, "sim:1")):
        assert sim_api["current_stream"]("sim:1") is side
    with pytest.raises(ValueError, match="expected the number of a stream of sim:0"):
        sim_api["get_stream_from_external"](side.number, 0)


ABSENT = [
    lambda: cuda.mem_get_info(), lambda: cuda.get_rng_state(), lambda: cuda.initial_seed(), lambda: cuda.init(),
    lambda: cuda.get_device_name(), lambda: cuda.get_device_name(0), lambda: cuda.get_device_capability(),
    lambda: cuda.get_device_properties("cuda"), lambda: cuda.ipc_collect(), lambda: cuda.default_stream(),
    lambda: cuda.can_device_access_peer(0, 1), lambda: cuda.get_stream_from_external(0), lambda: cuda.set_device(0),
    lambda: cuda.memory_summary(), lambda: cuda.device_memory_used(), lambda: cuda.reset_peak_memory_stats(),
    lambda: cuda.device(0).__enter__(),
]  # fmt: skip


@pytest.mark.skipif(cuda.is_available(), reason="there is a GPU: packages/cuda/tests look at it")
@pytest.mark.parametrize("call", ABSENT)
def test_cuda_without_a_gpu_raises_as_torch(call):
    with pytest.raises(AssertionError, match="CUDA"):
        call()


@pytest.mark.skipif(cuda.is_available(), reason="there is a GPU: packages/cuda/tests look at it")
def test_cuda_without_a_gpu_has_torchs_empty_answers():
    state = torch.zeros(56, dtype=torch.uint8)
    assert (cuda.memory_reserved(), cuda.max_memory_reserved()) == (0, 0)
    assert (dict(cuda.memory_stats()), cuda.memory_stats_as_nested_dict(), cuda.get_rng_state_all()) == ({}, {}, [])
    assert (cuda.seed(), cuda.seed_all(), cuda.set_rng_state(state), cuda.set_rng_state_all([state])) == (None,) * 4
    assert (len(cuda.default_generators), repr(cuda.default_generators), cuda.get_arch_list()) == (0, "()", [])
    assert (cuda.is_bf16_supported(), cuda.is_tf32_supported(), cuda.has_half) == (False, False, True)
    assert cuda.set_device(-1) is None
    with cuda.device(-1), cuda.device_of(torch.ones(1)):
        pass
    for call in (lambda: cuda.device("cpu"), lambda: cuda.mem_get_info("cpu"), lambda: cuda.set_device("cpu")):
        with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
            call()


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
