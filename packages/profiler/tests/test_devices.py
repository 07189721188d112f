"""Times on devices, by their events: on the simulated device, whose clock tells exactly what each stream did."""

import json
import warnings

import pytest
import wengert as wg
from wengert.autograd.profiler import profile, record_function
from wengert.profiler import load_chrome_trace
from wengert_core import TABLE
from wengert_core.devices import device
from wengert_engine.observe.device_times import MANY, DeviceTimes
from wengert_profiler.columns.device_columns import finish_times
from wengert_registry import registry
from wengert_testing.sim import SimDevice, SimEvent, reset


@pytest.fixture(scope="module", autouse=True)
def _register_sim():
    group = registry.group("devices")
    if "sim" in group:
        yield
        return
    with group.register("sim", SimDevice, owner="packages/profiler/tests"):
        yield


@pytest.fixture
def sim(_register_sim):
    plugin = device.plugin_of("sim")
    reset()
    for index in range(plugin.COUNT):
        plugin.set_stream(plugin.default_stream(index))
    return plugin


def busy(plugin, index=0):
    """Milliseconds of the device's clock at which its stream has done all it was given."""
    return plugin.current_stream(index).free_at


def times(prof):
    return {row.key: row for row in prof.key_averages()}


def test_the_time_of_an_operation_is_that_of_its_stream(sim):
    x = wg.ones(4, device="sim")
    x * 2
    with profile(use_device="sim") as prof:
        x + 1
        sim.synchronize(0)
        before = busy(sim)
        y = x * 2
        after = busy(sim)
    row = times(prof)["aten::mul"]
    assert after > before
    # the events are recorded a few of the host's thousandths of a millisecond before the stream begins
    assert row.device_time_total == pytest.approx(1e3 * (after - before), abs=20)
    assert row.self_device_time_total == row.device_time_total
    assert row.use_device == "sim"
    assert y.cpu().tolist() == [2.0] * 4


def test_device_times_are_not_those_of_the_host(sim):
    x = wg.ones(4, device="sim")
    with profile(use_device="sim") as prof:
        sim.synchronize(0)
        before = busy(sim)  # the clock goes on where the test before this one has left it
        for _ in range(20):
            x = x * 2
        queued = busy(sim) - before
    total = times(prof)["aten::mul"].device_time_total
    assert total == pytest.approx(1e3 * queued, rel=0.2)
    assert prof.key_averages().table(sort_by="cuda_time_total").count("Self SIM") == 3


def test_labels_and_nodes_have_the_times_of_what_they_ran(sim):
    x = wg.ones(3, device="sim").requires_grad_()
    with profile(use_device="sim") as prof:
        with record_function("forward"):
            y = (x * x).sum()
            z = wg.ones(2) * 2
        y.backward()
    events = {event.name: event for event in prof.function_events}
    label = events["forward"]
    inside = [child.device_time_total for child in label.cpu_children]
    assert label.device_time_total == pytest.approx(sum(inside))
    assert label.device_time_total > 0
    assert label.self_device_time_total == pytest.approx(0)
    assert [child.device_time_total for child in label.cpu_children][-1] == 0  # on the host
    node = events["MulBackward0"]
    assert node.device_time_total == pytest.approx(sum(child.device_time_total for child in node.cpu_children))
    assert node.device_time_total > 0
    assert z.tolist() == [2.0, 2.0]


def test_sums_of_columns_are_sums_of_events_also_for_devices(sim):
    x = wg.ones(3, 3, device="sim").requires_grad_()
    with profile(use_device="sim", profile_memory=True) as prof:
        for _ in range(3):
            wg.nn.functional.cross_entropy(x.sin(), wg.tensor([0, 1, 2], device="sim")).backward()
    fast, slow = prof.key_averages(), prof.function_events.key_averages()
    for one, other in zip(fast, slow, strict=True):
        for name in ("device_time_total", "self_device_time_total", "device_memory_usage", "self_device_memory_usage"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-6), (one.key, name)
    total = prof.total_average()
    top = sum(event.device_time_total for event in prof.function_events if event.cpu_parent is None)
    assert total.self_device_time_total == pytest.approx(top)


