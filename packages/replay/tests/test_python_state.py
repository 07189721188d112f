"""The state of Python that a function depends on: what a capture with ``guard_python`` looks at."""

from __future__ import annotations

import gc
import weakref
from functools import partial, wraps

import pytest
import wengert as wg
from wengert_replay.python_state.states import PythonStates

NUMBER, TABLE, NESTED = 1, {"a": [1, 2.0], 3: "three"}, ((1, (2, None)), [])


def uses_globals(x):
    return x * NUMBER + len(TABLE) + len(NESTED)


def uses_another(x):
    return [uses_globals(one) for one in x]


def states_of(function, *args):
    states = PythonStates(100)
    return lambda: states.number(function, args)


@pytest.mark.parametrize("function", [uses_globals, uses_another, partial(uses_globals), lambda x: uses_another(x)])
def test_globals_and_what_they_contain(function, monkeypatch):
    number = states_of(function)
    found = [number()]
    monkeypatch.setitem(globals(), "NUMBER", 2)
    found.append(number())
    monkeypatch.setitem(globals(), "NUMBER", 2.0)
    found.append(number())
    monkeypatch.setitem(globals(), "NUMBER", True)
    found.append(number())
    TABLE["a"][0] = 5
    found.append(number())
    TABLE[4] = None
    found.append(number())
    del TABLE[4]
    TABLE["a"][0] = 1
    NESTED[1].append("x")
    found.append(number())
    NESTED[1].clear()
    assert found == list(range(7))
    monkeypatch.undo()
    assert number() == 0


def test_numbers_that_are_equal_and_not_the_same():
    value = None

    def function():
        return value

    number = states_of(function)
    found = []
    for value in (0, 0.0, -0.0, False, None, "", b"", (), [], {}, float("nan"), 0j):  # noqa: B007
        found.append(number())
    assert found == list(range(12))


def test_tensors_count_by_their_identity():
    w = wg.ones(2)

    def function(x):
        return x * w

    number = states_of(function)
    assert number() == 0
    w.add_(1)
    assert number() == 0
    w = wg.full((2,), 2.0)
    assert number() == 1


def test_an_object_that_is_gone_is_not_taken_for_another():
    box = object()

    def function():
        return box

    number = states_of(function)
    found = set()
    for _ in range(50):
        box = object()
        found.add(number())
    assert len(found) == 50


def test_defaults_attributes_and_methods_of_objects():
    class Model:
        scale = 3

        def __init__(self):
            self.power, self.parts = 2, [1.0]

        def call(self, x, sign=1):
            return self.helper(x) * sign

        def helper(self, x):
            return x * NUMBER

    model = Model()
    number = states_of(model.call)
    assert number() == 0
    model.power = 3
    assert number() == 1
    model.parts[0] = 2.0
    assert number() == 2
    Model.call.__defaults__ = (-1,)
    assert number() == 3
    model.call = lambda x: x
    assert number() == 4


def test_a_global_that_a_method_of_an_object_uses(monkeypatch):
    class Model:
        def call(self, x):
            return self.helper(x)

        def helper(self, x):
            return x * NUMBER

    number = states_of(Model().call)
    assert number() == 0
    monkeypatch.setitem(globals(), "NUMBER", 7)
    assert number() == 1


def test_wrapped_functions_are_looked_into(monkeypatch):
    @wraps(uses_globals)
    def wrapper(*args):
        return uses_globals(*args)

    for function in (wrapper, wg.capture(uses_globals), wg.compile(uses_globals), wg.compiler.disable(uses_globals)):
        monkeypatch.setitem(globals(), "NUMBER", 1)
        number = states_of(lambda x, function=function: function(x))
        assert number() == 0
        monkeypatch.setitem(globals(), "NUMBER", 7)
        assert number() == 1


def test_a_captured_function_does_not_change_by_its_calls():
    inner = wg.capture(lambda x: x * 2)
    number = states_of(lambda x: inner(x))
    assert number() == 0
    inner(wg.ones(2)), inner(wg.ones(3))
    assert number() == 0


