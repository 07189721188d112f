"""Loops of files that are made to do harm, or damaged: each gives an error, never a crash or endless memory."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import warnings

import pytest
import wengert as wg
from wengert import func
from wengert_replay.exporting import ProgramFileError, ProgramGuardError, load
from wengert_replay.exporting.container import unpack_arrays

from .exported import last_program, save_bytes
from .portable_files import with_text

LOOP = ("name", "carry", "rows", "bounds", "into", "bodies", "tests", "following", "backwards", "count", "room",
        "index_step", "keeps", "counts")  # fmt: skip


def count_up(n, x):
    return func.fori_loop(0, n, lambda i, c: c * 2 + x * i, x)


def scan_rows(n, x):
    return func.scan(lambda c, row: (c + row * n, (c, row.sum())), x[0], x)


def loop_until(n, x):
    return func.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (n * 0, x))


def write(n, x):
    return func.scan(lambda c, row: (c + row * n, c), x[0], x)


def choose(n, x):
    return func.cond(n > 3, lambda x: x * 2, lambda x: x + 1, x)


def inner(n, x):
    return func.scan(lambda c, row: (func.fori_loop(0, n, lambda i, c: c * row, c), c), x[0], x)


def train(n, x):
    w = wg.ones(3, requires_grad=True)
    h = func.fori_loop(0, n, lambda i, h: (h * w + x[i]).sin(), x[0])
    (grad,) = wg.autograd.grad(h.sum(), w)
    return grad, h.detach()


FUNCTIONS = {one.__name__: one for one in (count_up, scan_rows, loop_until, choose, write, inner, train)}


def call_of(n=3):
    return wg.tensor(n), wg.ones(4, 3) * 0.5


def file_of(function):
    captured = wg.capture(function)
    for _ in range(3):
        captured(*call_of())
    arrays, metadata = unpack_arrays(save_bytes(last_program(captured)))
    return arrays, metadata, json.loads(bytes(arrays["program"].data))


FILES = {name: file_of(function) for name, function in FUNCTIONS.items()}


def load_changed(name, change):
    """Load the file of a function, whose text a function has changed: it gets the text, and the first loop's step."""
    arrays, metadata, text = FILES[name]
    text = copy.deepcopy(text)
    number = next(i for i, op in enumerate(text["ops"]) if op["name"] in ("loop", "choice"))
    step = next(step for node in text["nodes"] for step in node["steps"] if step[0] == number)
    change(text, step)
    return load(io.BytesIO(with_text(arrays, metadata, text)))


def test_files_that_are_not_changed_are_programs():
    for name, function in FUNCTIONS.items():
        program = load_changed(name, lambda text, step: None)
        for n in (3, 2):
            assert str(program(*call_of(n))) == str(function(*call_of(n)))


def put(part, value):
    """Return a change of a part of the loop."""

    def change(text, step):
        step[1][LOOP.index(part)] = value

    return change


def in_body(number, part, value):
    def change(text, step):
        text["bodies"][number][part] = value

    return change


def new_type(*kind):
    """Return a change that lets the first argument of the first body be of another type."""

    def change(text, step):
        text["types"].append(list(kind))
        text["bodies"][0]["inputs"][0] = len(text["types"]) - 1

    return change


def nest_bodies(levels, times):
    """Return a change that puts bodies into bodies: each names the one before so many times."""

    def change(text, step):
        body = text["bodies"][0]
        count = [*step[1]]
        count[LOOP.index("bounds")] = [0, 1]
        for _ in range(levels):
            count = [*count]
            count[LOOP.index("carry")] = ["a0"]
            count[LOOP.index("bodies")] = [[len(text["bodies"]) - 1, ["w0"] * body["outside"]]]
            inside = [[step[0], count, step[2], step[3]] for _ in range(times)]
            text["bodies"].append({"inputs": body["inputs"], "outside": 1, "steps": inside, "results": ["%0"]})
        step[1][LOOP.index("bodies")] = [[len(text["bodies"]) - 1, ["a1"]]]

    return change


def name_itself(text, step):
    for one in text["bodies"][1]["steps"]:
        if len(one[1]) == len(LOOP):
            one[1][LOOP.index("bodies")][0][0] = 1


