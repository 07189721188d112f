"""Averages of modules: their values, what they share with the model, pickles and devices, and SWALR's rates."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert.optim import swa_utils
from wengert.optim.swa_utils import AveragedModel

VALUES = st.lists(st.floats(-8, 8), min_size=1, max_size=8)
RATES = st.floats(0.01, 1.0)


class Affine(wg.nn.Module):
    """Two parameters and a buffer of integers."""

    def __init__(self):
        super().__init__()
        self.weight = wg.nn.Parameter(wg.ones(2, dtype=wg.float64))
        self.bias = wg.nn.Parameter(wg.ones(1, dtype=wg.float32))
        self.register_buffer("calls", wg.tensor(0))

    def forward(self, x):
        return x * self.weight + self.bias

    def fill(self, value):
        for parameter in self.parameters():
            parameter.data.fill_(value)
        self.calls.fill_(round(value))


def average_of(values, **options):
    """The averaged module after the model had each of the values."""
    model = Affine()
    averaged = AveragedModel(model, **options)
    for value in values:
        model.fill(value)
        averaged.update_parameters(model)
    return averaged


@settings(max_examples=40, deadline=None)
@given(values=VALUES)
def test_the_average_is_the_mean(values):
    for options in ({}, {"avg_fn": swa_utils.get_swa_avg_fn()}, {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()}):
        averaged = average_of(values, **options)
        assert averaged.module.weight.tolist() == pytest.approx([np.mean(values)] * 2, rel=1e-6, abs=1e-6)
        assert averaged.module.bias.item() == pytest.approx(np.mean(values), rel=1e-5, abs=1e-5)
        assert averaged.n_averaged.item() == len(values)


@settings(max_examples=40, deadline=None)
@given(values=VALUES, decay=st.floats(0, 1))
def test_the_moving_average_is_the_recurrence(values, decay):
    expected = values[0]
    for value in values[1:]:
        expected = decay * expected + (1 - decay) * value
    one = average_of(values, avg_fn=swa_utils.get_ema_avg_fn(decay))
    many = average_of(values, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(decay))
    assert one.module.weight.tolist() == pytest.approx([expected] * 2, abs=1e-12)
    assert many.module.weight.tolist() == pytest.approx([expected] * 2, abs=1e-12)


def test_buffers_are_copied_or_averaged():
    assert average_of([0, 4, 8]).module.calls.item() == 8
    assert average_of([0, 4, 8], use_buffers=True).module.calls.item() == 4


def test_the_model_is_neither_changed_nor_held():
    model = Affine()
    averaged = AveragedModel(model)
    for value in (1.0, 3.0):
        model.fill(value)
        averaged.update_parameters(model)
    assert model.weight.tolist() == [3.0, 3.0]
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert seen() is None


def test_updates_record_no_graph_and_keep_the_parameters():
    model = Affine()
    averaged = AveragedModel(model)
    parameters = list(averaged.parameters())
    for _ in range(3):
        averaged.update_parameters(model)
    assert all(one is other for one, other in zip(parameters, averaged.parameters(), strict=True))
    assert [(one.requires_grad, one.grad_fn) for one in parameters] == [(True, None)] * 2


def test_gradients_flow_through_the_averages():
    averaged = average_of([1.0, 3.0])
    averaged(wg.ones(2, dtype=wg.float64)).sum().backward()
    assert averaged.module.weight.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_averages_on(duplicate):
    averaged = average_of([1.0, 3.0])
    other = duplicate(averaged)
    model = Affine()
    model.fill(8.0)
    other.update_parameters(model)
    assert other.module.weight.tolist() == [4.0, 4.0]
    assert averaged.module.weight.tolist() == [2.0, 2.0]


def test_a_state_dict_has_the_number_of_averages():
    state = average_of([1.0, 3.0]).state_dict()
    other = AveragedModel(Affine())
    other.load_state_dict(state)
    model = Affine()
    model.fill(8.0)
    other.update_parameters(model)
    assert other.module.weight.tolist() == [4.0, 4.0]
    assert state["n_averaged"].item() == 2


def test_a_multi_function_is_called_once_for_each_dtype():
    calls = []

    def average(averages, values, count):
        calls.append(([one.dtype for one in averages], len(values), int(count)))

    average_of([1.0, 3.0], multi_avg_fn=average, use_buffers=True)
    assert calls == [([wg.float64], 1, 1), ([wg.float32], 1, 1), ([wg.int64], 1, 1)]


def test_a_failing_average_is_not_counted():
    def fail(average, value, count):
        raise RuntimeError("no average")

    model = Affine()
    averaged = AveragedModel(model, avg_fn=fail)
    averaged.update_parameters(model)
    with pytest.raises(RuntimeError, match="no average"):
        averaged.update_parameters(model)
    assert averaged.n_averaged.item() == 1


def test_averages_of_integers_are_refused_with_what_to_do():
    averages = [wg.arange(3)]
    with pytest.raises(RuntimeError, match=r"int64.*get_swa_avg_fn"):
        swa_utils.get_swa_multi_avg_fn()(averages, [wg.arange(3)], 1)


@settings(max_examples=40, deadline=None)
@given(first=RATES, last=RATES, steps=st.integers(0, 12), name=st.sampled_from(["cos", "linear"]))
def test_the_rate_goes_to_the_last_one_and_stays(first, last, steps, name):
    optimizer = wg.optim.SGD([wg.zeros(1, requires_grad=True)], lr=first)
    scheduler = swa_utils.SWALR(optimizer, last, steps, name)
    rates = []
    for _ in range(steps + 4):
        rates += scheduler.get_last_lr()
        optimizer.step()
        scheduler.step()
    assert rates[:steps] == pytest.approx(sorted(rates[:steps], reverse=first > last), rel=1e-9)
    assert rates[steps:] == pytest.approx([last] * 4)
