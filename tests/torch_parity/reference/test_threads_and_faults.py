"""Several threads at once; what is left after an exception, an interrupt or a fork."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import wengert as torch

MODULE = torch.__name__


def test_sums_over_threads_are_exact():
    w = torch.ones(100, requires_grad=True)

    def work(_):
        for _ in range(20):
            (w * 3).sum().backward()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert w.grad.tolist() == [3.0 * 20 * 8] * 100


def test_threads_with_graphs_of_their_own():
    def work(n):
        x = torch.full((5,), float(n), requires_grad=True)
        for _ in range(20):
            x.grad = None
            (x * x).sum().backward()
        return x.grad.tolist()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [[2.0 * n] * 5 for n in range(8)]


def test_one_graph_retained_and_run_by_several_threads():
    x = torch.ones(10, requires_grad=True)
    y = (x * 2).exp().sum()
    with ThreadPoolExecutor(4) as pool:
        slopes = list(pool.map(lambda _: torch.autograd.grad(y, x, retain_graph=True)[0], range(8)))
    assert all(torch.equal(slope, slopes[0]) for slope in slopes)


def test_hooks_run_on_the_thread_that_called_backward():
    seen = []

    def work():
        x = torch.ones(1, requires_grad=True)
        x.register_hook(lambda g: seen.append(threading.get_ident()))
        (x * 2).backward()
        seen.append(threading.get_ident())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen[0] == seen[1] != threading.get_ident()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, KeyError, SystemExit])
def test_an_exception_inside_backward_leaves_all_usable(error):
    def fail(grad):
        raise error

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    handle = y.register_hook(fail)
    z = y.exp().sum()
    with pytest.raises(error):
        z.backward(retain_graph=True)
    assert x.grad is None
    assert torch.is_grad_enabled()
    handle.remove()
    z.backward()
    assert torch.allclose(x.grad, 2 * (x.detach() * 2).exp())


def test_an_exception_in_a_nested_run():
    def fail(grad):
        raise KeyError("inner")

    def run_inner_backward(grad):
        with torch.enable_grad():
            w = torch.ones(1, requires_grad=True)
            v = w * 2
            v.register_hook(fail)
            v.backward()

    x = torch.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(run_inner_backward)
    with pytest.raises(KeyError, match="inner"):
        y.backward()
    (x * 2).backward()
    assert x.grad.tolist() == [2.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_after_use():
    program = f"""
import os, {MODULE} as torch
x = torch.ones(2, requires_grad=True)
(x * x).sum().backward()
child = os.fork()
if child == 0:
    (x * x).sum().backward()
    os._exit(0 if x.grad.tolist() == [4.0, 4.0] else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_no_thread_is_started_by_backward_on_the_cpu():
    program = f"""
import os, {MODULE} as torch
before = len(os.listdir("/proc/self/task"))
x = torch.ones(2, requires_grad=True)
(x * x).sum().backward()
assert len(os.listdir("/proc/self/task")) == before
"""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("needs /proc")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
