"""Worker processes of loaders: what they send, how they fail, and that they end."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create")  # where there are few processors
LONG = 60.0
"""Seconds after which a test has failed in any case."""


class Function(Dataset[Any]):
    """The samples ``function(index)``."""

    def __init__(self, function: Any, length: int = 8) -> None:
        self.function = function
        self.length = length

    def __getitem__(self, index: int) -> Any:
        return self.function(index)

    def __len__(self) -> int:
        return self.length


def running(pid: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(condition: Any) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def descriptors() -> int:
    """Return how many files this process has open."""
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("options", [
    {}, {"prefetch_factor": 1}, {"prefetch_factor": 5}, {"persistent_workers": True}, {"num_workers": 1},
    {"num_workers": 5},
], ids=str)  # fmt: skip
def test_workers_yield_what_one_process_yields(options: dict[str, Any]) -> None:
    data = TensorDataset(wg.arange(30.0).reshape(15, 2), wg.arange(15))
    loader: DataLoader[Any] = DataLoader(data, 4, **{"num_workers": 2, **options})
    for _ in range(2):
        for batch, expected in zip(loader, DataLoader(data, 4), strict=True):
            assert all(map(wg.equal, batch, expected))


def test_batches_come_in_order_although_the_first_worker_is_slow() -> None:
    def slow_if_even(index: int) -> int:
        time.sleep(0.05 if index % 2 == 0 else 0)
        return index

    assert [x.item() for x in DataLoader(Function(slow_if_even), num_workers=2)] == list(range(8))


def test_a_slow_worker_holds_nobody_up_out_of_order(tmp_path: Path) -> None:
    def waits(index: int) -> int:
        if index == 0:
            wait_for((tmp_path / "go").exists)
        return index

    batches = iter(DataLoader(Function(waits), num_workers=2, in_order=False, batch_size=None))
    first = [next(batches) for _ in range(6)]
    (tmp_path / "go").touch()
    assert sorted(first) == [1, 3, 4, 5, 6, 7]  # the slow worker has got 2 as well
    assert list(batches) == [0, 2]


def test_workers_get_ahead_of_the_loader(tmp_path: Path) -> None:
    def counts(index: int) -> Any:
        (tmp_path / str(index)).touch()
        return np.zeros(1_000_000)

    batches = iter(DataLoader(Function(counts), num_workers=1, prefetch_factor=3, batch_size=None))
    wait_for(lambda: len(list(tmp_path.iterdir())) == 3)
    next(batches)
    wait_for(lambda: len(list(tmp_path.iterdir())) == 4)


def test_all_kinds_of_samples_arrive() -> None:
    large = wg.arange(50000.0).reshape(5, 10000)
    samples = {
        "transposed": large.t(), "bfloat16": wg.ones(20000, dtype=wg.bfloat16),
        "complex": wg.ones(9, dtype=wg.complex64),
        "array": np.arange(30000).reshape(2, -1)[:, ::2], "nothing": None, "text": "a" * 40000, "bytes": b"b" * 40000,
        "bytearray": bytearray(40000), "leaf": wg.ones(20000, requires_grad=True), "none": wg.ones(0, 3),
        "set": {1, "x"}, "dtype": wg.float32,
    }  # fmt: skip
    (arrived,) = DataLoader(Function(lambda index: samples, 1), batch_size=None, num_workers=1)
    assert list(arrived) == list(samples)
    for name, value in samples.items():
        if isinstance(value, wg.Tensor):
            other = arrived[name]
            assert wg.equal(other, value)
            assert (other.dtype, other.stride(), other.requires_grad) == (
                value.dtype, value.stride(), value.requires_grad,
            )  # fmt: skip
        elif not isinstance(value, np.ndarray):
            assert arrived[name] == value
    assert isinstance(arrived["array"], wg.Tensor)  # default_convert
    assert arrived["array"].tolist() == samples["array"].tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [3, 100_000])
def test_batches_of_workers_can_be_written_to(size: int) -> None:
    tensors, arrays = DataLoader(Function(lambda index: (wg.zeros(size), np.zeros(size)), 2), 1, num_workers=1,
                                 collate_fn=lambda samples: samples[0])
    for value in (*tensors, *arrays):
        value += 1
        assert value.sum() == size


def test_memory_that_a_dataset_writes_to_again_arrives_as_it_was() -> None:
    buffer = np.zeros(300_000)

    def fills(index: int) -> Any:
        buffer[:] = index
        return buffer

    batches = DataLoader(Function(fills, 12), batch_size=None, num_workers=1, prefetch_factor=6)
    for index, batch in enumerate(batches):
        assert (batch == index).all()


def test_tensors_with_a_history_are_refused() -> None:
    weights = wg.ones(2, requires_grad=True)
    batches = iter(DataLoader(Function(lambda index: weights * 2), num_workers=1))
    with pytest.raises(RuntimeError, match=r"worker process 0(.|\n)*Cowardly refusing to serialize non-leaf tensor"):
        next(batches)


def test_samples_that_cannot_be_pickled_are_an_exception() -> None:
    batches = iter(DataLoader(Function(lambda index: lambda: index), num_workers=1, batch_size=None))
    with pytest.raises(Exception, match=r"in DataLoader worker process 0(.|\n)*pickle"):
        next(batches)


def test_exceptions_that_cannot_be_pickled_are_runtime_errors() -> None:
    class Local(Exception):
        pass

    def fails(index: int) -> None:
        raise Local("of sample", index)

    batches = iter(DataLoader(Function(fails), num_workers=1))
    with pytest.raises(RuntimeError, match=r"in DataLoader worker process 0(.|\n)*Local: \('of sample', 0\)"):
        next(batches)


def test_an_index_that_cannot_be_pickled_is_an_exception_here() -> None:
    with pytest.raises(Exception, match="pickle"):
        list(DataLoader(range(3), batch_size=None, num_workers=1, sampler=[lambda: 1]))


def test_the_exception_of_worker_init_fn_answers_all_tasks() -> None:
    batches = iter(DataLoader(range(4), num_workers=1, worker_init_fn=lambda worker_id: 1 / 0))
    for _ in range(4):
        with pytest.raises(ZeroDivisionError, match="in DataLoader worker process 0"):
            next(batches)
    assert list(batches) == []


def test_iter_of_a_stream_that_fails_is_an_exception_in_each_pass() -> None:
    class Stream(IterableDataset[int]):
        def __iter__(self) -> Any:
            raise OSError("no file")

    loader = DataLoader(Stream(), num_workers=1, persistent_workers=True)
    with pytest.raises(OSError, match="Caught OSError"):
        list(loader)
    with pytest.raises(OSError, match="Caught OSError"):
        list(loader)


def dies(index: int) -> Any:
    if index == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return index


def leaves(index: int) -> Any:
    if index == 3:
        os._exit(7)
    return index


@pytest.mark.parametrize(("function", "cause"), [(dies, "killed by signal SIGKILL"), (leaves, "exit code 7")])
def test_a_worker_that_ends_is_noticed(function: Any, cause: str) -> None:
    batches = iter(DataLoader(Function(function), num_workers=2))
    pids = [process.pid for process in batches._workers]  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match=rf"DataLoader worker \(pid\(s\) {pids[1]}\) exited unexpectedly: {cause}"):
        list(batches)
    assert not any(map(running, pids))
    assert list(batches) == []


def test_a_worker_that_is_killed_in_the_middle_of_a_batch_is_noticed() -> None:
    batches = iter(DataLoader(Function(lambda index: np.zeros(10_000_000)), num_workers=1, batch_size=None))
    process = batches._workers[0]  # type: ignore[attr-defined]
    wait_for(lambda: batches._pool.connections[0].poll())  # type: ignore[attr-defined] # it has begun to send
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        next(batches)


def test_a_loader_whose_persistent_workers_were_killed_starts_others() -> None:
    loader = DataLoader(range(6), num_workers=2, persistent_workers=True)
    list(loader)
    for process in loader._iterator._workers:
        process.kill()
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(loader)
    assert [batch.item() for batch in loader] == list(range(6))


def test_workers_end_with_the_pass_and_with_the_iterator() -> None:
    loader = DataLoader(Function(lambda index: np.zeros(500_000)), num_workers=2)
    batches = iter(loader)
    next(batches)  # the others wait to be read
    pids = [process.pid for process in batches._workers]
    assert all(map(running, pids))
    del batches
    assert not any(map(running, pids))
    batches = iter(loader)
    pids = [process.pid for process in batches._workers]
    assert len(list(batches)) == 8
    assert not any(map(running, pids))


def test_persistent_workers_end_with_the_loader() -> None:
    loader = DataLoader(range(6), num_workers=2, persistent_workers=True)
    list(loader)
    pids = [process.pid for process in loader._iterator._workers]
    assert [next(iter(loader)).item() for _ in range(3)] == [0, 0, 0]
    assert pids == [process.pid for process in loader._iterator._workers]
    del loader
    assert not any(map(running, pids))


def test_a_busy_worker_is_terminated(monkeypatch: pytest.MonkeyPatch) -> None:
    from wengert_data._utils import pool

    monkeypatch.setattr(pool, "MP_STATUS_CHECK_INTERVAL", 0.1)
    batches = iter(DataLoader(Function(lambda index: time.sleep(LONG * 10)), num_workers=1))
    (pid,) = [process.pid for process in batches._workers]  # type: ignore[attr-defined]
    del batches
    assert not running(pid)


def test_tasks_that_are_not_begun_are_dropped_at_the_end(tmp_path: Path) -> None:
    def counts(index: int) -> int:
        (tmp_path / str(index)).touch()
        wait_for((tmp_path / "go").exists)
        return index

    batches = iter(DataLoader(Function(counts), num_workers=1, prefetch_factor=8))
    wait_for((tmp_path / "0").exists)
    pool = batches._pool  # type: ignore[attr-defined]
    pool.stop(0)
    time.sleep(0.3)  # the message arrives
    (tmp_path / "go").touch()
    del batches
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "go"]


def test_nothing_is_left_open() -> None:
    def passes() -> None:
        loader = DataLoader(Function(lambda index: np.zeros(50_000)), num_workers=2)
        next(iter(loader))
        assert len(list(loader)) == 8

    passes()
    gc.collect()  # what earlier tests have left in circles holds files too
    before = descriptors()
    for _ in range(3):
        passes()
    assert descriptors() <= before


def test_a_forked_process_does_not_end_the_workers() -> None:
    batches = iter(DataLoader(range(8), num_workers=2))
    pid = os.fork()
    if pid == 0:
        del batches
        os._exit(0)
    os.waitpid(pid, 0)
    assert [batch.item() for batch in batches] == list(range(8))


def test_a_process_forked_meanwhile_does_not_keep_workers_alive() -> None:
    batches = iter(DataLoader(Function(lambda index: np.zeros(500_000)), num_workers=2))
    next(batches)
    pid = os.fork()
    if pid == 0:  # has copies of the connections
        time.sleep(LONG)
        os._exit(0)
    pids = [process.pid for process in batches._workers]  # type: ignore[attr-defined]
    batches._shutdown_workers()  # type: ignore[attr-defined]
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert not any(map(running, pids))
    assert all(process.exitcode == 0 for process in batches._workers)  # type: ignore[attr-defined] # none was terminated


def test_two_loaders_at_once() -> None:
    pairs = zip(DataLoader(range(6), num_workers=1), DataLoader(range(6, 12), num_workers=1), strict=True)
    assert [(a.item(), b.item()) for a, b in pairs] == [(i, i + 6) for i in range(6)]


def test_the_seeds_of_two_passes_differ() -> None:
    loader = DataLoader(Function(lambda index: wg.rand(()).item()), num_workers=2, batch_size=None)
    assert len({*loader, *loader}) == 16


def test_seeds_follow_the_generator() -> None:
    def draws() -> list[float]:
        generator = wg.Generator().manual_seed(5)
        return list(DataLoader(Function(lambda index: (wg.rand(()).item(), np.random.rand())),  # noqa: NPY002
                               num_workers=2, batch_size=None, generator=generator))

    assert draws() == draws()


def test_worker_info_cannot_be_changed() -> None:
    def changes(index: int) -> str:
        info = get_worker_info()
        assert info is not None
        try:
            info.id = 5  # type: ignore[misc]
        except AttributeError:
            return f"{info.id} of {info.num_workers}, {info.worker_method}, {info.rng}"
        return "changed"

    assert set(DataLoader(Function(changes), num_workers=1, batch_size=None)) == {"0 of 1, multiprocessing, None"}
    assert get_worker_info() is None


def test_a_pass_that_times_out_can_go_on(tmp_path: Path) -> None:
    def waits(index: int) -> int:
        wait_for((tmp_path / "go").exists)
        return index

    batches = iter(DataLoader(Function(waits, 2), num_workers=1, timeout=0.1))
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0.1 seconds"):
        next(batches)
    batches._timeout = LONG
    (tmp_path / "go").touch()
    assert [batch.item() for batch in batches] == [0, 1]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_that_are_not_forked(method: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"""
