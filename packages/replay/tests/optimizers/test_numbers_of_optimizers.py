"""Numbers that a captured step reads of an optimizer or a scheduler, which its replays step."""

import pytest
import wengert as wg


class Counting:
    """An optimizer around another one, which counts in its groups and updates slow weights in every fifth step."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.slow = [one.detach().clone() for one in self.param_groups[0]["params"]]
        self.param_groups[0]["counter"] = 0

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    def step(self):
        self.optimizer.step()
        for group in self.param_groups:
            group["counter"] += 1
            if group["counter"] >= 5:
                group["counter"] = 0
                with wg.no_grad():
                    for slow, one in zip(self.slow, group["params"], strict=True):
                        slow.lerp_(one, 0.5)
                        one.copy_(slow)


def read_nothing(optimizer, scheduler, w):
    return w * 1


def read_rate(optimizer, scheduler, w):
    return w * optimizer.param_groups[0]["lr"]


def read_last_rate(optimizer, scheduler, w):
    return w * scheduler.get_last_lr()[0]


def read_epoch(optimizer, scheduler, w):
    return w * 2 if scheduler.last_epoch % 3 == 0 else w + 1


def run(read, capture, count=False):
    w = wg.tensor([1.0, -2.0], requires_grad=True)
    optimizer = wg.optim.SGD([w], lr=0.1)
    scheduler = wg.optim.lr_scheduler.CosineAnnealingLR(optimizer, 7)
    own = Counting(optimizer) if count else optimizer

    def step(x):
        optimizer.zero_grad()
        ((w - x) ** 2).sum().backward()
        own.step()
        scheduler.step()
        return read(optimizer, scheduler, w.detach())

    function = wg.capture(step, quiet=True) if capture else step
    results = [function(wg.tensor([0.5, float(i)])).tolist() for i in range(14)]
    return results, wg.replay.explain(function).replays if capture else 0


@pytest.mark.parametrize("read", [read_nothing, read_rate, read_last_rate, read_epoch])
def test_numbers_that_a_scheduler_changes(read):
    expected, _ = run(read, capture=False)
    found, replays = run(read, capture=True)
    assert found == expected
    assert (replays > 0) == (read is read_nothing)


def test_a_counter_in_the_groups_of_an_optimizer():
    expected, _ = run(read_nothing, capture=False, count=True)
    assert run(read_nothing, capture=True, count=True) == (expected, 0)


def set_rate(optimizer, scheduler, w):
    optimizer.param_groups[0]["lr"] = 0.1
    return w * 1


def bound_rate(optimizer, scheduler, w):
    for group in optimizer.param_groups:
        group["lr"] = max(group["lr"], 0.06)
    return w * 1


def read_parameters(optimizer, scheduler, w):
    return w * len(optimizer.param_groups[0]["params"])


class Halving(wg.optim.lr_scheduler.LRScheduler):
    def get_lr(self):
        return [rate * 0.5 ** (self.last_epoch // 5) for rate in self.base_lrs]


@pytest.mark.parametrize("of_user", [False, True])
@pytest.mark.parametrize("read", [read_nothing, read_parameters, read_rate, read_last_rate, set_rate, bound_rate])
def test_rates_that_most_steps_of_a_scheduler_leave_as_they_are(read, of_user):
    def run(capture):
        w = wg.tensor([1.0, -2.0], requires_grad=True)
        optimizer = wg.optim.SGD([w], lr=0.1)
        scheduler = Halving(optimizer) if of_user else wg.optim.lr_scheduler.StepLR(optimizer, 5, gamma=0.5)

        def step(x):
            optimizer.zero_grad()
            ((w - x) ** 2).sum().backward()
            optimizer.step()
            scheduler.step()
            return read(optimizer, scheduler, w.detach())

        function = wg.capture(step, quiet=True) if capture else step
        return [function(wg.tensor([0.5, float(i)])).tolist() for i in range(14)], function

    expected, _ = run(capture=False)
    found, function = run(capture=True)
    assert found == expected
    assert (wg.replay.explain(function).replays > 0) == (read in (read_nothing, read_parameters))
