"""Numbers that Python read, and errors that it caught, in programs from files."""

from __future__ import annotations

import io

import pytest
import wengert as wg
from wengert_replay.exporting import ProgramFileError, ProgramGuardError

from .exported import bits, last_program, reload_program, save_bytes
from .portable_files import edit_text, load_bytes


def test_a_number_that_python_read_is_a_guard():
    def step(x):
        return x * 2 if x.sum() > 0 else x * 3

    captured = wg.capture(step)
    captured(wg.ones(2))
    program = reload_program(last_program(captured))
    for number in (1.0, 2.0, 3.0):
        assert program(wg.full((2,), number)).tolist() == [2 * number] * 2
    with pytest.raises(ProgramGuardError, match=r"test_export_guards.py:\d+.*is False, and was True"):
        program(-wg.ones(2))
    assert program(wg.ones(2)).tolist() == [2.0, 2.0]


def test_branches_are_saved_too():
    def step(x):
        for n in range(6):
            x = x * 2
            if x.sum() > 10:
                return x, n
        return x + 1, "end"

    captured = wg.capture(step)
    calls = [wg.full((2,), number) for number in (1.0, 3.0, 0.001, 0.2, 1.0)]
    for x in calls:
        captured(x)
    program = reload_program(last_program(captured))
    for x in calls * 3:
        assert bits(program(x)) == bits(step(x))
    assert program.explanation.replays > len(calls)
    with pytest.raises(ProgramGuardError, match="no Python function"):
        program(wg.full((2,), 2.0))


def test_branches_at_results_of_other_shapes_are_saved_too():
    total = wg.zeros(())

    def step(x):
        total.add_(1)
        found = x[x > 0]
        return found.sum() + total if found.numel() > 1 else found * 2

    captured = wg.capture(step)
    calls = [
        wg.tensor(numbers) for numbers in ([1.0, 2.0, -3.0], [1.0, 2.0, 3.0], [-1.0, -2.0, 3.0], [-1.0, -1.0, -1.0])
    ]
    for x in calls:
        captured(x)
    program = reload_program(last_program(captured), {"total": total})
    for x in calls * 3:
        assert bits(program(x)) == bits(step(x))
    assert bits(program.tensors["total"]) == bits(total)
    assert program.explanation.replays > len(calls)


def test_an_error_at_a_guard_leaves_tensors_and_generators_as_they_were():
    count = wg.zeros(2)

    def step(x):
        count.add_(1)
        x.add_(wg.rand(2))
        return count * 2 if count.sum() + x.sum() * 0 < 9 else count

    captured = wg.capture(step)
    captured(wg.ones(2))
    program = reload_program(last_program(captured), {"count": count})
    for _ in range(3):
        program(wg.ones(2))
    assert program.tensors["count"].tolist() == [4.0, 4.0]
    x, state = wg.ones(2), wg.get_rng_state().tolist()
    for _ in range(2):
        with pytest.raises(ProgramGuardError):
            program(x)
        assert program.tensors["count"].tolist() == [4.0, 4.0]
        assert x.tolist() == [1.0, 1.0]
        assert wg.get_rng_state().tolist() == state
    program.tensors["count"].zero_()
    assert program(x).tolist() == [2.0, 2.0]


def test_a_result_of_another_shape_is_an_error():
    captured = wg.capture(lambda x: wg.masked_select(x, x > 0))
    captured(wg.ones(3))
    program = reload_program(last_program(captured))
    assert program(wg.full((3,), 2.0)).tolist() == [2.0] * 3
    with pytest.raises((ProgramGuardError, RuntimeError)):
        program(wg.tensor([1.0, -1.0, 1.0]))


def test_an_error_that_the_function_catches_is_refused():
    def step(x, index):
        try:
            return x.gather(0, index)
        except (IndexError, RuntimeError):
            return x * 2

    captured = wg.capture(step)
    captured(wg.ones(2), wg.tensor([5]))
    with pytest.raises(ProgramFileError, match=r"an error of gather \(.*test_export_guards.py:\d+\).*; ask before"):
        save_bytes(last_program(captured))


def test_an_error_that_depends_on_a_number_is_a_guard():
    def step(x):
        try:
            return wg.linalg.cholesky(x)
        except RuntimeError:
            return x * 2

    captured = wg.capture(step)
    for x in (-wg.eye(2), wg.eye(2)):
        captured(x)
    program = reload_program(last_program(captured))
    for x in (-wg.eye(2), wg.eye(2), wg.eye(2) * 4):
        assert bits(program(x)) == bits(step(x))


@pytest.mark.parametrize("n", [3, 3000])
def test_branches_of_branches_to_any_depth(n):
    def change(text):
        text["ops"].append({"table": "", "name": "guard", "parameters": ["value", "expected"]})
        seen, other = ([len(text["ops"]) - 1, ["a0", [number] * 4], [], 0] for number in (1.0, 2.0))
        rest = {"result": {"tuple": []}, "results": [], "gradients": []}
        text["nodes"] = [{"trunk": None, "at": 0, "steps": [other], **rest}]
        for number in range(n):
            steps = [seen, other] if number < n - 1 else [seen]
            text["nodes"].append({"trunk": number, "at": number, "steps": steps, **rest})

    program = load_bytes(edit_text(change))
    for _ in range(2):
        assert program(wg.ones(2, 2)) == ()
        assert program(wg.full((2, 2), 2.0)) == ()
        with pytest.raises(ProgramGuardError, match=r"is 3\.0"):
            program(wg.full((2, 2), 3.0))
    file = io.BytesIO()
    program.save(file)
    assert load_bytes(file.getvalue())(wg.ones(2, 2)) == ()


def test_many_branches_of_branches_are_saved():
    def step(x):
        for number in range(60):
            if x[number] > 0:
                return x.sum() + number
        return x.sum()

    captured = wg.capture(step)
    calls = [(wg.arange(60) == number).float() for number in range(60)]
    for x in calls:
        captured(x)
    program = reload_program(last_program(captured))
    assert [program(x).item() for x in calls] == [float(1 + number) for number in range(60)]