def test_memory_of_the_device(sim):
    with profile(use_device="sim", profile_memory=True) as prof:
        x = wg.ones(1000, device="sim")
        x.add_(1)
        y = x * 2
    rows = times(prof)
    assert rows["aten::ones"].device_memory_usage == rows["aten::mul"].device_memory_usage == 4000
    assert rows["aten::add_"].device_memory_usage == 0
    table = prof.key_averages().table(sort_by="self_cuda_memory_usage")
    assert "SIM Mem" in table
    assert "3.91 KB" in table
    assert y.numel() == 1000


def test_the_memory_of_the_device_is_balanced(sim, tmp_path):
    with profile(use_device="sim", profile_memory=True) as prof:
        x = wg.ones(1000, device="sim")
        y = x * 2
        del x
        z = y.exp()
        del y, z
    found = [(event.name, event.device_memory_usage) for event in prof.function_events if event.device_memory_usage]
    between = [("[memory]", -4000), ("[memory]", -8000)]
    assert found == [("aten::ones", 4000), ("aten::mul", 4000), between[0], ("aten::exp", 4000), between[1]]
    assert prof.total_average().self_device_memory_usage == 0
    prof.export_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    levels = [event["args"]["bytes"] for event in trace if event["name"] == "memory of sim:0"]
    assert levels == [4000, 8000, 4000, 8000, 0]


def test_factories_and_moves_are_on_the_device_they_name(sim):
    with profile(use_device="sim") as prof:
        x = wg.randn(5, device="sim:1")
        wg.ones(3).to("sim")
        x.cpu()
    events = prof.function_events
    assert [(event.name, [kernel.device for kernel in event.kernels]) for event in events] == [
        ("aten::randn", [1]),
        ("aten::ones", []),
        ("aten::_to_copy", [0]),
        ("aten::_to_copy", [1]),
    ]


def test_each_stream_has_a_line_in_the_trace(sim, tmp_path):
    x = wg.ones(3, device="sim")
    other = sim.make_stream(0)
    with profile(use_device="sim") as prof:
        x * 2
        before = sim.set_stream(other)
        other.wait_stream(before)
        x * 3
        sim.set_stream(before)
        before.wait_stream(other)
    prof.export_chrome_trace(tmp_path / "trace.json", {"run": "7"})
    whole = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))
    assert whole["otherData"]["run"] == "7"
    kernels = [event for event in whole["traceEvents"] if event.get("cat") == "kernel"]
    names = {e["tid"]: e["args"]["name"] for e in whole["traceEvents"] if e["name"] == "thread_name"}
    assert [names[event["tid"]] for event in kernels] == ["sim:0 stream 0", "sim:0 stream 1"]
    spans = {event["args"]["External id"]: event for event in whole["traceEvents"] if event.get("cat") == "cpu_op"}
    for kernel in kernels:
        assert kernel["ts"] >= spans[kernel["args"]["External id"]]["ts"]
    arrows = [event for event in whole["traceEvents"] if event.get("cat") == "ac2g"]
    assert len(arrows) == 4
    again = load_chrome_trace(tmp_path / "trace.json").key_averages()
    expected = times(prof)["aten::mul"].device_time_total
    assert {row.key: row.device_time_total for row in again}["aten::mul"] == pytest.approx(expected)


def test_many_operations_are_waited_for_in_between(sim, monkeypatch):
    x = wg.ones(2, device="sim")
    made = []
    monkeypatch.setattr(sim, "make_event", lambda enable_timing=False: made.append(1) or SimEvent(sim, enable_timing))
    with profile(use_device="sim") as prof:
        for _ in range(MANY + 100):
            x.add_(1)
    assert len(made) <= 2 * MANY + 1  # they are used again
    assert times(prof)["aten::add_"].count == MANY + 100
    assert all(event.device_time_total > 0 for event in prof.function_events)


def test_views_give_a_device_no_work(sim, tmp_path):
    x = wg.ones(2, 3, device="sim")
    with profile(use_device="sim") as prof:
        x.t().view(3, 2)[0].expand(4, 2)
        x.unbind()
        x.t().exp()
    found = {event.name: event.device_time_total for event in prof.function_events}
    assert found.pop("aten::exp") > 0
    assert set(found.values()) == {0}
    assert len(prof.records().device_times) == 1


