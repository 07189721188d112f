"""Properties of the schedules: closed forms, resumption, bounds, and schedules made of others."""

import copy
import warnings

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert.optim import lr_scheduler as lr
from wengert.optim.swa_utils import SWALR

FRACTIONS = st.floats(0.05, 1.0)
COUNTS = st.integers(1, 12)
FACTORS = {
    "StepLR": st.tuples(COUNTS, FRACTIONS),
    "MultiStepLR": st.tuples(st.lists(st.integers(1, 20), max_size=6), FRACTIONS),
    "ConstantLR": st.tuples(FRACTIONS, COUNTS),
    "LinearLR": st.tuples(FRACTIONS, FRACTIONS, COUNTS),
    "ExponentialLR": st.tuples(FRACTIONS),
    "PolynomialLR": st.tuples(COUNTS, st.floats(0.5, 3.0)),
    "CosineAnnealingLR": st.tuples(COUNTS, st.floats(0.0, 0.4)),
}
SCHEDULES = {
    "StepLR": lambda optimizer: lr.StepLR(optimizer, 3, 0.5),
    "MultiStepLR": lambda optimizer: lr.MultiStepLR(optimizer, [2, 5, 5], 0.5),
    "ConstantLR": lambda optimizer: lr.ConstantLR(optimizer, 0.5, 6),
    "LinearLR": lambda optimizer: lr.LinearLR(optimizer, 0.5, 0.9, 8),
    "ExponentialLR": lambda optimizer: lr.ExponentialLR(optimizer, 0.9),
    "PolynomialLR": lambda optimizer: lr.PolynomialLR(optimizer, 12, 2.0),
    "LambdaLR": lambda optimizer: lr.LambdaLR(optimizer, lambda step: 1 / (1 + step)),
    "MultiplicativeLR": lambda optimizer: lr.MultiplicativeLR(optimizer, lambda step: 1 - step / 50),
    "CosineAnnealingLR": lambda optimizer: lr.CosineAnnealingLR(optimizer, 7, 0.01),
    "CosineAnnealingWarmRestarts": lambda optimizer: lr.CosineAnnealingWarmRestarts(optimizer, 2, 2),
    "CyclicLR": lambda optimizer: lr.CyclicLR(optimizer, 0.1, 0.9, 3, 4, mode="exp_range", gamma=0.9),
    "OneCycleLR": lambda optimizer: lr.OneCycleLR(optimizer, 0.9, 25, three_phase=True),
    "SWALR": lambda optimizer: SWALR(optimizer, 0.05, 8),
    "SequentialLR": lambda optimizer: lr.SequentialLR(
        optimizer, [lr.ConstantLR(optimizer, 0.5, 3), lr.StepLR(optimizer, 2), lr.LinearLR(optimizer)], [4, 9]
    ),
    "ChainedScheduler": lambda optimizer: lr.ChainedScheduler(
        [lr.LinearLR(optimizer, 0.5, 1.0, 5), lr.ExponentialLR(optimizer, 0.9), lr.StepLR(optimizer, 4)]
    ),
}  # fmt: skip


def sgd(rate=0.5):
    return wg.optim.SGD([wg.zeros(1, requires_grad=True)], lr=rate, momentum=0.5)


def advance(scheduler, steps):
    """The learning rates of the next steps."""
    rates = []
    for _ in range(steps):
        scheduler.optimizer.step()
        scheduler.step()
        rates += scheduler.get_last_lr()
    return rates


def schedule(make, steps, rate=0.5):
    """The learning rates of a schedule from its beginning."""
    scheduler = make(sgd(rate))
    return scheduler.get_last_lr() + advance(scheduler, steps)


def test_every_scheduler_is_in_the_table():
    schedulers = {name for name in lr.__all__ if name.endswith(("LR", "Scheduler", "Restarts", "Plateau"))}
    assert schedulers - set(SCHEDULES) == {"LRScheduler", "_LRScheduler", "ReduceLROnPlateau"}


