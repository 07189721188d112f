"""Threads that share a captured function: its recordings, replays, graphs and Python functions, and forks."""

from __future__ import annotations

import os
import random
import sys
import threading
import time

import pytest
import wengert as wg

explain = wg.replay.explain


@pytest.fixture(autouse=True, params=[None, 1e-5])
def switch_interval(request):
    """Run each test with Python's switch interval, and with a very short one."""
    before = sys.getswitchinterval()
    if request.param:
        sys.setswitchinterval(request.param)
    yield
    sys.setswitchinterval(before)


def run_threads(work, n=4):
    """Run a function of a number in threads, and raise what the first of them raises."""
    errors = []

    def run(number):
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


def test_signatures_are_recorded_while_others_explain():
    for _ in range(10):
        f = wg.capture(lambda x: x * 2 if x.sum() > 0 else x, quiet=True, max_programs=200)

        def work(number, f=f):
            for k in range(30):
                f(wg.full((number * 200 + k,), float(k % 2)))
                if not number and k % 5 == 0:
                    assert "program" in str(explain(f))

        run_threads(work)


def plain(total):
    def function(x):
        total.add_(1)
        return x * 2

    return function, lambda k: wg.ones(5)


def branches(total):
    def function(x):
        total.add_(1)
        for k in range(5):
            x = x + 1 if x[k] > 0 else x * 2
        return x

    return function, lambda k: wg.tensor([random.choice([-9.0, 9.0]) for _ in range(5)])


def differing_number(total):
    def function(x):
        total.add_(1)
        return float(x[0])

    return function, lambda k: wg.full((3,), float(k % 10))


def signatures(total):
    def function(x):
        total.add_(1)
        return x * 2 if x.sum() > 0 else x

    return function, lambda k: wg.full((1 + k % 3,), float(k % 2))


@pytest.mark.parametrize("make", [plain, branches, differing_number, signatures])
def test_no_write_of_a_thread_is_lost_nor_counted_twice(make):
    for _ in range(8):
        total = wg.zeros(())
        function, argument = make(total)
        f = wg.capture(function, quiet=True)

        def work(number, f=f, argument=argument):
            for k in range(60):
                f(argument(k + number))

        run_threads(work)
        assert (total.item(), total._version) == (240, 240)


def test_no_write_is_lost_where_results_have_a_graph():
    w = wg.ones(3, requires_grad=True)
    for _ in range(5):
        total = wg.zeros(())

        def function(x, total=total):
            total.add_(1)
            return (w * x).sum()

        f = wg.capture(function, quiet=True)

        def work(number, f=f):
            for k in range(30):
                assert wg.autograd.grad(f(wg.full((3,), float(k))), w)[0].tolist() == [k] * 3

        run_threads(work)
        assert total.item() == 120


@pytest.mark.parametrize("reads", [False, True])
def test_threads_that_meet_in_recordings_get_their_own_gradients(reads):
    w = wg.linspace(-1, 1, 8).requires_grad_()

    def function(x):
        y = (w * x).sin() * 2.0
        return y.sum() if not reads or y.sum() > 0 else (y * 2).exp().sum()

    for _ in range(15):
        f = wg.capture(function, quiet=True)

        def work(number, f=f):
            for k in range(8):
                x = wg.linspace(number - 2, number + k + 1.0, 8).requires_grad_()
                found, expected = (wg.autograd.grad(one(x), (x, w)) for one in (f, function))
                assert [one.tolist() for one in found] == [one.tolist() for one in expected]

        run_threads(work)


def test_a_python_function_in_a_replay_may_wait_for_a_thread_that_calls_the_function():
    state = threading.local()

    @wg.compiler.disable
    def load():
        if getattr(state, "is_inner", False):
            return wg.ones(2)
        found = []

        def work():
            state.is_inner = True
            found.append(f(wg.ones(2)))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join(60)
        return found[0] * 2

    f = wg.capture(lambda x: x * load(), quiet=True)
    run_threads(lambda _: [f(wg.ones(2)).tolist() for _ in range(4)], 1)
    assert [f(wg.ones(2)).tolist() for _ in range(3)] == [[2, 2]] * 3
    assert explain(f).replays > 0
    assert any("another thread was in Python code" in reason for reason in explain(f).reasons)


def test_two_functions_that_call_each_other_in_two_threads_do_not_wait_for_ever():
    local, captured = threading.local(), {}

    def make(other):
        @wg.compiler.disable
        def call(x):
            if getattr(local, "is_inner", False):
                return x * 1
            local.is_inner = True
            try:
                time.sleep(0.001)
                return captured[other](x) * 1
            finally:
                local.is_inner = False

        return wg.capture(lambda x: call(x * 2) + 1, quiet=True)

    captured.update(f=make("g"), g=make("f"))
    for name in "fgfgfg":
        captured[name](wg.ones(2))

    def work(number):
        for _ in range(20):
            assert captured["fg"[number % 2]](wg.ones(2)).tolist() == [6, 6]

    run_threads(work)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_child_of_a_fork_replays_what_another_thread_was_in():
    inside, go_on = threading.Event(), threading.Event()
    wait = [False]

    @wg.compiler.disable
    def pause():
        if wait[0]:
            inside.set()
            go_on.wait(60)

    def function(x):
        y = x * 2
        pause()
        return y + 1

    f = wg.capture(function, quiet=True)
    for _ in range(3):
        f(wg.ones(2))
    wait[0] = True
    thread = threading.Thread(target=lambda: f(wg.ones(2)))
    thread.start()
    assert inside.wait(60)
    child = os.fork()
    if child == 0:
        wait[0] = False
        before = explain(f).replays
        found = [f(wg.full((2,), float(k))).tolist() for k in range(3)]
        os._exit(0 if found == [[1, 1], [3, 3], [5, 5]] and explain(f).replays == before + 3 else 1)
    go_on.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
