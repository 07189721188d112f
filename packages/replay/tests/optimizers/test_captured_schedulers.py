"""Schedulers that a captured training step calls: each replay steps them, with the numbers of an eager run."""

import gc
import weakref

import pytest
import wengert as wg

scheduler = wg.optim.lr_scheduler


class Own(scheduler.LRScheduler):
    """A scheduler of a user, with a step of its own."""

    def get_lr(self):
        return [group["lr"] * 0.9 for group in self.optimizer.param_groups]

    def step(self, epoch=None):
        super().step(epoch)


SCHEDULERS = {
    "steps": lambda one: scheduler.StepLR(one, 2, 0.5),
    "exponential": lambda one: scheduler.ExponentialLR(one, 0.9),
    "restarts": lambda one: scheduler.CosineAnnealingWarmRestarts(one, 3),
    "one after another": lambda one: scheduler.SequentialLR(
        one, [scheduler.ConstantLR(one, 0.5, 2), scheduler.ExponentialLR(one, 0.9)], [3]
    ),
    "together": lambda one: scheduler.ChainedScheduler(
        [scheduler.ConstantLR(one, 0.5, 2), scheduler.ExponentialLR(one, 0.9)]
    ),
    "averages": lambda one: wg.optim.swa_utils.SWALR(one, 0.01, 3),
    "own": Own,
}


def train(make, metric, capture):
    """Return what nine training steps give, and how many of them were replayed."""
    wg.manual_seed(3)
    model = wg.nn.Linear(3, 2)
    optimizer = wg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = make(optimizer)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        schedule.step(*metric(loss))
        return loss.detach()

    function = capture(step)
    seen = []
    for number in range(9):
        loss = function(wg.full((4, 3), 1.0 + number))
        seen += [loss.item(), optimizer.param_groups[0]["lr"], schedule.get_last_lr(), model.weight.tolist()]
    return seen, wg.replay.explain(function).replays if function is not step else 0


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_replay_steps_the_scheduler(name):
    make = SCHEDULERS[name]
    seen, replays = train(make, lambda loss: (), wg.capture)
    assert seen == train(make, lambda loss: (), lambda function: function)[0]
    assert replays > 4


def test_a_scheduler_that_reads_a_metric_is_replayed():
    def make(one):
        return scheduler.ReduceLROnPlateau(one, patience=0)

    seen, replays = train(make, lambda loss: (loss.detach(),), wg.capture)
    assert seen == train(make, lambda loss: (loss.detach(),), lambda function: function)[0]
    assert len({repr(rates) for rates in seen[2::4]}) > 1
    assert replays > 4


def test_a_metric_that_stays_counts_in_each_replay():
    optimizer = wg.optim.SGD([wg.zeros(1, requires_grad=True)], lr=1.0)
    schedule = scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    optimizer.step()
    step = wg.capture(lambda x: (schedule.step(x.sum()), x * 2)[1])
    for _ in range(9):
        step(wg.ones(2))
    assert wg.replay.explain(step).replays == 8
    assert optimizer.param_groups[0]["lr"] == 0.5**4


def test_a_program_does_not_keep_a_scheduler_alive():
    optimizer = wg.optim.SGD([wg.zeros(1, requires_grad=True)], lr=1.0)
    schedules = [scheduler.ExponentialLR(optimizer, 0.9)]
    optimizer.step()
    step = wg.capture(lambda x: ([one.step() for one in schedules], x * 2)[1])
    for _ in range(3):
        step(wg.ones(2))
    assert wg.replay.explain(step).replays == 2
    reference = weakref.ref(schedules.pop())
    gc.collect()
    assert reference() is None
