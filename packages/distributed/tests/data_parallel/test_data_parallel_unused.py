"""Parameters that a backward does not use, or uses several times."""

from __future__ import annotations

import copy

import pytest
import wengert as wg
import wengert_distributed as dist
from wengert.utils.checkpoint import checkpoint
from wengert_distributed.parallel.data_parallel import DistributedDataParallel
from wengert_distributed.parallel.gradients import DistributedGradients
from wengert_testing.sim_group import run_ranks


def leaves():
    return {name: wg.ones(2, requires_grad=True) for name in ("a", "b", "c")}


def firsts(weights):
    return [None if weight.grad is None else weight.grad[0].item() for weight in weights.values()]


@pytest.mark.parametrize("as_views", [True, False])
def test_an_unused_parameter_counts_as_zero_and_keeps_its_gradient_where_no_rank_uses_it(as_views):
    def average():
        weights = leaves()
        DistributedGradients(weights.items(), find_unused=True, as_views=as_views, first_bucket_bytes=0)
        rank = dist.get_rank()
        found = []
        for step in range(3):
            used = weights["a"] if rank == 0 else weights["b"]
            (used * (4 + step)).sum().backward()
            found.append(firsts(weights))
            for weight in weights.values():
                weight.grad = None
        return found

    expected = [[2, 2, None], [2.5, 2.5, None], [3, 3, None]]
    assert run_ranks(2, average, seed=4) == [expected, expected]


@pytest.mark.parametrize("as_views", [True, False])
def test_a_gradient_that_is_there_already_stays_where_no_rank_uses_the_parameter(as_views):
    def gradients_after():
        weights = leaves()
        DistributedGradients(weights.items(), find_unused=True, as_views=as_views, average=False)
        sum(weight.sum() for weight in weights.values()).backward()
        weights["a"].grad = None
        weights["a"].sum().backward()
        return firsts(weights)

    assert run_ranks(3, gradients_after) == [[3, 3, 3]] * 3


def test_gradients_that_were_accumulated_before_an_unused_pass_are_reduced():
    def accumulate():
        weights = leaves()
        gradients = DistributedGradients(weights.items(), find_unused=True)
        with gradients.no_sync():
            (weights["b"] * (dist.get_rank() + 1)).sum().backward()
        weights["a"].sum().backward()
        return firsts(weights)

    assert run_ranks(2, accumulate) == [[1, 1.5, None]] * 2


def test_an_unused_parameter_is_an_error_that_names_it_when_backward_ends():
    def missing():
        weights = leaves()
        DistributedGradients(weights.items())
        with pytest.raises(RuntimeError, match=r"(?s)Expected to have finished reduction.*rank \d: b, c .*find_unused"):
            weights["a"].sum().backward()
        return True

    assert run_ranks(2, missing) == [True, True]


class Branches(wg.nn.Module):
    """Two layers whose outputs are returned apart; which of them are used is an argument."""

    def __init__(self):
        super().__init__()
        self.a = wg.nn.Linear(2, 2, bias=False, dtype=wg.float64)
        self.b = wg.nn.Linear(2, 2, bias=False, dtype=wg.float64)
        self.never = wg.nn.Linear(2, 2, bias=False, dtype=wg.float64)

    def forward(self, x, use):
        outputs = {"a": self.a(x)} if "a" in use else {}
        return [outputs, {"b": (self.b(x),)}] if "b" in use else [outputs]


def branch_gradients(model):
    weights = (model.a.weight, model.b.weight, model.never.weight)
    return [None if weight.grad is None else weight.grad.mean().item() for weight in weights]


def test_a_module_finds_parameters_that_its_outputs_do_not_depend_on():
    branches = Branches()

    def average():
        model = DistributedDataParallel(copy.deepcopy(branches), find_unused_parameters=True, bucket_cap_mb=0)
        use = ["a", "b"][dist.get_rank()]
        found = []
        for scale in (2, 4):
            model.zero_grad()
            outputs = model(wg.ones(1, 2, dtype=wg.float64) * scale, use)
            (outputs[0]["a"] if use == "a" else outputs[1]["b"][0]).sum().backward()
            found.append(branch_gradients(model.module))
        return found

    assert run_ranks(2, average, seed=6) == [[[1, 1, None], [2, 2, None]]] * 2


def test_the_next_forward_names_parameters_whose_gradients_did_not_come():
    def missing():
        model = DistributedDataParallel(Branches())
        x = wg.ones(1, 2, dtype=wg.float64)
        model(x, "a")[0]["a"].sum().backward()
        with pytest.raises(RuntimeError, match=r"(?s)finished reduction.*rank \d: 1 2 \(b.weight, never"):
            model(x, "a")
        return True

    assert run_ranks(2, missing) == [True, True]


