"""Locks of the product: a process that forks finds them free."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLAIN = re.compile(r"\b(threading\.|_thread\.)?(R?Lock|allocate_lock)\(\)")
KNOWN = {
    "packages/cuda/src/wengert_cuda/device.py",  # asked without waiting; a child cannot use CUDA
    "packages/distributed/src/wengert_distributed/stores/tcp_store.py",  # a connection is of the process that made it
    "packages/distributed/src/wengert_distributed/backends/mpi/requests.py",  # a child cannot use MPI
    "shared/registry/src/wengert_registry/forks.py",  # makes the others
    "shared/testing/src/wengert_testing/sim_group/clock.py",  # ranks are threads of one process
}


def test_locks_are_free_in_a_forked_process() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("packages", "shared")
        for kind in ("*.py", "*.pyx")
        for path in (ROOT / folder).glob(f"*/src/**/{kind}")
        if PLAIN.search(path.read_text())
    }
    assert found <= KNOWN, "use wengert_registry.fork_lock(), or say here why a fork may leave the lock held"
    assert found == KNOWN, "files that have no such lock any more"
