"""Files of programs made to do harm, or damaged: each gives ProgramFileError, and nothing is run."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_replay.exporting import ProgramFileError, ProgramGuardError, load
from wengert_replay.exporting.container import Array, pack_arrays, unpack_arrays

from .portable_files import File, edit_text, load_bytes, with_text

HUGE = 10**30


def test_a_file_by_hand_is_a_program():
    program = load_bytes(File().data())
    x = wg.tensor([[1.0, 1.0], [2.0, 2.0]])
    expected = x * program.tensors["w"].detach() + wg.tensor([0.5, 1.5])
    for _ in range(3):
        program.tensors["w"].grad = None
        assert program(x).tolist() == expected.sum().tolist()
        assert program.tensors["w"].grad.tolist() == expected.tolist()
    assert program.explanation.replays == 2


def put(*path: Any) -> Any:
    """Return a change of a text: the last of the path is put where the others lead."""

    def change(text: Any) -> None:
        *way, last, value = path
        for part in way:
            text = text[part]
        text[last] = value

    return change


def nest(levels: int, kind: str = "tuple") -> Any:
    value: Any = {"tensor": 0} if kind == "tuple" else 0
    for _ in range(levels):
        value = {kind: [value]} if kind == "tuple" else [value]
    return value


TEXTS = {
    "a part is missing": lambda text: text.pop("nodes"),
    "a part is too much": put("code", "import os"),
    "steps are no list": put("nodes", 0, "steps", {}),
    "a step is no list": put("nodes", 0, "steps", 0, 5),
    "a step is short": put("nodes", 0, "steps", 0, [0, []]),
    "an operation is not there": put("nodes", 0, "steps", 0, 0, 9),
    "an operation has number -1": put("nodes", 0, "steps", 0, 0, -1),
    "an operation has number True": put("nodes", 0, "steps", 0, 0, True),
    "an operation has a huge number": put("nodes", 0, "steps", 0, 0, HUGE),
    "a result of a later step": put("nodes", 0, "steps", 1, 1, 0, "%3"),
    "a result of the same step": put("nodes", 0, "steps", 1, 1, 0, "%1"),
    "a result with number -1": put("nodes", 0, "steps", 1, 1, 0, "%-1"),
    "a result with a huge number": put("nodes", 0, "steps", 1, 1, 0, f"%{HUGE}"),
    "a result with a float for a number": put("nodes", 0, "steps", 1, 1, 0, "%0.0"),
    "an argument that is not there": put("nodes", 0, "steps", 1, 1, 0, "a1"),
    "a tensor that is not there": put("nodes", 0, "steps", 1, 1, 1, "w1"),
    "a generator that is not there": put("nodes", 0, "steps", 1, 1, 1, {"generator": 0}),
    "a place of a kind that is not known": put("nodes", 0, "steps", 1, 1, 1, {"file": "/etc/passwd"}),
    "an object with two names": put("nodes", 0, "steps", 1, 1, 1, {"str": "", "float": 0.5}),
    "a word in place of a place": put("nodes", 0, "steps", 1, 1, 1, "mean"),
    "a place with other digits": put("nodes", 0, "steps", 1, 1, 1, "%\u0660"),
    "a place without a number": put("nodes", 0, "steps", 1, 1, 1, "%"),
    "an empty place": put("nodes", 0, "steps", 1, 1, 1, ""),
    "too few arguments": put("nodes", 0, "steps", 1, 1, ["a0"]),
    "too many arguments": put("nodes", 0, "steps", 1, 1, ["a0"] * 20),
    "arguments that are nested deeply": put("nodes", 0, "steps", 1, 1, 0, nest(300, "list")),
    "arguments that are nested too deeply": put("nodes", 0, "steps", 1, 1, 0, nest(40, "list")),
    "an int of 70 bits": put("nodes", 0, "steps", 2, 1, 2, 1 << 70),
    "a dtype that is not known": put("nodes", 0, "steps", 3, 1, 3, {"dtype": "object"}),
    "a dtype that is a list": put("nodes", 0, "steps", 3, 1, 3, {"dtype": ["float32"]}),
    "a device that is none": put("nodes", 0, "steps", 3, 1, 3, {"device": "cuda:0"}),
    "a layout that is none": put("nodes", 0, "steps", 3, 1, 3, {"layout": "secret"}),
    "a memory format that is none": put("nodes", 0, "steps", 3, 1, 3, {"memory_format": "channels_first"}),
    "a float that is none": put("nodes", 0, "steps", 2, 1, 2, {"float": "1e999"}),
    "a complex number of one part": put("nodes", 0, "steps", 2, 1, 2, {"complex": [1.0]}),
    "a slice of two parts": put("nodes", 0, "steps", 2, 1, 2, {"slice": [0, 1]}),
    "a type that is not there": put("nodes", 0, "steps", 1, 2, [7]),
    "a line that is not there": put("nodes", 0, "steps", 1, 3, 7),
    "a constant that is not there": put("nodes", 0, "steps", 0, 1, 0, 1),
    "a constant without a tensor": put("nodes", 0, "steps", 0, 2, []),
    "a function of Python": put("ops", 1, "name", "exec"),
    "a function of a module": put("ops", 1, "name", "os.system"),
    "a table that is not there": put("ops", 1, "table", "acme"),
    "a table that is a path": put("ops", 1, "table", "/bin/sh"),
    "a step of the engine that is not known": put("ops", 0, "name", "new_tensor"),
    "a step of the engine with other parameters": put("ops", 0, "parameters", ["number", "kind"]),
    "parameters that the operation does not have": put("ops", 1, "parameters", ["self", "other", "code"]),
    "a parameter twice": put("ops", 1, "parameters", ["self", "self", "out"]),
    "an operation that changes memory": put(
        "ops", 1, {"table": "core", "name": "set_", "parameters": ["self", "source", "size"]}
    ),
    "an operation that reads memory": put(
        "ops", 1, {"table": "core", "name": "frombuffer", "parameters": ["buffer", "dtype", "count"]}
    ),
    "operations that are no list": put("ops", {"0": {}}),
    "a dtype of a type": put("types", 0, 0, "complex256"),
    "a size below zero": put("types", 0, 1, 0, -2),
    "a size of 2^62": put("types", 0, 1, [1 << 62, 2]),
    "sizes that overflow": put("types", 0, 1, [1 << 40, 1 << 40]),
    "more memory than there is": put("types", 0, ["float64", [1 << 40], [1]]),
    "more dims than there are": put("types", 0, ["float32", [1] * 100, [1] * 100]),
    "sizes without strides": put("types", 0, ["float32", [2, 2], [1]]),
    "a tensor that is larger than its array": put("tensors", 0, "shape", [200, 2]),
    "a tensor that begins behind its array": put("tensors", 0, "offset", 5),
    "a tensor with a stride that leads out": put("tensors", 0, "strides", [1 << 40, 1]),
    "a tensor of another dtype than its array": put("tensors", 0, "dtype", "int32"),
    "a tensor of an array that is not there": put("tensors", 0, "array", "tensors.v"),
    "a tensor of the text": put("tensors", 0, "array", "program"),
    "a tensor without a name": put("tensors", 0, "name", None),
    "a tensor whose gradient is not there": put("tensors", 0, "gradient", 4),
    "a tensor with requires_grad of words": put("tensors", 0, "requires_grad", "yes"),
    "two tensors of one name": lambda text: text["tensors"].append(text["tensors"][0]),
    "an array that nobody uses": put("constants", []),
    "a constant of two dims": put(
        "constants", 0, {"dtype": "float32", "shape": [1, 2], "strides": [2, 1], "offset": 0, "array": "constants.0"}
    ),
    "a generator without a state": put("generators", 1),
    "generators of a huge number": put("generators", HUGE),
    "a default dtype that is none": put("default_dtype", "int7"),
    "a default dtype of whole numbers": put("default_dtype", "int64"),
    "a result that is not there": put("nodes", 0, "results", ["%4"]),
    "a result that is a number": put("nodes", 0, "results", [3.0]),
    "a result in a form that is not known": put("nodes", 0, "results", [{"conjugate": "%3"}]),
    "a result in a form, that is not there": put("nodes", 0, "results", [{"detached": "%4"}]),
    "a result in two forms": put("nodes", 0, "results", [{"detached": "%3", "leaf": "%3"}]),
    "a result in forms of forms": put("nodes", 0, "results", [{"detached": {"detached": "%3"}}]),
    "no way at all": put("nodes", []),
    "a way that is no object": put("nodes", 0, []),
    "a way without steps": put("nodes", 0, "steps", None),
    "a way with a part too much": put("nodes", 0, "code", ""),
    "a first way that begins later": put("nodes", 0, "at", 1),
    "a first way that is a branch of itself": put("nodes", 0, "trunk", 0),
    "a branch that is the first way again": lambda text: text["nodes"].append(text["nodes"][0]),
    "a branch of a trunk that is not there": lambda text: text["nodes"].append({**text["nodes"][0], "trunk": 5}),
    "a branch of itself": lambda text: text["nodes"].append({**text["nodes"][0], "trunk": 1}),
    "a branch behind the end": lambda text: text["nodes"].append({**text["nodes"][0], "trunk": 0, "at": 4}),
    "a branch that is no guard": lambda text: text["nodes"].append({**text["nodes"][0], "trunk": 0, "at": 1}),
    "a branch without steps": lambda text: text["nodes"].append({**text["nodes"][0], "trunk": 0, "at": 1, "steps": []}),
    "a structure with a tensor that is not there": put("nodes", 0, "result", {"tensor": 1}),
    "a structure that is nested too deeply": put("nodes", 0, "result", nest(300)),
    "a structure of an unknown kind": put("nodes", 0, "result", {"call": "exit"}),
    "a structure with a tensor inside of a constant": put("nodes", 0, "result", {"constant": "%0"}),
    "a dict whose keys are lists": put("nodes", 0, "result", {"dict": [[[1], {"tensor": 0}]]}),
    "a dict that is no list of pairs": put("nodes", 0, "result", {"dict": [[1]]}),
    "a named tuple without names": put("nodes", 0, "result", {"named": [], "type": "", "items": [{"tensor": 0}]}),
    "arguments that are no call": put("arguments", {"tuple": [{"tensor": 0}]}),
    "keywords that are no words": put("arguments", {"tuple": [{"tuple": []}, {"dict": [[1, {"tensor": 0}]]}]}),
    "a gradient of a result": put("nodes", 0, "gradients", 0, "leaf", "%0"),
    "a gradient that is a number": put("nodes", 0, "gradients", 0, "after", 4),
    "a gradient that is not there": put("nodes", 0, "gradients", 0, "after", "%9"),
    "gradients that say neither yes nor no": put("nodes", 0, "gradients", 0, "before", 1),
}


@pytest.mark.parametrize("change", TEXTS.values(), ids=list(TEXTS))
def test_a_text_that_is_no_program_is_refused(change):
    with pytest.raises(ProgramFileError):
        load_bytes(edit_text(change))


ARRAYS, METADATA = unpack_arrays(File().data())
VALUES = [None, 5, [], "text", {}, True, 1.5]


TEXTS_OF_BYTES = [b"", b"{", b"nul", b"[" * 10000, b'{"a": 1, "a": 2}', b'{"a": NaN}', b"1" * 5000, b"\xff"]


@pytest.mark.parametrize("text", [*TEXTS_OF_BYTES, *[json.dumps(value).encode() for value in VALUES]])
def test_a_text_that_is_no_json_object_of_a_program_is_refused(text):
    with pytest.raises(ProgramFileError):
        load_bytes(with_text(ARRAYS, METADATA, text))


@pytest.mark.parametrize(
    "metadata",
    [{}, {"format": "pt"}, {"format": "wengert.program"}, *({**METADATA, "version": one} for one in ("0", "2", "3"))],
)
def test_a_file_of_another_format_or_version_is_refused(metadata):
    with pytest.raises(ProgramFileError, match=r"version|no program|other parts"):
        load_bytes(b"".join(pack_arrays(ARRAYS, metadata)))


def header(entries: Any, body: bytes = b"", length: int | None = None) -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def entry(dtype: Any = "F32", shape: Any = (1,), offsets: Any = (0, 4)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


CONTAINERS = {
    "nothing": b"",
    "a length alone": struct.pack("<Q", 10),
    "a length that lies": header({}, length=1 << 60),
    "no JSON": header(b"\x80\x04."),
    "a pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    "a zip": b"PK\x03\x04" + b"\0" * 60,
    "a list": header([]),
    "an entry that is a number": header("a1"),
    "an entry without a place": header({"a": {"dtype": "F32", "shape": [1]}}),
    "a dtype that is not known": header({"a": entry("F128")}, b"\0" * 4),
    "a dtype that is a list": header({"a": entry(["F32"])}, b"\0" * 4),
    "a shape of words": header({"a": entry(shape="ab")}, b"\0" * 4),
    "a shape with a size below zero": header({"a": entry(shape=[-1])}, b"\0" * 4),
    "a shape with True": header({"a": entry(shape=[True])}, b"\0" * 4),
    "a shape that is larger than the place": header({"a": entry(shape=[1 << 40])}, b"\0" * 4),
    "a shape that overflows": header({"a": entry(shape=[1 << 40] * 64)}, b"\0" * 4),
    "a place behind the end": header({"a": entry(offsets=[4, 8])}, b"\0" * 4),
    "a place that ends before it begins": header({"a": entry(offsets=[4, 0])}, b"\0" * 4),
    "places that overlap": header({"a": entry(), "b": entry()}, b"\0" * 4),
    "bytes that are no array's": header({"a": entry()}, b"\0" * 8),
    "a name twice": header(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":1}'),
    "strings about the file that are none": header({"__metadata__": {"format": 1}}),
}


@pytest.mark.parametrize("data", CONTAINERS.values(), ids=list(CONTAINERS))
def test_bytes_that_are_no_file_of_arrays_are_refused(data):
    with pytest.raises(ProgramFileError):
        load_bytes(data)


def test_branches_of_branches_that_no_run_takes_do_no_harm():
    def change(text: Any) -> None:
        node = text["nodes"][0]
        text["ops"].append({"table": "", "name": "guard", "parameters": ["value", "expected"]})
        node["steps"].append([len(text["ops"]) - 1, ["%3", [1.0]], [], 0])
        at = len(node["steps"]) - 1
        for number in range(3000):
            guard = [len(text["ops"]) - 1, ["%3", [2.0 + number]], [], 0]
            text["nodes"].append({**node, "trunk": number, "at": at, "steps": [guard]})

    program = load_bytes(edit_text(change))
    for _ in range(2):
        with pytest.raises(ProgramGuardError, match=r"is 14\.0, and was 1\.0"):
            program(wg.ones(2, 2))


def test_the_state_of_a_generator_is_checked():
    for data in (b"", b"\0" * 8, b"\xff" * 56):
        arrays = {**ARRAYS, "generators.0": Array("U8", (len(data),), data)}
        text = json.loads(bytes(ARRAYS["program"].data))
        with pytest.raises(ProgramFileError, match="generator"):
            load_bytes(with_text(arrays, METADATA, {**text, "generators": 1}))


# ---- calls

BAD_CALLS = {
    "an operation that gives another dtype": (put("types", 0, 0, "float64"), ProgramFileError),
    "an operation that gives another shape": (put("types", 0, ["float32", [4], [1]]), RuntimeError),
    "an operation that gives more tensors": (put("nodes", 0, "steps", 1, 2, [0, 0]), ProgramFileError),
    "a word in place of a tensor": (put("nodes", 0, "steps", 1, 1, 1, {"str": "w"}), ProgramFileError),
    "a list in place of a tensor": (put("nodes", 0, "steps", 1, 1, 1, ["w0"]), ProgramFileError),
    "a tensor in place of a number": (put("nodes", 0, "steps", 3, 1, 1, "w0"), (ProgramFileError, RuntimeError)),
    "a dim that is not there": (put("nodes", 0, "steps", 3, 1, 1, 7), IndexError),
    "a constant that leads out of its memory": (put("nodes", 0, "steps", 0, 1, 1, 1), RuntimeError),
    "a constant that begins before its memory": (put("nodes", 0, "steps", 0, 1, 1, -1), RuntimeError),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_what_no_recording_has_gives_an_error_in_the_call(name):
    change, error = BAD_CALLS[name]
    x = wg.ones(2, 2)
    try:
        program = load_bytes(edit_text(change))
    except ProgramFileError:
        return
    with pytest.raises(error):
        program(x)


# ---- random changes

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 9), st.sampled_from([1 << 31, 1 << 62, -(1 << 63), HUGE]),
    st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8),
    st.sampled_from("mul sum view expand as_strided index exp_ gather float64 core a w v tensor tuple".split()),
    st.builds(lambda kind, number: f"{kind}{number}", st.sampled_from("aw%v"), st.integers(-1, 4)),
    st.builds(lambda kind, word: {kind: word}, st.sampled_from(["str", "dtype", "float"]), st.text(max_size=4)),
)  # fmt: skip
VALUES_OF_JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4), max_leaves=6)
EXPECTED = (ProgramFileError, RuntimeError, ValueError, IndexError, NotImplementedError, MemoryError)


def positions_in(value: Any) -> list[tuple[Any, Any]]:
    """Return all places of a value of JSON: what they are in, and the name or number there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in list(items) for place in [(value, key), *positions_in(item)]]


