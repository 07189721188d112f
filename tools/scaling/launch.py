"""Start one of this folder's programs on some ranks, with one thread for each rank, and read what rank 0 prints."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def launcher() -> str:
    """Return the path of mpiexec. Raises SystemExit where there is none."""
    found = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        raise SystemExit("scaling: there is no mpiexec: pip install mpi4py mpich")
    return found


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def run(ranks: int, program: str, *arguments: str, python: str = sys.executable) -> dict[str, Any]:
    """Return the JSON object that rank 0 of a program prints. Raises RuntimeError where the job fails."""
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "PYTHONPATH": str(HERE.parents[1])}
    command = [launcher(), "-n", str(ranks), python, str(HERE / program), *arguments]
    ended = subprocess.run(command, env=os.environ | ONE_THREAD | place, capture_output=True, text=True, timeout=600)
    for line in reversed(ended.stdout.splitlines()):
        if line.startswith("{"):
            found: dict[str, Any] = json.loads(line)
            return found
    raise RuntimeError(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stdout}\n{ended.stderr}")


def medians(runs: list[Any]) -> Any:
    """Return the medians of numbers that stand at the same keys or places in several runs."""
    first = runs[0]
    if isinstance(first, dict):
        return {key: medians([run[key] for run in runs]) for key in first}
    if isinstance(first, list):
        return [medians(list(each)) for each in zip(*runs, strict=True)]
    return sorted(runs)[len(runs) // 2]
