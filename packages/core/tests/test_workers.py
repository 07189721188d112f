"""Large kernels on several threads: the same results whatever their number; threads only where there is work."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.kernels.testing import testing

THREADS = (2, 3, 7)
N = (1 << 19) + 1717  # several shares of every grain, and no multiple of anything

needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads in Linux's /proc")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    before = wg.get_num_threads()
    yield
    wg.set_num_threads(before)


def numbers(*shape: int, seed: int = 0, scale: float = 1.0, dtype: str = "float32") -> Any:
    rng = np.random.default_rng(seed)
    return wg.from_numpy((rng.standard_normal(shape) * scale).astype(dtype))


def positions(size: int, high: int, seed: int = 1) -> Any:
    return wg.from_numpy(np.random.default_rng(seed).integers(0, high, size))


# ---- the same from any number of threads

FLAT, OTHER = numbers(N), numbers(N, seed=1)
WIDE = numbers(N, dtype="float64", scale=3.3e4)  # one in 370 is beyond 1e5: sin takes its block of 256 another way
TABLE = numbers(900, 701)
CUBE = numbers(61, 97, 103)
LONG = numbers(200_003, 5)
BROAD = numbers(20_011, 40)
INTEGERS = positions(N, 100)
COMPLEX = wg.complex(FLAT, OTHER) if hasattr(wg, "complex") else wg.from_numpy(FLAT.numpy() + 1j * OTHER.numpy())
ROWS = positions(3000, 900)

PROGRAMS: dict[str, Callable[[], Any]] = {
    "add": lambda: FLAT + OTHER,
    "add a number": lambda: FLAT + 2.5,
    "mul complex": lambda: COMPLEX * COMPLEX,
    "exp": lambda: FLAT.exp(),
    "tanh": lambda: FLAT.tanh(),
    "sin float64": lambda: WIDE.sin(),
    "pow": lambda: FLAT.abs() ** 1.7,
    "gelu": lambda: wg.gelu(FLAT),
    "compare": lambda: FLAT < OTHER,
    "logsumexp of rows": lambda: BROAD.logsumexp(1),
    "logsumexp of columns": lambda: BROAD.logsumexp(0),
    "logsumexp of all": lambda: FLAT.logsumexp(0),
    "where": lambda: wg.where(FLAT > 0, FLAT, OTHER),
    "integers": lambda: INTEGERS // 7 * 3 - INTEGERS,
    "mixed dtypes": lambda: FLAT.half() + INTEGERS.to(wg.int8),
    "broadcast column": lambda: TABLE * numbers(900, 1, seed=2),
    "broadcast row": lambda: TABLE - numbers(701, seed=2),
    "broadcast both": lambda: numbers(900, 1) + numbers(701, seed=2),
    "broadcast outer dims": lambda: numbers(3, 1, 5, 1) * numbers(1, 40, 1, 1001, seed=2),
    "transposed": lambda: TABLE.t() + TABLE.t().contiguous(),
    "every third": lambda: FLAT[::3].exp(),
    "strided rows": lambda: TABLE[::2, 1::2] * TABLE[1::2, ::2][:, :350],
    "permuted": lambda: CUBE.permute(2, 0, 1).sigmoid() + CUBE.permute(2, 0, 1),
    "in place": lambda: FLAT.clone().mul_(OTHER).exp_(),
    "in place on a view": lambda: TABLE.clone().t().add_(1.5),
    "out": lambda: wg.add(FLAT, OTHER, out=wg.empty(N)),
    "clone": lambda: TABLE.t().clone(),
    "contiguous": lambda: CUBE.permute(1, 2, 0).contiguous(),
    "cast down": lambda: WIDE.to(wg.float32),
    "cast to integers": lambda: (WIDE * 3e6).to(wg.int16),
    "cast of a view": lambda: TABLE.t().double(),
    "cast to bfloat16": lambda: TABLE[:, ::2].to(wg.bfloat16),
    "cat": lambda: wg.cat([TABLE, TABLE.t().contiguous().t(), TABLE.double()], 1),
    "stack": lambda: wg.stack([FLAT, OTHER], 1),
    "full": lambda: wg.full((N,), 3, dtype=wg.int64),
    "sum": lambda: FLAT.sum(),
    "sum float64": lambda: WIDE.sum(),
    "sum half": lambda: FLAT.half().sum(),
    "sum integers": lambda: INTEGERS.sum(),
    "sum of a view": lambda: FLAT[::2].sum(),
    "mean": lambda: CUBE.mean(),
    "sum of a transposed": lambda: CUBE.permute(2, 0, 1).sum(),
    "sum rows": lambda: TABLE.sum(1),
    "sum columns": lambda: TABLE.sum(0),
    "sum long columns": lambda: LONG.sum(0),
    "sum broad columns": lambda: BROAD.sum(0),
    "sum long rows": lambda: LONG.t().contiguous().sum(1),
    "sum middle": lambda: CUBE.sum(1),
    "sum ends": lambda: CUBE.sum((0, 2), keepdim=True),
    "mean columns": lambda: BROAD.mean(0),
    "var": lambda: FLAT.var(),
    "var rows": lambda: TABLE.var(1),
    "std long rows": lambda: LONG.t().contiguous().std(1),
    "var columns": lambda: LONG.var(0),
    "dot": lambda: wg.dot(FLAT, OTHER),
    "dot of views": lambda: wg.dot(WIDE[:-1:2], WIDE[1::2]),
    "dot complex": lambda: wg.dot(COMPLEX, COMPLEX),
    "sum of two rows": lambda: FLAT[: N // 2 * 2].reshape(2, -1).sum(0),
    "prod": lambda: (FLAT * 0.001 + 1).prod(),
    "amax": lambda: FLAT.amax(),
    "amin columns": lambda: LONG.amin(0),
    "any": lambda: (FLAT > 4).any(),
    "all columns": lambda: (BROAD > -5).all(0),
    "argmax": lambda: FLAT.argmax(),
    "argmin columns": lambda: TABLE.argmin(0),
    "argmax rows": lambda: TABLE.argmax(1),
    "softmax": lambda: TABLE.softmax(1),
    "softmax short rows": lambda: BROAD.softmax(1),
    "softmax columns": lambda: TABLE.softmax(0),
    "log_softmax": lambda: BROAD.log_softmax(1),
    "softmax half": lambda: TABLE.half().softmax(-1),
    "index_select": lambda: TABLE.index_select(0, ROWS),
    "index_select columns": lambda: TABLE.index_select(1, positions(1500, 701)),
    "gather": lambda: TABLE.gather(0, positions(900 * 701, 900).reshape(900, 701)),
    "gather a vector": lambda: FLAT.gather(0, positions(N, N)),
    "index rows": lambda: TABLE[ROWS],
    "index columns": lambda: TABLE[:, positions(1500, 701)],
    "index a vector": lambda: FLAT[positions(N, N)],
    "index a mask": lambda: FLAT[FLAT > 0],
    "scatter": lambda: TABLE.scatter(0, positions(900 * 701, 900).reshape(900, 701), TABLE * 2),
    "scatter_add": lambda: TABLE.scatter_add(1, positions(900 * 701, 701).reshape(900, 701), TABLE),
    "index_add": lambda: TABLE.index_add(0, ROWS, numbers(3000, 701, seed=3)),
    "index_put": lambda: CUBE.index_put((positions(500, 61),), CUBE[0, 0, 0]),
    "accumulate": lambda: CUBE.permute(1, 0, 2).index_put(
        (positions(200, 97),), numbers(200, 61, 103, seed=4), accumulate=True
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_do_not_depend_on_the_number_of_threads(name: str) -> None:
    wg.set_num_threads(1)
    alone = PROGRAMS[name]()
    for n in THREADS:
        wg.set_num_threads(n)
        together = PROGRAMS[name]()
        assert together.dtype == alone.dtype
        assert together.stride() == alone.stride()
        assert bits(together) == bits(alone), f"{n} threads"


def bits(t: Any) -> bytes:
    array = t.view(wg.int16).numpy() if t.dtype == wg.bfloat16 else t.numpy()
    return bytes(array.tobytes())


@pytest.mark.parametrize("n", [1, 2, 7])
def test_results_are_right(n: int) -> None:
    """Against NumPy: cuts leave nothing out and do nothing twice."""
    wg.set_num_threads(n)
    flat, cube, broad, long = FLAT.numpy(), CUBE.numpy(), BROAD.numpy(), LONG.numpy()
    assert np.array_equal((FLAT + OTHER).numpy(), flat + OTHER.numpy())
    assert np.array_equal((TABLE.t() + 1).numpy(), TABLE.numpy().T + 1)
    assert np.array_equal(CUBE.permute(1, 2, 0).contiguous().numpy(), cube.transpose(1, 2, 0))
    assert np.array_equal(CUBE.permute(1, 2, 0).double().numpy(), cube.transpose(1, 2, 0).astype(np.float64))
    assert np.array_equal(TABLE[ROWS].numpy(), TABLE.numpy()[ROWS.numpy()])
    assert np.array_equal(TABLE.index_select(1, ROWS % 701).numpy(), TABLE.numpy()[:, ROWS.numpy() % 701])
    assert INTEGERS.sum().item() == INTEGERS.numpy().sum()
    assert FLAT.argmax().item() == flat.argmax()
    added = TABLE.numpy().astype(np.float64)
    np.add.at(added, ROWS.numpy(), 1.5)
    np.testing.assert_allclose(TABLE.index_add(0, ROWS, wg.full((3000, 701), 1.5)).numpy(), added, rtol=1e-5)
    sums = {  # in float64: NumPy's own float32 sums, which WENGERT_KERNELS=python takes, are not exact enough
        "whole": (FLAT.double().sum(), flat.astype(np.float64).sum()),
        "long": (LONG.double().sum(0), long.astype(np.float64).sum(0)),
        "broad": (BROAD.double().sum(0), broad.astype(np.float64).sum(0)),
        "middle": (CUBE.double().sum(1), cube.astype(np.float64).sum(1)),
        "last": (CUBE.double().sum(2), cube.astype(np.float64).sum(2)),
    }
    for name, (ours, theirs) in sums.items():
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-9, atol=1e-9, err_msg=name)


# ---- sharing out


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1001])
@pytest.mark.parametrize("grain", [0, 1, 7, 50, 5000])
@pytest.mark.parametrize("nested", [False, True])
def test_each_position_is_visited_once(n: int, grain: int, nested: bool) -> None:
    for threads in (1, 2, 3, 7):
        wg.set_num_threads(threads)
        counts, who = np.zeros(n, np.int64), np.zeros(n, np.int64)
        asked = testing.visits(counts, who, grain, nested=nested)
        assert (counts == 1).all()
        assert 1 <= asked <= max(1, min(threads, n // max(grain, 1)))


def test_nothing_to_do() -> None:
    assert testing.visits(np.zeros(0, np.int64), np.zeros(0, np.int64), 1) == 1


def test_several_threads_take_part() -> None:
    wg.set_num_threads(3)
    counts, who = np.zeros(300, np.int64), np.zeros(300, np.int64)
    assert testing.visits(counts, who, 10, pause=20_000) == 3
    assert len(set(who.tolist())) == 3


def test_one_thread_is_the_callers() -> None:
    wg.set_num_threads(1)
    counts, who = np.zeros(300, np.int64), np.zeros(300, np.int64)
    assert testing.visits(counts, who, 1, pause=10) == 1
    assert set(who.tolist()) == {threading.get_ident()}


def test_a_second_python_thread_works_alone_while_the_pool_is_taken() -> None:
    wg.set_num_threads(2)
    done = threading.Event()

    def long_jobs() -> None:
        counts, who = np.zeros(20, np.int64), np.zeros(20, np.int64)
        while not done.is_set():
            testing.visits(counts, who, 1, pause=20_000)

    thread = threading.Thread(target=long_jobs)
    thread.start()
    asked, deadline = 2, time.monotonic() + 60
    try:
        while asked == 2 and time.monotonic() < deadline:
            counts, who = np.zeros(1000, np.int64), np.zeros(1000, np.int64)
            asked = testing.visits(counts, who, 1)
            assert (counts == 1).all()
            time.sleep(0.001)
    finally:
        done.set()
        thread.join()
    assert asked == 1
    assert set(who.tolist()) == {threading.get_ident()}


def test_two_python_threads_at_once_and_changes_of_the_number() -> None:
    wg.set_num_threads(2)
    expected = [bits(program()) for program in (PROGRAMS["exp"], PROGRAMS["sum"], PROGRAMS["softmax"])]
    errors: list[str] = []
    done = threading.Event()

    def work() -> None:
        for _ in range(15):
            for program, value in zip(("exp", "sum", "softmax"), expected, strict=True):
                if bits(PROGRAMS[program]()) != value:
                    errors.append(program)

    def change() -> None:
        n = 0
        while not done.wait(0.001):
            n += 1
            wg.set_num_threads(1 + n % 9)

    threads = [threading.Thread(target=work) for _ in range(3)]
    changing = threading.Thread(target=change)
    for thread in (*threads, changing):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    changing.join()
    assert errors == []


def test_many_short_jobs() -> None:
    """A worker that comes late finds the next job, or none."""
    counts, who = np.zeros(64, np.int64), np.zeros(64, np.int64)
    for i in range(20_000):
        if i % 100 == 0:
            wg.set_num_threads(1 + i // 100 % 8)
        testing.visits(counts, who, 1 + i % 5)
    assert (counts == 20_000).all()


# ---- how many


def test_number_is_what_was_set() -> None:
    for n in (1, 2, 1000, 2**31 - 1, np.int64(5)):
        assert wg.set_num_threads(n) is None
        assert wg.get_num_threads() == n


WRONG_NUMBERS = [  # as recorded from PyTorch 2.13
    (0, RuntimeError, "set_num_threads expects a positive integer"),
    (-1, RuntimeError, "set_num_threads expects a positive integer"),
    ("a", RuntimeError, "set_num_threads expects an int, but got str"),
    (1.5, RuntimeError, "set_num_threads expects an int, but got float"),
    (True, RuntimeError, "set_num_threads expects an int, but got bool"),
    (None, RuntimeError, "set_num_threads expects an int, but got NoneType"),
    (wg.tensor(2), RuntimeError, "set_num_threads expects an int, but got Tensor"),
    (2**31, ValueError, "Overflow when unpacking long"),
    (-(2**40), ValueError, "Overflow when unpacking long"),
    (2**70, ValueError, "Overflow when unpacking long"),
]


@pytest.mark.parametrize(("n", "error", "words"), WRONG_NUMBERS, ids=lambda value: str(value)[:20])
def test_wrong_numbers(n: Any, error: type[Exception], words: str) -> None:
    before = wg.get_num_threads()
    with pytest.raises(error, match=words):
        wg.set_num_threads(n)
    assert wg.get_num_threads() == before


def test_it_takes_one_argument() -> None:
    with pytest.raises(TypeError, match="takes exactly one argument"):
        wg.set_num_threads()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        wg.set_num_threads(n=2)  # type: ignore[call-arg]


# ---- processes of their own

TASKS = """
import os
def tasks():
    names = [open(f"/proc/self/task/{task}/comm").read().strip() for task in os.listdir("/proc/self/task")]
    return len(names), names.count("wengert-worker")
