"""Several threads: modes are each thread's own, gradients of shared leaves sum up exactly, runs do not disturb each
other.
"""

import os
import subprocess
import sys
import threading

import pytest
import wengert_core as wc
from wengert_engine import backward, grad, is_grad_enabled, no_grad


def in_threads(n, work):
    errors = []

    def run_work(i):
        try:
            work(i)
        except Exception as error:  # handed to the main thread
            errors.append(error)

    threads = [threading.Thread(target=run_work, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_shared_leaf_small_and_large():
    for size, rounds in ((8, 500), (200_000, 20)):
        x = wc.ones(size, requires_grad=True)

        def work(i, x=x, rounds=rounds):
            for _ in range(rounds):
                (x * 2.0).sum().backward()

        in_threads(4, work)
        assert x.grad[0].item() == x.grad[size - 1].item() == 4 * rounds * 2.0


def test_one_graph_differentiated_by_several_threads():
    x = wc.ones(1000, requires_grad=True)
    y = x
    for _ in range(200):
        y = y * 1.0
    total = y.sum()
    in_threads(4, lambda i: [backward(total, retain_graph=True) for _ in range(5)])
    assert x.grad[0].item() == 20.0


def test_modes_belong_to_the_thread():
    seen = []
    with no_grad():
        in_threads(1, lambda i: seen.append(is_grad_enabled()))
    assert seen == [True]


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads in Linux's /proc")
def test_small_graphs_start_no_thread():
    program = """
import os, numpy
before = len(os.listdir("/proc/self/task"))         # OpenBLAS has its own
import wengert_core as wc, wengert_engine
x = wc.ones(100, requires_grad=True)
for _ in range(100):
    ((x * 2.0).exp().sum() + x.reshape(10, 10).softmax(1).sum()).backward()
print(len(os.listdir("/proc/self/task")) - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


def test_threads_that_meet_at_every_node():
    """They are switched as often as can be, so that one lets go of a node while gradients of another wait there."""
    x = wc.tensor([0.5, 1.5], dtype=wc.float64, requires_grad=True)
    y = x * 2
    y[0].exp_()
    y = (y * y).sum()
    expected = grad(y, x, retain_graph=True)[0].tolist()
    found, calls = [], []
    y.grad_fn.next_functions[0][0].register_hook(lambda *_: calls.append(1))

    def differentiate():
        for _ in range(60):
            found.append(grad(y, x, create_graph=True, retain_graph=True)[0].tolist())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=differentiate) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 240
    assert len(calls) == 240           # once in each run


def test_second_derivatives_of_a_write_to_a_view_in_several_threads():
    x = wc.tensor([0.5, 1.5], dtype=wc.float64, requires_grad=True)
    y = x * 2
    y[0].exp_()
    y = (y * y).sum()
    found = []

    def differentiate():
        for _ in range(50):
            (first,) = grad(y, x, create_graph=True, retain_graph=True)
            found.append(grad((first * first).sum(), x, retain_graph=True)[0].tolist())

    threads = [threading.Thread(target=differentiate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200
    assert all(one == found[0] for one in found)
