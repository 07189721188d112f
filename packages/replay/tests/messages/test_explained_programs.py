"""Explanations say where branches begin, what has changed of Python's state, and why loops are recorded as they are."""

import dataclasses
import enum

import pytest
import wengert as wg
from wengert_replay.inspection.reasons import advice_for

explain = wg.replay.explain


def explain_calls(function, *calls, **options):
    """Return the lines of the explanation of a function that was called."""
    captured = wg.capture(function, quiet=True, **options)
    for args in calls:
        captured(*args)
    return repr(explain(captured)).splitlines()


def line_of(function, offset):
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno + offset}"


def test_branches_are_told_with_their_lines_and_numbers():
    def step(x):
        if x.sum() > 0:
            x = x * 2
        return x * float(x[0].round())

    lines = explain_calls(step, *[(wg.full((2,), value),) for value in (1.0, 2.0, 3.0, -1.0, -1.0)])
    assert f"    2 branches at {line_of(step, 3)}, where Python reads 2.0, 4.0, 6.0" in lines
    assert f"    1 branch at {line_of(step, 1)}, where Python reads True, False" in lines


def test_a_function_without_branches_has_no_line_for_them():
    assert len(explain_calls(lambda x: x * 2, (wg.ones(2),), (wg.ones(2),))) == 2


class Model:
    """An object whose attributes a function reads."""

    def __init__(self):
        self.scale, self.name, self.part = 1.0, "first", None


MODEL = Model()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: setattr(MODEL, "scale", 2.5), "MODEL.scale is 2.5, not 1.0"),
        (lambda: setattr(MODEL, "name", "other"), "MODEL.name is 'other', not 'first'"),
        (lambda: setattr(MODEL, "part", Model()), "MODEL.part is another one"),
    ],
)
def test_what_has_changed_of_an_object_is_told_by_its_name(change, words):
    MODEL.__init__()
    captured = wg.capture(lambda x: x * MODEL.scale, guard_python=True)
    captured(wg.ones(2))
    change()
    captured(wg.ones(2))
    assert explain(captured).differences[1] == f"unlike program 0: {words}"


def test_what_has_changed_of_a_closure_is_told_by_its_name():
    rate, options = 0.5, {"mode": {"depth": 1}}
    captured = wg.capture(lambda x: x * rate * options["mode"]["depth"], guard_python=True)
    captured(wg.ones(2))
    rate = 0.25
    captured(wg.ones(2))
    rate, options["mode"]["depth"] = 0.5, 3
    captured(wg.ones(2))
    assert explain(captured).differences[1:] == [
        "unlike program 0: rate is 0.25, not 0.5", "unlike program 0: options.mode.depth is 3, not 1",
    ]  # fmt: skip


def test_a_module_in_eval_mode_is_told_by_its_name():
    layer = wg.nn.Dropout(0.5)
    captured = wg.capture(lambda x: layer(x), guard_python=True)
    captured(wg.ones(2))
    layer.eval()
    captured(wg.ones(2))
    assert explain(captured).differences[1] == "unlike program 0: layer.training is False, not True"


@dataclasses.dataclass(frozen=True, eq=False)
class Pair:
    """An argument with tensors in it that is equal to itself alone."""

    x: wg.Tensor
    y: wg.Tensor


def test_another_object_as_an_argument_is_told():
    lines = explain_calls(lambda pair: pair.x * pair.y, *[(Pair(wg.ones(2), wg.ones(2)),) for _ in range(2)])
    assert lines[3] == "    unlike program 0: pair is another object, or has others in it"


class Kind(enum.Enum):
    """A choice."""

    ONE = 1
    TWO = 2


def test_an_enum_is_shown_by_its_name():
    lines = explain_calls(lambda x, kind: x * kind.value, (wg.ones(2), Kind.ONE), (wg.ones(2), Kind.TWO))
    assert lines[1].startswith("program 0: x: float32[2], kind: Kind.ONE; ")
    assert lines[3] == "    unlike program 0: kind is Kind.TWO, not Kind.ONE"


