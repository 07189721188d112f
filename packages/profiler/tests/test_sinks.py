"""Sinks: ours, those given as objects, and those that fail."""

import json

import pytest
import wengert as wg
from wengert.autograd.profiler import profile


class Keeps:
    def write(self, prof):
        self.names = [event.name for event in prof.function_events]


class Tells:
    record_shapes = True

    def __init__(self):
        self.told = []

    def begin(self, kind, what, number, shapes):
        self.told.append((kind, what.name, shapes))

    def end(self):
        self.told.append("end")


class FailsToWrite:
    def write(self, prof):
        raise OSError("disk is full")


class FailsAtOnce:
    def begin(self, kind, what, number, shapes):
        raise ValueError("no")

    def end(self):
        raise ValueError("never called")


def test_a_sink_gets_the_profile_when_the_block_ends():
    sink = Keeps()
    with profile(sinks=[sink]):
        wg.ones(2)
        assert not hasattr(sink, "names")
    assert sink.names == ["aten::ones"]


def test_a_sink_is_told_of_things_as_they_happen_and_the_profile_is_recorded():
    sink = Tells()
    x = wg.ones(3)
    with profile(sinks=[sink]) as prof:
        x * 2
    assert sink.told == [(0, "mul", [[3], []]), "end"]
    assert [event.name for event in prof.function_events] == ["aten::mul"]
    x * 2
    assert len(sink.told) == 2


def test_files_of_our_sinks(tmp_path):
    names = [f"chrome:{tmp_path}/trace.json", f"flame:{tmp_path}/flame.html", f"speedscope:{tmp_path}/profile.json"]
    with profile(sinks=names):
        wg.ones(2) * 2
    assert json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    assert "aten::mul" in (tmp_path / "flame.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))["profiles"]


def test_a_sink_that_cannot_write_is_one_warning():
    good = Keeps()
    with (
        pytest.warns(RuntimeWarning, match="FailsToWrite failed: OSError: disk is full") as caught,
        profile(sinks=[FailsToWrite(), good]),
    ):
        x = wg.ones(2) * 2
    assert len(caught) == 1
    assert x.tolist() == [2.0, 2.0]
    assert good.names == ["aten::ones", "aten::mul"]


def test_a_sink_that_raises_while_things_happen_is_one_warning():
    good = Tells()
    with (
        pytest.warns(RuntimeWarning, match="FailsAtOnce failed: ValueError: no") as caught,
        profile(sinks=[FailsAtOnce(), good]) as prof,
    ):
        x = (wg.ones(2) * 2) + 1
    assert len(caught) == 1
    assert x.tolist() == [3.0, 3.0]
    assert len(prof.function_events) == 3
    assert len(good.told) == 6


def test_an_unwritable_path_harms_nobody(tmp_path):
    with (
        pytest.warns(RuntimeWarning, match="ChromeTrace failed: FileNotFoundError"),
        profile(sinks=[f"chrome:{tmp_path}/no/such/folder.json"]) as prof,
    ):
        wg.ones(2)
    assert len(prof.function_events) == 1


def test_an_unknown_sink_is_an_error_before_anything_runs():
    with pytest.raises(
        ValueError, match="there is no sink 'nowhere'; installed are chrome, flame, itt, nvtx, speedscope"
    ):
        profile(sinks=["nowhere"]).__enter__()
    with profile() as prof:
        wg.ones(2)
    assert len(prof.function_events) == 1


def test_the_sinks_are_listed_as_plugins():
    assert {"chrome", "flame", "speedscope", "nvtx", "itt"} <= set(wg.plugins.group("profiler_sinks").names())
