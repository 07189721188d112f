"""Start programs under ``mpiexec`` from tests, and functions named ``check_*`` of a file on every rank.

A file of checks holds functions without arguments; each runs on all ranks at once, in the file's order, and begins when
all ranks have ended the one before: a receive from any rank takes no message of a later check. One test runs a whole
file, because a start costs a second and pytest-xdist spreads tests over processes:

    def test_collectives_of_two_ranks():
        assert_checks_pass("mpi_collective_checks.py", 2)
"""

from __future__ import annotations

import faulthandler
import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).parent
QUIET = {  # two cores are shared by all ranks; Open MPI refuses root otherwise, and more ranks than cores
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_rmaps_base_oversubscribe": "1",
}  # fmt: skip


@functools.cache
def missing() -> str:
    """Return the reason why nothing can be started here, "" where it can."""
    if importlib.util.find_spec("mpi4py") is None:
        return "mpi4py is not installed: pip install mpi4py mpich"
    return "" if mpiexec() else "no mpiexec: pip install mpich"


def mpiexec() -> str | None:
    """Return the launcher beside this Python, or the one on PATH."""
    return shutil.which("mpiexec", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


def run_program(
    ranks: int,
    program: str | Path,
    *arguments: str,
    options: Sequence[str] = (),
    environment: dict[str, str] | None = None,
    seconds: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run a program with some ranks; skip the test where no MPI is installed.

    options are the launcher's. Returns the exit status, stdout and stderr; fails the test after some seconds.
    """
    if missing():
        pytest.skip(missing())
    command = [str(mpiexec()), *options, "-n", str(ranks), sys.executable, str(HERE / program), *arguments]
    with subprocess.Popen(
        command, env=os.environ | QUIET | (environment or {}), text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()  # the launcher ends its ranks
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
            pytest.fail(f"{' '.join(command)} has not ended after {seconds} s\n{out}\n{err}")
    err = re.sub("(?m)^Extension modules: .*$", "", err)  # faulthandler's long list
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def assert_checks_pass(program: str, ranks: int, *, seconds: float = 60, options: Sequence[str] = ()) -> None:
    """Run the functions ``check_*`` of a file on some ranks; fail where one failed, or never ended, on a rank."""
    names = re.findall(r"^def (check_\w+)\(", (HERE / program).read_text(), re.MULTILINE)
    assert names, f"{program} has no function check_*"
    with tempfile.TemporaryDirectory() as folder:
        last = str(seconds - 5)
        ended = run_program(ranks, "mpi_run.py", program, folder, last, options=options, seconds=seconds)
        outcomes = [read_outcomes(Path(folder) / str(rank)) for rank in range(ranks)]
    failed = [
        f"{name} on rank {rank}: {text}"
        for rank, of in enumerate(outcomes)
        for name in names
        if (text := of.get(name, "has not ended"))
    ]
    assert not failed, "\n".join([*failed, ended.stdout, ended.stderr])
    assert ended.returncode == 0, f"all checks passed, but the job did not end well:\n{ended.stdout}\n{ended.stderr}"


def read_outcomes(path: Path) -> dict[str, str]:
    """Return the outcomes that a rank wrote."""
    parts = path.read_text().split("\0")[:-1] if path.exists() else []
    return dict(zip(parts[::2], parts[1::2], strict=False))


def run_checks(program: str, folder: str, seconds: float) -> None:
    """Run a file's checks on this rank and write each outcome when it is known; after some seconds, where it hangs."""
    from mpi4py import MPI

    faulthandler.dump_traceback_later(seconds)
    spec = importlib.util.spec_from_file_location(Path(program).stem, HERE / program)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    failed = False
    with (Path(folder) / str(MPI.COMM_WORLD.Get_rank())).open("w") as file:
        for name in [name for name in vars(module) if name.startswith("check_")]:
            text = ""
            try:
                getattr(module, name)()
            except Exception:
                text, failed = traceback.format_exc(), True
                print(f"{name} failed on rank {MPI.COMM_WORLD.Get_rank()}: {text}", file=sys.stderr, flush=True)
            file.write(f"{name}\0{text}\0")
            file.flush()
            MPI.COMM_WORLD.Barrier()
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    run_checks(sys.argv[1], sys.argv[2], float(sys.argv[3]))
