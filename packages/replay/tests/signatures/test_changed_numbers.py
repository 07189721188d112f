"""Numbers of Python that a captured function changes: nobody knows whether operations depend on them."""

import pytest
import wengert as wg
from wengert_replay.python_state.uses import use_of


class Average:
    """An average of parameters whose decay follows from the number of updates, as libraries have it."""

    def __init__(self, tensors):
        self.n, self.shadow = 0, [one.detach().clone() for one in tensors]

    def update(self, tensors):
        self.n += 1
        decay = min(0.99, (1 + self.n) / (10 + self.n))
        for ours, one in zip(self.shadow, tensors, strict=True):
            ours.sub_((1 - decay) * (ours - one))


class CountingSGD(wg.optim.Optimizer):
    """An optimizer that counts in its groups and shrinks its step by that."""

    def __init__(self, params):
        super().__init__(params, {"lr": 0.1, "k": 0})

    def step(self):
        with wg.no_grad():
            for group in self.param_groups:
                group["k"] += 1
                for one in group["params"]:
                    one.sub_(one.grad, alpha=group["lr"] / group["k"])


def losses_of(make, n, capture):
    step = make()
    function = wg.capture(step, quiet=True) if capture else step
    found = [function(wg.tensor([1.0, 2.0 + i])).tolist() for i in range(n)]
    return found, wg.replay.explain(function) if capture else None


def average_step():
    w = wg.tensor([0.5, -0.5])
    average = Average([w])

    def step(x):
        w.add_(x * 0.1)
        average.update([w])
        return average.shadow[0].clone()

    return step


def optimizer_step():
    w = wg.tensor([0.5, -0.5], requires_grad=True)
    optimizer = CountingSGD([w])

    def step(x):
        optimizer.zero_grad()
        loss = (w * x).square().sum()
        loss.backward()
        optimizer.step()
        return w.detach().clone()

    return step


def clock_step():
    class Clock:
        t = 0.0

    clock = Clock()

    def step(x):
        clock.t += 0.25
        return x * wg.tensor(clock.t)

    return step


@pytest.mark.parametrize("make", [average_step, optimizer_step, clock_step])
def test_operations_that_depend_on_a_counter_run_as_usual(make):
    expected, _ = losses_of(make, 8, False)
    found, explanation = losses_of(make, 8, True)
    assert found == expected
    assert explanation.replays == 0
    name = {"average_step": "Average.n", "optimizer_step": "CountingSGD.k", "clock_step": "Clock.t"}[make.__name__]
    words = f"numbers or objects of Python that it reads, or may read ({name})"
    assert any(words in why for why in explanation.reasons)


class Calls:
    def __init__(self):
        self.n, self.last = 0, None


def count_twice(calls):
    calls.n += 1
    calls.n = calls.n + 1
    calls.last = "counted"


def count_in_words(calls):
    calls.n += 1
    calls.last = f"call {calls.n}"


def test_what_only_counts_costs_nothing():
    calls = Calls()

    def function(x):
        count_twice(calls)
        return x.exp() * 2

    captured = wg.capture(function)
    for _ in range(6):
        captured(wg.ones(2))
    explanation = wg.replay.explain(captured)
    assert (explanation.replays, calls.n, explanation.reasons) == (5, 2, [])


def test_a_counter_that_is_read_and_that_operations_do_not_depend_on():
    """Nobody knows that they do not."""
    calls = Calls()

    def function(x):
        count_in_words(calls)
        return x.exp() * 2

    captured = wg.capture(function, quiet=True)
    for i in range(6):
        x = wg.tensor([0.0, float(i)])
        assert captured(x).tolist() == (x.exp() * 2).tolist()
    explanation = wg.replay.explain(captured)
    assert (explanation.replays, calls.n) == (0, 6)
    assert "(Calls.n)" in str(explanation)


class Odd(list):
    def __iter__(self):
        raise OSError("not now")


def test_an_object_that_cannot_be_looked_into_is_passed_over():
    calls = Calls()
    calls.odd = Odd([1])

    def function(x):
        calls.n += 1
        return x + len(calls.odd)

    captured = wg.capture(function)
    for _ in range(4):
        assert captured(wg.ones(2)).tolist() == [2.0, 2.0]
    assert wg.replay.explain(captured).replays == 3


