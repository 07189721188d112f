"""Random programs of views, writes, hooks, no_grad blocks and backward passes: as PyTorch was recorded to run them."""

from collections import Counter

import pytest
import wengert as torch
from parity import answers
from parity.compare import agree
from wengert_testing import naive, programs

STEPS, RECORDED = answers.questions("programs"), answers.answers_of("programs")
DIFFERENCES = answers.differences("programs")
KNOWN = [seed for seed, record in RECORDED.items() if record is not None and seed not in DIFFERENCES]


def same(ours, theirs):
    """Return whether two records agree, numbers to the sixth place."""
    return agree(ours, theirs, 1.5e-6)


@pytest.mark.parametrize("seed", KNOWN)
def test_as_in_pytorch(seed):
    ours = programs.run(torch, STEPS[seed], dtype=torch.float64)
    assert same(ours, RECORDED[seed]), f"wengert: {ours}\npytorch: {RECORDED[seed]}"


def test_the_naive_engine_agrees_with_pytorch():
    assert [seed for seed in KNOWN if not same(programs.run(naive, STEPS[seed]), RECORDED[seed])] == []


@pytest.mark.parametrize("seed", sorted(DIFFERENCES))
def test_what_pytorch_takes_for_a_leaf(seed):
    ours = programs.run(torch, STEPS[seed], dtype=torch.float64)
    assert len(set(RECORDED[seed]["errors"]) - set(ours["errors"])) == 1
    assert same(ours, programs.run(naive, STEPS[seed]))


def test_the_programs_are_worth_running():
    kinds = Counter(error.split(": ")[1] for seed in KNOWN for error in RECORDED[seed]["errors"])
    assert set(kinds) == {kind for _, kind in programs.KINDS}
    finished = sum("grads" in RECORDED[seed] for seed in KNOWN)
    assert len(KNOWN) // 2 < finished < len(KNOWN)
    assert len(RECORDED) - len(KNOWN) < len(RECORDED) // 20