CHANGES = {
    "a body that is not there": ("count_up", put("bodies", [[1, ["a1"]]])),
    "a body with number -1": ("count_up", put("bodies", [[-1, ["a1"]]])),
    "a body with number True": ("count_up", put("bodies", [[True, ["a1"]]])),
    "bodies that are no list": ("count_up", put("bodies", 0)),
    "a body that is a number": ("count_up", put("bodies", [0])),
    "a body without the tensors that it reads": ("count_up", put("bodies", [[0, []]])),
    "a body with a tensor that is not there": ("count_up", put("bodies", [[0, ["a5"]]])),
    "two bodies of one": ("count_up", put("bodies", [[0, ["a1"]], [0, ["a1"]]])),
    "no body": ("count_up", put("following", [])),
    "no body and outputs": ("scan_rows", put("bodies", [])),
    "a following body that is not there": ("count_up", put("following", [1])),
    "a following body with number -2": ("count_up", put("following", [-2])),
    "no carry": ("count_up", put("carry", [])),
    "a carry too much": ("count_up", put("carry", ["a1", "a1"])),
    "a carry of numbers": ("count_up", put("carry", [1.0])),
    "a carry that is None": ("count_up", put("carry", [None])),
    "a carry of a later step": ("count_up", put("carry", ["%0"])),
    "rows that are none": ("scan_rows", put("rows", [])),
    "rows too much": ("scan_rows", put("rows", ["a1", "a1"])),
    "rows of None": ("scan_rows", put("rows", [None])),
    "a direction too few": ("scan_rows", put("backwards", [False, False])),
    "directions of numbers": ("scan_rows", put("backwards", [0, 0, 0])),
    "outputs written into a carry": ("count_up", put("into", ["a1"])),
    "one bound": ("count_up", put("bounds", [0])),
    "bounds of floats": ("count_up", put("bounds", [0.0, 3.0])),
    "bounds of 2^63": ("count_up", put("bounds", [-(1 << 63), 1 << 63])),
    "bounds of words": ("count_up", put("bounds", [{"str": "0"}, 3])),
    "no bounds": ("count_up", put("bounds", None)),
    "no end": ("scan_rows", put("count", -1)),
    "a count below -1": ("scan_rows", put("count", -5)),
    "a count of True": ("scan_rows", put("count", True)),
    "a count and bounds": ("count_up", put("count", 5)),
    "a test and a count": ("loop_until", put("count", 5)),
    "tests without bodies": ("loop_until", put("tests", [])),
    "a test that gives its carry": ("loop_until", put("tests", [[0, []]])),
    "a number without a range": ("scan_rows", put("index_step", 1)),
    "a number that no body takes": ("count_up", put("index_step", 0)),
    "steps of 2": ("count_up", put("index_step", 2)),
    "kept carries without room": ("count_up", put("keeps", True)),
    "a number of iterations that is not there": ("count_up", put("counts", True)),
    "less room than is said": ("train", put("room", 1 << 40)),
    "room for all": ("train", put("room", -1)),
    "room for none": ("train", put("room", 0)),
    "a name that is a number": ("count_up", put("name", 5)),
    "bodies that are an object": ("count_up", lambda text, step: text.update(bodies={})),
    "no table of bodies": ("count_up", lambda text, step: text.pop("bodies")),
    "a body that is a list": ("count_up", lambda text, step: text.update(bodies=[[]])),
    "a body with a part too much": ("count_up", in_body(0, "code", "")),
    "a body with inputs of words": ("count_up", in_body(0, "inputs", ["float32", "int64"])),
    "a body with an input too few": ("count_up", in_body(0, "inputs", [0])),
    "a body whose inputs are not there": ("count_up", in_body(0, "inputs", [None, None])),
    "a body with tensors from outside without end": ("count_up", in_body(0, "outside", 1 << 62)),
    "a body without results": ("count_up", in_body(0, "results", [])),
    "a body with a result that is not there": ("count_up", in_body(0, "results", ["%7"])),
    "a body with a result of None": ("count_up", in_body(0, "results", [None])),
    "a body that gives a tensor from outside": ("count_up", in_body(0, "results", ["w0"])),
    "a body that gives its number": ("count_up", in_body(0, "results", ["a1"])),
    "a carry of another dtype": ("count_up", new_type("float64", [4, 3], [3, 1])),
    "a carry of another size": ("count_up", new_type("float32", [40, 3], [3, 1])),
    "a carry with other strides": ("count_up", new_type("float32", [4, 3], [1, 4])),
    "a carry larger than memory": ("count_up", new_type("float32", [1 << 40, 3], [3, 1])),
    "a body that names itself": ("inner", name_itself),
    "bodies in bodies in bodies": ("count_up", nest_bodies(40, 1)),
    "bodies without end": ("count_up", nest_bodies(14, 30)),
    "a guard in a body": ("count_up", lambda text, step: (
        text["ops"].append({"table": "", "name": "guard", "parameters": ["value", "expected"]}),
        text["bodies"][0]["steps"].append([len(text["ops"]) - 1, ["a0", [1.0]], [], 0]))),
    "a predicate that is none": ("choose", lambda text, step: step[1].__setitem__(1, None)),
    "three bodies of a cond": ("choose", lambda text, step: step[1][2].append(step[1][2][0])),
    "one body of a cond": ("choose", lambda text, step: step[1][2].pop()),
    "bodies of a cond that take arguments": ("choose", in_body(0, "inputs", [0])),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_loops_that_do_not_fit_together_are_refused(name):
    file, change = CHANGES[name]
    with pytest.raises(ProgramFileError):
        load_changed(file, change)


def other_op(name):
    """Return a change that lets a step of the first body be an operation that gives something else than it says."""

    def change(text, step):
        body = text["bodies"][0]
        text["ops"].append({"table": "core", "name": name, "parameters": ["self"]})
        body["steps"][-1] = [len(text["ops"]) - 1, ["a0"], body["steps"][-1][2], 0]

    return change


def write_outside(text, step):
    text["ops"].append({"table": "core", "name": "neg_", "parameters": ["self"]})
    text["bodies"][0]["steps"].append([len(text["ops"]) - 1, ["w0"], text["bodies"][0]["steps"][-1][2], 0])


CALLS = {
    "a body that gives another shape": ("count_up", other_op("t"), (ProgramFileError, RuntimeError)),
    "a body that gives another dtype": ("count_up", other_op("isnan"), ProgramFileError),
    "a body that writes to its carry": ("count_up", other_op("neg_"), ProgramFileError),
    "a body that writes to a tensor from outside": ("count_up", write_outside, ProgramFileError),
    "outputs written into an argument": ("write", put("into", ["a1"]), ProgramFileError),
    "outputs written into an argument of another shape": ("write", put("into", ["a0"]), ProgramFileError),
    "bounds of many numbers": ("count_up", put("bounds", [0, "a1"]), ProgramFileError),
    "a carry of another shape": ("count_up", put("carry", ["a0"]), ProgramFileError),
    "rows of another shape": ("scan_rows", put("rows", ["a0"]), ProgramFileError),
    "a predicate of many numbers": ("choose", lambda text, step: step[1].__setitem__(1, "a1"), ProgramFileError),
    "an iteration that finds no row": ("train", put("bounds", [2, "a0"]), (ProgramGuardError, IndexError)),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_no_recording_has_is_an_error_in_the_call(name):
    file, change, errors = CALLS[name]
    program = load_changed(file, change)
    number, x = call_of(6)
    for _ in range(2):
        with pytest.raises(errors):
            program(number, x)
        assert x.tolist() == call_of()[1].tolist()


def test_more_rows_than_there_are():
    program = load_changed("scan_rows", lambda text, step: grow(text, step, 50))
    for _ in range(2):
        with pytest.raises((IndexError, ProgramFileError, RuntimeError)):
            program(*call_of())


def grow(text, step, count):
    """Let a scan have more iterations than rows, and outputs as large."""
    step[1][LOOP.index("count")] = count
    for i, number in enumerate(step[2][1:], 1):
        dtype, sizes, strides = text["types"][number]
        text["types"].append([dtype, [count, *sizes[1:]], strides])
        step[2][i] = len(text["types"]) - 1


def positions_in(value):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in list(items) for place in [(value, key), *positions_in(item)]]


VALUES = [None, True, 0, 1, 2, -1, 5, 1 << 31, 1 << 62, [], [0], "a0", "a1", "w0", "%0", "%1", "float64", [4, 1], 0.5]
EXPECTED = (RuntimeError, ValueError, TypeError, IndexError, MemoryError, NotImplementedError, ArithmeticError)


def mutate(rng, text):
    """Change something in a body, in a loop's step, among the types, or anywhere."""
    loops = [i for i, op in enumerate(text["ops"]) if op["name"] in ("loop", "choice")]
    steps = [step for part in (*text["nodes"], *text["bodies"]) for step in part["steps"] if step[0] in loops]
    part = rng.choice([rng.choice(text["bodies"]), rng.choice(steps), text["types"], text])
    there, key = rng.choice(positions_in(part))
    alike = [one[at] for one, at in positions_in(text) if type(one[at]) is type(there[key])]
    number = there[key] + rng.choice([-1, 1, 2]) if type(there[key]) is int else None
    there[key] = copy.deepcopy(rng.choice([rng.choice(alike), rng.choice(VALUES), number]))


RANDOM_FILES = [name for name in FILES if name != "loop_until"]  # whose test may always hold


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_changes_give_a_program_or_an_error(first):
    for seed in range(first, first + 50):
        rng = random.Random(seed)
        arrays, metadata, text = FILES[rng.choice(RANDOM_FILES)]
        text = copy.deepcopy(text)
        mutate(rng, text)
        try:
            program = load(io.BytesIO(with_text(arrays, metadata, text)))
        except ProgramFileError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.suppress(*EXPECTED):
                for n in (3, 2, 0):
                    program(*call_of(n))
                str(program)
