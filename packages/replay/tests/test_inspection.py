"""Programs as texts, digraphs, counts and events of a profile."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import wengert as wg

explain = wg.replay.explain


def program_of(function, *args):
    f = wg.capture(function)
    f(*args)
    return explain(f).programs[0]


def test_a_short_program_is_printed_whole():
    w = wg.ones(2)
    text = str(program_of(lambda x, y: (x * w + y).t().sum(0), wg.ones(2, 2), wg.ones(2)))
    lines = text.splitlines()
    assert len(lines) == 5
    assert re.match(r"%0 = mul\(a0, w\d\): float32\[2, 2\]  # .*test_inspection.py:\d+$", lines[1])
    assert "add(%0, a1" in lines[2]
    assert "[view]" in lines[3]


def test_the_middle_of_a_long_program_is_left_out():
    def long(x):
        for _ in range(500):
            x = x * 1.5
        return x

    program = program_of(long, wg.ones(2))
    lines = str(program).splitlines()
    assert len(lines) == 62
    assert lines[41] == "... 440 more operations (program.steps has them all)"
    assert lines[40].startswith("%39 =")
    assert lines[42].startswith("%480 =")
    assert lines[-1].startswith("%499 =")
    assert len(program.steps) == 500


def test_a_digraph_has_a_box_for_each_operation_and_arrows_between_them():
    w = wg.ones(2)
    text = program_of(lambda x: wg.cat([x * w, x.view(2) + 1]), wg.ones(2)).to_dot()
    lines = text.splitlines()
    assert lines[:2] == ["digraph {", "  node [shape=box style=filled fontname=monospace fontsize=10]"]
    assert lines[-1] == "}"
    assert '  n0 [label="mul\\nfloat32[2]" fillcolor=lightgrey]' in lines
    assert '  a0 [label="a0" fillcolor=lightblue]' in lines
    assert any("fillcolor=orange" in line for line in lines)
    assert "  a0 -> n0" in lines
    assert any("[view]" in line for line in lines)
    assert any(re.match(r"  n0 -> n\d", line) for line in lines)


def test_a_digraph_of_the_first_operations():
    program = program_of(lambda x: ((x * 2).exp() + 1).sum(), wg.ones(2))
    text = program.to_dot(limit=2)
    assert "2 more operations" in text
    assert text.count("fillcolor=lightgrey") == 2
    assert program.to_dot(limit=None).count("fillcolor=lightgrey") == 4
    with pytest.raises(TypeError, match="limit"):
        program.to_dot(limit="a")
    with pytest.raises(ValueError, match="limit"):
        program.to_dot(limit=-1)


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program dot is not installed")
def test_graphviz_reads_the_digraph():
    text = program_of(lambda x: wg.einsum("ij->ji", x) + 1, wg.ones(2, 2)).to_dot()
    subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)


def test_counts_of_a_program():
    def step(x):
        y = wg.cat([x.t(), x]) + wg.tensor([1.0, 2.0])
        if y.sum() > 0:
            y = y * 2
        return y

    counts = program_of(step, wg.ones(2, 2)).counts()
    assert counts.operations >= 6
    assert counts.views == 1
    assert counts.stores == 1
    assert counts.guards == 1
    assert counts.branches == 0
    assert counts.calls <= 2
    assert counts.launches >= 4
    assert counts.arena_bytes > 0
    assert counts.instruction_bytes > 0
    assert counts.step_bytes > 0


def test_calls_are_counted_by_kind():
    @wg.compiler.disable
    def factor():
        return wg.tensor(2.0)

    def step(x):
        y = wg.func.cond(x.sum() > 0, lambda: x * 2, lambda: x * 3)
        return wg.func.fori_loop(0, 3, lambda i, c: c * 0.5 + i, y).unique() * factor()

    words = repr(program_of(step, wg.ones(2)))
    assert "launches, with calls of 1 driver, 1 Python function, 2 constructs; " in words
    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: (w * x).sum())
    f(wg.ones(2)).backward()
    assert "with calls" not in repr(explain(f).programs[0])


def test_branches_are_counted_and_printed():
    f = wg.capture(lambda x: x * 2 if x.sum() > 0 else x * 3)
    for value in (1.0, -1.0, 1.0, -1.0):
        f(wg.full((2,), value))
    program = explain(f).programs[0]
    assert program.counts().branches == 1
    lines = str(program).splitlines()
    guard = next(number for number, line in enumerate(lines) if line.startswith("guard: %1 is True"))
    branch = next(number for number, line in enumerate(lines) if line.startswith("branch in place of operations "))
    assert guard < branch
    assert lines[branch + 1].startswith("guard: %1 is False")
    assert "mul(a0, 3)" in lines[-1]
    assert "guard\\n%1 is True" in program.to_dot()


def test_a_replay_is_an_event_of_a_profile():
    f = wg.capture(lambda x: (wg.sort(x * 2)[0] + 1).sum())
    expected = f(wg.ones(100)).item()
    f(wg.ones(100))
    before = explain(f).replays
    with wg.autograd.profiler.profile() as profile:
        assert f(wg.ones(100)).item() == expected
    assert explain(f).replays == before + 1
    names = [event.name for event in profile.function_events]
    assert any(name.startswith("replay of") and "lambda" in name for name in names)
    assert {"mul", "sort", "sum"} <= {part for name in names for part in name.split("+")}
    replay = next(event for event in profile.function_events if event.name.startswith("replay of"))
    assert replay.cpu_time_total >= sum(
        event.cpu_time_total for event in profile.function_events if event.name == "sort"
    )


def test_errors_in_a_replay_are_told_with_the_operation_and_its_line():
    def step(x, i):
        y = x * 2
        return y.gather(0, i) + 1  # this line

    f = wg.capture(step)
    for _ in range(2):
        f(wg.ones(3), wg.tensor([0, 1]))
    line = step.__code__.co_firstlineno + 2
    with pytest.raises(RuntimeError, match="out of bounds") as raised:
        f(wg.ones(3), wg.tensor([3, 1]))
    assert line in [entry.lineno + 1 for entry in raised.traceback]
    assert f"gather ({__file__}:{line})" in explain(f).reasons[-1]


def test_a_guard_has_the_line_that_reads_the_number():
    def step(x):
        if x.sum() > 0:  # this line
            y = x + 1
            return y.sin()
        return x

    captured = wg.capture(step)
    captured(wg.ones(2)), captured(wg.ones(2))
    first = step.__code__.co_firstlineno
    program = explain(captured).programs[0]
    lines = {one.name: int(one.line.rpartition(":")[2]) - first for one in program.steps if one.line}
    assert lines["guard"] == 1
    assert (lines["add"], lines["sin"]) == (2, 3)


@pytest.mark.filterwarnings("ignore:wengert.capture")
def test_an_explanation_says_what_asked_for_each_program():
    @wg.capture
    def function(x, k=2, *rest, mode="a"):
        return x * k

    function(wg.ones(3))
    function(wg.ones(3))
    function(wg.ones(4))
    function(wg.ones(3, dtype=wg.float64))
    function(wg.ones(2, 3).t())
    function(wg.ones(3), 3)
    function(wg.ones(3), 3, [0.5, {"y": wg.ones(1, 1)}])
    function(wg.ones(3), mode="b")
    with wg.no_grad():
        function(wg.ones(3))
    with wg.inference_mode():
        function(wg.ones(3))
    found = explain(function)
    assert len(found.programs) == len(found.signatures) == len(found.differences) == 9
    assert found.signatures == [
        "x: float32[3]", "x: float32[4]", "x: float64[3]", "x: float32[3, 2] with strides (1, 3)",
        "x: float32[3], k: 3",
        ("x: float32[3], k: 3, argument 2: list of 2, argument 2[0]: 0.5, argument 2[1]: dict of 1, "
         "argument 2[1]['y']: float32[1, 1]"),
        "x: float32[3], mode: 'b'", "x: float32[3], grad mode off",
        "x: float32[3], of inference mode, grad mode off (inference mode)",
    ]  # fmt: skip
    assert found.differences[:5] == [
        "", "unlike program 0: x is float32[4], not float32[3]", "unlike program 0: x is float64[3], not float32[3]",
        "unlike program 0: x is float32[3, 2] with strides (1, 3), not float32[3]",
        "unlike program 0: k is given: 3",
    ]  # fmt: skip
    assert found.differences[7] == "unlike program 0: grad mode is off, not on"
    lines = repr(found).splitlines()
    assert lines[0] == "9 programs, 1 call replayed, 9 calls as usual, recordings among them"
    assert lines[1] == "program 0: x: float32[3]; 1 operation, 0 branches, replayed 1 time"
    assert lines[3] == "    unlike program 0: x is float32[4], not float32[3]"


def test_an_explanation_tells_programs_of_one_signature_apart():
    w, b = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)

    @wg.capture
    def step(x):
        (w * x + b).sum().backward()

    step(wg.ones(2))
    step(wg.ones(2))
    found = explain(step)
    assert found.signatures == ["x: float32[2]"] * 2
    assert found.differences[1] == "unlike program 0: of 2 leaves from outside, 2 had a gradient before the call, not 0"


def test_an_explanation_ends_with_reasons():
    function = wg.capture(lambda x, other: x * 2, quiet=True)
    function(wg.ones(2), {1, 2})
    assert repr(explain(function)).splitlines() == [
        "0 programs, 0 calls replayed, 1 call as usual, recordings among them",
        "as usual: argument 'other' of type set has no value to compare: pass a frozenset",
    ]
