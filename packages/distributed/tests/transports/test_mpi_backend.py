"""MPI's process group under mpiexec, with 2 and 4 ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from mpi_run import assert_checks_pass


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_collectives_agree_with_numpy(ranks):
    assert_checks_pass(str(Path(__file__).with_name("mpi_backend_checks.py")), ranks)
