"""Functions and arguments that cannot be captured: a clear error, or a call as usual whose reason is told."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest
import wengert as wg
from wengert_testing.sim import SimDevice

from .differential.scenarios import attempt
from .hidden_count import hidden_count

explain = wg.replay.explain


def reasons_of(function, *calls):
    """Run a captured function beside the function; return why calls were not replayed."""
    captured = wg.capture(function)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="wengert.capture", category=RuntimeWarning)
        for args in calls:
            captured(*args)
    return explain(captured)


def test_arguments_without_a_hash_run_as_usual():
    found = reasons_of(lambda x, s: x * len(s), (wg.ones(2), {1, 2}), (wg.ones(2), {1}))
    assert found.programs == []
    assert found.eager == 2
    assert "of type set has no value to compare" in found.reasons[0]


def endless():
    nested = []
    nested.append(nested)
    return nested


OTHERS = {"set": {1}, "array": np.ones(2), "bytearray": bytearray(b"a"), "generator": iter(()), "endless": endless()}


@pytest.mark.parametrize("kind", OTHERS)
def test_an_argument_that_no_program_takes_gives_one_warning(kind):
    f = wg.capture(lambda x, other: x * 2)
    with pytest.warns(
        RuntimeWarning, match=r"wengert\.capture: .* runs as usual: an? ?.*(has no value|too deeply)"
    ) as caught:
        assert [f(wg.ones(1), OTHERS[kind]).item() for _ in range(3)] == [2, 2, 2]
    assert len(caught) == 1
    assert explain(f).eager == 3


@pytest.mark.parametrize("read", [wg.initial_seed, wg.Generator().initial_seed], ids=["default", "own"])
def test_a_function_that_reads_a_seed_runs_as_usual(read):
    def function(x):
        return x * (read() % 100)

    f = wg.capture(function, quiet=True)
    for seed in range(4):
        wg.manual_seed(seed)
        read.__self__.manual_seed(seed) if hasattr(read, "__self__") else None
        assert f(wg.ones(2)).tolist() == function(wg.ones(2)).tolist()
    assert explain(f).replays == 0
    assert "the state of a generator" in explain(f).reasons[0]


@pytest.mark.parametrize("differentiates", [False, True])
def test_a_subclass_hears_of_the_functions_calls_alone(differentiates):
    calls = []

    class Listener(wg.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(getattr(func, "__name__", ""))
            return super().__torch_function__(func, types, args, kwargs or {})

    def run(function):
        calls.clear()
        for _ in range(4):
            result = function(wg.ones(2, requires_grad=differentiates).as_subclass(Listener))
            if differentiates:
                result.backward()
        return list(calls)

    function = lambda x: (x * 2).sum()  # noqa: E731
    assert run(wg.capture(function, quiet=True)) == run(function)


def test_a_hash_that_raises_lets_the_function_run_as_usual():
    class Odd:
        def __hash__(self):
            raise ZeroDivisionError("odd")

    f = wg.capture(lambda x, o: x * 2)
    with pytest.warns(RuntimeWarning, match="argument 'o' of type Odd has no value to compare"):
        assert f(wg.ones(1), Odd()).item() == 2
    assert f(wg.ones(1), 1).item() == 2


def test_structure_that_changes_from_call_to_call_is_bounded():
    """A list that grows has a new signature each time: up to the bound there are programs, then a warning, once."""
    seen = []

    def step(x, history):
        return x + sum(history)

    f = wg.capture(step, max_programs=4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(10):
            assert f(wg.ones(1), seen).item() == 1 + sum(seen)
            seen.append(k)
    assert len(explain(f).programs) == 4
    assert [str(one.message) for one in caught if "max_programs" in str(one.message)] != []
    assert len(caught) == 1


def test_results_that_change_from_call_to_call_where_nobody_looks_are_those_of_the_recording():
    """As documented; validate=True tells (test_validation.py)."""
    numbers = hidden_count()
    f = wg.capture(lambda x: (x * 2, numbers()))
    assert [f(wg.ones(1))[1] for _ in range(3)] == [0, 0, 0]
    assert explain(f).replays == 2


def test_tensors_of_a_dead_device():
    f = wg.capture(lambda x: x * 2)
    with pytest.raises((RuntimeError, ValueError), match="nodevice"):
        f(wg.ones(2).to("nodevice"))
    assert f(wg.ones(2)).tolist() == [2, 2]


def test_tensors_of_devices_without_graphs_run_as_usual(monkeypatch):
    monkeypatch.setattr(SimDevice, "can_capture", False)
    found = reasons_of(lambda x: x * 2, (wg.ones(2, device="sim"),), (wg.ones(2, device="sim"),))
    assert (found.programs, found.eager) == ([], 2)
    assert "sim" in found.reasons[0]
    w = wg.ones(2, device="sim")
    found = reasons_of(lambda x: (w * 2).cpu() + x, (wg.ones(2),), (wg.ones(2),))
    assert (found.programs, found.eager) == ([], 2)
    assert "sim" in found.reasons[0]


def test_a_capture_that_records_in_another_thread_in_the_meantime():
    """Operations of another thread while a function is recorded are not part of the program."""
    w = wg.zeros(2)

    def step(x):
        thread = threading.Thread(target=lambda: w.add_(1))
        thread.start()
        thread.join()
        return x * 2

    f = wg.capture(step)
    assert [f(wg.full((2,), float(k))).tolist() for k in range(3)] == [[0, 0], [2, 2], [4, 4]]


def test_generators_and_coroutines_are_not_replayed():
    def parts(x):
        yield x * 2

    async def later(x):
        return x * 2

    f = wg.capture(parts, quiet=True)
    for k in range(3):
        assert [one.item() for one in f(wg.full((1,), float(k)))] == [2 * k]
    assert "of type generator" in explain(f).reasons[0]
    g = wg.capture(later, quiet=True)
    for k in range(3):
        coroutine = g(wg.full((1,), float(k)))
        with pytest.raises(StopIteration) as stop:
            coroutine.send(None)
        assert stop.value.value.item() == 2 * k


def test_mutable_results_are_new_ones():
    f = wg.capture(lambda x: {"values": [x * 2], "names": []})
    for _ in range(3):
        got = f(wg.ones(1))
        assert got["names"] == []
        got["names"].append(1)


def test_profiles_of_recordings_run_as_usual():
    f = wg.capture(lambda x: x * 2)
    with wg.autograd.profiler.profile():
        assert [f(wg.ones(1)).item() for _ in range(3)] == [2, 2, 2]
    assert [f(wg.ones(1)).item() for _ in range(3)] == [2, 2, 2]
    assert explain(f).replays == 2


def test_a_profile_that_begins_inside():
    def step(x):
        with wg.autograd.profiler.profile() as profile:
            y = x * 2
        return y, len(profile.function_events)

    f = wg.capture(step)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="wengert.capture", category=RuntimeWarning)
        for _ in range(3):
            got = attempt(lambda: f(wg.ones(1))[0].item())
            assert got == 2 or "profiler" in got[1] or "observed" in got[1]
    assert (wg.ones(1) * 2).item() == 2
    g = wg.capture(lambda x: x * 3)
    assert [g(wg.ones(1)).item() for _ in range(3)] == [3, 3, 3]
    assert explain(g).replays == 2


@pytest.mark.parametrize("wrong", [None, 3, "f", wg.ones(1)])
def test_what_is_no_function_is_refused(wrong):
    if wrong is None:
        assert callable(wg.capture(None))
        return
    with pytest.raises(TypeError, match="must be callable"):
        wg.capture(wrong)


@pytest.mark.parametrize(
    ("wrong", "error"), [(0, ValueError), (-1, ValueError), (1.5, ValueError), ("a", ValueError), (True, ValueError)]
)
def test_bounds_that_are_no_numbers_are_refused(wrong, error):
    with pytest.raises(error, match="max_programs"):
        wg.capture(lambda: 1, max_programs=wrong)


def test_warnings_name_function_and_line():
    def keeps(x):
        seen.append(x * 2)
        return x

    seen = []
    f = wg.capture(keeps)
    for _ in range(3):
        f(wg.ones(1))
    with pytest.warns(RuntimeWarning, match=r"keeps.*stored") as caught:
        f(wg.ones(1))
    f(wg.ones(1))
    assert len(caught) == 1
    assert caught[0].filename == __file__
