"""Mistakes in a pipeline that the simulated group must show: a wait left out, memory used too early, another order."""

from __future__ import annotations

from collections import deque

import pytest
import wengert as wg
from wengert_distributed.pipeline import exchange, schedules
from wengert_testing.sim_group import RaceError, run_ranks

dist = wg.distributed
SEEDS = range(4)


def train(stage_function=None):
    """Run a step of two stages and return the gradient of the first one's weight."""
    weight = wg.full((3,), 2.0, requires_grad=True)
    function = stage_function or (lambda x: x * weight)
    stage = dist.pipelining.PipelineStage(function, dist.get_rank(), dist.get_world_size())
    schedule = dist.pipelining.Schedule1F1B(stage, 4, lambda y, _: (y * y).sum())
    args = (wg.arange(24.0).reshape(8, 3),) if dist.get_rank() == 0 else ()
    schedule.step(*args)
    return None if weight.grad is None else weight.grad.tolist()


def is_noticed():
    """Return whether one of several orders of messages shows the mistake."""
    expected = [(4 * wg.arange(24.0).reshape(8, 3).square().sum(0)).tolist()] * 2
    for seed in SEEDS:
        try:
            if run_ranks(2, train, seed=seed) != expected:
                return True
        except (RaceError, dist.DistBackendError, RuntimeError):
            return True
    return False


def test_the_pipeline_itself_makes_no_mistake():
    assert not is_noticed()


def test_sends_that_nobody_waits_for(monkeypatch):
    monkeypatch.setattr(exchange.Exchange, "finish", lambda self: None)
    assert is_noticed()


def test_receives_that_nobody_waits_for(monkeypatch):
    def run(self, outgoing, incoming):
        if outgoing or incoming:
            self.sends += [(work, None) for work in dist.batch_isend_irecv([*outgoing, *incoming])]

    monkeypatch.setattr(exchange.Exchange, "run", run)
    assert is_noticed()


def test_backward_passes_in_another_order_than_forward_passes(monkeypatch):
    class Newest(deque):
        def popleft(self):
            return self.pop()

    monkeypatch.setattr(schedules, "deque", Newest)
    monkeypatch.setattr(schedules.ScheduleGPipe, "warmup", lambda self: 4)
    monkeypatch.setattr(schedules.Schedule1F1B, "warmup", lambda self: 4 * (1 - dist.get_rank()))
    assert is_noticed()


def test_an_activation_that_is_written_to_while_it_is_sent():
    def program():
        last = []

        def reuse(x):
            if last:
                last[0].detach().zero_()
            last[:] = [x * 1.0]
            return last[0]

        train(reuse if dist.get_rank() == 0 else None)

    with pytest.raises(RaceError):
        run_ranks(2, program, seed=1)
