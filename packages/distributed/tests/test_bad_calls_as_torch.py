"""Bad calls raise what they raise in PyTorch with gloo: recorded/bad_calls.jsonl, but for bad_calls_differences.txt."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import wengert as wg
from bad_call_cases import LAUNCHER, answer_of, load_modules, read_calls
from mpi_run import assert_checks_pass
from wengert_testing.recorded import read_answers, read_differences
from wengert_testing.sim_group import RaceError, run_ranks

HERE = Path(__file__).parent
CALLS = {call.name: call for call in read_calls()}
RECORDED = read_answers(HERE / "recorded" / "bad_calls.jsonl").answers
DIFFERENT = read_differences(HERE / "bad_calls_differences.txt")


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each call as in a process that no launcher has started."""
    for name in LAUNCHER:
        monkeypatch.delenv(name, raising=False)


@cache
def answers(name: str) -> list[Any]:
    """Return wengert's answer of each rank."""
    call = CALLS[name]
    load_modules(wg)
    if call.ranks == 2:
        found: dict[int, Any] = {}

        def ask() -> None:
            rank = wg.distributed.get_rank()
            found[rank] = answer_of(call.source, wg, rank)

        with suppress(RaceError):  # what has begun is not always waited for
            run_ranks(2, ask)
        return [found[0], found[1]]
    try:
        return [answer_of(call.source, wg, 0)]
    finally:
        if wg.distributed.is_initialized():
            wg.distributed.destroy_process_group()


def is_alike(recorded: list[Any], given: list[Any]) -> bool:
    """Return whether all ranks raise an exception of PyTorch's class, as far as PyTorch gives an answer."""
    return all(
        torchs is None or (torchs[0][:1] == own[0][:1] if not torchs[0] else torchs[0][0] in own[0])
        for torchs, own in zip(recorded, given, strict=True)
    )


def test_every_call_is_recorded() -> None:
    assert RECORDED.keys() == CALLS.keys()


def test_every_difference_is_a_call() -> None:
    assert not DIFFERENT.keys() - CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_bad_call_raises_as_torch(name: str) -> None:
    given = answers(name)
    assert is_alike(RECORDED[name], given) is not (name in DIFFERENT), (RECORDED[name], given)


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call.phrase])
def test_messages_share_their_words(name: str) -> None:
    phrase, both = CALLS[name].phrase, [answers(name), RECORDED[name]]
    assert all(any(answer and phrase in answer[1] for answer in of_ranks) for of_ranks in both), both


def test_two_processes_with_mpi_raise_as_simulated_ranks() -> None:
    assert_checks_pass("mpi_bad_calls_checks.py", 2)