def test_modules_their_modes_hooks_and_parameters():
    model = wg.nn.Sequential(wg.nn.Linear(2, 2), wg.nn.Dropout(0.5))
    number = states_of(model)
    assert number() == 0
    model.eval()
    assert number() == 1
    model[1].p = 0.25
    assert number() == 2
    handle = model[0].register_forward_hook(lambda *args: None)
    assert number() == 3
    handle.remove()
    assert number() == 2
    model[0].bias = None
    assert number() == 4
    model.extra = wg.nn.ReLU()
    assert number() == 5
    wg.nn.init.zeros_(model[0].weight)
    assert number() == 5


def test_modules_among_the_arguments():
    model = wg.nn.Dropout(0.5)
    number = states_of(len, model, wg.ones(2), [model])
    assert number() == 0
    model.eval()
    assert number() == 1


def test_objects_that_contain_themselves():
    class Ring:
        pass

    ring, items = Ring(), []
    ring.next, ring.items = ring, items
    items.append(items)

    def function():
        return ring

    number = states_of(function)
    assert number() == number() == 0


def test_an_attribute_that_raises():
    class Odd:
        def __getattr__(self, name):
            raise KeyError(name)

    odd = Odd()

    def function():
        return odd

    number = states_of(function)
    assert number() == 0
    odd.value = 3
    assert number() == 1


def test_states_are_bounded():
    value = 0

    def function():
        return value

    states = PythonStates(2)
    found = []
    for value in (1, 2, 3, 1, 2, 3):  # noqa: B007
        found.append(states.number(function, ()))
    assert found == [0, 1, -1, 0, 1, -1]


def test_classes_and_functions_are_let_go():
    def make():
        class Local:
            def call(self):
                return 1

        local = Local()
        PythonStates(4).number(local.call, ())
        return weakref.ref(Local), weakref.ref(Local.call)

    references = make()
    gc.collect()
    assert [one() for one in references] == [None, None]


def test_a_capture_with_guards_sees_python(monkeypatch):
    f = wg.capture(uses_globals, guard_python=True)
    x = wg.ones(2)
    for value in (1, 2, 1, 2, 3):
        monkeypatch.setitem(globals(), "NUMBER", value)
        assert f(x).tolist() == uses_globals(x).tolist()
    assert wg.replay.explain(f).replays == 2


@pytest.mark.parametrize("has_graph", [False, True])
def test_state_that_the_function_changes_and_that_comes_back(has_graph):
    class Phases:
        phase = 0
        first = True

        def rotate(self, x):
            self.phase = (self.phase + 1) % 3
            return x * self.phase

        def begin(self, x):
            x, self.first = x + self.first, False
            return x

    phases = Phases()
    rotate, begin = (wg.capture(f, guard_python=True, quiet=True) for f in (phases.rotate, phases.begin))
    x = wg.ones(2, requires_grad=has_graph)
    assert [(rotate(x)[0].item(), phases.phase) for _ in range(7)] == [(k % 3, k % 3) for k in range(1, 8)]
    (reason,) = wg.replay.explain(rotate).reasons
    assert reason.startswith("the function changes Python's state that it depends on (")
    assert "phase" in reason
    assert [begin(x)[0].item() for _ in range(4)] == [2, 1, 1, 1]
    assert wg.replay.explain(begin).replays == 2


def test_a_reason_names_what_a_scheduler_changes():
    w = wg.ones(2, requires_grad=True)
    optimizer = wg.optim.SGD([w], lr=0.1)
    scheduler = wg.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

    def step(x):
        optimizer.zero_grad()
        (w * x).sum().backward()
        optimizer.step()
        scheduler.step()

    run = wg.capture(step, guard_python=True, quiet=True)
    for _ in range(6):
        run(wg.ones(2))
    reasons = [one for one in wg.replay.explain(run).reasons if "changes Python's state" in one]
    assert reasons
    assert all("last_epoch" in one or "lr" in one for one in reasons)
