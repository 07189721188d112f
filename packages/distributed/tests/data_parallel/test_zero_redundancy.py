"""ZeroRedundancyOptimizer: steps of one process, a part of the state on each rank, checkpoints for other ranks."""

from __future__ import annotations

import copy

import pytest
import wengert as wg
import wengert_distributed as dist
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_distributed.optim.partition import partition
from wengert_distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from wengert_testing.sim_group import run_ranks

OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9},
    "Adam": {"lr": 0.1},
    "AdamW": {"lr": 0.1, "weight_decay": 0.1},
    "RMSprop": {"lr": 0.01},
    "Adagrad": {"lr": 0.1},
}


def make_module():
    wg.manual_seed(0)
    return wg.nn.Sequential(wg.nn.Linear(3, 5), wg.nn.Tanh(), wg.nn.Linear(5, 2), wg.nn.Linear(2, 1))


def groups_of(module):
    return [{"params": list(module[0].parameters())}, {"params": list(module[2:].parameters()), "lr": 0.01}]


def step(module, optimizer, number):
    """Make a step whose gradients are the same on all ranks."""
    optimizer.zero_grad()
    (module(wg.arange(6.0).view(2, 3) * number) ** 2).mean().backward()
    optimizer.step()


def values(module):
    return [parameter.detach().clone() for parameter in module.parameters()]


def equal(found, expected):
    return all(one.equal(other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
@pytest.mark.parametrize("as_views", [True, False])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_those_of_one_process(name, as_views, ranks):
    make, options = getattr(wg.optim, name), OPTIMIZERS[name]
    module = make_module()

    def train(sharded):
        own = copy.deepcopy(module)
        groups = groups_of(own)
        if sharded:
            optimizer = ZeroRedundancyOptimizer(groups, make, None, as_views, **options)
        else:
            optimizer = make(groups, **options)
        scheduler = wg.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        for number in range(4):
            step(own, optimizer, number)
            scheduler.step()
        rates = [group["lr"] for group in optimizer.param_groups]
        return values(own), rates, [len(optimizer.optim.state)] if sharded else []

    expected, rates, _ = train(False)
    results = run_ranks(ranks, train, True, seed=ranks)
    for found, found_rates, _ in results:
        assert equal(found, expected)
        assert found_rates == rates
    assert name == "SGD" or sum(count[0] for *_, count in results) == 6


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(0, 50), max_size=8), min_size=1, max_size=3), st.integers(1, 5))
def test_every_parameter_belongs_to_one_rank_and_parts_are_even(sizes, ranks):
    groups = [{"params": [wg.ones(size) for size in group], "lr": 1} for group in sizes]
    parts = partition(groups, ranks)
    assert len(parts) == ranks
    for number, group in enumerate(groups):
        members = [id(param) for part in parts for param in part[number]["params"]]
        assert sorted(members) == sorted(id(param) for param in group["params"])
    loads = [sum(param.numel() for group in part for param in group["params"]) for part in parts]
    assert max(loads) - min(loads) <= max((size for group in sizes for size in group), default=0)


def train_and_consolidate(ranks, steps, state=None, start=0):
    """Return parameters and the whole state after some steps on some ranks, from a state if there is one."""
    module = make_module()
    if state is not None:
        with wg.no_grad():
            for parameter, value in zip(module.parameters(), state[0], strict=True):
                parameter.copy_(value)

    def train():
        own = copy.deepcopy(module)
        optimizer = ZeroRedundancyOptimizer(groups_of(own), wg.optim.Adam, lr=0.1)
        if state is not None:
            optimizer.load_state_dict(copy.deepcopy(state[1]))
        for number in range(start, start + steps):
            step(own, optimizer, number)
        last = dist.get_world_size() - 1
        optimizer.consolidate_state_dict(to=last)
        return (values(own), optimizer.state_dict()) if dist.get_rank() == last else None

    return run_ranks(ranks, train, seed=ranks)[-1]


def assert_same_state(found, expected):
    assert found["param_groups"] == expected["param_groups"]
    assert list(found["state"]) == list(expected["state"])
    for number, one in expected["state"].items():
        for name, value in one.items():
            assert wg.equal(wg.as_tensor(found["state"][number][name]), wg.as_tensor(value))


def test_a_state_is_resumed_on_another_number_of_ranks():
    expected_values, expected = train_and_consolidate(1, 6)
    first = train_and_consolidate(2, 2)
    second = train_and_consolidate(3, 2, first, start=2)
    found_values, found = train_and_consolidate(4, 2, second, start=4)
    assert equal(found_values, expected_values)
    assert_same_state(found, expected)