def test_a_view_of_memory_has_a_way_out():
    assert advice_for(memoryview(bytearray(b"a"))) == "pass bytes"


def test_a_method_of_a_class_has_the_programs_of_its_instances():
    class Twice:
        @wg.capture
        def double(self, x):
            return x * 2

    one = Twice()
    assert repr(explain(Twice.double)) == "0 programs, no calls yet"
    one.double(wg.ones(2))
    words = "no calls; 1 instance with programs: explain(instance.method) shows them"
    assert repr(explain(Twice.double)) == f"0 programs, {words}"
    assert len(explain(one.double).programs) == 1


def test_the_backward_of_a_call_is_told_in_its_program():
    weight = wg.ones(3, requires_grad=True)
    captured = wg.capture(lambda x: (weight * x).sum())
    for _ in range(3):
        captured(wg.ones(3)).backward()
    (program,) = explain(captured).programs
    assert "the call returns; what follows is its backward" in str(program).splitlines()
    assert "the call returns; what follows is its backward" in program.to_dot()


def test_bodies_of_a_loop_have_numbers():
    weight = wg.ones(2, requires_grad=True)

    @wg.capture
    def step(xs):
        weight.grad = None
        wg.func.scan(lambda h, x: ((weight * h + x).tanh(), x), wg.zeros(2), xs)[0].sum().backward()

    for _ in range(2):
        step(wg.ones(4, 2))
    program = explain(step).programs[-1]
    assert "    body 1 of 2:" in str(program).splitlines()
    assert "scan_backward [loop]" in program.to_dot()


def test_calls_of_python_functions_and_lists_are_printed_as_python_has_them():
    @wg.compiler.disable
    def look(*tensors):
        return None

    def step(x, y):
        z = wg.cat([x, y])
        look(z)
        return wg.func.fori_loop(0, 3, lambda i, c: c * 2 + i, z)

    captured = wg.capture(step)
    for _ in range(2):
        captured(wg.ones(2), wg.ones(2))
    lines = [line.split("  #")[0] for line in str(explain(captured).programs[0]).splitlines()[1:]]
    assert lines[0] == "%0 = cat([a0, a1]): float32[4]"
    assert lines[1].endswith("python_has_them.look(%0)  [python]")
    assert lines[2] == "%2 = fori_loop(%0): float32[4]  [loop]"


OUTSIDE = wg.zeros(3)
WEIGHT = wg.ones(3, requires_grad=True)


def writes(carry, row):
    OUTSIDE.add_(carry.detach())
    return carry * WEIGHT + row, carry.sum()


def scales_rows(carry, row):
    row.mul_(2)
    return carry * WEIGHT + row, carry.sum()


def calls(carry, row):
    wg.compiler.disable(lambda: None)()
    return carry * WEIGHT + row, carry.sum()


def accumulates(carry, row):
    (WEIGHT * 1).sum().backward()
    return carry * WEIGHT + row, carry.sum()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (writes, "it writes to a tensor from outside"),
        (scales_rows, "it writes to one of its arguments"),
        (calls, "it calls a Python function that is not recorded"),
        (accumulates, "it changes the gradient of a tensor from outside"),
    ],
)
def test_a_loop_that_is_no_instruction_says_why_once(body, why):
    def step(x, xs):
        return wg.func.scan(body, x, xs)[1].sum()

    captured = wg.capture(step, quiet=True)
    for _ in range(4):
        captured(wg.ones(3), wg.ones(5, 3))
    text = repr(explain(captured))
    assert text.count(f"func.scan is recorded operation by operation: {why}") == 1


def test_a_cond_whose_predicate_is_a_guard_says_why():
    lines = explain_calls(
        lambda x: wg.func.cond(x.sum() > 0, lambda x: x[:1] * 1, lambda x: x - 1, x), (wg.ones(3),), (wg.ones(3),)
    )
    why = "    func.cond is recorded operation by operation: its functions give"
    assert any(line.startswith(why) for line in lines)
