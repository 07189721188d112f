"""Reasons why calls run as usual: what is around a call, which argument, which line, and what to do."""

from __future__ import annotations

import inspect
import re
import warnings

import numpy as np
import pytest
import wengert as wg
from wengert_replay.inspection.reasons import ADVICE, with_advice

explain = wg.replay.explain


def reasons_of(function, *calls, around=None):
    """Call a captured function, and return its reasons."""
    captured = wg.capture(function)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="wengert.capture", category=RuntimeWarning)
        for args in calls:
            captured(*args)
    return explain(captured).reasons


def line_of(function, words):
    """Return where a line of a function stands that has these words."""
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(i for i, line in enumerate(lines) if words in line)}"


def double(x):
    return x * 2


class Quiet(wg.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


CONTEXTS = {
    "autocast": (lambda: wg.autocast("cpu"), "autocast is on around the call"),
    "anomaly": (lambda: wg.autograd.set_detect_anomaly(True), "anomaly mode or hooks for saved tensors"),
    "hooks": (lambda: wg.autograd.graph.saved_tensors_hooks(double, double), "anomaly mode or hooks for saved tensors"),
    "forward": (wg.autograd.forward_ad.dual_level, "a level of forward mode is open around the call"),
    "function": (Quiet, "a function mode is on around the call (Quiet)"),
    "profile": (wg.autograd.profiler.profile, "a profile or another observer was on"),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_mode_around_the_call_is_named(name):
    context, words = CONTEXTS[name]
    f = wg.capture(double)
    with context():
        f(wg.ones(2))
        f(wg.ones(2))
    (reason,) = explain(f).reasons
    assert words in reason


@pytest.mark.parametrize("transform", ["vmap", "grad", "jvp"])
def test_a_transform_around_the_call_is_named(transform):
    f = wg.capture(lambda x: (x * 2).sum())
    x = wg.ones(2, 3)
    {"vmap": lambda: wg.vmap(f)(x), "grad": lambda: wg.func.grad(f)(x), "jvp": lambda: wg.func.jvp(f, (x,), (x,))}[
        transform
    ]()
    (reason,) = explain(f).reasons
    assert "inside of vmap, grad or another transform: capture the function around it" in reason


def test_a_mode_that_changes_between_calls_is_named():
    f = wg.capture(lambda x: x @ x)
    x = wg.ones(2, 2)
    f(x)
    f(x)
    assert explain(f).reasons == []
    with wg.autocast("cpu"):
        assert f(x).dtype is wg.bfloat16
    assert "autocast" in explain(f).reasons[0]
    assert explain(f).replays == 1


def test_a_mode_around_the_call_is_no_error_with_strict():
    f = wg.capture(double, strict=True)
    with wg.autocast("cpu"):
        assert f(wg.ones(1)).item() == 2


def test_a_captured_function_inside_of_another_one_is_told():
    inner = wg.capture(double)
    outer = wg.capture(lambda x: inner(x) + 1)
    outer(wg.ones(2))
    (reason,) = explain(inner).reasons
    assert "a part of that one's program" in reason
    assert explain(outer).reasons == []


ARGUMENTS = {
    "array": (np.ones(2), "argument 'other' of type ndarray has no value to compare: pass a tensor"),
    "nested": ({"a": [1, {2}]}, "argument 'other['a'][1]' of type set has no value to compare: pass a frozenset"),
    "iterator": (iter([1]), "argument 'other' of type list_iterator has no value to compare: pass a list or a tuple"),
    "bytearray": (bytearray(b"a"), "argument 'other' of type bytearray has no value to compare: pass bytes"),
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_an_argument_without_a_value_is_named(kind):
    value, words = ARGUMENTS[kind]
    (reason,) = reasons_of(lambda x, other: x * 2, (wg.ones(2), value))
    assert reason.startswith(words)


def test_a_keyword_without_a_value_is_named():
    f = wg.capture(lambda x, *, other: x * 2, quiet=True)
    f(wg.ones(2), other={1})
    assert explain(f).reasons[0].startswith("argument 'other' of type set")


def test_a_function_that_raises_is_told_with_its_line():
    def fails(x):
        y = x * 2
        raise KeyError(y)

    f = wg.capture(fails)
    for _ in range(2):
        with pytest.raises(KeyError):
            f(wg.ones(2))
    assert explain(f).reasons == [
        f"the function raised KeyError while it was recorded ({line_of(fails, 'raise KeyError')})"
    ]


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (lambda k: (wg.ones(2), float(k)), "which differ in k: further signatures run as usual. Pass numbers"),
        (lambda k: (wg.ones(k + 1), 1.0), "which differ in x: further signatures run as usual. Pad tensors"),
    ],
    ids=["numbers", "shapes"],
)
def test_too_many_programs_say_in_what_they_differ(argument, words):
    f = wg.capture(lambda x, k: x * k, max_programs=3, quiet=True)
    for k in range(6):
        f(*argument(k))
    (reason,) = explain(f).reasons
    assert f"there are 3 programs (max_programs), {words}" in reason


def test_a_number_that_differs_is_told_with_its_line():
    def scale(x):
        return x * float(x.detach().sum())

    for requires_grad in (False, True):
        f = wg.capture(scale, quiet=True)
        for k in range(12):
            f(wg.full((2,), 1.0 + k, requires_grad=requires_grad))
        reason = explain(f).reasons[-1]
        assert reason.startswith(f"a number that Python reads ({line_of(scale, 'float')}) differs in each call")


def test_ways_of_results_with_a_graph_differ_in_a_number():
    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: (w * x).sum() * float(x.sum()))
    for k in (1.0, 1.0, 2.0, 2.0):
        f(wg.full((2,), k))
    found = explain(f)
    assert re.fullmatch(r"unlike program 0: Python reads 4\.0, not 2\.0 \(.*:\d+\)", found.differences[1])


