"""Work of asynchronous collectives, and futures."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
Future = wg.futures.Future


def test_work_of_a_reduction() -> None:
    def program() -> None:
        x = wg.ones(2)
        work = dist.all_reduce(x, async_op=True)
        assert isinstance(work, dist.Work)
        assert x.tolist() == [1.0, 1.0]
        assert work.wait() is True
        assert work.wait(timedelta(seconds=1)) is True
        assert x.tolist() == [2.0, 2.0]
        assert work.is_completed()
        assert work.is_success()
        assert work.exception() is None
        assert work.result()[0] is x
        with pytest.raises(RuntimeError, match=r"sourceRank\(\) may only be called on work objects"):
            work.source_rank()

    run_ranks(2, program)


def test_work_is_completed_by_asking() -> None:
    def program() -> int:
        x = wg.zeros(2, 3).t()
        x += 1
        work, asked = dist.all_reduce(x, async_op=True), 0
        while not work.is_completed():
            asked += 1
        assert x.tolist() == [[2.0, 2.0]] * 3
        return asked

    assert min(run_ranks(2, program, delays=1e-3)) > 0


def test_result_before_the_end() -> None:
    def program() -> None:
        work = dist.all_reduce(wg.ones(2), async_op=True)
        if dist.get_rank() == 0:
            with pytest.raises(RuntimeError, match=r"Work needs to be completed before calling result\(\)"):
                work.result()
        work.wait()

    run_ranks(2, program)


@pytest.mark.parametrize("timeout", [3, "1"])
def test_a_timeout_that_is_no_timedelta(timeout: Any) -> None:
    def program() -> None:
        work = dist.barrier(async_op=True)
        with pytest.raises(TypeError, match=r"type datetime\.timedelta"):
            work.wait(timeout)
        work.wait()
        assert work.result() == []

    run_ranks(2, program)


def test_results_of_lists_are_their_tensors() -> None:
    def program() -> None:
        parts = [wg.zeros(1), wg.zeros(1)]
        work = dist.all_gather(parts, wg.ones(1), async_op=True)
        work.wait()
        assert all(a is b for a, b in zip(work.result(), parts, strict=True))

    run_ranks(2, program)


def test_memory_of_work_that_nobody_holds_is_kept() -> None:
    """The transport writes to it later."""

    def program() -> int:
        dist.all_reduce(wg.ones(2).double(), async_op=True)
        return len(dist.group.WORLD.channels["cpu"].pending)

    assert run_ranks(2, program, checks=False) == [1, 1]


def test_work_that_has_ended_without_a_wait_is_let_go() -> None:
    def program() -> int:
        for _ in range(300):
            dist.all_reduce(wg.ones(2), async_op=True)
        return len(dist.group.WORLD.channels["cpu"].pending)

    assert max(run_ranks(2, program, checks=False, delays=1e-9)) < 150


def test_the_future_of_a_work() -> None:
    def program() -> float:
        x = wg.ones(2)
        future = dist.all_reduce(x, async_op=True).get_future()
        assert not future.done()
        half = future.then(lambda done: done.value()[0] / 2)
        assert not half.done()
        assert half.wait().tolist() == [1.0, 1.0]
        assert future.value()[0] is x
        assert future.then(lambda done: 7).value() == 7
        return float(x[0])

    assert run_ranks(2, program) == [2.0, 2.0]


def test_a_callback_that_begins_another_collective() -> None:
    def program() -> list[float]:
        x = wg.ones(2)
        first = dist.all_reduce(x, async_op=True).get_future()
        second = first.then(lambda done: dist.all_reduce(done.value()[0], async_op=True).get_future())
        return second.wait()[0].tolist()

    assert run_ranks(3, program) == [[9.0, 9.0]] * 3


def test_a_callback_that_raises() -> None:
    def program() -> None:
        future = dist.barrier(async_op=True).get_future().then(lambda done: 1 / 0)
        with pytest.raises(RuntimeError, match="error when running the callback: ZeroDivisionError"):
            future.wait()

    run_ranks(2, program)


def test_the_future_of_a_work_that_fails() -> None:
    def program() -> None:
        if dist.get_rank() == 0:
            future = dist.all_reduce(wg.ones(1), async_op=True).get_future()
            child = future.then(lambda done: done.value())
            with pytest.raises(RuntimeError, match="error when running the callback: DistBackendError"):
                child.wait()
            with pytest.raises(dist.DistBackendError):
                future.value()

    assert run_ranks(2, program, checks=False, return_exceptions=True)[0] is None


def test_futures_of_a_program() -> None:
    future: Any = Future()
    seen: list[Any] = []
    future.add_done_callback(lambda done: seen.append(done.value()))
    assert not future.done()
    with pytest.raises(RuntimeError, match="not completed"):
        future.value()
    future.set_result(3)
    assert seen == [3]
    assert future.wait() == 3
    with pytest.raises(RuntimeError, match="can only be marked completed once"):
        future.set_result(4)
    failed: Any = Future()
    with pytest.raises(AssertionError, match="is of type <class 'int'>, not an Exception"):
        failed.set_exception(3)
    failed.set_exception(KeyError("x"))
    with pytest.raises(KeyError):
        failed.wait()


def test_futures_together() -> None:
    futures: list[Any] = [Future() for _ in range(2)]
    joint = wg.futures.collect_all(futures)
    futures[1].set_result("b")
    assert not joint.done()
    futures[0].set_result("a")
    assert [one.value() for one in joint.wait()] == ["a", "b"]
    assert wg.futures.wait_all(futures) == ["a", "b"]


def test_a_future_that_nothing_completes_is_not_waited_for() -> None:
    with pytest.raises(RuntimeError, match="not completed"):
        Future().wait()