import wengert as torch
from wengert.utils.data import DataLoader, Dataset, get_worker_info

class Squares(Dataset):
    def __getitem__(self, index):
        return index * index, get_worker_info().num_workers, torch.ones(30000)
    def __len__(self):
        return 5

if __name__ == "__main__":
    loader = DataLoader(Squares(), 2, num_workers=1, multiprocessing_context="{method}", persistent_workers=True)
    for _ in range(2):
        print([(x.tolist(), n.tolist(), ones.sum().item()) for x, n, ones in loader])
    try:
        list(DataLoader(Squares(), 2, num_workers=1, multiprocessing_context="{method}", collate_fn=lambda x: x))
    except Exception as error:
        print(type(error).__name__)
""")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=LONG)
    expected = "[([0, 1], [1, 1], 60000.0), ([4, 9], [1, 1], 60000.0), ([16], [1], 30000.0)]"
    assert done.stdout.splitlines()[:2] == [expected, expected], done.stderr
    assert done.stdout.splitlines()[2] in ("PicklingError", "AttributeError")
    assert "Got pickle error when attempting to start a worker Process" in done.stderr


PROGRAM = """
import os, signal, sys, time
import numpy as np
from wengert.utils.data import DataLoader, Dataset

class Data(Dataset):
    def __getitem__(self, index):
        if index and sys.argv[1] == "busy":
            time.sleep(600)
        return np.zeros(100_000)
    def __len__(self):
        return 50

loader = DataLoader(Data(), batch_size=None, num_workers=1)
batches = iter(loader)
next(batches)
print(*[process.pid for process in batches._workers], flush=True)
if sys.argv[2] == "exit":
    sys.exit(5)
if sys.argv[2] == "raise":
    raise ValueError("of the program")
time.sleep(600)
"""


@pytest.mark.parametrize(("state", "end", "code"), [
    ("busy", "kill", -9), ("idle", "kill", -9), ("busy", "exit", 5), ("idle", "raise", 1), ("idle", "interrupt", -2),
])  # fmt: skip
def test_workers_do_not_outlive_their_program(state: str, end: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-W", "ignore", str(tmp_path / "program.py"), state, end]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        pids = [int(word) for word in program.stdout.readline().split()]
        assert len(pids) == 1
        if end == "kill":
            program.kill()
        elif end == "interrupt":  # Ctrl-C reaches all processes of the terminal
            os.killpg(program.pid, signal.SIGINT)
        program.wait(LONG)
        wait_for(lambda: not any(map(running, pids)))
        messages = program.stderr.read()
    assert program.returncode == code, messages
    assert messages.count("Traceback") == (end in ("raise", "interrupt"))