def test_nothing_is_waited_for_where_no_device_is_asked_for(sim, monkeypatch):
    monkeypatch.setattr(sim, "make_event", lambda enable_timing=False: pytest.fail("an event was made"))
    x = wg.ones(2, device="sim")
    with profile() as prof:
        x * 2
    assert times(prof)["aten::mul"].device_time_total == 0
    assert "SIM" not in prof.table()


def test_another_type_of_device_is_not_timed(sim):
    x = wg.ones(2, device="sim")
    with pytest.warns(UserWarning, match="CUDA is not available"):
        prof = profile(use_device="cuda")
    with prof:
        x * 2
    assert times(prof)["aten::mul"].device_time_total == 0
    assert "Self CUDA time total: 0.000us" in prof.table()


def test_events_that_fail_do_not_stop_the_program(sim, monkeypatch):
    def fails(enable_timing=False):
        raise RuntimeError("the driver is gone")

    monkeypatch.setattr(sim, "make_event", fails)
    x = wg.ones(2, device="sim")
    with (
        pytest.warns(RuntimeWarning, match="type 'sim' raised RuntimeError: the driver is gone") as caught,
        profile(use_device="sim") as prof,
    ):
        y = x * 2 + 1
    assert len(caught) == 1
    assert y.cpu().tolist() == [3.0, 3.0]
    assert [event.name for event in prof.function_events] == ["aten::mul", "aten::add"]


def test_figures_of_memory_that_fail_do_not_stop_the_program(sim, monkeypatch):
    x = wg.ones(2, device="sim")

    def fails(index):
        raise OSError("no figures")

    monkeypatch.setattr(sim, "memory_stats", fails)
    with (
        pytest.warns(RuntimeWarning, match="OSError: no figures") as caught,
        profile(use_device="sim", profile_memory=True) as prof,
    ):
        y = x * 2 + 1
    assert len(caught) == 1
    assert y.cpu().tolist() == [3.0, 3.0]
    assert len(prof.function_events) == 2


def test_a_device_without_events_says_so(sim, monkeypatch):
    timer = DeviceTimes("sim")
    factory = TABLE.ops["ones"]
    with monkeypatch.context() as patch:
        patch.setattr(sim, "current_stream", lambda index: None)
        place = timer.device_number(factory, ["sim" if name == "device" else None for name in factory.params])
        assert place
        assert timer.begin(place) is None
    with pytest.warns(UserWarning, match="devices of type 'sim' have no events"):
        assert finish_times(timer) == []


def test_a_failing_operation_is_timed_to_its_end(sim):
    x = wg.ones(2, device="sim")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with profile(use_device="sim") as prof:
            with pytest.raises(RuntimeError, match="size of tensor"):
                x + wg.ones(3, device="sim")
            x * 2
    assert times(prof)["aten::mul"].device_time_total > 0
    assert wg.ones(1).tolist() == [1.0]


def test_without_the_cpu_there_are_events_of_the_device_only(sim, tmp_path):
    x = wg.ones(2, device="sim")
    with pytest.warns(UserWarning, match="no Kineto"):
        prof = profile(use_cpu=False, use_kineto=True, use_device="sim")
    with prof:
        wg.ones(2) * 2
        x * 2
        x * 3
        x.exp()
    events = prof.function_events
    assert [event.name for event in events] == ["aten::mul", "aten::mul", "aten::exp"]
    assert {event.device_type.name for event in events} == {"PrivateUse1"}
    assert {event.cpu_time_total for event in events} == {0}
    rows = times(prof)
    assert rows["aten::mul"].count == 2
    assert rows["aten::mul"].self_device_time_total == pytest.approx(sum(e.time_range.elapsed_us() for e in events[:2]))
    assert prof.self_cpu_time_total == 0
    assert prof.total_average().device_time_total > rows["aten::mul"].device_time_total
    assert "Self SIM" in prof.table()
    prof.export_chrome_trace(tmp_path / "trace.json")
    spans = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    assert [event["cat"] for event in spans if event["ph"] == "X"] == ["kernel"] * 3
    again = load_chrome_trace(tmp_path / "trace.json").key_averages()
    assert [(row.key, row.count, row.cpu_time_total) for row in again] == [("aten::mul", 2, 0), ("aten::exp", 1, 0)]
    assert again[0].device_time_total == pytest.approx(rows["aten::mul"].device_time_total)
