"""Differentiable collectives, tensor parallel layers and a pipeline on one GPU by NCCL: a world of one rank."""

from __future__ import annotations

import pytest
import wengert as wg

dist = wg.distributed
F = dist.nn.functional
DOUBLE = wg.float64

pytestmark = pytest.mark.skipif(not dist.is_nccl_available(), reason="needs a GPU and CuPy's NCCL")


@pytest.fixture(autouse=True)
def world(monkeypatch):
    """A world of one rank, whatever started the tests."""
    for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    dist.init_process_group("nccl")
    yield
    dist.destroy_process_group()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.all_reduce(x * x),
        lambda x: F.all_reduce(x * x, dist.ReduceOp.PRODUCT),
        lambda x: F.all_reduce(x * x, dist.ReduceOp.MAX),
        lambda x: F.reduce(x * x, 0),
        lambda x: F.broadcast(x * x, 0),
        lambda x: F.all_gather(x * x),
        lambda x: F.gather(x * x),
        lambda x: F.scatter([x * x]),
        lambda x: F.reduce_scatter(wg.empty_like(x), [x * x]),
        lambda x: F.all_to_all_single(wg.empty_like(x), x * x),
    ],
)
def test_derivatives_are_those_of_finite_differences(function):
    x = wg.tensor([0.5, 2.0, 1.5], dtype=DOUBLE, device="cuda", requires_grad=True)
    assert dist.gradcheck(function, x, check_forward_ad=True)
    assert dist.gradgradcheck(function, x)


def test_layers_and_a_pipeline_have_the_gradients_of_one_process():
    first, second = (wg.nn.Linear(4, 4, dtype=DOUBLE, device="cuda") for _ in range(2))
    x = wg.randn(6, 4, dtype=DOUBLE, device="cuda")
    second(first(x).tanh()).square().mean().backward()
    a = dist.tensor_parallel.ColumnParallelLinear.from_linear(first, gather_output=False)
    b = dist.tensor_parallel.RowParallelLinear.from_linear(second, input_is_parallel=True)
    stage = dist.pipelining.PipelineStage(lambda x: b(a(x).tanh()), 0, 1, "cuda")
    schedule = dist.pipelining.Schedule1F1B(stage, 3, lambda y, target: (y - target).square().mean())
    schedule.step(x, target=wg.zeros_like(x))
    assert wg.allclose(a.weight.grad, first.weight.grad)
    assert wg.allclose(b.weight.grad, second.weight.grad)
    assert wg.allclose(b.bias.grad, second.bias.grad)
