"""Ctrl-C, errors and threads in the middle of recordings and replays: everything stays usable."""

from __future__ import annotations

import _thread
import contextlib
import gc
import random
import signal
import threading
import weakref

import pytest
import wengert as wg
from wengert_core import memory
from wengert_core.extend import is_torch_function_enabled
from wengert_replay.recording.tracing import Recording

explain = wg.replay.explain


def test_an_interrupted_replay_can_be_called_again():
    def step(x):
        for _ in range(200):
            x = wg.sort(x * 1.01)[0]  # calls of a driver, between which an interrupt is seen
        return x.sum()

    f = wg.capture(step)
    x = wg.linspace(-1, 1, 5000)
    expected = step(x).item()
    f(x), f(x)
    interrupts = 0
    for k in range(8):
        timer = threading.Timer(0.002 * (k + 1), _thread.interrupt_main)
        with contextlib.suppress(KeyboardInterrupt):
            timer.start()
            for _ in range(1000000):
                assert f(x).item() == expected
            pytest.fail("no interrupt")
        interrupts += 1
        timer.join()
    assert interrupts == 8
    assert f(x).item() == expected
    assert len(explain(f).programs) == 1


def test_an_interrupted_recording_leaves_nothing_behind():
    def step(x, wait):
        y = x * 2
        while wait:
            y = y + 1
        return y

    f = wg.capture(step)
    x = wg.ones(3)
    f(x, False)
    in_use = None
    for _ in range(3):
        timer = threading.Timer(0.05, _thread.interrupt_main)
        with pytest.raises(KeyboardInterrupt):
            timer.start() or f(x, True)
        timer.join()
        gc.collect()
        in_use = in_use or memory.stats()["bytes_in_use"]
        assert memory.stats()["bytes_in_use"] == in_use
    assert f(x, False).tolist() == [2, 2, 2]
    assert len(explain(f).programs) == 1
    assert wg.capture(lambda: 1) is not None
    g = wg.capture(lambda x: x * 3)
    assert [g(x).tolist() for _ in range(3)] == [[3, 3, 3]] * 3
    assert explain(g).replays == 2


def test_a_recording_that_raises_can_be_made_again():
    errors = iter([ValueError("not yet"), ValueError("not yet")])

    def step(x):
        y = x * 2
        error = next(errors, None)
        if error is not None:
            raise error
        return y

    f = wg.capture(step)
    for _ in range(2):
        with pytest.raises(ValueError, match="not yet"):
            f(wg.ones(2))
    assert [f(wg.full((2,), float(k))).tolist() for k in range(3)] == [[0, 0], [2, 2], [4, 4]]
    assert explain(f).replays == 2


