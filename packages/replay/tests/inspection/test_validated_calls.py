"""capture(validate=True) of programs that call Python functions, or write to other tensors in branches: once each."""

from __future__ import annotations

import random

import pytest
import wengert as wg

explain = wg.replay.explain
schedulers = wg.optim.lr_scheduler
Differs = wg.replay.ReplayDiffersError


def runs_alike(make, n=8, replays=3):
    """Run a function plainly, captured and validated; make: gives it, and what else it has done."""
    found = []
    for options in (None, {}, {"validate": True}):
        wg.manual_seed(3)
        function, look = make()
        run = function if options is None else wg.capture(function, quiet=True, **options)
        found.append([(str(run(wg.full((2,), 0.1 * k))), str(look())) for k in range(1, n + 1)])
        if options is not None:
            assert explain(run).replays >= replays, explain(run)
    assert found[1] == found[0]
    assert found[2] == found[0]


def counter():
    n = [0]

    @wg.compiler.disable
    def count():
        n[0] += 1
        return wg.tensor(float(n[0]))

    return lambda x: x * count() + count(), lambda: n


def counter_without_result():
    n = [0]

    @wg.compiler.disable
    def count():
        n[0] += 1

    return lambda x: (count(), x * 2)[1], lambda: n


def python_random():
    source = random.Random(1)

    @wg.compiler.disable
    def draw():
        return wg.tensor(source.random()), [wg.tensor([source.random()])]

    return lambda x: x * draw()[0] + draw()[1][0], source.getstate


def default_generator():
    draw = wg.compiler.disable(lambda: wg.rand(2))
    return lambda x: x * draw() + wg.rand(2), wg.get_rng_state


def hidden_buffer():
    buffer = wg.zeros(2)

    @wg.compiler.disable
    def put(y):
        buffer.add_(y)
        return buffer.clone()

    return lambda x: x + put(x), lambda: (buffer, buffer._version)


def shared_buffer():
    buffer = wg.zeros(2)

    @wg.compiler.disable
    def put(y):
        buffer.add_(y)
        return buffer

    def step(x):
        buffer.mul_(2)
        return put(x) * 2 + buffer

    return step, lambda: (buffer, buffer._version)


def argument():
    notes = []

    @wg.compiler.disable
    def change(y, numbers):
        y.add_(len(notes))
        notes.append(numbers["a"])
        return y, y[:1]

    def step(x):
        whole, part = change(x * 2, {"a": 1})
        part.mul_(3)
        return whole + 1, x._version

    return step, lambda: notes


def memory_by_numpy():
    buffer = wg.zeros(2)

    @wg.compiler.disable
    def put():
        buffer.numpy()[0] += 1

    return lambda x: (put(), x * buffer)[1], lambda: (buffer, buffer._version)


def gradient():
    w = wg.ones(2, requires_grad=True)
    n = [0]

    @wg.compiler.disable
    def scale(g):
        n[0] += 1
        return g * n[0]

    def step(x):
        w.grad = None
        (w * x).sum().backward()
        with wg.no_grad():
            w.sub_(scale(w.grad))
        return x * 1

    return step, lambda: (w, w.grad, n)


def line_search():
    w = wg.ones(2, requires_grad=True)
    optimizer = wg.optim.SGD([w], lr=0.1, momentum=0.9)

    @wg.compiler.disable
    def rate(loss):
        optimizer.param_groups[0]["lr"] *= 0.5 if loss > 0 else 2

    def step(x):
        optimizer.zero_grad()
        loss = (w * x).sum()
        loss.backward()
        rate(loss.detach())
        optimizer.step()
        return loss.detach()

    return step, lambda: (w, optimizer.param_groups[0]["lr"])


CALLS = (
    counter, counter_without_result, python_random, default_generator, hidden_buffer, shared_buffer, argument,
    memory_by_numpy, gradient, line_search,
)  # fmt: skip


@pytest.mark.parametrize("make", CALLS)
def test_python_functions_are_called_once(make):
    runs_alike(make)


