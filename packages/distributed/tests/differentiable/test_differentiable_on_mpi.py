"""Differentiable collectives and model parallelism by MPI, and the example programs, under mpiexec."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mpi_run import assert_checks_pass, run_program

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples"


@pytest.mark.parametrize("ranks", [2, 4])
def test_derivatives_over_processes(ranks):
    assert_checks_pass(str(Path(__file__).with_name("mpi_differentiable_checks.py")), ranks)


@pytest.mark.parametrize(
    ("program", "ranks"), [("tensor_parallel_digits", 2), ("sequence_parallel_counting", 2), ("pipeline_digits", 4)]
)
def test_an_example_has_the_losses_of_one_process(program, ranks):
    done = run_program(ranks, EXAMPLES / f"{program}.py", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{ranks} processes" in done.stdout
    assert float(re.search(r"max relative difference (\S+)", done.stdout)[1]) < 1e-9