def test_what_is_stored_is_told_with_its_line():
    kept = []

    def stores(x):
        kept.append(x * 3)
        return x + 1

    def stores_result(x):
        kept.append(x.exp())
        return kept[-1]

    (reason,) = reasons_of(stores, *[(wg.ones(2),)] * 5)
    assert reason == ("the function has stored 1 tensor that it made, or its graph, somewhere else than in its results "
                      f"(mul ({line_of(stores, 'x * 3')}))")  # fmt: skip
    (reason,) = reasons_of(stores_result, *[(wg.ones(2),)] * 5)
    assert reason == ("the function has stored a result somewhere else, too: exp "
                      f"({line_of(stores_result, 'x.exp()')})")  # fmt: skip


def test_an_explanation_says_what_to_do():
    f = wg.capture(lambda x: x[:1], quiet=True)
    f(wg.ones(2))
    assert repr(explain(f)).splitlines()[-1] == "as usual: a result is a view of an argument: return a clone()"
    assert explain(f).reasons == ["a result is a view of an argument"]


def test_a_warning_and_an_error_say_what_to_do():
    with pytest.warns(RuntimeWarning, match="view of an argument: return a clone"):
        wg.capture(lambda x: x[:1])(wg.ones(2))
    with pytest.raises(RuntimeError, match=r"strict=True \(fullgraph=True.*view of an argument: return a clone"):
        wg.capture(lambda x: x[:1], strict=True)(wg.ones(2))


def test_each_advice_belongs_to_a_reason_of_the_code():
    package = __import__("wengert_replay").__path__[0]
    files = [path for suffix in ("py", "pyx") for path in __import__("pathlib").Path(package).rglob(f"*.{suffix}")]
    text = re.sub(r'"\s*\n\s*f?"', "", "\n".join(p.read_text() for p in files if p.name != "reasons.py"))
    text = re.sub(r"\{[^{}]*\}", "1 tensor", text)
    for pattern, _ in ADVICE:
        for part in pattern.split("|") if "(" not in pattern else [pattern]:
            assert re.search(part, text), part
    assert with_advice("a reason without advice") == "a reason without advice"


def test_modes_of_a_signature_have_names():
    f = wg.capture(double)

    class Twice(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return f(x)

        @staticmethod
        def backward(ctx, grad):
            return f(grad)

    Twice.apply(wg.ones(2, requires_grad=True)).sum().backward()
    assert "tangents is on, not off, as inside of a custom Function" in explain(f).differences[1]
    assert "0x" not in repr(explain(f))


def test_a_function_that_was_not_called_has_no_calls():
    assert repr(explain(wg.capture(double))) == "0 programs, no calls yet"


def test_options_are_checked_when_a_decorator_is_made():
    with pytest.raises(ValueError, match="max_programs must be an int of at least 1, got -1"):
        wg.capture(max_programs=-1)
    with pytest.raises(TypeError, match="argument 'validate' must be bool, not int"):
        wg.capture(validate=1)


def test_one_operation_is_no_plural():
    f = wg.capture(double)
    f(wg.ones(2))
    assert repr(explain(f).programs[0]).startswith("<wengert.replay.Program of 1 operation: 1 launch; ")


def test_a_differing_result_is_shown_as_python_writes_it():
    number = [3]
    f = wg.capture(lambda x: (x * 2, number[0]), validate=True)
    f(wg.ones(1))
    f(wg.ones(1))
    number[0] = 4
    words = r"the result is \(<tensor 0>, 3\) in a replay, \(<tensor 0>, 4\) in an eager run"
    with pytest.raises(wg.replay.ReplayDiffersError, match=words):
        f(wg.ones(1))


def test_arguments_of_a_captured_module_have_the_names_of_forward():
    f = wg.capture(wg.nn.Linear(2, 2))
    f(wg.ones(1, 2))
    assert explain(f).signatures == ["input: float32[1, 2]"]