def test_an_error_in_backward_of_a_recording_leaves_the_thread_usable():
    class Bad(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ArithmeticError("bad")

    w = wg.ones(2, requires_grad=True)
    f = wg.capture(lambda x: Bad.apply(w * x).sum().backward())
    for _ in range(3):
        with pytest.raises(ArithmeticError, match="bad"):
            f(wg.ones(2))
    assert w.grad is None
    assert explain(f).programs == []
    (w * 2).sum().backward()
    assert w.grad.tolist() == [2, 2]


def test_threads_replay_with_writes_to_tensors_from_outside():
    w = wg.zeros(4)

    def step(x):
        w.add_(x)
        return w.sum()

    f = wg.capture(step)
    f(wg.ones(4))
    threads = [threading.Thread(target=lambda: [f(wg.ones(4)) for _ in range(500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert w.tolist() == [2001] * 4
    assert w._version == 2001


def test_threads_record_and_replay_different_signatures():
    f = wg.capture(lambda x: (x.exp() * 2).sum())
    wrong = []

    def work(number):
        for k in range(200):
            x = wg.full((1 + (k + number) % 5,), 0.01 * number)
            if f(x).item() != f.function(x).item():
                wrong.append((number, k))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert explain(f).replays > 500


def test_a_thread_that_ends_takes_nothing_away():
    f = wg.capture(lambda x: (x * 2).sum())
    thread = threading.Thread(target=lambda: f(wg.ones(100)))
    thread.start()
    thread.join()
    gc.collect()
    assert [f(wg.full((100,), float(k))).item() for k in range(4)] == [0, 200, 400, 600]
    assert explain(f).replays == 4


def test_programs_are_freed_with_their_function():
    gc.collect()
    before = memory.stats()["bytes_in_use"]

    def make():
        w = wg.ones(1000, requires_grad=True)

        def step(x):
            w.grad = None
            y = (w * x).exp()
            y.sum().backward()
            return y.detach()

        return wg.capture(step), weakref.ref(w)

    f, outside = make()
    for _ in range(3):
        f(wg.ones(1000)), f(wg.ones(1))
    died = [weakref.ref(f), outside]
    del f
    gc.collect()
    assert [one() for one in died] == [None, None]
    assert memory.stats()["bytes_in_use"] == before


def test_a_function_that_holds_itself_is_freed():
    gc.collect()
    before = memory.stats()["bytes_in_use"]

    def make():
        w = wg.ones(1000)

        def step(x):
            step.calls = f
            return x * w

        f = wg.capture(step)
        return f

    for _ in range(5):
        f = make()
        f(wg.ones(1000)), f(wg.ones(1000))
    del f
    gc.collect()
    assert memory.stats()["bytes_in_use"] == before


def test_arguments_are_not_kept():
    f = wg.capture(lambda x, y: (x * y).sum())
    for _ in range(3):
        x, y = wg.ones(5), wg.ones(5, requires_grad=True)
        f(x, y.detach())
        died = [weakref.ref(x), weakref.ref(y)]
        del x, y
        gc.collect()
        assert [one() for one in died] == [None, None]


def test_results_are_not_kept():
    f = wg.capture(lambda x: [x * 2, x.sum()])
    for _ in range(3):
        results = f(wg.ones(5))
        died = [weakref.ref(one) for one in results]
        del results
        gc.collect()
        assert [one() for one in died] == [None, None]


def test_many_captures_leave_nothing_behind():
    def round_of_work():
        w = wg.ones(10, requires_grad=True)
        f = wg.capture(lambda x: (w * x).sum().backward())
        for _ in range(3):
            f(wg.ones(10))
        g = wg.capture(lambda x: x * 2 if x.sum() > 0 else x)
        for k in (1.0, -1.0, 1.0):
            g(wg.full((3,), k))

    for _ in range(3):
        round_of_work()
    gc.collect()
    before, objects = memory.stats()["bytes_in_use"], len(gc.get_objects())
    for _ in range(100):
        round_of_work()
    gc.collect()
    assert memory.stats()["bytes_in_use"] <= before
    assert len(gc.get_objects()) <= objects + 20


def raising(error):
    """Return a function that raises an error in the midst of its operations."""

    def function(x):
        y = x * 2
        raise error(y.tolist()[0])

    return function


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_another_thread_may_drop_the_exception_of_a_recording(error):
    caught = []

    def work():
        f = wg.capture(raising(error), quiet=True)
        for _ in range(20):
            try:
                f(wg.ones(100))
            except BaseException as found:
                caught.append(found)
            given.wait()
            taken.wait()
            for n in range(1, 50):  # from the lists of the thread
                tensor = wg.full((n,), float(n))
                right.append(tensor.tolist() == [n] * n)

    given, taken, right = threading.Barrier(2, timeout=30), threading.Barrier(2, timeout=30), []
    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(20):
        given.wait()
        caught.clear()
        gc.collect()
        taken.wait()
    thread.join()
    assert len(right) == 20 * 49
    assert all(right)


@pytest.mark.parametrize("construct", ["scan", "fori_loop", "while_loop", "cond"])
def test_a_body_that_raises_leaves_no_memory_of_a_recording_in_use(construct):
    def body(*parts):
        raise ArithmeticError(str(wg.ones(3).sum().item()))

    calls = {
        "scan": lambda x: wg.func.scan(body, x, x.unsqueeze(0)),
        "fori_loop": lambda x: wg.func.fori_loop(0, 3, body, x),
        "while_loop": lambda x: wg.func.while_loop(lambda c: c.sum() < 9, body, x),
        "cond": lambda x: wg.func.cond(x.sum() > 0, body, body, (x,)),
    }
    f, kept = wg.capture(calls[construct], quiet=True), []
    for _ in range(3):
        with pytest.raises(ArithmeticError) as caught:
            f(wg.ones(2))
        kept.append(caught.value)
    thread = threading.Thread(target=kept.clear)
    del caught
    thread.start()
    thread.join()
    gc.collect()
    g = wg.capture(lambda x: x * 3)
    assert [g(wg.full((2,), float(k))).tolist() for k in range(4)] == [[3.0 * k] * 2 for k in range(4)]
    assert explain(g).replays == 3


def step_of_adam():
    model = wg.nn.Sequential(wg.nn.Linear(4, 8), wg.nn.Tanh(), wg.nn.Linear(8, 1))
    optimizer = wg.optim.Adam(model.parameters(), lr=0.01)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return wg.capture(step, quiet=True)


def a_graph():
    w = wg.ones(4, requires_grad=True)
    f = wg.capture(lambda x: (w * x).sin().sum(), quiet=True)
    return lambda x: wg.autograd.grad(f(x), w)


def gradients_of_a_loop():
    w = wg.ones(4, requires_grad=True)

    def function(x):
        y = wg.func.fori_loop(0, 5, lambda i, y: (y * w).sin(), x)
        return wg.autograd.grad(y.sum(), w)

    return wg.capture(function, quiet=True)


def with_branches():
    f = wg.capture(lambda x: x * 2 if x.sum() > 0 else x - 1, quiet=True)
    return lambda x: (f(x), f(-x), f(x))


MAKERS = {
    "the gradients of a loop": gradients_of_a_loop,
    "branches": with_branches,
    "operations": lambda: wg.capture(lambda x: x * 2 + 1, quiet=True),
    "a training step": step_of_adam,
    "a graph": a_graph,
    "a loop": lambda: wg.capture(lambda x: wg.func.fori_loop(0, 3, lambda i, y: y * 2, x), quiet=True),
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_no_interrupt_leaves_the_thread_recording_or_the_collector_off(make):
    def interrupt(*_):
        raise KeyboardInterrupt

    before, random_times, interrupts = signal.signal(signal.SIGALRM, interrupt), random.Random(0), 0
    x = wg.ones(3, 4)
    make()(x)
    gc.collect()  # else an interrupt may come in the midst of how something of another test is closed
    try:
        for _ in range(300):
            f = make()
            with contextlib.suppress(KeyboardInterrupt):
                try:
                    signal.setitimer(signal.ITIMER_REAL, random_times.uniform(1e-6, 1e-3))
                    f(x), f(x)
                except KeyboardInterrupt:
                    interrupts += 1
                    raise
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            assert gc.isenabled()
            assert wg.is_grad_enabled()
            assert is_torch_function_enabled()
            g = wg.capture(lambda x: x - 1, quiet=True)
            g(x), g(x)
            assert explain(g).replays == 1
    finally:
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert interrupts > 10


@pytest.mark.parametrize("n", [1, 2, 3])
def test_another_thread_may_close_what_a_thread_records_into(n):
    given, taken, right, recordings = threading.Event(), threading.Event(), [], []

    def work():
        for _ in range(n):
            recordings.append(Recording([]))
            recordings[-1].start()
            wg.ones(100) * 2
            recordings[-1].stop()
        given.set()
        taken.wait(30)
        for size in range(1, 50):
            right.append(wg.full((size,), float(size)).tolist() == [size] * size)
        f = wg.capture(lambda x: x * 3)
        right.append([f(wg.full((100,), float(k))).sum().item() for k in range(3)] == [0, 300, 600])

    thread = threading.Thread(target=work)
    thread.start()
    given.wait(30)
    recordings.pop()
    recordings.clear()
    gc.collect()
    others = [wg.full((size,), -1.0) for size in range(1, 200)]
    taken.set()
    thread.join(30)
    assert right == [True] * 50
    assert all(one.sum().item() == -len(one) for one in others)
