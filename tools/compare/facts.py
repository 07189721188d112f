"""What is measured outside of this process: import times, memory of a graph, size of the wheels; and the machine."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.workspace.packages import ROOT

NODES = 300_000
IMPORT = "import time; began = time.perf_counter_ns(); import {}; print(time.perf_counter_ns() - began)"
MEMORY = """
import sys
sys.path.insert(0, {path!r})
import {module}
from benchmarks.programs import node_bytes
print(node_bytes({module}, {nodes}))
"""
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def answer(code: str) -> float:
    """What a fresh interpreter prints, outside of this folder and with cached bytecode."""
    environment = {**os.environ, **ONE_THREAD}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"compare: a fresh interpreter failed:\n{done.stderr}")
    return float(done.stdout)


def import_times(modules: Iterable[str], rounds: int) -> dict[str, list[float]]:
    """Nanoseconds of each import in a fresh interpreter, in interleaved rounds after two that fill the caches."""
    taken: dict[str, list[float]] = {module: [] for module in modules}
    for round_ in range(rounds + 2):
        for module, times in taken.items():
            nanoseconds = answer(IMPORT.format(module))
            if round_ >= 2:
                times.append(nanoseconds)
    return taken


def node_bytes(module: str, rounds: int = 3) -> float:
    """Resident bytes that each recorded `y = y * 1.000001` of a one-element tensor adds."""
    code = MEMORY.format(path=str(ROOT / "asv_benchmarks"), module=module, nodes=NODES)
    return statistics.median(answer(code) for _ in range(rounds))


def has_mkl() -> bool:
    """Whether MKL is installed in this environment (the extra wengert[mkl]), and so used for products."""
    return any(Path(sys.prefix, "lib").glob("libmkl_rt.so*"))


def product_by(blas: str) -> float:
    """Our time over PyTorch's for the large product, with this as WENGERT_BLAS."""
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder, "answers.json")
        command = [sys.executable, "-m", "tools.compare.aims", "--only", "1024 x 1024", "--json", str(answers)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "WENGERT_BLAS": blas}, check=True, capture_output=True)
        result = json.loads(answers.read_text(encoding="utf-8"))["results"][0]
    return 1 / float(result["ratio"][1])


def wheel_bytes() -> int | None:
    """Bytes of all wheels in dist/, or None if there are none."""
    sizes = [file.stat().st_size for file in (ROOT / "dist").glob("*.whl")]
    return sum(sizes) if sizes else None


def processor() -> str:
    """The processor's name, as Linux tells it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def commit() -> str:
    """The working tree's commit, with a + if files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def machine() -> dict[str, str]:
    """What a reader needs to know to judge the numbers."""
    versions = {}
    for name in ("wengert", "torch", "numpy"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    load = f"{os.getloadavg()[0]:.2f} at the start, on {os.cpu_count()} cores"
    return {"processor": processor(), "python": platform.python_version(), **versions, "commit": commit(), "load": load}
