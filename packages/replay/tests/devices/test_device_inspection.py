"""Words of explain and print for programs on a device."""

from __future__ import annotations

import gc
import weakref

import pytest
import wengert as wg
from sim_graphs import on_sim

explain = wg.replay.explain


def without_lines(program):
    return [line.split("  #")[0] for line in str(program).splitlines()]


def test_operations_and_numbers_are_listed():
    w = on_sim([1.0, 2.0])

    def function(x, factor):
        y = wg.cat([x * w, x])[1:]
        y.add_(w[0], alpha=factor)
        y = y.split(2)[0].detach()
        return y * 2 if y.sum() > 3 else y - 1

    run = wg.capture(function)
    for value in (1.0, 1.0, 1.0, -4.0, 1.0, -4.0):
        run(on_sim([value, value]), 3)
    found = explain(run)
    assert (found.replays, found.eager) == (3, 3)
    assert found.signatures == ["x: float32[2], on sim:0, factor: 3"] * 2
    assert found.differences == ["", "unlike program 0: number 0 that Python reads is False, not True"]
    assert without_lines(found.programs[0])[1:] == [
        "%0 = mul(a0, w0): float32[2]", "%1 = cat([%0, a0]): float32[4]", "%2 = slice(%1, start=1, end=4): float32[3]",
        "%3 = select(w0, 0, 0): float32[]", "%2 = add_(%2, %3, 3): float32[3]",
        "%5.0, %5.1 = split(%2, 2): float32[2], float32[1]", "%6 = sum(%5.0): float32[]", "%7 = gt(%6, 3): bool[]",
        "guard: %7 is True", "%9 = mul(%5.0, 2): float32[2]",
    ]  # fmt: skip
    assert "test_device_inspection.py:" in str(found.programs[0]).splitlines()[1]
    guards = [[row.text for row in one.steps if row.is_guard] for one in found.programs]
    assert [[text.rpartition(" is ")[2] for text in one] for one in guards] == [["True"], ["False"]]
    assert "program 1: x: float32[2], on sim:0, factor: 3; " in str(found)
    assert "2 graphs" in str(found)
    assert "Python reads False, replayed 1 time" in str(found)


def test_counts():
    calls = []

    @wg.compiler.disable
    def count():
        calls.append(1)
        return 2.0

    run = wg.capture(lambda x: x * count() + 1)
    for _ in range(4):
        run(on_sim([1.0] * 100))
    counts = explain(run).programs[0].counts()
    assert (counts.operations, counts.graphs, counts.guards, counts.calls) == (2, 1, 0, 1)
    assert counts.memory_bytes == 1200  # the argument, and two results
    assert "calls 1 Python function" in repr(explain(run).programs[0])


def test_results_with_a_graph():
    w = on_sim([1.0, 2.0], requires_grad=True)
    run = wg.capture(lambda x: (x * w).sum())
    for _ in range(4):
        run(on_sim([1.0, 2.0])).backward()
    found = explain(run)
    assert "a result has a graph: 1 program for call and backward" in str(found)
    assert without_lines(found.programs[0])[1:3] == ["%0 = mul(a0, w0): float32[2]", "%1 = sum(%0): float32[]"]
    assert any("expand" in row.text for row in found.programs[0].steps)  # of backward


def test_several_programs_of_one_signature():
    w = on_sim([1.0, 2.0], requires_grad=True)

    def step(x):
        (x * w).sum().backward()

    run, grad = wg.capture(step), wg.zeros_like(w)
    for k in range(6):
        w.grad = None if k % 2 else grad
        run(on_sim([1.0, 2.0]))
    found = explain(run)
    assert found.differences == ["", "unlike program 0: other leaves from outside had a gradient before the call"]
    run(on_sim([1.0])), run(on_sim([1.0]))
    assert explain(run).differences[2] == "unlike program 0: x is float32[1], on sim:0, not float32[2], on sim:0"


def test_programs_of_host_and_device():
    run = wg.capture(lambda x: x * 2)
    for device in ("cpu", "sim"):
        for _ in range(3):
            run(wg.ones(2, device=device))
    assert explain(run).differences[1] == "unlike program 0: x is float32[2], on sim:0, not float32[2]"
    assert [len(one.steps) for one in explain(run).programs] == [1, 1]


@pytest.mark.parametrize("length", [99, 300])
def test_long_programs_are_cut(length):
    def function(x):
        for _ in range(length):
            x = x + 1
        return x

    run = wg.capture(function)
    run(on_sim([1.0])), run(on_sim([1.0]))
    lines = str(explain(run).programs[0]).splitlines()
    assert len(lines) == (1 + 99 if length == 99 else 1 + 40 + 1 + 20)
    assert len(explain(run).programs[0].steps) == length


def test_long_numbers_and_strange_ones_are_cut():
    run = wg.capture(lambda x: x * 2 if x.tolist()[0] else x.bfloat16().sum().item())
    for x in (wg.ones(20, device="sim"), wg.zeros(3, device="sim")):
        run(x), run(x), run(x)
    assert "guard: a0 is [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, ...] of 20" in str(explain(run).programs[0])


def test_a_listing_holds_nothing():
    box = [on_sim([1.0, 2.0])]
    run = wg.capture(lambda x: x * box[0])
    run(on_sim([1.0, 2.0])), run(on_sim([1.0, 2.0]))
    program = explain(run).programs[0]
    assert "mul(a0, w0)" in str(program)
    dead = weakref.ref(box.pop())
    assert dead() is None
    del run
    gone = weakref.ref(program)
    del program
    gc.collect()
    assert gone() is None


def test_programs_on_a_device_are_not_saved_and_not_drawn(tmp_path):
    run = wg.capture(lambda x: x * 2)
    for _ in range(3):
        run(on_sim([1.0]))
    (program,) = explain(run).programs
    with pytest.raises(wg.replay.ProgramFileError, match="a program on sim:0 cannot be saved"):
        program.save(tmp_path / "program", names={})
    with pytest.raises(NotImplementedError, match=r"is not drawn: print\(program\)"):
        program.to_dot()
