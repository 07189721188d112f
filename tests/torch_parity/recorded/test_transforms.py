"""Random functions of views, writes and Functions under vmap, forward mode and nested derivatives, as in PyTorch.

What differs is in differences/transforms.txt, with the reason, and must.
"""

import pytest
import wengert as torch
from parity import answers
from parity.compare import agree
from parity.transforms import kind, run

QUESTIONS, RECORDED = answers.questions("transforms"), answers.answers_of("transforms")
DIFFERENCES = answers.differences("transforms")
DET = "1077"


def same(ours, theirs):
    """Return whether two answers agree, numbers to the seventh place."""
    return agree(ours, theirs, 1e-7)


def ask(seed, transform=None):
    """The answer of wengert to the question of a seed, or to another transform of its function."""
    shape, source, recorded = QUESTIONS[seed]
    return run(torch, tuple(shape), source, transform or recorded)


@pytest.mark.parametrize("seed", sorted(RECORDED, key=int))
def test_as_in_pytorch(seed):
    assert same(ask(seed), RECORDED[seed]) != (seed in DIFFERENCES), "".join(QUESTIONS[seed][1:])


def test_torch_contradicts_itself_on_det():
    twice_back = "torch.func.jacrev(torch.func.jacrev(f, argnums=0), argnums=0)(*xs)"
    assert same(ask(DET, twice_back), ask(DET))
    assert not same(ask(DET, twice_back), RECORDED[DET])


def test_the_programs_are_worth_running():
    text = "".join(source + transform for _, source, transform in QUESTIONS.values())
    for part in ("clone()\n", "zeros_like", "apply", "hessian", "vmap", "forward_over_reverse", "reverse_over_forward"):
        assert text.count(part) > 30, part


def test_answers_stand_in_the_file_of_their_transform():
    found = {(file.stem, kind(question[2])) for file in answers.files_of("transforms")
             for question in answers.read_answers(file).questions.values()}
    assert {one for one, _ in found} == {"func", "vmap", "functional", "forward_ad", "grad"}
    assert all(one == other for one, other in found)


def test_every_difference_is_of_a_program():
    assert set(DIFFERENCES) - set(RECORDED) == set()