SCHEDULERS = {
    "StepLR": lambda optimizer: schedulers.StepLR(optimizer, 2),
    "ExponentialLR": lambda optimizer: schedulers.ExponentialLR(optimizer, 0.9),
    "CosineAnnealingLR": lambda optimizer: schedulers.CosineAnnealingLR(optimizer, 10),
    "LambdaLR": lambda optimizer: schedulers.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch)),
    "OneCycleLR": lambda optimizer: schedulers.OneCycleLR(optimizer, 0.1, total_steps=20),
    "SequentialLR": lambda optimizer: schedulers.SequentialLR(
        optimizer, [schedulers.ConstantLR(optimizer, 0.1, 3), schedulers.ExponentialLR(optimizer, 0.9)], [3]
    ),
    "ReduceLROnPlateau": lambda optimizer: schedulers.ReduceLROnPlateau(optimizer, patience=1),
}
OPTIMIZERS = {
    "SGD": lambda params: wg.optim.SGD(params, lr=0.1),
    "momentum": lambda params: wg.optim.SGD(params, lr=0.1, momentum=0.9),
    "Adam": lambda params: wg.optim.Adam(params, lr=0.1),
    "AdamW": lambda params: wg.optim.AdamW(params, lr=0.1, amsgrad=True),
    "Adagrad": lambda params: wg.optim.Adagrad(params, lr=0.1, lr_decay=0.1),
    "RMSprop": lambda params: wg.optim.RMSprop(params, lr=0.1, centered=True),
    "NAdam": lambda params: wg.optim.NAdam(params, lr=0.1),
}
PAIRS = [*((name, "ExponentialLR") for name in OPTIMIZERS), *(("SGD", name) for name in SCHEDULERS), ("Adam", "")]


@pytest.mark.parametrize(("optimizer", "scheduler"), PAIRS)
def test_schedulers_step_once(optimizer, scheduler):
    def make():
        first, second = wg.tensor([1.0, 2.0], requires_grad=True), wg.ones(3, requires_grad=True)
        own = OPTIMIZERS[optimizer]([first, second])
        schedule = SCHEDULERS[scheduler](own) if scheduler else None

        def step(x):
            own.zero_grad()
            loss = (first * x).pow(2).sum() + (second - x.sum()).pow(2).sum()
            loss.backward()
            own.step()
            if schedule is not None:
                schedule.step(*([loss.detach()] if scheduler == "ReduceLROnPlateau" else []))
            return loss.detach()

        def look():
            epoch = 0 if schedule is None else schedule.last_epoch
            return first, second, own.param_groups[0]["lr"], epoch, [*own.state.values()], first._version

        return step, look

    runs_alike(make, n=10)


@pytest.mark.parametrize("kind", ["forward", "checkpoint", "hook"])
def test_results_with_a_graph_have_calls_once(kind):
    def make():
        w, n = wg.ones(2, requires_grad=True), [0]

        @wg.compiler.disable
        def count(x):
            n[0] += 1
            return x * (1 if kind == "checkpoint" else n[0])

        def part(x):
            y = w * x * (1 if kind == "hook" else count(wg.ones(2)))
            if kind == "hook":
                y.register_hook(count)
            return y.sin() * wg.nn.functional.dropout(x)

        def step(x):
            y = wg.utils.checkpoint.checkpoint(part, x, use_reentrant=False) if kind == "checkpoint" else part(x)
            return y.sum()

        return step, w, n

    found = []
    for options in (None, {}, {"validate": True}):
        wg.manual_seed(5)
        function, w, n = make()
        run = function if options is None else wg.capture(function, **options)
        seen = []
        for k in range(8):
            w.grad, before = None, n[0]
            run(wg.full((2,), 0.1 * k)).backward()
            seen.append((w.grad.tolist(), n[0] - before))
        found.append(seen)
        if options is not None:
            assert explain(run).replays >= 3, explain(run)
    assert found[2] == found[1]
    if kind != "checkpoint":  # which backward computes by running the function again
        assert found[2] == found[0]


def other_argument(notes):
    rate = [1.0]
    note = wg.compiler.disable(lambda y: notes.append(y.tolist()))
    return lambda x: (note(x * rate[0]), x * 2)[1], lambda: rate.append(rate.pop() + 1)


