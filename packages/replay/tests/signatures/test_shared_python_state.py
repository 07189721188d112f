"""Python's state that a captured function shares with functions under compiler.disable, which replays call."""

import types

import pytest
import wengert as wg


def tell_rate(state):
    """A rate that every fifth call halves."""

    @wg.compiler.disable
    def tick():
        state.n += 1
        if state.n % 5 == 0:
            state.rate *= 0.5

    def step(x):
        tick()
        return x * state.rate

    return step


def tell_item(state):
    @wg.compiler.disable
    def tick():
        state.items["n"] += 1
        state.items["rate"] = 1.0 if state.items["n"] < 6 else 2.0

    def step(x):
        tick()
        return x * state.items["rate"]

    return step


def tell_by_method(state):
    def tick():
        change()

    def change():
        state.n += 1
        if state.n == 6:
            state.rate = 3.0

    ticked = wg.compiler.disable(tick)

    def step(x):
        ticked()
        return x * getattr(state, "rate")  # noqa: B009

    return step


def reset_flag(state):
    """A flag that the function sets and the other takes back."""

    @wg.compiler.disable
    def factor():
        state.n += 1
        found = wg.tensor(2.0 if state.flag else 1.0)
        state.flag = False
        return found

    def step(x):
        state.flag = True
        return x * factor()

    return step


def count_for_log(state):
    @wg.compiler.disable
    def tell():
        state.log.append(state.n)

    def step(x):
        state.n += 1
        tell()
        return x * 2

    return step


def count_apart(state):
    """Nothing is shared: a word that is a key of a result is none of the log."""

    @wg.compiler.disable
    def tell(x):
        state.log.append(float(x.sum()))
        state.items["loss"] = state.items["n"]

    def step(x):
        tell(x)
        return {"loss": x * 2, "n": x * 3}

    return step


def make_state():
    return types.SimpleNamespace(n=0, rate=1.0, flag=False, items={"n": 0, "rate": 1.0}, log=[])


@pytest.mark.parametrize(
    "make", [tell_rate, tell_item, tell_by_method, reset_flag, count_for_log, count_apart], ids=lambda one: one.__name__
)
def test_shared_state(make):
    def run(capture):
        state = make_state()
        function = wg.capture(make(state), quiet=True) if capture else make(state)
        results = [function(wg.ones(2) * i) for i in range(12)]
        return [wg.utils._pytree.tree_map(lambda one: one.tolist(), one) for one in results], vars(state), function

    expected, state, _ = run(capture=False)
    found, changed, function = run(capture=True)
    assert (found, changed) == (expected, state)
    explanation = wg.replay.explain(function)
    assert (explanation.replays > 0) == (make is count_apart)
    if make is not count_apart:
        assert "under compiler.disable" in repr(explanation) or "that it reads, or may read" in repr(explanation)