@pytest.mark.parametrize("name", FACTORS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_chainable_form_is_the_closed_form(name, data):
    arguments = data.draw(FACTORS[name])
    by_steps = schedule(lambda optimizer: getattr(lr, name)(optimizer, *arguments), 20)
    scheduler = getattr(lr, name)(sgd(), *arguments)
    scheduler.optimizer.step()
    closed = []
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The epoch parameter")
        for epoch in range(21):
            scheduler.step(epoch)
            closed += scheduler.get_last_lr()
    length = arguments[0] + 1 if name == "CosineAnnealingLR" else 21  # later the quotients of rates near eta_min err
    assert by_steps[:length] == pytest.approx(closed[:length], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", SCHEDULES)
@settings(max_examples=15, deadline=None)
@given(before=st.integers(0, 12), after=st.integers(1, 12))
def test_a_schedule_goes_on_from_its_state(name, before, after):
    scheduler = SCHEDULES[name](sgd())
    advance(scheduler, before)
    state, state_of_optimizer = copy.deepcopy(scheduler.state_dict()), copy.deepcopy(scheduler.optimizer.state_dict())
    resumed = SCHEDULES[name](sgd(0.3))
    resumed.load_state_dict(state)
    resumed.optimizer.load_state_dict(state_of_optimizer)
    assert resumed.get_last_lr() == scheduler.get_last_lr()
    assert advance(resumed, after) == advance(scheduler, after)
    assert resumed.optimizer.param_groups[0]["momentum"] == scheduler.optimizer.param_groups[0]["momentum"]


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_last_rate_is_the_one_of_the_optimizer(name):
    scheduler = SCHEDULES[name](sgd())
    for _ in range(10):
        assert scheduler.get_last_lr() == [scheduler.optimizer.param_groups[0]["lr"]]
        advance(scheduler, 1)


@settings(max_examples=40, deadline=None)
@given(first=COUNTS, factor=st.integers(1, 3), epoch=st.integers(0, 60))
def test_warm_restarts_go_to_a_point_as_by_steps(first, factor, epoch):
    def make(optimizer):
        return lr.CosineAnnealingWarmRestarts(optimizer, first, factor)

    scheduler = make(sgd())
    scheduler.step(epoch)
    assert scheduler.get_last_lr()[0] == pytest.approx(schedule(make, epoch)[-1], abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(up=COUNTS, down=COUNTS)
def test_a_cycle_stays_between_its_boundaries_and_comes_again(up, down):
    rates = schedule(lambda optimizer: lr.CyclicLR(optimizer, 0.1, 0.7, up, down), 3 * (up + down))
    assert min(rates) >= 0.1 - 1e-12
    assert max(rates) <= 0.7 + 1e-12
    assert rates[up] == pytest.approx(0.7)
    assert rates[up + down :] == pytest.approx(rates[: -(up + down)])


@settings(max_examples=30, deadline=None)
@given(steps=st.integers(5, 40), part=st.floats(0.3, 0.7), strategy=st.sampled_from(["cos", "linear"]))
def test_one_cycle_goes_up_once_and_down_once(steps, part, strategy):
    def make(optimizer):
        return lr.OneCycleLR(optimizer, 0.9, steps, pct_start=part, anneal_strategy=strategy)

    rates = schedule(make, steps - 1)
    top = rates.index(max(rates))
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[0] == pytest.approx(0.9 / 25)
    assert rates[-1] == pytest.approx(0.9 / 25 / 1e4)


@settings(max_examples=40, deadline=None)
@given(metrics=st.lists(st.floats(-5, 5), max_size=30), patience=st.integers(0, 3), lowest=st.floats(0.0, 0.3))
def test_a_plateau_only_lowers_the_rate_down_to_its_minimum(metrics, patience, lowest):
    scheduler = lr.ReduceLROnPlateau(sgd(), factor=0.5, patience=patience, min_lr=lowest)
    rates = [0.5]
    for metric in metrics:
        scheduler.step(metric)
        rates += scheduler.get_last_lr()
    assert rates == sorted(rates, reverse=True)
    assert min(rates) >= lowest


@settings(max_examples=30, deadline=None)
@given(first=st.integers(1, 10), second=st.integers(1, 10))
def test_a_sequence_is_its_schedules_one_after_the_other(first, second):
    makes = [
        lambda optimizer: lr.ConstantLR(optimizer, 0.5, 20),
        lambda optimizer: lr.StepLR(optimizer, 2, 0.5),
        lambda optimizer: lr.PolynomialLR(optimizer, 8),
    ]

    def make(optimizer):
        return lr.SequentialLR(optimizer, [one(optimizer) for one in makes], [first, first + second])

    parts = schedule(makes[0], first - 1), schedule(makes[1], second - 1, 0.5), schedule(makes[2], 9, 0.5)
    rates = schedule(make, first + second + 9)
    assert rates[:first] == parts[0]
    assert rates[first : first + second] == pytest.approx(parts[1])
    assert rates[first + second :] == pytest.approx(parts[2])