def other_function(notes):
    first, second = wg.compiler.disable(lambda: notes.append("first")), wg.compiler.disable(lambda: notes.append(2))
    chosen = [first]
    return lambda x: (chosen[0](), x * 2)[1], lambda: chosen.insert(0, second)


def one_more(notes):
    note, n = wg.compiler.disable(lambda: notes.append(1)), [1]
    return lambda x: ([note() for _ in range(n[0])], x * 2)[1], lambda: n.append(n.pop() + 1)


def one_less(notes):
    note, n = wg.compiler.disable(lambda: notes.append(1)), [2]
    return lambda x: ([note() for _ in range(n[0])], x * 2)[1], lambda: n.append(n.pop() - 1)


@pytest.mark.parametrize("make", [other_argument, other_function, one_more, one_less])
def test_other_calls_of_python_functions_are_noticed(make):
    notes = []
    function, change = make(notes)
    run = wg.capture(function, validate=True)
    for _ in range(4):
        run(wg.ones(2))
    assert explain(run).replays >= 2, explain(run)
    change()
    with pytest.raises(Differs, match=r"run than in the replay|which the (replay|eager run) does not call"):
        run(wg.ones(2))


def test_an_error_of_a_python_function_is_raised_once():
    n = [0]

    @wg.compiler.disable
    def fail():
        n[0] += 1
        if n[0] > 3:
            raise KeyError(n[0])

    total = wg.zeros(2)
    run = wg.capture(lambda x: (total.add_(x), fail())[0] * 2, validate=True)
    for _ in range(3):
        run(wg.ones(2))
    assert explain(run).replays == 2
    with pytest.raises(KeyError, match="4"):
        run(wg.ones(2))
    assert n == [4]
    assert total.tolist() == [3, 3]


def test_calls_inside_of_a_profile_run_as_usual():
    function, look = counter()
    run = wg.capture(function, validate=True)
    for _ in range(3):
        run(wg.ones(2))
    with wg.autograd.profiler.profile():
        run(wg.ones(2))
    assert look() == [8]
    assert any("inside of a profile" in one for one in explain(run).reasons)


def branch_with_more_tensors():
    first, second = wg.zeros(1), wg.zeros(1)

    def step(x):
        if x.sum() > 0.55:
            second.add_(1)
        first.add_(1)
        return x * 2

    return step, lambda: (first, second, first._version, second._version)


def branch_with_other_tensors():
    first, second = wg.zeros(1), wg.zeros(1)

    def step(x):
        (second if (x.sum() * 10).int() % 3 == 0 else first).add_(x.sum())
        return x * 2

    return step, lambda: (first, second, first._version, second._version)


def branch_with_a_leaf():
    first, second = wg.ones(1, requires_grad=True), wg.ones(1, requires_grad=True)

    def step(x):
        first.grad = second.grad = None
        leaf = second if x.sum() > 0.55 else first
        (leaf * x).sum().backward()
        return x * 2

    return step, lambda: (first.grad, second.grad)


@pytest.mark.parametrize("make", [branch_with_more_tensors, branch_with_other_tensors, branch_with_a_leaf])
def test_branches_write_once(make):
    def alternate():
        function, look = make()
        return (lambda x: function((x * 10) % 4 * 0.1)), look

    runs_alike(alternate, n=12)


def test_averages_behind_data_that_was_replaced_are_written_once():
    def run(options):
        wg.manual_seed(0)
        layer = wg.nn.Linear(3, 2)
        optimizer = wg.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
        average = [p.detach().clone() for p in layer.parameters()]

        def step(x):
            optimizer.zero_grad()
            loss = layer(x).pow(2).sum()
            loss.backward()
            optimizer.step()
            with wg.no_grad():
                for mean, p in zip(average, layer.parameters(), strict=True):
                    mean.lerp_(p, 0.1)
            return loss.detach()

        function = step if options is None else wg.capture(step, **options)
        found = []
        for k in range(12):
            if k == 6:
                layer.weight.data = layer.weight.detach().clone() * 0.5
            found.append(function(wg.full((1, 3), 0.1 * k)).item())
        return found, [one.tolist() for one in average], [one._version for one in average]

    assert run({"validate": True}) == run(None)
