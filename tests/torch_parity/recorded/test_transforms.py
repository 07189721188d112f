"""Random functions of views, writes and Functions under vmap, forward mode and nested derivatives, as in PyTorch."""

import json
from pathlib import Path

import pytest
import wengert as torch
from oracle_compare import agree
from oracle_transforms import run

LINES = [json.loads(line) for line in (Path(__file__).parent / "transforms.jsonl").read_text().splitlines()]
TIMES_ITSELF = "x.mul_(x): PyTorch's tangent has the factor as it is after the write"
OTHERWISE = {
    25: TIMES_ITSELF, 563: TIMES_ITSELF, 722: TIMES_ITSELF,
    167: "max of a tensor that is written to afterwards: refused, as PyTorch does without vmap",
    699: "the second derivative of dist at distance 0 is NaN, as that of norm is in both; PyTorch's dist says 0",
    844: "PyTorch's derivative of the tangent of det is not that of det: its own hessian says what ours does",
}


def same(ours, theirs):
    """Whether two answers agree, numbers to the seventh place."""
    return agree(ours, theirs, 1e-7)


@pytest.mark.parametrize("number", range(len(LINES)))
def test_as_in_pytorch(number):
    shape, source, transform, answer = LINES[number]
    agrees = same(run(torch, tuple(shape), source, transform), answer)
    assert agrees != (number in OTHERWISE), f"{source}{transform}"


def test_torch_contradicts_itself_on_det():
    shape, source, _, answer = LINES[844]
    twice_back = "torch.func.jacrev(torch.func.jacrev(f, argnums=0), argnums=0)(*xs)"
    assert same(run(torch, tuple(shape), source, twice_back), run(torch, tuple(shape), source, LINES[844][2]))
    assert not same(run(torch, tuple(shape), source, twice_back), answer)


def test_the_programs_are_worth_running():
    text = "".join(source + transform for _, source, transform, _ in LINES)
    for part in ("clone()\n", "zeros_like", "apply", "hessian", "vmap", "forward_over_reverse", "reverse_over_forward"):
        assert text.count(part) > 30, part
