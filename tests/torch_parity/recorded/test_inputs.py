"""Every row of the sample table, with inputs of every kind, against what PyTorch 2.13 gave: see parity/sample_calls.py.

Of each op there is an answer for 0-d, empty, rank 4, non-contiguous and expanded inputs, for other dtypes, edge
values, equal values, None, and the gradients. What differs is in differences/inputs.txt, with the reason, and must.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import wengert
from parity import answers, sample_table
from parity.compare_summaries import call_differs
from parity.sample_calls import KINDS, answer

RECORDED = answers.answers_of("inputs")
QUESTIONS = answers.questions("inputs")
PATHS = answers.paths_in_torch("inputs")
OPS = sorted({case.partition(": ")[0] for case in RECORDED})


def differences() -> dict[str, str]:
    """The reasons by call, for those that are not as in PyTorch with the kernels that are in use."""
    plain = os.environ.get("WENGERT_KERNELS", "") == "python"
    found = answers.differences("inputs")
    return {call: reason for call, reason in found.items() if not (plain and reason.startswith("Our kernels"))}


DIFFERENCES = differences()


def unlike(op: str) -> Iterator[str]:
    """The calls of an op that differ and are not listed, and those that are listed and do not differ."""
    for call in sample_table.calls_of(op):
        assert QUESTIONS[str(call)] == call.digest, f"{call} is another sample now: python -m tools.record sample_table"
        found = call_differs(op, call.kind, RECORDED[str(call)], answer(call, PATHS.get(op, op), wengert))
        if (str(call) in DIFFERENCES) != (found is not None):
            yield f"{call}: {found or 'as in PyTorch, though differences/inputs.txt says that it differs'}"


@pytest.mark.parametrize("op", OPS)
def test_inputs_of_every_kind(op: str) -> None:
    assert list(unlike(op)) == []


def test_every_row_has_an_answer_for_every_kind() -> None:
    kinds: dict[str, set[Any]] = {op: set() for op in OPS}
    for case in RECORDED:
        op, _, call = case.partition(": ")
        kinds[op].add(call.rpartition(" ")[0])
    assert {op: found for op, found in kinds.items() if found != set(KINDS)} == {}


def test_every_call_has_an_answer_and_every_answer_a_call() -> None:
    assert {str(call) for op in OPS for call in sample_table.calls_of(op)} == set(RECORDED)


def test_a_row_without_answers_is_not_pytorchs() -> None:
    missing = {op for op in sample_table.names() if sample_table.samples_of(op)} - set(OPS)
    assert sorted(missing) == sorted(sample_table.OURS)


@pytest.mark.parametrize("subject", ["inputs", "arguments", "forms", "autocast"])
def test_answers_stand_in_the_file_of_their_family(subject: str) -> None:
    found = {case.partition(": ")[0]: file.stem for file in answers.files_of(subject)
             for case in answers.read_answers(file).answers}
    assert found == {op: sample_table.families()[op] for op in OPS}


def test_every_difference_is_of_a_call() -> None:
    assert set(DIFFERENCES) - set(RECORDED) == set()


@pytest.mark.parametrize("op", sample_table.RANDOM)
def test_an_op_that_is_left_out_is_random(op: str) -> None:
    assert sample_table.samples_of(op), f"{op} is not in the sample table: leave it out of RANDOM"
