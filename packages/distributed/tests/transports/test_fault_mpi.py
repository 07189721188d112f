"""Ranks that fail under mpiexec: the others raise within the timeout and say who is where; the job's exit is not 0."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from mpi_run import run_program

HERE = Path(__file__).parent
PROGRAM = HERE / "mpi_fault_program.py"
GRACE = {"WENGERT_DISTRIBUTED_GRACE": "0.5"}
SHORT_GRACE = {"WENGERT_DISTRIBUTED_GRACE": "0.1"}  # where the other ranks never end


def reports(result) -> dict[int, str]:
    """Return each rank's message; prints of ranks may share a line."""
    pattern = r"rank (\d+): (\w+\(.*? failed on rank.*|no failure)"
    return {int(rank): text for rank, text in re.findall(pattern, result.stdout)}


SECOND = r"all_reduce\(.*float32.*\), collective 2"
MISMATCH = "failed on rank 0 of 2 .*Detected mismatch between collectives on ranks: rank 0 is running collective "


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("raise", rf"failed on rank 0 of 2 .*rank 1 has ended.*rank 1: raised ValueError: a planted error.*{SECOND}"),
        ("exit", rf"failed on rank 0 of 2 .*rank 1: has left the group or ended its program; .*{SECOND}"),
        ("other", MISMATCH + r"all_reduce\(SUM, float32\[4\]\), number 3.*rank 1 is running collective broadcast"),
        ("shape", MISMATCH + r".*rank 1 is running collective all_reduce\(.*5.*number 3"),
        ("recv", r"recv\(float64\[3\] from rank 1\) failed on rank 0 .*rank 1: raised ValueError: a planted error"),
    ],
)
def test_the_others_raise_at_once_and_name_the_rank(kind, pattern):
    start = time.monotonic()
    result = run_program(2, PROGRAM, kind, "20", environment=GRACE)
    assert time.monotonic() - start < 15
    assert result.returncode != 0
    assert re.search(pattern, reports(result).get(0, "")), (result.stdout, result.stderr)
    if kind in ("raise", "recv"):
        assert "ValueError: a planted error" in result.stderr


@pytest.mark.parametrize("kind", ["hang", "caught"])
def test_a_rank_that_hangs_is_named_after_the_timeout(kind):
    result = run_program(2, PROGRAM, kind, "0.3", environment=SHORT_GRACE)
    assert result.returncode != 0
    assert re.search(
        r"all_reduce\(.*\), collective 3 failed on rank 0 of 2 \(backend mpi\): it has not ended after 0.3 s.*"
        r"rank 1: has not begun this collective: its last one, now ended, is all_reduce\(.*\), collective 2",
        reports(result)[0],
    ), (result.stdout, result.stderr)
    assert "other ranks have not ended; aborting the job" in result.stderr


def test_a_collective_in_the_background_that_does_not_end_is_given_up():
    result = run_program(2, PROGRAM, "background", "0.3", environment=SHORT_GRACE)
    assert result.returncode != 0
    pattern = r"all_reduce\(SUM, float32\[4194304\]\), collective 3 failed on rank 0 .* it has not ended after 0.3 s"
    assert re.search(pattern + ".*rank 1: waits in this collective", reports(result)[0]), (result.stdout, result.stderr)


def test_a_receive_beside_a_collective_is_named_on_both_ranks():
    result = run_program(2, PROGRAM, "crossed", "0.5", environment=GRACE)
    assert result.returncode != 0
    receive, reduce = r"recv\(float64\[3\] from rank 1\)", r"all_reduce\(SUM, float32\[4\]\), collective 3"
    there = "(waits in|raised DistBackendError:) "  # the other rank may have given up already
    assert re.search(rf"{receive} failed on rank 0 .*rank 1: {there}{reduce}", reports(result)[0]), result.stdout
    assert re.search(rf"{reduce} failed on rank 1 .*rank 0: {there}{receive}", reports(result)[1]), result.stdout


def test_a_killed_rank_ends_the_job():
    result = run_program(2, PROGRAM, "kill", "20", environment=GRACE)
    assert result.returncode != 0


def test_a_killed_rank_is_named_where_the_launcher_lets_the_others_live():
    options = ("-disable-auto-cleanup",)
    result = run_program(3, HERE / "mpi_child.py", str(PROGRAM), "kill", "20", environment=GRACE, options=options)
    assert result.returncode != 0
    for rank in (0, 2):
        report = reports(result).get(rank, "")
        assert "rank 1: its process has ended without a word: killed" in report, (result.stdout, result.stderr)


def test_four_ranks_name_the_one_that_differs():
    result = run_program(4, PROGRAM, "other", "20", environment=GRACE)
    assert result.returncode != 0
    assert set(reports(result)) == {0, 1, 2, 3}
    for text in reports(result).values():
        assert re.search(r"Detected mismatch|raised DistBackendError", text)


@pytest.mark.parametrize("kind", ["raise", "hang"])
def test_ranks_of_other_machines_are_named(kind):
    grace = SHORT_GRACE if kind == "hang" else GRACE
    result = run_program(2, PROGRAM, kind, "0.3", environment=grace | {"MPIR_CVAR_NOLOCAL": "1"})
    assert result.returncode != 0
    expected = "rank 1: raised ValueError: a planted error" if kind == "raise" else "rank 1: gives no sign"
    assert expected in reports(result)[0], (result.stdout, result.stderr)


def test_debugging_compares_all_ranks_before_each_collective():
    result = run_program(
        2, PROGRAM, "debug", "20", environment=GRACE | {"TORCH_DISTRIBUTED_DEBUG": "DETAIL", "MPIR_CVAR_NOLOCAL": "1"}
    )
    assert result.returncode != 0
    pattern = r"Detected mismatch.*broadcast\(.*root 0.*but rank 1 is running collective broadcast\(.*root 1"
    assert re.search(pattern, reports(result)[0])
    assert "Detected mismatch" in reports(result)[1]


def test_debugging_compares_the_parts_that_ranks_exchange():
    result = run_program(2, PROGRAM, "parts", "20", environment=GRACE | {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"})
    assert result.returncode != 0
    assert "rank 0 sends 2 elements, but rank 1 expects 1 of it" in reports(result)[1]
    assert "rank 1: raised" in reports(result)[0]


def test_a_rank_that_leaves_when_it_has_ended_its_collectives_disturbs_nobody():
    result = run_program(2, HERE / "mpi_early_end.py", environment=GRACE)
    assert result.returncode == 0, result.stderr
    assert "rank 0 received 7" in result.stdout
