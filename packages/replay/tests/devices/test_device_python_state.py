"""The state of Python that a captured function depends on, on a device: calls that change it run as usual."""

from __future__ import annotations

import pytest
import wengert as wg

REASON = "the function changes Python's state that it depends on"


def ones(**options):
    return wg.ones(2, device="sim", **options)


class Turns:
    """A state that comes back."""

    def __init__(self, length, w=None, each=1):
        self.n, self.calls, self.length, self.w, self.each = 0, [0], length, w, each

    def __call__(self, x):
        self.n = (self.n + 1) % self.length
        y = x * (self.n + 1)
        return y if self.w is None else (y * self.w).sum()


def run(function, state, n, w=None):
    found = []
    for k in range(n):
        if w is not None:
            w.grad = None
        result = function(ones() + k)
        if w is not None:
            result.backward()
        found.append((result.tolist(), state.n, None if w is None else w.grad.tolist()))
    return found


@pytest.mark.parametrize("length", [2, 3, 5])
@pytest.mark.parametrize("has_graph", [False, True])
def test_a_state_that_comes_back(length, has_graph):
    rows = []
    for is_captured in (False, True):
        w = ones().requires_grad_() if has_graph else None
        state = Turns(length, w)
        function = wg.capture(state, guard_python=True) if is_captured else state
        rows.append(run(function, state, 6 * length, w))
    assert rows[0] == rows[1]
    assert wg.replay.explain(function).replays == 0
    assert wg.replay.explain(function).reasons == [REASON]


def test_a_state_that_changes_at_some_calls():
    """A number decides, and most calls are replayed."""

    class Limit:
        def __init__(self):
            self.n = 0

        def __call__(self, x):
            if (x > 10).any():
                self.n = (self.n + 1) % 2
            return x + self.n

    rows = []
    for is_captured in (False, True):
        state = Limit()
        function = wg.capture(state, guard_python=True, quiet=True) if is_captured else state
        rows.append([(function(ones() * value).tolist(), state.n) for value in [1.0] * 5 + [20.0, 1.0] * 6 + [1.0] * 5])
    assert rows[0] == rows[1]
    assert wg.replay.explain(function).replays > 5


def test_a_state_that_is_made_once():
    class Cache:
        def __init__(self):
            self.scale = None

        def __call__(self, x):
            if self.scale is None:
                self.scale = 3
            return x * self.scale

    state = Cache()
    function = wg.capture(state, guard_python=True)
    assert [function(ones() * k).tolist() for k in range(6)] == [[3.0 * k] * 2 for k in range(6)]
    assert wg.replay.explain(function).replays >= 3


def test_strict():
    state = Turns(2)
    with pytest.raises(RuntimeError, match=REASON):
        wg.capture(state, guard_python=True, strict=True)(ones())


class Decay:
    """An average whose decay follows from the number of its updates."""

    def __init__(self):
        self.n, self.mean = 0, wg.zeros(2, device="sim")

    def update(self, x):
        self.n += 1
        self.mean.lerp_(x, 1 / self.n)
        return self.mean.clone()


def test_a_function_that_changes_numbers_that_it_reads_runs_as_usual():
    eager, other = Decay(), Decay()
    captured = wg.capture(other.update, quiet=True)
    for i in range(6):
        x = wg.tensor([1.0, float(i)], device="sim")
        assert captured(x).tolist() == eager.update(x).tolist()
    found = wg.replay.explain(captured)
    assert (found.replays, other.n) == (0, 6)
    assert "numbers or objects of Python that it reads, or may read (Decay.n)" in str(found)


def test_what_the_first_call_makes_ready_is_no_change_later():
    class Scale:
        def __init__(self):
            self.factor = None

        def __call__(self, x):
            if self.factor is None:
                self.factor = 2.0
            return x * self.factor

    scale = Scale()
    captured = wg.capture(scale)
    for i in range(6):
        assert captured(wg.tensor([float(i)], device="sim")).tolist() == [2.0 * i]
    assert wg.replay.explain(captured).replays == 3


def test_factories_inside_of_an_operation():
    x, tau = wg.tensor([[1.0, 0.0], [0.5, 1.0], [0.25, 2.0]], device="sim"), wg.tensor([0.5, 0.25], device="sim")
    captured = wg.capture(lambda x, tau: wg.linalg.householder_product(x, tau))
    expected = wg.linalg.householder_product(x.cpu(), tau.cpu()).tolist()
    for _ in range(5):
        assert captured(x, tau).tolist() == expected
    assert wg.replay.explain(captured).replays == 3
