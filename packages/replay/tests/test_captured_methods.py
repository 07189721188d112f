"""Captured methods: programs for each instance, which go with it; copies and pickles of captured functions."""

from __future__ import annotations

import copy
import dataclasses
import gc
import inspect
import os
import pickle
import threading
import time
import weakref

import pytest
import wengert as wg
from wengert_core import memory

explain = wg.replay.explain


def double(x):
    return x * 2


class Net:
    """An object with a captured method."""

    def __init__(self, factor):
        self.factor = wg.tensor([factor] * 500)

    @wg.capture
    def forward(self, x):
        """Scale."""
        return x * self.factor


def test_each_instance_has_programs_of_its_own():
    a, b = Net(2.0), Net(3.0)
    for k in range(3):
        x = wg.full((500,), float(k))
        assert (a.forward(x)[0].item(), b.forward(x)[0].item()) == (2 * k, 3 * k)
    assert (explain(a.forward).replays, explain(b.forward).replays) == (2, 2)
    assert explain(Net.forward).replays == 0
    assert a.forward.__self__ is a
    assert a.forward.__doc__ == Net.forward.__doc__ == "Scale."
    assert "Net.forward" in repr(a.forward)


def test_programs_of_a_method_go_with_the_instance():
    gc.collect()
    before = memory.stats()["bytes_in_use"]
    for _ in range(30):  # more than max_programs
        net = Net(2.0)
        net.forward(wg.ones(500)), net.forward(wg.ones(500))
        assert explain(net.forward).replays == 1
    died = weakref.ref(net)
    del net
    gc.collect()
    assert died() is None
    assert Net.forward.methods.captures == {}
    assert memory.stats()["bytes_in_use"] <= before


def test_an_instance_that_lives_for_its_call_only():
    assert Net(5.0).forward(wg.ones(500))[0].item() == 5


def test_instances_that_are_equal_are_not_mixed_up():
    @dataclasses.dataclass(frozen=True)
    class Same:
        name: str

        @wg.capture
        def number(self, x):
            return x * numbers[id(self)]

    a, b = Same("a"), Same("a")
    numbers = {id(a): 2, id(b): 3}
    assert a == b
    assert [(a.number(wg.ones(1)).item(), b.number(wg.ones(1)).item()) for _ in range(3)] == [(2, 3)] * 3


def test_instances_without_weak_references():
    class Slots:
        __slots__ = ("factor",)

        def __init__(self):
            self.factor = 4.0

        @wg.capture
        def scale(self, x):
            return x * self.factor

    one = Slots()
    assert [one.scale(wg.full((1,), float(k))).item() for k in range(3)] == [0, 4, 8]
    assert explain(Slots.scale).replays == 2


def test_a_warning_of_a_method_names_the_line_that_called_it():
    class Keeper:
        @wg.capture
        def keep(self, x):
            return iter([x * 2])

    keeper = Keeper()
    with pytest.warns(RuntimeWarning, match="list_iterator") as caught:
        keeper.keep(wg.ones(1))
    assert caught[0].filename == __file__


def test_options_hold_for_methods():
    class Strict:
        @wg.capture(validate=True)
        def __call__(self, x):
            calls.append(1)
            return x * 2

    calls = []
    one = Strict()
    assert [one(wg.ones(1)).item() for _ in range(3)] == [2, 2, 2]
    assert len(calls) == 3


