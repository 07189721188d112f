"""Memory exhaustion, Ctrl-C, fork and threads: the library stays usable and sums stay exact. Faults that end or limit a
process run in one of their own.
"""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import wengert as torch

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals, limits and fork")
USABLE = """
x = torch.ones(3, requires_grad=True)
((x * 2).exp() * x).sum().backward()
assert x.grad is not None and torch.is_grad_enabled()
"""


def in_a_process(code):
    done = subprocess.run([sys.executable, "-c", code + USABLE + "print('usable')"], capture_output=True, text=True,
                          check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "usable"
    return done.stdout


@POSIX
def test_memory_exhaustion_during_backward():
    """The graph fits, its gradients do not: whichever of them is the first without memory, its node is named."""
    out = in_a_process("""
import resource
import wengert as torch
x = torch.ones(4_000_000, dtype=torch.float64, requires_grad=True)
y = ((x * 2).sin().exp() * x).sum()
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
for room in range(5_000_000, 45_000_000, 5_000_000):
    resource.setrlimit(resource.RLIMIT_AS, (used + room, resource.RLIM_INFINITY))
    try:
        y.backward(retain_graph=True)
    except MemoryError as error:
        print(room, str(error), *getattr(error, "__notes__", []))
    else:
        raise SystemExit("there was enough memory")
    x.grad = None
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
y.backward()
assert x.grad.shape == x.shape
""")
    lines = out.splitlines()[:-1]
    assert len(lines) == 8
    for line in lines:
        assert "was run backward" in line, line


@POSIX
@pytest.mark.parametrize("hooked", [False, True])
def test_interrupt_during_backward(hooked):
    in_a_process(f"""
import signal, time
import wengert as torch
x = torch.ones(2, requires_grad=True)
y = x
for _ in range(400_000):
    y = y * 1.0000001
    if {hooked} and _ % 100 == 0:
        y.register_hook(lambda g: None)
loss = y.sum()
torch.ones(1, requires_grad=True).sum().backward()  # what the first one loads takes longer than the clock below
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.01)          # a thread would not get its turn before the end
try:
    loss.backward(retain_graph=True)
    time.sleep(1)                                  # too late: the error would have no note
except KeyboardInterrupt as error:
    assert "was run backward" in error.__notes__[0]
    assert x.grad is None                          # it stopped on the way
else:
    raise SystemExit("was not interrupted")
loss.backward()
assert abs(x.grad[0].item() - 1.0000001 ** 400_000) < 1e-2, x.grad
""")


@POSIX
def test_interrupt_of_backward_passes_in_a_loop():
    in_a_process("""
import signal, time
import wengert as torch
w = torch.ones(8, 8, requires_grad=True)
(w @ w).sin().sum().backward()                     # brings the modules: Python loses interrupts of an import
inside, lost = False, 0
def again(*_):
    global inside
    if inside:                                     # not in this loop's own lines
        inside = False
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, again)
caught = 0
end = time.monotonic() + 30
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
while time.monotonic() < end and caught < 100:
    try:
        inside = True
        while inside:
            (w @ w).sin().sum().backward()
        lost += 1                                      # the handler has raised, and nothing came of it
    except KeyboardInterrupt:
        caught += 1
signal.setitimer(signal.ITIMER_REAL, 0)
assert caught > 20 and not lost, (caught, lost)
w.grad = None
(w * 2).sum().backward()
assert w.grad.tolist() == [[2.0] * 8] * 8
""")


@POSIX
def test_fork_after_use():
    in_a_process("""
import os, warnings
import wengert as torch
warnings.simplefilter("ignore")
x = torch.ones(1 << 16, requires_grad=True)
y = (x * 2).sin()                                  # large enough for worker threads
y.sum().backward(retain_graph=True)
for _ in range(3):
    child = os.fork()
    if child == 0:
        x.grad = None
        y.sum().backward(retain_graph=True)        # a graph of the parent
        (x.exp() * x).sum().backward()             # one of its own
        os._exit(0 if x.grad.shape == x.shape else 1)
    assert os.waitpid(child, 0)[1] == 0
assert y.sum().backward() is None
""")


def test_shared_parameters_sums_are_exact():
    """Whole numbers: what is lost or added twice shows."""
    w, b = torch.ones(16, requires_grad=True), torch.zeros(1, requires_grad=True)
    large = torch.ones(1 << 16, requires_grad=True)
    start = threading.Barrier(6)

    def work(number):
        start.wait()
        for step in range(150):
            scale = float(number + step % 3)
            (w * scale + b).sum().backward()
            if step % 10 == 0:
                (large * scale).sum().backward()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    scales = [number + step % 3 for number in range(6) for step in range(150)]
    assert w.grad.tolist() == [float(sum(scales))] * 16
    assert b.grad.tolist() == [16.0 * len(scales)]
    expected = float(sum(number + step % 3 for number in range(6) for step in range(0, 150, 10)))
    assert (large.grad.min().item(), large.grad.max().item()) == (expected, expected)


def test_a_pool_of_small_independent_graphs():
    def task(number):
        x = torch.tensor([float(number), 1.0], requires_grad=True)
        with torch.set_grad_enabled(number % 5 != 0):
            y = (x * x).sum()
        if not y.requires_grad:
            return None
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        g.sum().backward()
        return g.tolist(), x.grad.tolist()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(task, range(2000)))
    assert results == [None if n % 5 == 0 else ([2.0 * n, 2.0], [2.0, 2.0]) for n in range(2000)]
    assert torch.is_grad_enabled()


def test_errors_in_some_threads_do_no_harm_to_others():
    w = torch.ones(4, requires_grad=True)

    def refuse(g):
        raise ValueError("hook")

    def task(number):
        y = w * 2
        if number % 3 == 0:
            y.register_hook(refuse)
            with pytest.raises(ValueError, match="hook"):
                y.sum().backward()
            return 0
        y.sum().backward()
        return 1

    with ThreadPoolExecutor(6) as pool:
        done = sum(pool.map(task, range(600)))
    assert done == 400
    assert w.grad.tolist() == [800.0] * 4
