"""Loops and conds in files: one instruction each, with the same bits as the function that was recorded."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
import wengert as wg
from wengert import func
from wengert_replay.exporting import ProgramFileError, ProgramGuardError, load
from wengert_replay.exporting.container import unpack_arrays

from .exported import bits, check, last_program, reload_program, save_bytes

GENERATOR = wg.Generator().manual_seed(11)
W = wg.randn(3, 3, generator=GENERATOR)


def double(n, x):
    return func.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (n * 0, x))


def rows(n, x):
    return func.fori_loop(0, n, lambda i, c: (c @ W + x[i % 4] + i).tanh(), x[0])


def nest(n, x):
    def outer(c, row):
        c = func.fori_loop(0, n, lambda i, c: (c * row + i).sin(), c)
        return c, func.cond(c.sum() > 0, lambda c: c * W[0], lambda c: c - row, c)

    return func.scan(outer, x[0], x)


def settling(n, x):
    """A carry whose strides change with the first iteration."""
    return func.fori_loop(1, n + 3, lambda i, c: (c * 2 + i).contiguous(), x[:3].t())


def draw(n, x):
    return func.fori_loop(0, n, lambda i, c: c + wg.rand(4, 3), x), func.cond(
        n > 2, lambda: wg.randn(2), lambda: wg.ones(2)
    )


LOOPS = {
    "while_loop": double,
    "fori_loop": rows,
    "fori_loop over ints": lambda n, x: func.fori_loop(2, 7, lambda i, c: c * i + n, x),
    "scan": lambda n, x: func.scan(lambda c, row: (c + row * n, (c, row.sum())), x[0], x),
    "scan reverse": lambda n, x: func.scan(lambda c, row: (c * 0.5 + row, c), x[0], x, reverse=True),
    "scan of a view": lambda n, x: func.scan(lambda c, row: (c + row, row * n), x[:, 0], x.t()),
    "scan without xs": lambda n, x: func.scan(lambda c, _: ((c[1], c[0] + c[1]), c[0]), (n, n + 1), length=5),
    "windows": lambda n, x: func.fori_loop(0, 3, lambda i, c: c + x[i : i + 2].sum(0) * n, x[0]),
    "cond": lambda n, x: func.cond(n > 3, lambda x: (x * 2, x.sum()), lambda x: (x @ W, x.mean()), x),
    "cond of cond": lambda n, x: func.cond(
        n > 1, lambda: func.cond(n > 3, lambda: x + 1, lambda: x * 3), lambda: x - 1
    ),
    "nested": nest,
    "two loops": lambda n, x: double(n, rows(n, x)),
    "strides that change": settling,
    "random numbers": draw,
    "data in a body": lambda n, x: func.fori_loop(0, n, lambda i, c: c * wg.tensor([1.0, 0.5, 2.0]) + wg.ones(3), x),
    "a body in place": lambda n, x: func.fori_loop(0, n, lambda i, c: c.clone().mul_(0.5).add_(i)[:, [2, 0, 1]], x),
    "a carry handed on": lambda n, x: func.fori_loop(0, n, lambda i, c: (c[1], c[0]), (x * 3, x * 2)),
}
NUMBERS = (3, 5, 1, 9, 2)


def calls_of(numbers):
    generator = wg.Generator().manual_seed(5)
    return [(wg.tensor(n), wg.randn(4, 3, generator=generator)) for n in numbers]


def instructions(program):
    return [step.name for step in program.steps if step.way == "python"]


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("inside", [False, True])
def test_loops_and_conds_are_saved_as_instructions(name, inside):
    function = (lambda n, x: LOOPS[name](n, x) if n > -1 else x) if inside else LOOPS[name]
    captured = wg.capture(function)
    calls = calls_of(NUMBERS)
    for _ in range(2):
        wg.manual_seed(1)
        captured(*calls[0])
    recorded = last_program(captured)
    assert instructions(recorded)
    program = reload_program(recorded)
    for number, arguments in enumerate(calls * 2):
        wg.manual_seed(number)
        expected = bits(function(*arguments)), wg.get_rng_state().tolist()
        wg.manual_seed(number)
        assert (bits(program(*arguments)), wg.get_rng_state().tolist()) == expected
    assert program.explanation.replays >= 9 - 2 * (name == "strides that change")
    assert sorted(instructions(program.explanation.programs[-1])) == sorted(instructions(recorded))


def test_no_iteration_in_the_first_call_of_a_loaded_program():
    program = check(double, *calls_of((3, 3, 0)))
    for n in (0, 4, 0, 4, 7):
        (call,) = calls_of((n,))
        assert bits(program(*call)) == bits(double(*call))
    other = reload_program(program_of(double, *calls_of((3, 3))))
    for n in (0, 4, 0, 4, 7):
        (call,) = calls_of((n,))
        assert bits(other(*call)) == bits(double(*call))


def test_a_carry_with_other_strides_in_each_iteration():
    captured = wg.capture(lambda n, x: func.fori_loop(0, n, lambda i, c: c.t() * 2 + i, x[:3]))
    calls = calls_of((4, 4, 6, 2, 0))
    for arguments in calls[:2]:
        captured(*arguments)
    program = reload_program(last_program(captured))
    for arguments in calls:
        assert bits(program(*arguments)) == bits(captured(*arguments))
    for arguments in calls_of((3, 1)):  # the result of an eager call has other strides
        with pytest.raises(ProgramGuardError):
            program(*arguments)


def program_of(function, *calls):
    captured = wg.capture(function)
    for arguments in calls:
        captured(*arguments)
    return last_program(captured)


@pytest.mark.parametrize("function", [double, rows])
def test_a_loop_that_had_no_iteration_is_an_error_where_it_has_one(function):
    program = reload_program(program_of(function, *calls_of((0, 0))))
    for n in (0, 0):
        (call,) = calls_of((n,))
        assert bits(program(*call)) == bits(function(*call))
    for _ in range(2):
        with pytest.raises(
            ProgramGuardError, match=r"_loop \(test_export_loops.py:\d+\) has an iteration, and had none"
        ):
            program(*calls_of((2,))[0])


def test_loops_where_nothing_is_recorded():
    for name, function in LOOPS.items():
        program = reload_program(program_of(function, *calls_of((3, 3))))
        for arguments in calls_of(NUMBERS):
            wg.manual_seed(2)
            expected = bits(function(*arguments)), wg.get_rng_state().tolist()
            wg.manual_seed(2)
            assert (bits(program._run(*arguments)), wg.get_rng_state().tolist()) == expected, name
        assert program.explanation.replays == 0


def test_a_loaded_program_inside_of_a_captured_function():
    program = reload_program(program_of(nest, *calls_of((3, 3))))
    captured = wg.capture(lambda n, x: [one * 2 for one in program(n, x)])
    for arguments in calls_of(NUMBERS):
        assert bits(captured(*arguments)) == bits([one * 2 for one in nest(*arguments)])
    assert instructions(last_program(captured)) == ["scan"]
    assert wg.replay.explain(captured).replays == 4


def test_a_loaded_program_is_saved_again_and_prints_its_bodies():
    program = reload_program(program_of(rows, *calls_of((3, 3))))
    lines = [line.split("  #")[0] for line in str(program).split("\n")]
    assert "%1 = fori_loop([%0], [0, a0], body 0 with [w0, a1]): float32[3]" in lines
    assert "body 0 of (a0: float32[3], a1: int64[]), gives (%9):" in lines
    file = io.BytesIO()
    program.save(file)
    file.seek(0)
    again = load(file)
    for arguments in calls_of(NUMBERS):
        assert bits(again(*arguments)) == bits(rows(*arguments))
    recorded_there = reload_program(again.explanation.programs[-1])
    for arguments in calls_of(NUMBERS):
        assert bits(recorded_there(*arguments)) == bits(rows(*arguments))


def test_files_without_loops_are_of_the_first_version():
    files = [save_bytes(program_of(one, *calls_of((3, 3)))) for one in (lambda n, x: x * n, rows)]
    assert [unpack_arrays(data)[1]["version"] for data in files] == ["1", "2"]
    texts = [json.loads(bytes(unpack_arrays(data)[0]["program"].data)) for data in files]
    assert ["bodies" in text for text in texts] == [False, True]


def test_a_loop_of_many_iterations_is_a_small_file():
    function = lambda n, x: func.fori_loop(0, 10_000, lambda i, c: (c * 0.999 + 0.1).sin(), x)  # noqa: E731
    recorded = program_of(function, *calls_of((1, 1)))
    assert len(save_bytes(recorded)) < 2000
    (call,) = calls_of((1,))
    assert bits(reload_program(recorded)(*call)) == bits(function(*call))


def test_constructs_inside_of_many_others_are_refused():
    def deep(levels):
        if not levels:
            return lambda x: x * 2
        inner = deep(levels - 1)
        return lambda x: func.fori_loop(0, 1, lambda i, c: inner(c), x)

    captured = wg.capture(deep(17))
    for _ in range(2):
        captured(wg.ones(2))
    with pytest.raises(ProgramFileError, match="is a construct inside of 16 others, and no file can hold more"):
        save_bytes(last_program(captured))
    captured = wg.capture(deep(16))
    for _ in range(2):
        captured(wg.ones(2))
    program = reload_program(last_program(captured))
    assert [program(wg.ones(2)).tolist() for _ in range(2)] == [[2.0, 2.0]] * 2


def test_an_error_of_a_body_names_the_operation():
    function = lambda n, x: func.fori_loop(0, n, lambda i, c: c + x[i], x[0])  # noqa: E731
    program = reload_program(program_of(function, *calls_of((3, 3))))
    for n in (3, 4):
        assert bits(program(*calls_of((n,))[0])) == bits(function(*calls_of((n,))[0]))
    with pytest.raises(IndexError) as raised:
        program(*calls_of((6,))[0])
    assert any("a program from a file by loop" in note for note in raised.value.__notes__)


SCRIPT = """
import builtins, sys
real = builtins.__import__
def importing(name, *arguments, **words):
    if name.split(".")[0] in ("wengert_functional", "wengert_nn", "wengert_optim"):
        raise ImportError(name)
    return real(name, *arguments, **words)
builtins.__import__ = importing
import wengert_core as core
from wengert_replay.exporting import load
program = load(sys.argv[1])
x = core.arange(12, dtype=core.float32).reshape(4, 3) / 10
for n in (3, 5, 4, 6):
    print([one.tolist() for one in program(core.tensor(n), x)])
assert program.explanation.replays == 3
"""


def test_another_process_needs_core_and_replay_alone(tmp_path):
    path = tmp_path / "nested.program"
    program_of(nest, *calls_of((3, 3))).save(path)
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == ""
    x = wg.arange(12, dtype=wg.float32).reshape(4, 3) / 10
    expected = [str([one.tolist() for one in nest(wg.tensor(n), x)]) for n in (3, 5, 4, 6)]
    assert done.stdout.splitlines() == expected
    assert bits(load(path)(wg.tensor(3), x)) == bits(nest(wg.tensor(3), x))