"""


READ = ("WENGERT_NUM_THREADS", "OMP_NUM_THREADS")


def run_alone(program: str, **environment: str) -> str:
    settings = {key: value for key, value in os.environ.items() if key not in READ}
    done = subprocess.run(
        [sys.executable, "-c", TASKS + program], env=settings | environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


@needs_proc
def test_no_thread_before_a_large_kernel_and_as_many_as_asked_then() -> None:
    program = """
import numpy
before = tasks()[0]                    # OpenBLAS has its own
import wengert_core as wg
imported = tasks()
x = wg.ones(1000)
for _ in range(100):
    y = (x * 2 + 1).exp().sum().softmax(0)
    z = x.reshape(10, 100).t().contiguous()[wg.tensor([1, 2])]
small = tasks()
wg.set_num_threads(4)
setting = tasks()
x = wg.ones(1 << 21)
x + x
large = tasks()
wg.set_num_threads(1)
x + x
print(imported == small == setting == (before, 0), large == (before + 3, 3), tasks() == large)
"""
    assert run_alone(program) == "True True True"


@needs_proc
def test_workers_leave_signals_to_python() -> None:
    """A thread that has not begun to run has every signal blocked: pthread_create does that."""
    program = """
import signal, time
import wengert_core as wg
wg.set_num_threads(2)
wg.ones(1 << 21).exp()
def blocked(task):
    lines = [line.split()[1] for line in open(f"/proc/self/task/{task}/status") if line.startswith("SigBlk")]
    mask = int(lines[0], 16)
    return [bool(mask >> signal.Signals[name] - 1 & 1) for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGSEGV")]
for task in os.listdir("/proc/self/task"):
    if open(f"/proc/self/task/{task}/comm").read().strip() == "wengert-worker":
        until = time.monotonic() + 10
        while all(blocked(task)) and time.monotonic() < until:
            time.sleep(0.01)
        print(blocked(task))
"""
    assert run_alone(program) == "[True, True, True, False]"


needs_processors = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two processors"
)


@needs_proc
@needs_processors
def test_workers_stay_off_the_callers_processor() -> None:
    """Note [Away from the caller]: wherever the caller is; and they go nowhere if it may be on one processor only."""
    program = """
import time
import wengert_core as wg
def workers():
    tasks = map(int, os.listdir("/proc/self/task"))
    return [task for task in tasks if open(f"/proc/self/task/{task}/comm").read().startswith("wengert-worker")]
allowed = os.sched_getaffinity(0)
wg.set_num_threads(2)
x = wg.ones(1 << 21)
def stays_off(place):
    os.sched_setaffinity(0, {place})
    os.sched_setaffinity(0, allowed)   # still there, and allowed to go
    x + x
    return [os.sched_getaffinity(worker) for worker in workers()] == [allowed - {place}]
def soon_stays_off(place):
    # on a busy machine the worker may not have begun, or the caller be moved just before its job
    until = time.monotonic() + 10
    while not (stays := stays_off(place)) and time.monotonic() < until:
        time.sleep(0.01)
    return stays
here = min(allowed), max(allowed)
seen = [soon_stays_off(place) for place in (*here, *here)]
before = [os.sched_getaffinity(worker) for worker in workers()]
os.sched_setaffinity(0, {min(allowed)})
x + x
print(seen, before == [os.sched_getaffinity(worker) for worker in workers()])
"""
    assert run_alone(program) == "[True, True, True, True] True"


def test_the_default_is_the_number_of_cpus_or_the_environments() -> None:
    program = "import wengert_core as wg; print(wg.get_num_threads())"
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert run_alone(program) == str(cpus)
    assert run_alone(program, WENGERT_NUM_THREADS="3") == "3"
    if hasattr(os, "sched_setaffinity"):
        one = f"os.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}});"
        assert run_alone(one + program) == "1"


@pytest.mark.parametrize("value", ["1", " 1", "1,4", "0", "-1", "many", "", "9" * 5000])
def test_openmps_number_of_threads_counts_as_in_torch(value: str) -> None:
    program = "import wengert_core as wg; print(wg.get_num_threads())"
    expected = "1" if value.strip()[:1] == "1" else run_alone(program)
    assert run_alone(program, OMP_NUM_THREADS=value) == expected
    assert run_alone(program, OMP_NUM_THREADS=value, WENGERT_NUM_THREADS="3") == "3"


@pytest.mark.parametrize("value", ["0", "-2", "many", "1e3", "99999999999", "9" * 5000])
def test_an_environment_that_says_nothing_sensible_is_named(value: str) -> None:
    program = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import wengert_core as wg
print(wg.get_num_threads() >= 1, [str(w.message).partition(",")[0] for w in caught])
"""
    assert run_alone(program, WENGERT_NUM_THREADS=value) == f"True [\"WENGERT_NUM_THREADS is '{value}'\"]"


@needs_fork
@needs_proc
def test_a_forked_child_starts_its_own_workers() -> None:
    program = """
import warnings
warnings.simplefilter("ignore")        # Python 3.12 warns of any fork beside threads, OpenBLAS's as well
import wengert_core as wg
wg.set_num_threads(3)
x = wg.arange(1 << 21, dtype=wg.float32)
expected = [x.exp().sum().item(), (x + x)[-1].item()]
print(tasks()[1], flush=True)
child = os.fork()
if child == 0:
    before = tasks()[1]
    right = [x.exp().sum().item(), (x + x)[-1].item()] == expected
    print(before, right, tasks()[1], wg.get_num_threads(), flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), [x.exp().sum().item(), (x + x)[-1].item()] == expected)
"""
    assert run_alone(program).split("\n") == ["2", "0 True 2 3", "0 True"]


@needs_fork
def test_forks_while_another_thread_uses_the_pool() -> None:
    program = """
import threading, warnings
warnings.simplefilter("ignore")
import wengert_core as wg
wg.set_num_threads(3)
x = wg.ones(1 << 20)
stop = threading.Event()
def work():
    while not stop.is_set():
        x.exp()
thread = threading.Thread(target=work)
thread.start()
codes = set()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if x.sum().item() == 1 << 20 and (x + x)[-1].item() == 2 else 1)
    codes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
thread.join()
print(codes)
"""
    assert run_alone(program) == "{0}"


def test_the_process_ends_while_a_daemon_thread_is_in_a_kernel() -> None:
    program = """
import threading, time
import wengert_core as wg
wg.set_num_threads(3)
x = wg.ones(1 << 20)
def work():
    while True:
        x.exp()
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
"""
    assert run_alone(program) == "end"


@pytest.mark.parametrize("kind", ["int64", "int16", "float32", "float64"])
def test_a_long_range_is_the_same_from_any_number_of_threads(kind: str) -> None:
    before = wg.get_num_threads()
    found = []
    try:
        for threads in (1, 3):
            wg.set_num_threads(threads)
            found.append(wg.arange(-5, 4 * 10**5, dtype=getattr(wg, kind)).numpy())
    finally:
        wg.set_num_threads(before)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], np.arange(-5, 4 * 10**5).astype(kind))
