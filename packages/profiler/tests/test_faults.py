"""Bad input: each is a clear error, and the program and the next profile go on."""

import json
import os
import sqlite3

import pytest
import wengert as wg
from wengert.autograd.profiler import load_nvprof, profile
from wengert.profiler import (
    TraceFileError,
    compare,
    export_flame_graph,
    export_speedscope,
    load_chrome_trace,
    load_nsys,
)


@pytest.fixture
def prof():
    with profile(with_stack=True) as found:
        wg.ones(3, requires_grad=True).exp().sum().backward()
    return found


WRITERS = {
    "export_chrome_trace": lambda prof, path: prof.export_chrome_trace(path),
    "export_stacks": lambda prof, path: prof.export_stacks(path),
    "EventList.export_chrome_trace": lambda prof, path: prof.function_events.export_chrome_trace(path),
    "export_flame_graph": export_flame_graph,
    "export_speedscope": export_speedscope,
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("where", ["no_such_folder/file", "."])
def test_a_path_that_cannot_be_written_is_named(prof, tmp_path, write, where):
    path = tmp_path / where
    with pytest.raises(OSError, match=path.name):
        write(prof, path)
    assert os.listdir(tmp_path) == []
    write(prof, tmp_path / "file")  # and it can be written elsewhere
    assert (tmp_path / "file").stat().st_size > 0


@pytest.mark.parametrize("of", [lambda prof: prof, lambda prof: prof.key_averages(), lambda prof: prof.function_events])
@pytest.mark.parametrize("key", ["nope", "", "cpu_tme_total", 3, ["count"]])
def test_an_unknown_key_names_those_that_there_are(prof, of, key):
    with pytest.raises(AttributeError) as caught:
        of(prof).table(sort_by=key)
    assert "sort_by" in str(caught.value)
    assert isinstance(key, str) == ("self_cpu_time_total" in str(caught.value))


class Fails:
    """A sink that raises where it is told to."""

    def __init__(self, where, error):
        self.where, self.error, self.record_shapes = where, error, False

    def begin(self, kind, what, number, shapes):
        if self.where == "begin":
            raise self.error

    def end(self):
        if self.where == "end":
            raise self.error

    def write(self, prof):
        if self.where == "write":
            raise self.error


@pytest.mark.parametrize("where", ["begin", "end", "write"])
@pytest.mark.parametrize("error", [ValueError("no"), RuntimeError("gone"), RecursionError("deep")])
def test_a_sink_that_raises_harms_neither_program_nor_profile(where, error):
    x = wg.ones(3, requires_grad=True)
    expected = f"Fails failed: {type(error).__name__}: {error}"
    with pytest.warns(RuntimeWarning, match=expected) as caught, profile(sinks=[Fails(where, error)]) as prof:
        (x * x).sum().backward()
    assert len(caught) == 1
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    assert "MulBackward0" in [event.name for event in prof.function_events]
    with profile() as after:
        x * x
    assert [event.name for event in after.function_events] == ["aten::mul"]


def test_an_interruption_inside_of_a_sink_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt), profile(sinks=[Fails("write", KeyboardInterrupt())]):
        wg.ones(2)
    with profile() as after:
        wg.ones(2)
    assert len(after.function_events) == 1


def test_an_interruption_inside_of_the_block_ends_the_profile():
    def interrupt():
        wg.ones(2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), profile() as prof:
        interrupt()
    assert [event.name for event in prof.function_events] == ["aten::ones"]


def whole_trace(prof, path):
    prof.export_chrome_trace(path)
    return path.read_bytes()


def whole_database(prof, path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE StringTable (_id_ INTEGER, value TEXT)")
    connection.executemany("INSERT INTO StringTable VALUES (?, ?)", [(i, "x" * 50) for i in range(500)])
    connection.commit()
    connection.close()
    return path.read_bytes()


READERS = [(load_chrome_trace, whole_trace), (load_nvprof, whole_database), (load_nsys, whole_database)]


@pytest.mark.parametrize(("read", "make"), READERS)
@pytest.mark.parametrize("harm", ["half", "nothing", "zeros", "noise", "other"])
def test_a_damaged_file_is_named_and_not_changed(prof, tmp_path, read, make, harm):
    whole = make(prof, tmp_path / "whole")
    harmed = {
        "half": whole[: len(whole) // 2],
        "nothing": b"",
        "zeros": bytes(len(whole)),
        "noise": bytes((byte * 7 + i) % 256 for i, byte in enumerate(whole)),
        "other": json.dumps({"a": [1]}).encode(),
    }[harm]
    path = tmp_path / "harmed"
    path.write_bytes(harmed)
    with pytest.raises(TraceFileError, match="harmed"):
        read(path)
    assert path.read_bytes() == harmed
    assert sorted(os.listdir(tmp_path)) == ["harmed", "whole"]


@pytest.mark.parametrize("read", [load_chrome_trace, load_nvprof, load_nsys])
def test_a_file_that_is_not_there(tmp_path, read):
    with pytest.raises(FileNotFoundError, match="missing"):
        read(tmp_path / "missing")
    with pytest.raises((FileNotFoundError, IsADirectoryError)):
        read(tmp_path)


def test_a_comparison_with_a_file_that_is_none(prof, tmp_path):
    (tmp_path / "a").write_text("{", encoding="utf-8")
    with pytest.raises(TraceFileError, match="damaged"):
        compare(tmp_path / "a", prof)


def test_profiling_twice(prof):
    with pytest.raises(RuntimeError, match="not reentrant"):
        prof.__enter__()
    with profile() as outer:
        with pytest.raises(RuntimeError, match="already enabled on this thread"), profile():
            pytest.fail("the block runs")
        wg.ones(2)
    assert [event.name for event in outer.function_events] == ["aten::ones"]