def test_a_state_goes_to_and_comes_from_an_optimizer_without_ranks():
    found_values, found = train_and_consolidate(3, 2)
    alone = make_module()
    optimizer = wg.optim.Adam(groups_of(alone), lr=0.1)
    for number in range(2):
        step(alone, optimizer, number)
    assert equal(found_values, values(alone))
    assert_same_state(found, optimizer.state_dict())
    resumed, _ = train_and_consolidate(2, 1, (found_values, optimizer.state_dict()), start=2)
    step(alone, optimizer, 2)
    assert equal(resumed, values(alone))


def test_loading_leaves_the_state_as_it_is():
    values_and_state = train_and_consolidate(2, 1)
    state = values_and_state[1]
    before = copy.deepcopy(state)

    def load():
        ZeroRedundancyOptimizer(groups_of(make_module()), wg.optim.Adam, lr=0.1).load_state_dict(state)

    run_ranks(2, load)
    assert_same_state(state, before)


def test_a_group_of_parameters_is_added_on_all_ranks():
    module = make_module()

    def train(sharded):
        own = copy.deepcopy(module)
        first, second = groups_of(own)
        make = (lambda groups: ZeroRedundancyOptimizer(groups, wg.optim.Adam, lr=0.1)) if sharded else wg.optim.Adam
        optimizer = make([first])
        step(own, optimizer, 1)
        optimizer.add_param_group(second)
        step(own, optimizer, 2)
        return values(own), [group["betas"] for group in optimizer.param_groups]

    def alone():
        own = copy.deepcopy(module)
        first, second = groups_of(own)
        optimizer = wg.optim.Adam([first], lr=0.1)
        step(own, optimizer, 1)
        optimizer.add_param_group(second)
        step(own, optimizer, 2)
        return values(own)

    expected = alone()
    for found, betas in run_ranks(3, train, True):
        assert equal(found, expected)
        assert betas == [(0.9, 0.999)] * 2


def test_a_closure_is_called_and_its_loss_returned():
    def closure_step():
        weight = wg.ones(2, requires_grad=True)
        optimizer = ZeroRedundancyOptimizer([weight], wg.optim.SGD, lr=0.5)

        def closure():
            optimizer.zero_grad()
            loss = (weight**2).sum()
            loss.backward()
            return loss

        return optimizer.step(closure).item(), weight.tolist()

    assert run_ranks(2, closure_step) == [(2, [0, 0])] * 2


def test_views_of_flat_memory_keep_their_values_and_their_place():
    def memory():
        weights = [wg.full((2, 2), 3.0, requires_grad=True), wg.full((3,), 4.0, requires_grad=True)]
        ZeroRedundancyOptimizer(weights, wg.optim.SGD, None, True, lr=0.5)
        distance = weights[1].data_ptr() - weights[0].data_ptr()
        return distance, [weight.tolist() for weight in weights], weights[0].is_leaf

    assert run_ranks(1, memory) == [(16, [[[3, 3], [3, 3]], [4, 4, 4]], True)]


@pytest.fixture
def alone():
    dist.init_process_group("self")
    yield
    dist.destroy_process_group()


def zero(params, **options):
    return ZeroRedundancyOptimizer(params, wg.optim.SGD, lr=0.1, **options)


BAD_CALLS = [
    (lambda w: zero(w), TypeError, "`params` argument should be an iterable of Tensors, but got torch.FloatTensor"),
    (lambda w: zero([]), ValueError, "ZeroRedundancyOptimizer got an empty parameter list"),
    (lambda w: zero(3), TypeError, "should be an iterable of Tensors or dicts, but got int"),
    (lambda w: zero([3]), TypeError, "`params` argument should be an iterable of Tensors or dicts"),
    (lambda w: zero([w, {"params": w}]), TypeError, "should be an iterable of Tensors or dicts"),
    (lambda w: zero([{"x": 1}]), ValueError, "must have a 'params' key"),
    (lambda w: zero([w, w.double().detach()]), ValueError, "but got both torch.FloatTensor and torch.DoubleTensor"),
    (lambda w: zero([w]).state_dict(), RuntimeError, r"not been consolidated.*state_dict\(to=0\)"),
    (lambda w: zero([w]).consolidate_state_dict(to=1), ValueError, "to has to be a rank of the group"),
    (lambda w: zero([w], overlap_with_ddp=True), NotImplementedError, "overlap_with_ddp"),
    (lambda w: zero([w]).load_state_dict({"state": {}, "param_groups": []}), ValueError, "different number of"),
]


@pytest.mark.parametrize(("call", "error", "phrase"), BAD_CALLS)
def test_bad_arguments_raise_errors_of_pytorch(alone, call, error, phrase):
    with pytest.raises(error, match=phrase):
        call(wg.ones(2, requires_grad=True))
