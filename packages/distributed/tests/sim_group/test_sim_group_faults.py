"""Failures planted in simulated ranks: the others raise, and say which rank, which collective and why."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import wengert as wg
from wengert_testing.sim_group import Fault, FaultError, run_ranks

dist = wg.distributed
LIMIT = timedelta(seconds=5)


def three_reductions() -> float:
    x = wg.ones(3)
    for _ in range(3):
        dist.all_reduce(x)
    return float(x[0])


def outcomes(*faults: Fault) -> list[Any]:
    return run_ranks(3, three_reductions, faults=faults, timeout=LIMIT, return_exceptions=True)


@pytest.mark.parametrize("kind", ["die", "hang"])
def test_a_rank_that_dies_or_hangs_is_named_after_the_timeout(kind: str) -> None:
    first, _, second = outcomes(Fault(1, 2, kind))
    texts = [str(first), str(second)]
    assert all(isinstance(one, dist.DistBackendError) for one in (first, second))
    assert any("has not ended within 5 s" in text for text in texts)
    assert all("rank 1: gives no sign" in text for text in texts)
    assert all("all_reduce(SUM float32 [3]), collective 2 failed" in text for text in texts)


def test_a_rank_that_raises_makes_the_others_raise_at_once() -> None:
    first, failed, second = outcomes(Fault(1, 2, "raise"))
    assert isinstance(failed, FaultError)
    for error in (first, second):
        assert isinstance(error, dist.DistBackendError)
        assert "rank 1: raised FaultError" in str(error)
        assert "within" not in str(error).partition("\n")[0]


def test_a_monitored_barrier_names_the_rank_that_does_not_come() -> None:
    first, _, third = run_ranks(
        3, lambda: dist.monitored_barrier(timeout=LIMIT), faults=[Fault(1, 1, "hang")], return_exceptions=True
    )
    for error in (first, third):
        assert isinstance(error, dist.DistBackendError)
        assert "ranks failed to pass monitoredBarrier in 5000 ms: barrier(), collective 1 failed" in str(error)
        assert "rank 1: gives no sign" in str(error)


def test_a_rank_that_calls_another_collective_makes_all_raise() -> None:
    errors = outcomes(Fault(1, 2, "other"))
    assert all(isinstance(error, dist.DistBackendError) for error in errors)
    assert "calls another collective" in str(errors[0])


def test_a_rank_that_ends_early_makes_the_others_raise_at_once() -> None:
    def program() -> None:
        if dist.get_rank():
            dist.barrier()

    first, *others = run_ranks(3, program, return_exceptions=True)
    assert first is None
    for error in others:
        assert isinstance(error, dist.DistBackendError)
        assert "rank 0: has left the group" in str(error)


def test_the_exception_that_began_it_is_raised() -> None:
    with pytest.raises(FaultError, match="planted in rank 2 at all_reduce number 3"):
        run_ranks(3, three_reductions, faults=[Fault(2, 3, "raise")])


def test_two_ranks_that_wait_for_each_other_raise() -> None:
    def program() -> None:
        other = 1 - dist.get_rank()
        dist.recv(wg.ones(1), other)
        dist.send(wg.ones(1), other)

    errors = run_ranks(2, program, timeout=LIMIT, return_exceptions=True)
    assert all(isinstance(error, dist.DistBackendError) for error in errors)
    assert any("recv(float32 [1] from rank" in str(error) for error in errors)


def test_a_rank_that_computes_for_ever_ends_the_run() -> None:
    def program() -> None:
        while dist.get_rank() == 0:
            if stop:
                return

    stop: list[int] = []
    with pytest.raises(TimeoutError, match="rank 0 has been running"):
        run_ranks(2, program, seconds=0.05)
    stop.append(1)


def test_an_asynchronous_collective_fails_in_its_wait_and_again() -> None:
    def program() -> None:
        if dist.get_rank() == 1:
            raise KeyError("lost")
        work = dist.all_reduce(wg.ones(2), async_op=True)
        with pytest.raises(dist.DistBackendError) as first:
            work.wait()
        with pytest.raises(dist.DistBackendError) as again:
            work.wait()
        assert first.value is again.value
        assert work.exception() is first.value
        assert work.is_completed()
        assert not work.is_success()

    errors = run_ranks(2, program, return_exceptions=True)
    assert errors[0] is None
    assert isinstance(errors[1], KeyError)


def test_more_elements_than_the_receiver_expects_fail_on_both_sides() -> None:
    def program() -> None:
        if dist.get_rank() == 0:
            dist.send(wg.ones(3), 1)
        else:
            dist.recv(wg.ones(2), 0)

    errors = run_ranks(2, program, return_exceptions=True)
    assert all(isinstance(error, dist.DistBackendError) for error in errors)
    assert any("has more elements" in str(error) for error in errors)


def test_simulated_ranks_exist_only_in_run_ranks() -> None:
    with pytest.raises(RuntimeError, match="the backend 'sim' is for ranks of"):
        dist.init_process_group("sim")
    assert not dist.is_initialized()
