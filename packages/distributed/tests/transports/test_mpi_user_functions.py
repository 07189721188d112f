"""The functions of wengert.distributed under mpiexec, with 2 and 4 ranks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import wengert
from mpi_run import assert_checks_pass, missing
from wengert_distributed.backends.mpi import MpiGroup, setup
from wengert_distributed.errors import DistBackendError


@pytest.mark.parametrize("ranks", [2, 4])
def test_functions_agree_with_one_process(ranks):
    assert_checks_pass(str(Path(__file__).with_name("mpi_user_checks.py")), ranks)


@pytest.mark.parametrize("ranks", [2, 4])
def test_random_collectives_agree_with_numpy(ranks):
    assert_checks_pass(str(Path(__file__).with_name("mpi_random_collectives_checks.py")), ranks)


@pytest.mark.skipif(bool(missing()), reason=f"needs MPI: {missing()}")
def test_one_process_needs_no_launcher():
    program = (
        "import wengert as wg; d = wg.distributed; d.init_process_group('mpi'); x = wg.ones(2); d.all_reduce(x); "
        "print(d.get_rank(), d.get_world_size(), x.tolist()); d.destroy_process_group()"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PMI", "OMPI"))}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True, env=environment
    )
    assert result.stdout.split() == ["0", "1", "[1.0,", "1.0]"]


def test_without_mpi_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    with pytest.raises(DistBackendError, match=r"doesn't have MPI built in.*pip install mpi4py mpich"):
        MpiGroup.connect(-1, -1, None, 1)


def test_ranks_of_one_machine_share_its_cores(monkeypatch):
    before = wengert.get_num_threads()
    try:
        for name in setup.THREADS:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(8))
        for ranks, expected in ((1, 8), (2, 4), (3, 2), (16, 1)):
            wengert.set_num_threads(8)
            setup.share_cores(ranks)
            assert wengert.get_num_threads() == expected
        monkeypatch.setenv("OMP_NUM_THREADS", "5")
        wengert.set_num_threads(8)
        setup.share_cores(16)
        assert wengert.get_num_threads() == 8
    finally:
        wengert.set_num_threads(before)
