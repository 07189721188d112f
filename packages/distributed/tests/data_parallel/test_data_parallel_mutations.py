"""Mistakes that are planted in the reduction make the comparison with one process fail."""

from __future__ import annotations

import copy

import pytest
import wengert as wg
import wengert_distributed as dist
from data_parallel_models import WIDTH, assert_close, gradients_of, gradients_of_whole_batch, mean_loss
from wengert_distributed.comm_hooks.default_hooks import allreduce_hook
from wengert_distributed.parallel.gradients import DistributedGradients
from wengert_distributed.parallel.reducer import Reducer
from wengert_testing.sim_group import RaceError, run_ranks

SEEDS = range(3)


class TwoBranches(wg.nn.Module):
    """Two layers of one size, in an order of which each rank has its own."""

    def __init__(self):
        super().__init__()
        self.a = wg.nn.Linear(WIDTH, WIDTH, bias=False, dtype=wg.float64)
        self.b = wg.nn.Linear(WIDTH, WIDTH, bias=False, dtype=wg.float64)

    def forward(self, x):
        pair = (self.a, self.b) if not dist.is_initialized() or dist.get_rank() == 0 else (self.b, self.a)
        return sum(layer(x).tanh() * (layer is self.a) + layer(x) * (layer is self.b) for layer in pair)


def check_training(seed, checks=True, hook=None):
    """Assert that the gradients of two ranks are those of one process, in three steps."""
    wg.manual_seed(0)
    module = TwoBranches()
    batches = wg.randn(3, 4, WIDTH, dtype=wg.float64)

    def steps():
        own = copy.deepcopy(module)
        gradients = DistributedGradients(own.named_parameters(), bucket_bytes=0, first_bucket_bytes=0,
                                         comm_hook=hook)  # fmt: skip
        found = []
        for batch in batches:
            own.zero_grad(set_to_none=False)
            mean_loss(own, batch.chunk(2)[dist.get_rank()]).backward()
            found.append(gradients_of(own))
        assert len(gradients.buckets) == 2
        return found

    for found in run_ranks(2, steps, seed=seed, checks=checks):
        for one, batch in zip(found, batches, strict=True):
            assert_close(one, gradients_of_whole_batch(module, batch))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("hook", [None, allreduce_hook])
def test_training_is_right_without_a_mistake(seed, checks, hook):
    check_training(seed, checks, hook)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("checks", [True, False])
def test_a_missing_wait_is_noticed(monkeypatch, seed, checks):
    monkeypatch.setattr(Reducer, "wait_for", lambda self, bucket: None)
    with pytest.raises(RaceError if checks else AssertionError):
        check_training(seed, checks)


@pytest.mark.parametrize("seed", SEEDS)
def test_buckets_in_the_order_of_arrival_of_each_rank_are_noticed(monkeypatch, seed):
    def launch_at_once(self, number):
        bucket = self.places[number][0]
        bucket.missing -= 1
        if bucket.missing == 0:
            self.launched += 1
            self.call_hook(self.hook, bucket)
        self.ready += 1
        if self.ready == len(self.parameters):
            wg.autograd.Variable._execution_engine.queue_callback(self.finalize)

    monkeypatch.setattr(Reducer, "advance", launch_at_once)
    with pytest.raises(AssertionError, match="not close"):
        check_training(seed, hook=allreduce_hook)


@pytest.mark.parametrize("seed", SEEDS)
def test_buckets_that_only_one_rank_makes_anew_are_noticed(monkeypatch, seed):
    def rebuild_from_own_order(self):
        self.rebuilt = True
        self.use_buckets(type(self).make(self))

    monkeypatch.setattr(Reducer, "make", lambda self: order_of_arrival(self), raising=False)
    monkeypatch.setattr(Reducer, "rebuild", rebuild_from_own_order)
    with pytest.raises(AssertionError, match="not close"):
        check_training(seed)


def order_of_arrival(reducer):
    from wengert_distributed.parallel.buckets import make_buckets

    return make_buckets(reducer.parameters, reducer.assignment(reducer.arrived))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("checks", [True, False])
def test_a_buffer_that_is_used_again_before_the_end_of_its_reduction_is_noticed(monkeypatch, seed, checks):
    launch = Reducer.launch

    def launch_and_reuse(self, bucket):
        launch(self, bucket)
        bucket.flat.zero_()

    monkeypatch.setattr(Reducer, "launch", launch_and_reuse)
    with pytest.raises(RaceError if checks else AssertionError):
        check_training(seed, checks)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wait_in_the_next_backward_is_too_late(monkeypatch, seed):
    wait_for, begin = Reducer.wait_for, Reducer.begin

    def begin_late(self):
        for bucket in self.buckets:
            if bucket.pending is not None:
                wait_for(self, bucket)
        begin(self)

    monkeypatch.setattr(Reducer, "wait_for", lambda self, bucket: None)
    monkeypatch.setattr(Reducer, "begin", begin_late)
    with pytest.raises(RaceError):
        check_training(seed)
