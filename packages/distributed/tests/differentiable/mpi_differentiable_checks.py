"""Checks of differentiable collectives, tensor parallel layers and pipelines that run on every rank under mpiexec."""

from __future__ import annotations

import wengert as wg

dist = wg.distributed
dist.init_process_group("mpi")
F, FC, tp = dist.nn.functional, dist._functional_collectives, dist.tensor_parallel
RANK, RANKS = dist.get_rank(), dist.get_world_size()
nn, DOUBLE = wg.nn, wg.float64


def own_values():
    return (wg.arange(2, dtype=DOUBLE) * 0.7 + 1.0 + 0.3 * RANK).requires_grad_()


def assert_derivatives(functions):
    for function in functions:
        assert dist.gradcheck(function, own_values(), check_forward_ad=True)
        assert RANKS > 2 or dist.gradgradcheck(function, own_values())


def check_reductions():
    op = dist.ReduceOp
    assert_derivatives([lambda x, op=op: F.all_reduce(x * x, op) for op in (op.SUM, op.AVG, op.PRODUCT, op.MAX)])
    assert_derivatives([lambda x: F.reduce(x * x, RANKS - 1)])


def check_gathers_and_scatters():
    assert_derivatives(
        [
            lambda x: F.broadcast(x * x, RANKS - 1),
            lambda x: F.all_gather(x * x),
            lambda x: F.gather(x * x, RANKS - 1),
            lambda x: F.scatter([x * x * (place + 1) for place in range(RANKS)], 0),
            lambda x: F.reduce_scatter(wg.empty(2, dtype=DOUBLE), [x * x * (place + 1) for place in range(RANKS)]),
        ]
    )


def check_exchanges():
    assert_derivatives(
        [
            lambda x: F.all_to_all_single(wg.empty(RANKS, dtype=DOUBLE), (x * x).repeat(RANKS)[:RANKS]),
            lambda x: FC.permute_tensor(x * x, [(place + 1) % RANKS for place in range(RANKS)], list(range(RANKS))),
        ]
    )


def check_functional_transforms():
    def squares(x):
        return F.all_reduce(x * x).sum()

    x = own_values().detach()
    hessian = wg.func.hessian(squares)(x)
    assert wg.allclose(hessian, 2 * RANKS * wg.eye(2, dtype=DOUBLE))
    batched = wg.vmap(wg.func.grad(squares))(wg.stack((x, 2 * x)))
    assert wg.allclose(batched, wg.stack((2 * RANKS * x, 4 * RANKS * x)))


def check_a_chain_of_ranks():
    weights = [wg.full((3,), 0.5 + place, requires_grad=True) for place in range(RANKS)]
    y = x = wg.arange(3.0)
    for weight in weights:
        y = (y * weight).sin()
    y.sum().backward()
    own = weights[RANK].detach().clone().requires_grad_()
    x = x if RANK == 0 else F.recv(wg.empty(3, requires_grad=True), RANK - 1)
    result = (x * own).sin()
    (result.sum() if RANK == RANKS - 1 else F.send(result, RANK + 1)).backward()
    assert wg.equal(own.grad, weights[RANK].grad)


def check_layers_divided_among_ranks():
    wg.manual_seed(1)
    first, second = nn.Linear(4, 12, dtype=DOUBLE), nn.Linear(12, 3, dtype=DOUBLE)
    x = wg.randn(5, 4, dtype=DOUBLE)
    second(first(x).tanh()).square().sum().backward()
    a = tp.ColumnParallelLinear.from_linear(first, gather_output=False)
    b = tp.RowParallelLinear.from_linear(second, input_is_parallel=True)
    b(a(x).tanh()).square().sum().backward()
    assert wg.allclose(a.weight.grad, first.weight.grad.chunk(RANKS)[RANK])
    assert wg.allclose(b.weight.grad, second.weight.grad.chunk(RANKS, 1)[RANK])
    assert wg.allclose(b.bias.grad, second.bias.grad)


def check_a_pipeline_of_large_activations():
    wg.manual_seed(2)
    layers = nn.Sequential(*[nn.Linear(64, 64, dtype=DOUBLE) for _ in range(RANKS)])
    x, target = wg.randn(4096, 64, dtype=DOUBLE), wg.randn(4096, 64, dtype=DOUBLE)
    nn.functional.mse_loss(layers(x), target).backward()
    grads = [parameter.grad.clone() for parameter in layers[RANK].parameters()]
    layers[RANK].zero_grad()
    stage = dist.pipelining.PipelineStage(layers[RANK], RANK, RANKS)
    schedule = dist.pipelining.Schedule1F1B(stage, 8, nn.functional.mse_loss)
    schedule.step(*((x,) if RANK == 0 else ()), target=target if RANK == RANKS - 1 else None)
    for parameter, grad in zip(layers[RANK].parameters(), grads, strict=True):
        assert wg.allclose(parameter.grad, grad)
