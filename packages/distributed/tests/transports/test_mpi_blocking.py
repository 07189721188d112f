"""Collectives for programs that wait at once, under mpiexec: their results, and ranks that fail beside them."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from mpi_run import assert_checks_pass, run_program

HERE = Path(__file__).parent
PROGRAM = HERE / "mpi_blocking_program.py"
GRACE = {"WENGERT_DISTRIBUTED_GRACE": "0.3"}
FAILED = r"all_reduce\(SUM float32 \[3, 4\]\), collective 41 failed on rank 0 of \d \(backend mpi\): "


@pytest.mark.parametrize("ranks", [2, 4])
def test_it_reduces_what_it_takes_and_leaves_the_rest(ranks):
    assert_checks_pass(str(HERE / "mpi_blocking_reduce_checks.py"), ranks)


@pytest.mark.parametrize("ranks", [2, 4])
def test_messages_that_it_takes_and_leaves(ranks):
    assert_checks_pass(str(HERE / "mpi_blocking_messages_checks.py"), ranks)


@pytest.mark.parametrize("ranks", [2, 4])
def test_messages_under_way(ranks):
    assert_checks_pass(str(HERE / "mpi_message_works_checks.py"), ranks)


@pytest.mark.parametrize("ranks", [2, 3])
def test_works_end_in_all_ways(ranks):
    assert_checks_pass(str(HERE / "mpi_work_ends_checks.py"), ranks)


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("recv raise", r"recv\(float32 \[3, 4\] from rank 1\) failed on rank 0 of 2.*rank 1: raised ValueError"),
        ("recv exit", r"recv\(float32 \[3, 4\] from any rank\) failed on rank 0 .*rank 1: has left the group or ended"),
        ("send raise", r"send\(float32 \[1048576\] to rank 1\) failed on rank 0 .*rank 1: raised ValueError"),
        ("recv hang", r"recv\(float32 \[3, 4\] from rank 1\) failed on rank 0 .*it has not ended within 0.3 s"),
        ("send hang", r"send\(float32 \[1048576\] to rank 1\) failed on rank 0 .*it has not ended within 0.3 s"),
    ],
)
def test_messages_of_a_rank_that_fails_raise(kind, pattern):
    result = run_program(2, PROGRAM, kind, "0.3" if kind.endswith("hang") else "30", environment=GRACE)
    assert result.returncode != 0
    assert re.search(pattern, result.stdout.replace("\n", " ")), (result.stdout, result.stderr)


@pytest.mark.parametrize("ranks", [2, 3])
def test_they_move_what_they_take_and_leave_the_rest(ranks):
    assert_checks_pass(str(HERE / "mpi_blocking_moves_checks.py"), ranks)


def test_a_backend_that_has_collectives_of_its_own_is_asked():
    assert_checks_pass(str(HERE / "mpi_own_backend_checks.py"), 2)


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("raise", "rank 1 has ended.*rank 1: raised ValueError: a planted error; its last collective is all_reduce"),
        ("exit", "rank 1: has left the group or ended its program; its last collective is all_reduce"),
        ("shape", r"Detected mismatch.*rank 0 is running .*\[3, 4\].*but rank 1 is running .*15"),
        ("dtype", r"Detected mismatch.*rank 0 is running .*float32.*but rank 1 is running .*float64"),
        ("op", r"Detected mismatch.*rank 0 is running .*SUM.*but rank 1 is running .*MAX"),
    ],
)
def test_the_others_raise_at_once(kind, pattern):
    start = time.monotonic()
    result = run_program(2, PROGRAM, kind, "30", environment=GRACE)
    assert time.monotonic() - start < 20
    assert result.returncode != 0
    assert re.search(FAILED + ".*" + pattern, result.stdout.replace("\n", " ")), (result.stdout, result.stderr)


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        (
            "broadcast root",
            r"running collective broadcast\(float32 \[3, 4\] from rank 0\).*but rank 1 .* (rank|root) 1\)",
        ),
        ("reduce root", r"running collective reduce\(SUM float32 \[3, 4\] to rank 0\).*but rank 1 .* (rank|root) 1\)"),
        ("gather shape", r"running collective all_gather\(float32 \[3, 4\]\).*but rank 1 .*(15|3, 5)\]"),
        ("other", r"running collective all_to_all\(int64 \[4\]\).*but rank 1 is running collective broadcast"),
        ("barrier", r"running collective barrier\(\).*but rank 1 is running collective broadcast"),
        ("barrier raise", r"barrier\(\).*rank 1: raised ValueError: a planted error"),
        ("scatter raise", "scatter.*rank 1 has ended.*rank 1: raised ValueError: a planted error"),
        (
            "reduce_scatter exit",
            r"reduce_scatter\(SUM float32 \[6\]\).*rank 1: has left the group or ended its program",
        ),
    ],
)
def test_the_others_raise_at_once_from_each_collective(kind, pattern):
    result = run_program(2, PROGRAM, kind, "30", environment=GRACE)
    assert result.returncode != 0
    assert re.search("collective 41 failed on rank 0 of 2 .*", result.stdout), (result.stdout, result.stderr)
    assert re.search(pattern, result.stdout.replace("\n", " ")), (result.stdout, result.stderr)


def test_a_rank_that_hangs_is_named_after_the_timeout():
    result = run_program(2, PROGRAM, "hang", "0.3", environment=GRACE)
    assert result.returncode != 0
    pattern = FAILED + "it has not ended within 0.3 s.*rank 1: has not begun this collective: its last one, now ended,"
    assert re.search(pattern, result.stdout.replace("\n", " ")), (result.stdout, result.stderr)


def test_a_killed_rank_is_named_where_the_launcher_lets_the_others_live():
    options = ("-disable-auto-cleanup",)
    result = run_program(3, HERE / "mpi_child.py", str(PROGRAM), "kill", "20", environment=GRACE, options=options)
    assert result.returncode != 0
    text = result.stdout.replace("\n", " ")
    for rank in (0, 2):
        pattern = rf"collective 41 failed on rank {rank} of 3.*its process has ended without a word: killed"
        assert re.search(pattern, text), (result.stdout, result.stderr)
