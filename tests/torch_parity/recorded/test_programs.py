"""Random programs of views, writes, hooks, no_grad blocks and backward passes: as PyTorch was recorded to run them."""

import json
from collections import Counter
from pathlib import Path

import pytest
import wengert as torch
from oracle_compare import agree
from wengert_testing import naive, programs

PROGRAMS = [json.loads(line) for line in (Path(__file__).parent / "programs.jsonl").read_text().splitlines()]
# A view made of a constant that a recorded write then gave a history: PyTorch refuses to write to it ("a leaf
# Variable"), unless its grad_fn was asked for before. wengert makes that anew first, and records the write.
LEAF_TO_PYTORCH = {300, 329}
KNOWN = [(number, steps, record) for number, (steps, record) in enumerate(PROGRAMS)
         if record is not None and number not in LEAF_TO_PYTORCH]


def same(ours, theirs):
    """Whether two records agree, numbers to the sixth place."""
    return agree(ours, theirs, 1.5e-6)


@pytest.mark.parametrize(("steps", "record"), [pytest.param(steps, record, id=str(number))
                                               for number, steps, record in KNOWN])
def test_as_in_pytorch(steps, record):
    ours = programs.run(torch, steps, dtype=torch.float64)
    assert same(ours, record), f"wengert: {ours}\npytorch: {record}"


def test_the_naive_engine_agrees_with_pytorch():
    assert [number for number, steps, record in KNOWN if not same(programs.run(naive, steps), record)] == []


@pytest.mark.parametrize("number", sorted(LEAF_TO_PYTORCH))
def test_what_pytorch_takes_for_a_leaf(number):
    steps, record = PROGRAMS[number]
    ours = programs.run(torch, steps, dtype=torch.float64)
    assert len(set(record["errors"]) - set(ours["errors"])) == 1
    assert same(ours, programs.run(naive, steps))


def test_the_programs_are_worth_running():
    kinds = Counter(error.split(": ")[1] for _, _, record in KNOWN for error in record["errors"])
    assert set(kinds) == {kind for _, kind in programs.KINDS}
    finished = sum("grads" in record for _, _, record in KNOWN)
    assert len(KNOWN) // 2 < finished < len(KNOWN)
    assert len(PROGRAMS) - len(KNOWN) < len(PROGRAMS) // 20
