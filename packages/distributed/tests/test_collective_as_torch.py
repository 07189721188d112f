"""Two simulated ranks, and two processes with MPI, give what PyTorch gave with gloo: recorded/two_ranks.jsonl."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import wengert as wg
from mpi_run import assert_checks_pass
from two_rank_cases import CASES, answers_of
from wengert_testing.recorded import read_answers
from wengert_testing.sim_group import run_ranks

RECORDED = read_answers(Path(__file__).parent / "recorded" / "two_ranks.jsonl").answers


@cache
def answers() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(json.dumps(run_ranks(2, answers_of, wg, wg.distributed)))
    return found


def test_every_case_is_recorded() -> None:
    assert RECORDED.keys() == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_two_ranks_do_what_torch_does(name: str) -> None:
    assert [of_rank[name] for of_rank in answers()] == RECORDED[name]


def test_two_processes_with_mpi_do_what_torch_does() -> None:
    assert_checks_pass("mpi_as_torch_checks.py", 2)
