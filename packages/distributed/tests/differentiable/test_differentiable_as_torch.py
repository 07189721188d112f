"""Values and gradients that PyTorch 2.13 gives with gloo and two processes, and its errors for bad input."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
F = dist.nn.functional
FC = dist._functional_collectives
EVERY = [0, 1]


def weighted_sum(parts):
    return sum((number + 1) * part for number, part in enumerate(parts))


FACTORS = wg.tensor([1.0, 4.0])
CASES = {
    "all_reduce": lambda x: F.all_reduce(x),
    "reduce": lambda x: F.reduce(x, 1) * dist.get_rank(),
    "broadcast": lambda x: F.broadcast(x, 1),
    "all_gather": lambda x: weighted_sum(F.all_gather(x)),
    "gather": lambda x: weighted_sum(F.gather(x, 1)),
    "scatter": lambda x: F.scatter([x * 2, x * 3], 1),
    "all_to_all": lambda x: weighted_sum(F.all_to_all([wg.empty(2), wg.empty(2)], [x * 2, x * 3])),
    "all_to_all_single": lambda x: F.all_to_all_single(wg.empty(2), x) * FACTORS,
    "functional all_reduce": lambda x: FC.all_reduce(x, "sum", EVERY),
    "functional all_gather": lambda x: FC.all_gather_single(x, 0, EVERY) * wg.arange(4.0),
    "functional permute": lambda x: FC.permute_tensor(x, [1, 0], EVERY),
    "functional all_to_all_single": lambda x: FC.all_to_all_single(x, None, None, EVERY) * FACTORS,
}
RECORDED = {
    "all_reduce": ([[3.0, 6.0], [3.0, 9.0]], [[3.0, 6.0], [3.0, 9.0]]),
    "reduce": ([[0.0, 0.0], [2.0, 6.0]], [[3.0, 6.0], [2.0, 6.0]]),
    "broadcast": ([[2.0, 4.0], [0.0, 0.0]], [[2.0, 4.0], [3.0, 9.0]]),
    "all_gather": ([[5.0, 10.0], [3.0, 9.0]], [[5.0, 10.0], [6.0, 18.0]]),
    "gather": ([[0.0, 0.0], [2.0, 6.0]], [[5.0, 10.0], [4.0, 12.0]]),
    "scatter": ([[4.0, 8.0], [0.0, 0.0]], [[6.0, 12.0], [8.0, 24.0]]),
    "all_to_all": ([[10.0, 20.0], [8.0, 24.0]], [[15.0, 30.0], [16.0, 48.0]]),
    "all_to_all_single": ([[1.0, 8.0], [1.0, 2.0]], [[2.0, 16.0], [12.0, 24.0]]),
    "functional all_reduce": ([[3.0, 6.0], [3.0, 9.0]], [[3.0, 6.0], [3.0, 9.0]]),
    "functional all_gather": ([[0.0, 2.0, 4.0, 12.0], [0.0, 9.0]], [[0.0, 2.0, 4.0, 12.0], [6.0, 27.0]]),
    "functional permute": ([[2.0, 4.0], [2.0, 6.0]], [[1.0, 2.0], [1.0, 3.0]]),
    "functional all_to_all_single": ([[1.0, 8.0], [1.0, 2.0]], [[2.0, 16.0], [12.0, 24.0]]),
}
"""For each rank: the result, and the gradient of ``(rank + 1) * (result * [1, 3, ...]).sum()``."""


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_pytorch(name):
    def program():
        x = (wg.tensor([1.0, 2.0]) * (dist.get_rank() + 1)).requires_grad_()
        y = CASES[name](x)
        ((dist.get_rank() + 1) * (y * wg.tensor([1.0, 3.0]).repeat(y.numel() // 2)).sum()).backward()
        return [y.tolist(), x.grad.tolist()]

    assert tuple(run_ranks(2, program)) == RECORDED[name]


ERRORS = [
    (lambda x: FC.all_reduce(x, "nonsense", EVERY), RuntimeError, "Unrecognized reduce_op: nonsense"),
    (lambda x: FC.all_reduce(x, "premul_sum", EVERY), RuntimeError, "Unrecognized reduce_op: premul_sum"),
    (lambda x: FC.all_reduce(x, "sum", None), ValueError, "Unsupported group type: <class 'NoneType'>, None"),
    (lambda x: FC.all_reduce(x, "sum", 3.5), ValueError, "Unsupported group type: <class 'float'>, 3.5"),
    (lambda x: FC.all_reduce(x, "sum", "absent"), RuntimeError, "Could not resolve the process group .* absent"),
    (lambda x: FC.all_reduce(x, "sum", 3), ValueError, "Unsupported group type: <class 'int'>, 3"),
    (lambda x: FC.all_reduce(x, "sum", [0]), ValueError, r"no process group of this rank, \d, has the ranks \[0\]"),
    (lambda x: FC.all_to_all_single(x, [1], None, EVERY), AssertionError, "must either be specified together"),
    (lambda x: FC.reduce_scatter_single(x, "sum", 0, EVERY), AssertionError, "must be a multiple of group_size 2"),
    (lambda x: FC.reduce_scatter_single(x, "sum", -2, EVERY), IndexError, r"range of \[-1, 0\], but got -2"),
    (lambda x: FC.all_gather_single(x, 1, EVERY), IndexError, r"range of \[-1, 0\], but got 1"),
    (lambda x: FC.permute_tensor(x, [0], EVERY), RuntimeError, "Split sizes doesn't match total dim 0 size"),
    (lambda x: FC.permute_tensor(x, [0, 2], EVERY), RuntimeError, r"has to name a rank .* but is \[0, 2\]"),
    (lambda x: F.all_to_all_single(wg.empty(2), x), RuntimeError, "does not divide equally across group size"),
    (lambda x: F.all_to_all_single(x, x, [1, 1], [1, 2]), RuntimeError, "Split sizes doesn't match total dim 0 size"),
    (lambda x: F.all_to_all_single(x, x, [3], [1, 2]), RuntimeError, "Number of tensor splits not equal to group size"),
    (lambda x: F.reduce_scatter(x, [x]), RuntimeError, "invalid input tensor list size, must be world size"),
    (lambda x: F.scatter([x, x, x]), RuntimeError, "Incorrect input list size 3. Input list size should be 2"),
    (lambda x: F.all_reduce(x, dist.ReduceOp.BAND), RuntimeError, "Cannot use ReduceOp.BAND with non-integral dtype"),
    (lambda x: F.all_reduce(x, op="sum"), TypeError, "incompatible function arguments.* op must be a ReduceOp"),
    (lambda x: F.all_reduce(3), TypeError, "all_reduce"),
    (lambda x: F.all_gather([x]), TypeError, "all_gather"),
    (lambda x: F.all_reduce(x, group="world"), ValueError, "world is not initialized in the world group map"),
    (lambda x: F.broadcast(x, 2), RuntimeError, "invalid root rank: 2"),
    (lambda x: F.gather(x, 2), RuntimeError, "invalid root rank: 2"),
    (lambda x: F.send(x, dist.get_rank()), ValueError, "destination rank should not be the same"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_bad_input_raises_as_pytorch_does(number):
    call, kind, words = ERRORS[number]

    def program():
        with pytest.raises(kind, match=words):
            call(wg.ones(3))

    run_ranks(2, program)


def test_a_rank_outside_of_the_group_is_refused():
    def program():
        group = dist.new_group([0])
        if dist.get_rank() == 0:
            return F.all_reduce(wg.ones(1), group=group).item()
        with pytest.raises(ValueError, match="not a member of the group"):
            F.all_reduce(wg.ones(1), group=group)
        return None

    assert run_ranks(2, program) == [1.0, None]


def test_functional_collectives_find_groups_by_name_and_by_lists_of_ranks():
    def program():
        first, second = dist.new_group([0, 1]), dist.new_group([2, 3])
        own = first if dist.get_rank() < 2 else second
        x = wg.tensor([1.0 + dist.get_rank()])
        return [
            FC.all_reduce(x, "SUM", group).item()
            for group in (own, own.group_name, [[0, 1], [2, 3]], dist.group.WORLD, list(range(4)))
        ]

    assert run_ranks(4, program) == [[3.0, 3.0, 3.0, 10.0, 10.0]] * 2 + [[7.0, 7.0, 7.0, 10.0, 10.0]] * 2