def test_a_second_gradient_in_one_reduction_is_an_error_that_names_the_parameter():
    def twice():
        model = DistributedDataParallel(Branches())
        loss = model(wg.ones(1, 2, dtype=wg.float64), "a")[0]["a"].sum()
        loss.backward(retain_graph=True)
        with pytest.raises(RuntimeError, match=r"(?s)mark a variable ready only once.*index 0 with name a.weight"):
            loss.backward()
        return True

    assert run_ranks(2, twice) == [True, True]


def test_two_backward_passes_may_share_a_reduction():
    def average():
        branches = Branches()
        del branches.never
        model = DistributedDataParallel(branches, bucket_cap_mb=0)
        x = wg.full((1, 2), dist.get_rank() + 1.0, dtype=wg.float64)
        outputs = model(x, "ab")
        outputs[0]["a"].sum().backward()
        outputs[1]["b"][0].sum().backward()
        return model.module.a.weight.grad.mean().item(), model.module.b.weight.grad.mean().item()

    assert run_ranks(2, average, seed=7) == [(1.5, 1.5)] * 2


class TwoCheckpoints(wg.nn.Module):
    """A layer that is computed again in backward, twice, and one that is never used."""

    def __init__(self):
        super().__init__()
        self.layer = wg.nn.Linear(2, 2, dtype=wg.float64)
        self.never = wg.nn.Linear(2, 2, dtype=wg.float64)

    def forward(self, x, reentrant=True):
        for _ in range(2):
            x = checkpoint(self.layer, x, use_reentrant=reentrant)
        return x


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_static_graph_may_use_parameters_several_times_or_not_at_all(reentrant):
    module = TwoCheckpoints()
    batch = wg.arange(8.0, dtype=wg.float64).view(4, 2)
    alone = copy.deepcopy(module)
    (alone(batch.clone().requires_grad_(), reentrant) ** 2).mean().backward()

    def average():
        model = DistributedDataParallel(copy.deepcopy(module), static_graph=True)
        for _ in range(3):
            model.zero_grad()
            own = batch.chunk(2)[dist.get_rank()].clone().requires_grad_()
            (model(own, reentrant) ** 2).mean().backward()
        return [model.module.layer.weight.grad, model.module.layer.bias.grad, model.module.never.weight.grad]

    for weight, bias, never in run_ranks(2, average, seed=8):
        wg.testing.assert_close(weight, alone.layer.weight.grad)
        wg.testing.assert_close(bias, alone.layer.bias.grad)
        assert never is None


def test_several_checkpoints_of_a_layer_need_a_static_graph():
    def twice():
        module = TwoCheckpoints()
        module.never = wg.nn.Linear(2, 2, dtype=wg.float64)
        model = DistributedDataParallel(wg.nn.Sequential(module.never, module))
        with pytest.raises(RuntimeError, match=r"(?s)only once.*static_graph=True.*index \d with name 1.layer"):
            model(wg.ones(1, 2, dtype=wg.float64)).sum().backward()
        return True

    assert run_ranks(2, twice) == [True, True]


@pytest.mark.parametrize("as_views", [True, False])
def test_an_output_that_the_loss_leaves_out_does_not_stop_the_reduction(as_views):
    branches = Branches()

    def average():
        model = DistributedDataParallel(
            copy.deepcopy(branches), find_unused_parameters=True, gradient_as_bucket_view=as_views
        )
        rank = dist.get_rank()
        found = []
        for scale in (2.0, 4.0):
            model.zero_grad()
            outputs = model(wg.full((1, 2), scale + rank, dtype=wg.float64), "ab")
            outputs[0]["a"].sum().backward()
            found.append(branch_gradients(model.module))
        outputs[1]["b"][0].sum().backward()
        return [*found, branch_gradients(model.module)]

    expected = [[2.5, None, None], [4.5, None, None], [4.5, 4.5, None]]
    assert run_ranks(2, average) == [expected, expected]


def test_gradients_taken_on_one_rank_alone_start_no_reduction_of_unused_parameters():
    branches = Branches()

    def average():
        model = DistributedDataParallel(copy.deepcopy(branches), find_unused_parameters=True)
        rank = dist.get_rank()
        output = model(wg.full((1, 2), 2.0 + rank, dtype=wg.float64), "ab")[0]["a"]
        if rank == 0:
            wg.autograd.grad(output.sum(), model.module.a.weight, retain_graph=True)
        output.sum().backward()
        return branch_gradients(model.module)

    assert run_ranks(2, average) == [[2.5, None, None]] * 2
