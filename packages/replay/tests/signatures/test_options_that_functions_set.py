"""Options of optimizers that a captured function sets, and state that only some of its calls change."""

import pytest
import wengert as wg


def set_and_restore(optimizer, rate):
    optimizer.param_groups[0]["lr"] = rate / 2
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 1.0


def set_two(optimizer, rate):
    for factor in (0.5, 0.25):
        optimizer.param_groups[0]["lr"] = rate * factor
        optimizer.step()


def change(optimizer, rate):
    optimizer.param_groups[0]["lr"] *= 0.5
    optimizer.step()
    optimizer.param_groups[0]["lr"] *= 2


def set_rate(optimizer, rate):
    optimizer.param_groups[0]["lr"] = rate
    optimizer.step()


def set_decay(optimizer, rate):
    for group in optimizer.param_groups:
        group["weight_decay"] = rate / 10
    optimizer.step()


class Norm:
    """An object of a user's with a name that is an option's, too."""

    def __init__(self):
        self.lr = 1.0


def step_alone(optimizer, rate):
    Norm()
    optimizer.step()


@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("make", [wg.optim.SGD, wg.optim.Adam, wg.optim.RMSprop], ids=lambda one: one.__name__)
@pytest.mark.parametrize("update", [set_and_restore, set_two, change, set_rate, set_decay, step_alone])
def test_options(update, make, guard):
    def run(capture):
        w = wg.ones(2, requires_grad=True)
        optimizer = make([w], lr=1.0, weight_decay=0.1)

        def step(x, rate):
            optimizer.zero_grad()
            (w * x).sum().backward()
            update(optimizer, rate)
            return w.detach() * 1

        function = wg.capture(step, quiet=True, guard_python=guard) if capture else step
        results = [function(wg.ones(2), rate).tolist() for rate in (1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0)]
        return results, optimizer.param_groups[0]["lr"], function

    *expected, _ = run(capture=False)
    *found, function = run(capture=True)
    assert found == expected
    assert (wg.replay.explain(function).replays > 0) == (update is step_alone)


@pytest.mark.parametrize("with_graph", [False, True])
def test_a_branch_changes_what_all_ways_read(with_graph):
    class State:
        flag = False

    def run(capture):
        state, w = State(), wg.ones(1, requires_grad=with_graph)

        def step(x):
            y = x * w * (2 if state.flag else 3)
            if x > 2:
                state.flag = True
            return y

        function = wg.capture(step, quiet=True) if capture else step
        return [function(wg.tensor([float(value)])).item() for value in (1, 1, 1, 5, 1, 1, 5, 1, 1, 1)], function

    expected, _ = run(capture=False)
    found, function = run(capture=True)
    assert found == expected
    assert wg.replay.explain(function).replays > 0


SCHEDULERS = {
    "StepLR": lambda optimizer: wg.optim.lr_scheduler.StepLR(optimizer, 4),
    "CosineAnnealingLR": lambda optimizer: wg.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10),
    "LambdaLR": lambda optimizer: wg.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 0.5**k),
    "a user's": lambda optimizer: Decaying(optimizer),
}


class Decaying(wg.optim.lr_scheduler.LRScheduler):
    def get_lr(self):
        return [rate * 0.9**self.last_epoch for rate in self.base_lrs]


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedules_are_replayed(name, guard, inside):
    def run(capture):
        w = wg.ones(2, requires_grad=True)
        optimizer = wg.optim.SGD([w], lr=0.1)
        scheduler = SCHEDULERS[name](optimizer)

        def step(x):
            optimizer.zero_grad()
            ((w * x) ** 2).sum().backward()
            optimizer.step()
            return w.detach() * 1

        def step_both(x):
            found = step(x)
            scheduler.step()
            return found

        function = step_both if inside else step
        function = wg.capture(function, quiet=True, guard_python=guard) if capture else function
        results = []
        for _ in range(12):
            results.append(function(wg.ones(2)).tolist())
            if not inside:
                scheduler.step()
        return results, function

    expected, _ = run(capture=False)
    found, function = run(capture=True)
    assert found == expected
    assert wg.replay.explain(function).replays > 8


@pytest.mark.parametrize("guard", [False, True])
def test_a_lambda_of_a_scheduler_reads_what_the_function_counts(guard):
    class State:
        n = 0

    def run(capture):
        state, w = State(), wg.ones(2, requires_grad=True)
        optimizer = wg.optim.SGD([w], lr=0.1)
        scheduler = wg.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1 / (1 + state.n))

        def step(x):
            optimizer.zero_grad()
            ((w * x) ** 2).sum().backward()
            optimizer.step()
            scheduler.step()
            state.n += 1
            return w.detach() * 1

        function = wg.capture(step, quiet=True, guard_python=guard) if capture else step
        return [function(wg.ones(2)).tolist() for _ in range(6)]

    assert run(capture=True) == run(capture=False)
