"""load_nvprof, load_nsys: SQLite files with the tables that those programs write, made here."""

import sqlite3

import pytest
from wengert.autograd.profiler import load_nvprof
from wengert.profiler import TraceFileError, load_nsys

STRINGS = {1: "aten::mm, seq=1", 2: "MmBackward0, stashed seq=1", 3: "gemm_kernel", 4: "aten::add, seq=2"}


def nvprof_file(path, cbid=211, strings=STRINGS, markers=None):
    """mm (0 to 100 us) with add (10 to 40 us) in it, then MmBackward0 (200 to 300 us); a kernel in each."""
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (_id_ INTEGER PRIMARY KEY, id INTEGER, name INTEGER, timestamp INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER PRIMARY KEY, cbid INTEGER, start INTEGER, end INTEGER,
                                                  correlationId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY, start INTEGER, end INTEGER,
                                                            name INTEGER, correlationId INTEGER);
    """)
    connection.executemany("INSERT INTO StringTable VALUES (?, ?)", strings.items())
    base = 1_000_000
    for number, name, start, end in markers or [(1, 1, 0, 100), (2, 4, 10, 40), (3, 2, 200, 300)]:
        connection.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (id, name, timestamp) VALUES (?, ?, ?)",
            (number, name, base + 1000 * start),
        )
        connection.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (id, name, timestamp) VALUES (?, 0, ?)", (number, base + 1000 * end)
        )
    for number, start, took in ((1, 20, 5), (2, 60, 7), (3, 210, 11)):
        connection.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (cbid, start, end, correlationId) VALUES (?, ?, ?, ?)",
            (cbid, base + 1000 * start, base + 1000 * (start + 3), number),
        )
        connection.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start, end, name, correlationId) VALUES (?, ?, 3, ?)",
            (base + 1000 * (start + 500), base + 1000 * (start + 500 + took), number),
        )
    connection.commit()
    connection.close()
    return path


def nsys_file(path, kernels=True):
    """The same as Nsight Systems exports it, the range of the derivative in another thread."""
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,
                                  globalTid INTEGER);
    """)
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", STRINGS.items())
    connection.executemany(
        "INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, ?)",
        [
            (1000, 101000, None, 1, 7),
            (11000, 41000, "aten::add, seq=2", None, 7),
            (201000, 301000, None, 2, 8),
            (5000, None, "a mark", None, 7),
        ],
    )
    if kernels:
        connection.executescript("""
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
                                                     correlationId INTEGER, shortName INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
                                                      correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
        """)
        connection.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 3, 0)",
            [(21000, 24000, 7, 1), (61000, 64000, 7, 2), (211000, 214000, 8, 3)],
        )
        connection.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, ?, 3)",
            [(500000, 505000, 1), (560000, 567000, 2), (710000, 721000, 3)],
        )
    connection.commit()
    connection.close()
    return path


EXPECTED = {
    "aten::mm, seq=1": (100.0, [7.0], 12.0),
    "aten::add, seq=2": (30.0, [5.0], 5.0),
    "MmBackward0, stashed seq=1": (100.0, [11.0], 11.0),
}


@pytest.mark.parametrize(("make", "load"), [(nvprof_file, load_nvprof), (nsys_file, load_nsys)])
def test_ranges_and_their_kernels(make, load, tmp_path):
    events = load(make(tmp_path / "trace"))
    found = {
        event.name: (event.cpu_time_total, [kernel.duration for kernel in event.kernels], event.device_time_total)
        for event in events
    }
    assert found == EXPECTED
    parents = {event.name: event.cpu_parent.name if event.cpu_parent else None for event in events}
    assert parents == {
        "aten::mm, seq=1": None,
        "aten::add, seq=2": "aten::mm, seq=1",
        "MmBackward0, stashed seq=1": None,
    }
    assert {kernel.name for event in events for kernel in event.kernels} == {"gemm_kernel"}
    total = events.total_average()
    assert (total.count, total.self_device_time_total, total.self_cpu_time_total) == (3, 23.0, 200.0)
    text = events.key_averages().table(sort_by="cuda_time_total")
    assert "Self CUDA time total: 23.000us" in text
    assert text.index("aten::mm") < text.index("MmBackward0") < text.index("aten::add")


@pytest.mark.parametrize(("make", "load"), [(nvprof_file, load_nvprof), (nsys_file, load_nsys)])
def test_a_file_is_only_read(make, load, tmp_path):
    path = make(tmp_path / "trace")
    before = path.read_bytes()
    path.chmod(0o444)
    load(path).export_chrome_trace(tmp_path / "trace.json")
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["trace", "trace.json"]


def test_older_versions_of_nvprof(tmp_path):
    assert len(load_nvprof(nvprof_file(tmp_path / "trace", cbid=13))) == 3


def test_a_call_that_is_not_known(tmp_path):
    with pytest.raises(TraceFileError, match="cbid 42"):
        load_nvprof(nvprof_file(tmp_path / "trace", cbid=42))


def test_a_name_that_is_missing(tmp_path):
    with pytest.raises(TraceFileError, match="no string with the number 1"):
        load_nvprof(nvprof_file(tmp_path / "trace", strings={2: "a", 3: "b", 4: "c"}))


def test_a_trace_without_kernels(tmp_path):
    events = load_nsys(nsys_file(tmp_path / "trace", kernels=False))
    assert [len(event.kernels) for event in events] == [0, 0, 0]


@pytest.mark.parametrize("load", [load_nvprof, load_nsys])
def test_files_that_are_something_else(load, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        load(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    text = tmp_path / "text"
    text.write_text("no database, but long enough to be one " * 100, encoding="utf-8")
    with pytest.raises(TraceFileError, match=r"not a file of|damaged"):
        load(text)
    other = tmp_path / "other"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE a (b)")
    connection.commit()
    connection.close()
    with pytest.raises(TraceFileError, match="it has no a table"):
        load(other)


def test_a_damaged_database(tmp_path):
    path = nvprof_file(tmp_path / "trace")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(TraceFileError, match=r"damaged|not a file of"):
        load_nvprof(path)


def test_the_other_programs_file(tmp_path):
    with pytest.raises(TraceFileError, match="nvprof"):
        load_nvprof(nsys_file(tmp_path / "trace"))
    with pytest.raises(TraceFileError, match="nsys"):
        load_nsys(nvprof_file(tmp_path / "other"))
