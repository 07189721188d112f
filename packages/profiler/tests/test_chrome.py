"""Chrome traces: the rules of the format, and that the events are those of the profile."""

import json

import pytest
import wengert as wg
from wengert.autograd.profiler import profile, record_function
from wengert.profiler import TraceFileError, load_chrome_trace


def check_rules(trace):
    """What chrome://tracing and Perfetto ask of a file. Returns its events by phase."""
    assert isinstance(trace["traceEvents"], list)
    phases = {}
    for event in trace["traceEvents"]:
        assert {"ph", "pid", "tid", "ts", "name"} <= set(event)
        assert event["ts"] >= 0
        phases.setdefault(event["ph"], []).append(event)
    assert set(phases) <= {"X", "M", "s", "f", "C"}
    for event in phases.get("X", ()):
        assert event["dur"] >= 0
        assert isinstance(event["name"], str)
    check_nesting(phases["X"])
    check_arrows(phases)
    for counter in phases.get("C", ()):
        assert all(isinstance(value, int) for value in counter["args"].values())
    times = [counter["ts"] for counter in phases.get("C", ())]
    assert times == sorted(times)
    named = {event["tid"] for event in phases["M"] if event["name"] == "thread_name"}
    assert {event["tid"] for event in phases["X"]} <= named
    return phases


def check_nesting(spans):
    """Events of one thread lie inside of each other or apart."""
    threads = {}
    for span in spans:
        threads.setdefault(span["tid"], []).append(span)
    for several in threads.values():
        running = []
        for span in sorted(several, key=lambda one: (one["ts"], -one["dur"])):
            while running and running[-1]["ts"] + running[-1]["dur"] <= span["ts"] + 1e-9:
                running.pop()
            if running:
                assert span["ts"] + span["dur"] <= running[-1]["ts"] + running[-1]["dur"] + 1e-6
            running.append(span)


def check_arrows(phases):
    """Each arrow begins once and ends once, later, and both ends lie on events."""
    starts = {event["id"]: event for event in phases.get("s", ())}
    ends = {event["id"]: event for event in phases.get("f", ())}
    assert len(starts) == len(phases.get("s", ()))
    assert set(starts) == set(ends)
    places = {(event["tid"], event["ts"]) for event in phases["X"]}
    for number, start in starts.items():
        assert start["ts"] <= ends[number]["ts"]
        assert (start["tid"], start["ts"]) in places
        assert (ends[number]["tid"], ends[number]["ts"]) in places
        assert ends[number]["bp"] == "e"
        assert (start["cat"], start["name"]) == (ends[number]["cat"], ends[number]["name"])


@pytest.fixture
def prof():
    x = wg.ones(20, 30, requires_grad=True)
    with profile(record_shapes=True, profile_memory=True, with_stack=True, with_flops=True) as found:
        with record_function('a "label"\n</script>', "step 1"):
            y = wg.nn.functional.cross_entropy(x.sin(), wg.zeros(20, dtype=wg.int64))
        (g,) = wg.autograd.grad(y, x, create_graph=True)
        g.sum().backward()
        wg.profiler.carried(lambda: None)()
    return found


def test_a_trace_follows_the_rules_and_holds_the_events(prof, tmp_path):
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    phases = check_rules(json.loads(path.read_text(encoding="utf-8")))
    events = [event for event in prof.function_events if event.name != "[memory]"]
    assert [
        (span["name"], span["tid"], span["args"]["Sequence number"], span["args"]["Fwd thread id"])
        for span in phases["X"]
    ] == [(event.name, event.thread, event.sequence_nr, event.fwd_thread) for event in events]
    for span, event in zip(phases["X"], events, strict=True):
        assert span["ts"] == pytest.approx(event.time_range.start)
        assert span["dur"] == pytest.approx(event.cpu_time_total)
        assert span["args"].get("Input Dims", []) == event.input_shapes
        assert span["args"].get("FLOPs", 0) == event.flops
        assert span["args"].get("Call stack", "") == ";".join(event.stack)
    assert phases["X"][0]["args"]["Concrete Inputs"] == ["step 1"]


