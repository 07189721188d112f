"""Profiles of programs that run in steps, beyond the recorded answers of PyTorch."""

import gzip
import json
import os

import pytest
import wengert as wg
from wengert.profiler import (
    ProfilerAction,
    ProfilerActivity,
    load_chrome_trace,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

CPU = [ProfilerActivity.CPU]


def names_of(events):
    return [event.name for event in events if event.name.startswith("aten::")]


def test_only_the_steps_of_a_window_are_recorded():
    found = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=1, skip_first=1),
        on_trace_ready=lambda prof: found.append((prof.step_num, names_of(prof.events()))),
    ) as prof:
        for function in (wg.exp, wg.sin, wg.cos, wg.tanh, wg.sqrt):
            function(wg.ones(2))
            prof.step()
    assert found == [(4, ["aten::ones", "aten::tanh"])]
    assert names_of(prof.events()) == ["aten::ones", "aten::tanh"]


def test_names_of_the_profile_of_a_block_are_there():
    with profile(activities=CPU, record_shapes=True, with_stack=True, profile_memory=True) as prof:
        wg.ones(2, 3).exp()
    assert "aten::exp" in prof.table()
    assert prof.total_average().count >= 2
    assert prof.self_cpu_time_total > 0
    assert "aten::exp" in str(prof)
    assert "aten::exp" in prof._repr_html_()
    assert wg.profiler.compare(prof, prof)
    assert prof.profiler.record_shapes
    with pytest.raises(AttributeError, match="'profile' object has no attribute 'foo'"):
        prof.foo  # noqa: B018


def test_results_before_the_first_window_are_refused():
    prof = profile(activities=CPU, schedule=schedule(wait=1, warmup=1, active=1))
    assert repr(prof) == "<torch.profiler.profile in step 0>"
    assert "&lt;torch" in prof._repr_html_()
    for use in (prof.events, prof.key_averages, lambda: prof.table(), lambda: prof.export_chrome_trace("nowhere")):
        with pytest.raises((AssertionError, AttributeError), match="Profiler must be initialized before"):
            use()
    prof.toggle_collection_dynamic(False, CPU)


def test_results_inside_of_a_window_are_refused():
    with profile(activities=CPU) as prof, pytest.raises(RuntimeError, match="didn't finish running"):
        prof.key_averages()


def test_activities():
    assert supported_activities() >= {ProfilerActivity.CPU}
    assert profile().activities == supported_activities()
    with pytest.raises(AssertionError, match=r"No valid profiler activities found: .*expected some of"):
        profile(activities=["cpu"])
    with pytest.warns(FutureWarning, match="`use_cuda` is deprecated"):
        assert ProfilerActivity.CUDA in profile(activities=CPU, use_cuda=True).activities
    with pytest.warns(FutureWarning, match="`use_cuda` is deprecated"):
        assert ProfilerActivity.CUDA not in profile(activities=[*CPU, ProfilerActivity.CUDA], use_cuda=False).activities
    with pytest.warns(UserWarning, match="execution_trace_observer"):
        profile(activities=CPU, execution_trace_observer=object())


@pytest.mark.filterwarnings("ignore:CUDA is not available")
def test_a_profile_of_the_device_alone_has_no_events_of_the_cpu():
    with profile(activities=[ProfilerActivity.CUDA]) as prof:
        wg.ones(2).exp()
    assert names_of(prof.events()) == []


def test_sinks_get_each_window(tmp_path):
    written = []

    class Sink:
        def write(self, prof):
            written.append(names_of(prof.function_events))

    with profile(schedule=schedule(wait=0, warmup=1, active=1), sinks=[Sink()]) as prof:
        for function in (wg.exp, wg.sin, wg.cos, wg.tanh):
            function(wg.ones(2))
            prof.step()
    assert written == [["aten::ones", "aten::sin"], ["aten::ones", "aten::tanh"]]


def test_an_error_of_the_handler_leaves_no_profile_behind():
    def fail(prof):
        raise ZeroDivisionError("of the handler")

    with pytest.raises(ZeroDivisionError, match="of the handler"), profile(activities=CPU, on_trace_ready=fail):
        wg.ones(2)
    with profile(activities=CPU) as prof:
        wg.ones(2).exp()
    assert names_of(prof.events()) == ["aten::ones", "aten::exp"]


def test_an_error_in_the_block_ends_the_window():
    def fail():
        wg.ones(2)
        raise KeyError

    with pytest.raises(KeyError), profile(activities=CPU, schedule=lambda step: ProfilerAction.RECORD) as prof:
        fail()
    assert [event.name for event in prof.events()] == ["ProfilerStep#0", "aten::ones"]


def test_trace_files_hold_metadata_and_are_read_again(tmp_path):
    with profile(activities=CPU) as prof:
        wg.ones(2).exp()
    prof.add_metadata("run", "seven")
    prof.add_metadata_json("sizes", "[1, 2]")
    for name in ("trace.json", "trace.json.gz"):
        path = tmp_path / name
        prof.export_chrome_trace(str(path))
        with (gzip.open if name.endswith("gz") else open)(path, "rt") as file:
            other = json.load(file)["otherData"]
        assert other["run"] == "seven"
        assert other["sizes"] == [1, 2]
        assert names_of(load_chrome_trace(str(path))) == ["aten::ones", "aten::exp"]
    (tmp_path / "damaged.gz").write_bytes(b"no archive")
    with pytest.raises(wg.profiler.TraceFileError, match="is not a Chrome trace"):
        load_chrome_trace(tmp_path / "damaged.gz")


def test_trace_handler_names_files_by_host_and_process(tmp_path):
    with profile(activities=CPU, on_trace_ready=tensorboard_trace_handler(str(tmp_path / "a" / "b"))):
        wg.ones(2)
    (name,) = os.listdir(tmp_path / "a" / "b")
    assert f"_{os.getpid()}." in name
    assert name.endswith(".pt.trace.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="Can't create directory"):
        tensorboard_trace_handler(str(tmp_path / "file" / "folder"))(None)


def test_steps_are_one_group_in_sums():
    with profile(activities=CPU, schedule=lambda step: ProfilerAction.RECORD) as prof:
        for _ in range(3):
            wg.ones(2)
            prof.step()
    assert [event.name for event in prof.events()][::2] == [f"ProfilerStep#{i}" for i in range(4)]
    rows = {row.key: row.count for row in prof.key_averages()}
    assert rows == {"ProfilerStep*": 4, "aten::ones": 3}
    assert {row.key: row.count for row in prof.events().key_averages()} == rows