def test_copies_have_the_function_and_no_programs():
    f = wg.capture(double, max_programs=3, quiet=True)
    f(wg.ones(1)), f(wg.ones(1))
    for other in (copy.copy(f), copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
        assert other is not f
        assert (explain(other).programs, other.max_programs, other.quiet) == ([], 3, True)
        assert [other(wg.full((1,), float(k))).item() for k in range(3)] == [0, 2, 4]
        assert explain(other).replays == 2


def test_a_copied_model_has_captures_of_its_own_parameters():
    model = wg.nn.Linear(2, 1, bias=False).requires_grad_(False)
    model.run = wg.capture(model.forward)
    model.weight.fill_(1)
    assert [model.run(wg.ones(2)).item() for _ in range(3)] == [2, 2, 2]
    other = copy.deepcopy(model)
    other.weight.fill_(5)
    assert [other.run(wg.ones(2)).item() for _ in range(3)] == [10, 10, 10]
    assert [model.run(wg.ones(2)).item() for _ in range(3)] == [2, 2, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_replays():
    f = wg.capture(lambda x: (x * 2).exp().sum())
    x = wg.linspace(0, 1, 100000)
    expected = f(x).item()
    f(x)
    child = os.fork()
    if child == 0:
        os._exit(0 if f(x).item() == expected and explain(f).replays == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_forked_while_another_thread_replays_replays_too():
    f = wg.capture(lambda x: (x * 2).exp().sum())
    x = wg.linspace(0, 1, 100000)
    expected = f(x).item()
    f(x)
    end = threading.Event()

    def replays():
        while not end.is_set():
            f(x)

    thread = threading.Thread(target=replays)
    thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                os._exit(0 if f(x).item() == expected else 1)
            assert exit_status(child) == 0
    finally:
        end.set()
        thread.join()


def exit_status(child):
    """Wait a minute for a process to end; returns how it did."""
    last = time.monotonic() + 60
    while (found := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > last:
            os.kill(child, 9)
        time.sleep(0.001)
    return found[1]


def test_signatures_past_the_bound_are_not_kept():
    f = wg.capture(lambda x, factor: x * factor, max_programs=2, quiet=True)
    for k in range(2000):
        assert f(wg.ones(1), float(k)).item() == k
    assert len(f.entries) <= 2
    g = wg.capture(lambda x, factor: list(map(id, [x])) and x.numpy() * factor, max_programs=2, quiet=True)
    for k in range(200):
        g(wg.ones(1), float(k))
    assert len(g.entries) <= 40


def test_a_number_that_is_no_number_is_one_signature():
    f = wg.capture(lambda x, factor: x * factor)
    for _ in range(4):
        f(wg.ones(1), float("nan")), f(wg.ones(1), complex("nan+1j").real)
    assert len(explain(f).programs) == 1
    assert explain(f).replays == 7


def test_explain_names_the_arguments_of_a_method():
    class Model:
        @wg.capture
        def step(self, x, *, scale):
            return x * scale

    model = Model()
    model.step(wg.ones(3), scale=2.0)
    words = str(wg.replay.explain(model.step))
    assert "x: float32[3]" in words
    assert "self" not in words


@wg.capture
def triple(x):
    """Triple a number; captured under its own name."""
    return x * 3


class Multiplier:
    """An object with a captured method, in a module."""

    __slots__ = ("__dict__", "__weakref__")

    @wg.capture
    def step(self, x, *, k=1):
        """Multiply."""
        return x * k


class WithoutReferences:
    """An object that cannot be referred to weakly."""

    __slots__ = ()

    @wg.capture
    def step(self, x, *, k=1):
        """Multiply."""
        return x * k


def test_a_captured_function_of_a_module_is_pickled_by_its_name():
    for f in (triple, Multiplier.step):
        assert pickle.loads(pickle.dumps(f)) is f
        assert copy.copy(f) is copy.deepcopy(f) is f


@pytest.mark.parametrize("kind", [Multiplier, WithoutReferences])
def test_methods_are_compared_copied_and_inspected_as_python_s_are(kind):
    one, other = kind(), kind()
    assert one.step == one.step != other.step
    assert len({one.step, one.step, other.step}) == 2
    assert (one.step.__self__, one.step.__func__) == (one, kind.step)
    assert str(inspect.signature(one.step)) == "(x, *, k=1)"
    assert (one.step.__name__, one.step.__doc__) == ("step", "Multiply.")
    assert copy.copy(one.step)(wg.ones(1), k=2).item() == 2
    copied = copy.deepcopy(one.step)
    assert copied.__self__ is not one
    assert copied(wg.ones(1), k=2).item() == 2
    loaded = pickle.loads(pickle.dumps(one.step))
    assert type(loaded.__self__) is kind
    assert loaded(wg.ones(1), k=2).item() == 2
    assert [one.step(wg.ones(1), k=3).item() for _ in range(3)] == [3] * 3


def test_a_copied_object_has_its_own_methods():
    one = Multiplier()
    one.callback = one.step
    other = copy.deepcopy(one)
    assert other.callback.__self__ is other
    assert other.callback == other.step != one.step


def test_methods_may_be_referred_to_weakly():
    one = Multiplier()
    assert weakref.WeakMethod(one.step)()(wg.ones(1), k=2).item() == 2
    method = one.step
    assert weakref.ref(method)() is method
    reference = weakref.WeakMethod(one.step)
    del one, method
    gc.collect()
    assert reference() is None


def test_explain_takes_a_method_of_an_object_that_cannot_be_referred_to_weakly():
    one = WithoutReferences()
    one.step(wg.ones(1))
    assert explain(one.step).eager > 0