COUNTS = """
self.n += 1
self.n = self.n + 1
self.n -= x.shape[0] * len(f(x, self.m))
self.n *= 2
self.n = 0
self.n.append(x); self.n.update({1: 2})
self.n[0] += 1
self.n[x] += len(x) + g(1)
self.n["k"] = x
self.n["k"][2] += len(x)
d["m"]["n"] -= 1
d["n"] += 1
d["n"] -= f(x, k=3)
d["n"] = 7
del d; self.n += 1
self.n += (yield)
"""
READS = """
self.m = self.n + 1
self.m = self.n = self.n + 1
print(self.n)
print(1, self.n, 2)
f(self.n, g(x)).h
x * self.n
(self.n, 1)
self.n < 3
self.n += self.n
self.n = x if self.n else 0
m = self.n
self.m = self.n[0]
self.m = self.n[0][1]
f(d["m"]["n"])
self.m = self.n[0] = self.n[0] + 1
x[self.n] = 1
x[0] = self.n
self.n.pop()
d["n"]
d.get("n", 0)
d["n"] += d["n"]
getattr(self, "n")
for n in self.n: pass
return self.n
self.n += 1; assert self.n
not self.n
f"{self.n}"
[self.n for _ in x]
lambda: self.n
"""
NAMED = """
n += 1
n = n - f(x)
n[0] += 1
n.append(n2)
"""
NAMED_READS = """
(n := n + 1)
print(n := n + 1)
x = n
x if n else 0
n = -n
"""


def code_of(line, declaration=""):
    names = {}
    exec(f"n = 0\ndef function(self, x, d, f, g):\n    {declaration}\n    {line}", names)
    return names["function"].__code__


@pytest.mark.parametrize("line", COUNTS.strip().split("\n"))
def test_code_that_only_counts(line):
    assert use_of("n", [code_of(line)]) == "counted"


@pytest.mark.parametrize("line", READS.strip().split("\n"))
def test_code_that_reads(line):
    assert use_of("n", [code_of(line)]) == "read"


@pytest.mark.parametrize("declaration", ["global n", "nonlocal n"])
@pytest.mark.parametrize(("use", "line"), [
    *[("counted", line) for line in NAMED.strip().split("\n")],
    *[("read", line) for line in NAMED_READS.strip().split("\n")],
])  # fmt: skip
def test_code_with_a_variable(use, line, declaration):
    names = {}
    body = f"        {declaration}\n        {line}\n"
    exec(f"n = n2 = 0\ndef around(x, f):\n    n = n2 = 0\n    def function():\n{body}    return function", names)
    assert use_of("n", [names["around"](1, 2).__code__]) == use


@pytest.mark.parametrize("read", ["getattr(calls, 'n')", "calls.n", "calls.n + 0", "vars(calls)['n']"])
def test_ways_to_read_a_counter(read):
    calls = Calls()
    names = {"calls": calls, "wg": wg}
    exec(f"def function(x):\n    calls.n += 1\n    return x * ({read})", names)
    captured = wg.capture(names["function"], quiet=True)
    assert [captured(wg.ones(1)).item() for _ in range(6)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_the_first_call_that_makes_something_ready_is_no_program():
    class Scale:
        def __init__(self):
            self.is_ready, self.factor = False, wg.zeros(2)

        def __call__(self, x):
            if not self.is_ready:
                self.factor.copy_(x.abs() + 1)
                self.is_ready = True
            return x / self.factor

    results = []
    for capture in (False, True):
        scale = Scale()
        function = wg.capture(scale) if capture else scale
        results.append([function(wg.tensor([1.0, 2.0 * i])).tolist() for i in range(5)])
    assert results[0] == results[1]
    assert wg.replay.explain(function).replays == 3


def test_lists_that_only_grow_and_variables_that_only_count_cost_nothing():
    seen, n, calls = [], 0, [0]

    @wg.capture
    def function(x):
        nonlocal n
        n += 1
        calls[0] += 1
        seen.append("called")
        return x + 1

    for _ in range(4):
        function(wg.ones(2))
    assert (n, len(seen), calls) == (1, 1, [1])


def test_gradients_of_a_result_with_a_graph():
    class Model(wg.nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.n = wg.nn.Parameter(wg.tensor([0.5, 2.0])), 0

        def forward(self, x):
            self.n += 1
            return (self.w * x / self.n).sum()

    grads = []
    for capture in (False, True):
        model = Model()
        function = wg.capture(model, quiet=True) if capture else model
        for i in range(6):
            function(wg.tensor([1.0, 1.0 + i])).backward()
        grads.append(model.w.grad.tolist())
    assert grads[0] == grads[1]


def test_strict_says_so():
    class Clock:
        t = 0

    clock = Clock()

    def function(x):
        clock.t += 1
        return x * clock.t

    captured = wg.capture(function, strict=True)
    for _ in range(3):
        captured(wg.ones(2))
    with pytest.raises(RuntimeError, match=r"may read \(Clock.t\)"):
        captured(wg.ones(2))