def call(data: bytes) -> None:
    """Load a file and call its program; the errors that are expected end it."""
    try:
        program = load_bytes(data)
    except ProgramFileError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for _ in range(3):
                program(wg.ones(2, 2))
        except (*EXPECTED, TypeError):
            pass


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1 << 16), VALUES_OF_JSON), min_size=1, max_size=3))
def test_random_changes_of_the_text_give_a_program_or_the_error(edits):
    def change(text: Any) -> None:
        for number, value in edits:
            places = positions_in(text)
            there, key = places[number % len(places)]
            there[key] = value

    call(edit_text(change))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_random_changes_of_the_bytes_give_a_program_or_the_error(data):
    raw = bytearray(File().data())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw) - 1))
        kind = data.draw(st.sampled_from(["replace", "cut", "insert", "copy"]))
        if kind == "replace":
            raw[place] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del raw[place : place + data.draw(st.integers(1, 40))]
        elif kind == "insert":
            raw[place:place] = data.draw(st.binary(min_size=1, max_size=9))
        else:
            raw[place:place] = raw[: data.draw(st.integers(1, 30))]
        if not raw:
            break
    call(bytes(raw))


def test_operations_that_are_exchanged_for_others_give_an_error():
    """Any operation of core's table, with arguments that it was not made for: in a process of its own."""
    program = Path(__file__).parent / "exchanged_operations.py"
    done = subprocess.run([sys.executable, str(program), "0", "400"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]


def test_a_file_that_is_open_for_words_is_refused():
    with pytest.raises(ProgramFileError, match="binary"):
        load(io.StringIO("text"))
    with pytest.raises(TypeError, match="path"):
        load(5)
