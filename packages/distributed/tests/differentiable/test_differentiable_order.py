"""The order of collectives in backward, which ranks on each rank is the reverse of the calls; chains of ranks."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_testing.sim_group import run_ranks

dist = wg.distributed
F = dist.nn.functional


def collectives_of(monkeypatch):
    """Return a list that gets (rank, collective, elements) of every call below the ops."""
    calls = []
    for name in ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "broadcast"):
        function = getattr(dist, name)

        def note_call(tensor, *args, function=function, name=name):
            calls.append((dist.get_rank(), name, tensor.numel()))
            return function(tensor, *args)

        monkeypatch.setattr(f"wengert_distributed.{name}", note_call, raising=False)
    return calls


@pytest.mark.parametrize("seed", range(4))
def test_backward_runs_adjoints_in_the_reverse_order_of_the_calls_whatever_ranks_do_between(seed, monkeypatch):
    calls = collectives_of(monkeypatch)

    def program():
        rank = dist.get_rank()
        a, b = wg.ones(1, requires_grad=True), wg.ones(2, requires_grad=True)
        first = F.all_reduce(a)
        for _ in range(5 * rank):
            first = first * 1.5
        second = F.all_gather(b)[rank]
        if rank == 0:
            second = second.exp().sin()
        third = F.broadcast(b * 2, 0)
        ends = [first.sum(), second.sum(), third.sum()]
        order = [2, 0, 1] if rank else [0, 1, 2]
        sum(ends[place] for place in order).backward()

    run_ranks(2, program, seed=seed)
    for rank in range(2):
        assert [(name, size) for at, name, size in calls if at == rank][:3] == [
            ("all_reduce", 1),
            ("all_gather_into_tensor", 4),
            ("broadcast", 2),
        ]
    # The adjoint of broadcast is reduce, which is not among the functions that are watched.
    backward = [[(name, size) for at, name, size in calls if at == rank][3:] for rank in range(2)]
    assert backward == [[("reduce_scatter_tensor", 2), ("all_reduce", 1)]] * 2


def test_independent_collectives_of_second_derivatives_keep_one_order():
    def program():
        rank = dist.get_rank()
        x = wg.full((2,), 1.0 + rank, requires_grad=True)
        y = F.all_reduce(x * x)
        z = F.all_gather(x * x * x)[1 - rank]
        loss = (y * y).sum() + (z * y).sum() if rank else (z * y).sum() + (y * y).sum()
        (grad,) = wg.autograd.grad(loss, x, create_graph=True)
        (again,) = wg.autograd.grad(grad.sum(), x)
        return again.tolist()

    results = [run_ranks(2, program, seed=seed) for seed in range(4)]
    assert results == [results[0]] * 4


def test_ranks_whose_input_does_not_require_grad_are_missed_within_the_timeout():
    def program():
        x = wg.ones(2, requires_grad=dist.get_rank() == 0)
        y = F.all_reduce(x)
        if y.requires_grad:
            y.sum().backward()

    with pytest.raises(dist.DistBackendError, match=r"all_reduce"):
        run_ranks(2, program)


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_of_ranks_has_the_gradients_of_one_process(seed):
    weights = [0.5, 2.0, -1.5, 3.0]

    def program():
        rank, last = dist.get_rank(), dist.get_world_size() - 1
        weight = wg.full((3,), weights[rank], requires_grad=True)
        x = wg.arange(3.0) if rank == 0 else F.recv(wg.empty(3, requires_grad=True), rank - 1)
        y = (x * weight).sin()
        loss = y.sum() if rank == last else F.send(y, rank + 1)
        loss.backward()
        return loss.item(), weight.grad.tolist()

    inputs = [wg.full((3,), weight, requires_grad=True) for weight in weights]
    y = wg.arange(3.0)
    for weight in inputs:
        y = (y * weight).sin()
    y.sum().backward()
    results = run_ranks(4, program, seed=seed)
    assert results[3][0] == y.sum().item()
    assert [grad for _, grad in results] == [weight.grad.tolist() for weight in inputs]


def test_a_ring_of_ranks_needs_one_backward_each():
    def program():
        rank, size = dist.get_rank(), dist.get_world_size()
        x = wg.full((2,), 1.0 + rank, requires_grad=True)
        if rank == 0:
            token = F.send(x, 1)
            y = F.recv(x, size - 1, token=token)
            y.sum().backward()
        else:
            F.send(F.recv(x, rank - 1) * x, (rank + 1) % size).backward()
        return x.grad.tolist()

    assert run_ranks(3, program) == [[6.0, 6.0], [3.0, 3.0], [2.0, 2.0]]


def test_two_messages_with_tags_are_not_mixed_up():
    def program():
        x = wg.tensor([1.0, 2.0], requires_grad=True)
        if dist.get_rank() == 0:
            (F.send(x, 1, tag=5) + F.send(x * 10, 1, tag=6)).backward()
            return x.grad.tolist()
        first = F.recv(x, 0, tag=5)
        second = F.recv(x, 0, tag=6)
        (first * 3 + second * 7).sum().backward()
        return first.tolist(), second.tolist()

    assert run_ranks(2, program) == [[73.0, 73.0], ([1.0, 2.0], [10.0, 20.0])]


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpoints_call_their_collectives_again_in_backward(use_reentrant):
    def program():
        x = wg.full((2,), 1.0 + dist.get_rank(), requires_grad=True)

        def block(x):
            return F.all_reduce((x * x).exp())

        def loss(run):
            y = run(x)
            return (run(y * 0.01) * F.all_gather(y)[0]).sum()

        (plain,) = wg.autograd.grad(loss(block), x)
        again = loss(lambda x: wg.utils.checkpoint.checkpoint(block, x, use_reentrant=use_reentrant))
        again.backward()
        return wg.equal(x.grad, plain)

    assert run_ranks(2, program, seed=6) == [True, True]


def test_graphs_that_are_kept_can_be_run_backward_again():
    def program():
        x = wg.ones(2, requires_grad=True)
        y = F.all_reduce(x * x)
        for _ in range(2):
            y.sum().backward(retain_graph=True)
        return x.grad.tolist()

    assert run_ranks(2, program) == [[8.0, 8.0]] * 2


def test_an_output_that_one_rank_does_not_need_is_added_with_the_factor_zero():
    def program():
        x = wg.ones(2, requires_grad=True)
        first, second = F.all_reduce(x), F.all_reduce(x * 2)
        loss = first.sum() + 0 * second.sum() if dist.get_rank() else second.sum() + 0 * first.sum()
        loss.backward()
        return x.grad.tolist()

    assert run_ranks(2, program) == [[3.0, 3.0]] * 2


def test_an_output_that_one_rank_leaves_out_is_named_by_the_error():
    def program():
        x = wg.ones(2, requires_grad=True)
        first, second = F.all_reduce(x), F.all_reduce(x.repeat(2))
        (first.sum() if dist.get_rank() else first.sum() + second.sum()).backward()

    with pytest.raises(dist.DistBackendError, match=r"all_reduce.*\[?4\]?"):
        run_ranks(2, program)
