"""The first step of an optimizer is detected without a lasting trace on it: cost, cycles, pickles, copies."""

import copy
import functools
import gc
import inspect
import pickle
import types
import warnings
import weakref

import pytest
import wengert as wg
from wengert.optim.lr_scheduler import ChainedScheduler, ExponentialLR, StepLR


def sgd():
    return wg.optim.SGD([wg.zeros(1, requires_grad=True)], lr=0.5)


def test_nothing_is_left_on_the_optimizer_after_the_first_step():
    optimizer = sgd()
    before = set(vars(optimizer))
    scheduler = StepLR(optimizer, 1)
    optimizer.step()
    scheduler.step()
    assert set(vars(optimizer)) - before == {"_opt_called"}
    assert optimizer.step.__func__ is type(optimizer).step


def test_the_step_looks_like_the_method_before_the_first_call():
    optimizer = sgd()
    method = type(optimizer).step
    StepLR(optimizer, 1)
    assert (optimizer.step.__name__, optimizer.step.__doc__) == (method.__name__, method.__doc__)
    assert inspect.signature(optimizer.step) == inspect.signature(method)


def test_optimizer_and_scheduler_are_freed_without_a_collection():
    gc.collect()
    gc.disable()
    try:
        for steps in (0, 1):
            optimizer = sgd()
            scheduler = ChainedScheduler([StepLR(optimizer, 1), ExponentialLR(optimizer, 0.5)])
            for _ in range(steps):
                optimizer.step()
                scheduler.step()
            seen = weakref.ref(optimizer), weakref.ref(scheduler)
            del optimizer, scheduler
            assert [one() for one in seen] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_made_before_the_first_step_steps_itself(duplicate):
    optimizer = sgd()
    scheduler = StepLR(optimizer, 1)
    other = duplicate(optimizer)
    other.param_groups[0]["params"][0].grad = wg.ones(1)
    other.step()
    assert other.param_groups[0]["params"][0].item() == -0.5
    assert optimizer.param_groups[0]["params"][0].item() == 0.0
    with pytest.warns(UserWarning, match=r"before `optimizer.step\(\)`"):
        scheduler.step()


def test_a_step_that_the_user_put_on_the_optimizer_is_called_and_stays():
    optimizer, calls = sgd(), []

    def step(self, closure=None):
        calls.append(self)

    optimizer.step = types.MethodType(step, optimizer)
    scheduler = StepLR(optimizer, 1)
    for _ in range(3):
        optimizer.step()
        scheduler.step()
    assert calls == [optimizer] * 3


def test_a_wrapper_around_the_detecting_step_stays():
    optimizer, calls = sgd(), []
    scheduler = StepLR(optimizer, 1)
    inner = optimizer.step

    @functools.wraps(inner)
    def step(*args):
        calls.append(args)
        return inner(*args)

    optimizer.step = step
    for _ in range(2):
        optimizer.step()
        scheduler.step()
    assert calls == [(), ()]
    assert optimizer.step is step


def test_a_scheduler_made_after_an_override_detects_the_steps():
    optimizer = sgd()
    first = StepLR(optimizer, 5)
    optimizer.step()
    first.step()
    optimizer.step = lambda: None
    second = StepLR(optimizer, 5)
    optimizer.step()
    second.step()
    assert second.last_epoch == 1


def test_an_exception_of_the_first_step_counts_as_a_step():
    optimizer = sgd()
    scheduler = StepLR(optimizer, 1)
    with pytest.raises(ZeroDivisionError):
        optimizer.step(lambda: 1 / 0)
    scheduler.step()
    assert scheduler.last_epoch == 1


@pytest.mark.parametrize("override", [False, True])
def test_the_warning_is_at_the_line_that_steps_the_scheduler(override):
    optimizer = sgd()
    scheduler = StepLR(optimizer, 1)
    if override:
        optimizer.step = lambda: None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scheduler.step()
    assert [one.filename for one in caught] == [__file__]


@pytest.mark.parametrize("call", [lambda scheduler: scheduler.step(2), lambda scheduler: scheduler.get_lr()])
def test_other_warnings_are_at_the_line_of_the_call(call):
    optimizer = sgd()
    scheduler = StepLR(optimizer, 1)
    optimizer.step()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(scheduler)
    assert [one.filename for one in caught] == [__file__]