def test_arrows_lead_from_operators_to_their_derivatives(prof, tmp_path):
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    phases = check_rules(json.loads(path.read_text(encoding="utf-8")))
    at = {(span["tid"], span["ts"]): span["name"] for span in phases["X"]}
    ends = {end["id"]: at[end["tid"], end["ts"]] for end in phases["f"]}
    arrows = {(at[start["tid"], start["ts"]], ends[start["id"]]) for start in phases["s"]}
    assert ("aten::sin", "SinBackward0") in arrows
    assert ("aten::log_softmax", "LogSoftmaxBackward0") in arrows
    assert any(start == "aten::sum" and end == "SumBackward0" for start, end in arrows)
    assert len(phases["s"]) == sum(event.name.endswith("Backward0") for event in prof.function_events)


def test_the_counter_ends_with_what_is_left(tmp_path):
    path = tmp_path / "trace.json"
    with profile(profile_memory=True) as prof:
        x = wg.ones(1000)
        y = x * 2
        del y
    prof.export_chrome_trace(path)
    levels = [
        event["args"]["bytes"]
        for event in json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
        if event["ph"] == "C"
    ]
    assert levels == [levels[0], 2 * levels[0], levels[0]]
    assert x.numel() == 1000


def test_arrows_cross_threads(tmp_path):
    import threading

    x = wg.ones(3, requires_grad=True)
    with profile() as prof:
        y = x.exp().sum()
        thread = threading.Thread(target=wg.profiler.carried(y.backward))
        thread.start()
        thread.join()
    prof.export_chrome_trace(tmp_path / "trace.json")
    phases = check_rules(json.loads((tmp_path / "trace.json").read_text(encoding="utf-8")))
    assert {(start["tid"], end["tid"]) for start, end in zip(phases["s"], phases["f"], strict=True)} == {(1, 2)}


def test_a_trace_that_is_read_again_has_the_same_sums(prof, tmp_path):
    prof.export_chrome_trace(tmp_path / "trace.json")
    events = load_chrome_trace(tmp_path / "trace.json")
    before = {row.key: (row.count, row.self_cpu_time_total) for row in prof.key_averages() if row.key != "[memory]"}
    after = {row.key: (row.count, row.self_cpu_time_total) for row in events.key_averages()}
    assert {key: count for key, (count, _) in before.items()} == {key: count for key, (count, _) in after.items()}
    for key, (_, own) in before.items():
        assert after[key][1] == pytest.approx(own, abs=1e-3), key
    events.export_chrome_trace(tmp_path / "again.json")
    check_rules(json.loads((tmp_path / "again.json").read_text(encoding="utf-8")))


def test_an_empty_profile_is_a_trace_too(tmp_path):
    with profile() as prof:
        pass
    prof.export_chrome_trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    assert len(load_chrome_trace(tmp_path / "trace.json")) == 0


def test_a_path_that_cannot_be_written(prof, tmp_path):
    with pytest.raises(OSError, match="no_such_folder"):
        prof.export_chrome_trace(tmp_path / "no_such_folder" / "trace.json")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1, 2]",
        '{"a": 1}',
        '{"traceEvents": [{"ph": "X"}]}',
        "\x00\x01",
        '{"traceEvents": [{"ph": "X", "name": "a", "tid": 1, "ts": "x", "dur": 1}]}',
    ],
)
def test_a_file_that_is_no_trace(text, tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TraceFileError, match=r"trace\.json is"):
        load_chrome_trace(path)


def test_a_trace_that_was_cut_off(prof, tmp_path):
    path = tmp_path / "trace.json"
    prof.export_chrome_trace(path)
    path.write_text(path.read_text(encoding="utf-8")[:-200], encoding="utf-8")
    with pytest.raises(TraceFileError, match="damaged"):
        load_chrome_trace(path)
