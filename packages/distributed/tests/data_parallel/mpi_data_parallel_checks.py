"""Checks of data parallel training that run on every rank under mpiexec."""

from __future__ import annotations

import copy

import wengert as wg
import wengert_distributed as dist
from data_parallel_models import WIDTH, assert_close, build, gradients_of, gradients_of_whole_batch, mean_loss
from wengert_distributed.comm_hooks.default_hooks import bf16_compress_hook, fp16_compress_hook
from wengert_distributed.comm_hooks.power_sgd import PowerSGDState, powerSGD_hook
from wengert_distributed.optim import ZeroRedundancyOptimizer
from wengert_distributed.parallel.data_parallel import DistributedDataParallel
from wengert_distributed.parallel.gradients import DistributedGradients


def own_index():
    """Return the rank of this process and the number of them, of a group that the first check makes."""
    if not dist.is_initialized():
        dist.init_process_group("mpi")
    return dist.get_rank(), dist.get_world_size()


def check_gradients_are_those_of_the_whole_batch():
    rank, ranks = own_index()
    for number, first in enumerate((0, 100, 10_000)):
        wg.manual_seed(number)
        module = build(["linear", "tanh", ["norm", "shared", "bias"], "shared", "linear"])
        own = copy.deepcopy(module)
        DistributedGradients(own.named_parameters(), first_bucket_bytes=first, bucket_bytes=200)
        for batch in wg.randn(4, 2 * ranks, WIDTH, dtype=wg.float64):
            own.zero_grad()
            mean_loss(own, batch.chunk(ranks)[rank]).backward()
            assert_close(gradients_of(own), gradients_of_whole_batch(module, batch))


def check_large_buckets_of_short_dtypes_are_averaged():
    rank, ranks = own_index()
    for dtype in (wg.float32, wg.bfloat16, wg.float16, wg.complex64):
        weights = [wg.zeros(50_000, dtype=dtype, requires_grad=True) for _ in range(6)]
        DistributedGradients(weights, first_bucket_bytes=0, bucket_bytes=200_000)
        for _ in range(2):
            for weight in weights:
                weight.grad = None
            outputs = [weight * (rank + number) for number, weight in enumerate(weights)]
            wg.autograd.backward(outputs, [wg.ones_like(output) for output in outputs])
            for number, weight in enumerate(weights):
                assert weight.grad.equal(wg.full_like(weight, number + (ranks - 1) / 2))


def check_ranks_use_different_parameters():
    rank, ranks = own_index()
    weights = [wg.ones(3, requires_grad=True) for _ in range(ranks + 1)]
    DistributedGradients(weights, find_unused=True, first_bucket_bytes=0)
    for _ in range(3):
        (weights[rank] * ranks).sum().backward()
        assert [weight.grad.tolist() for weight in weights[:-1]] == [[1.0] * 3] * ranks
        assert weights[-1].grad is None
        for weight in weights:
            weight.grad = None


def check_hooks_compress():
    rank, ranks = own_index()
    state = PowerSGDState(None, start_powerSGD_iter=2)
    for hook, hook_state, rtol in (
        (fp16_compress_hook, None, 1e-3), (bf16_compress_hook, None, 1e-2), (powerSGD_hook, state, 1),
    ):  # fmt: skip
        wg.manual_seed(0)
        module = wg.nn.Sequential(wg.nn.Linear(16, 16), wg.nn.Tanh(), wg.nn.Linear(16, 16))
        model = DistributedDataParallel(copy.deepcopy(module))
        model.register_comm_hook(hook_state, hook)
        for _ in range(4):
            batch = wg.randn(2 * ranks, 16)
            model.zero_grad()
            mean_loss(model, batch.chunk(ranks)[rank]).backward()
            assert_close(gradients_of(model.module), gradients_of_whole_batch(module, batch), rtol=rtol)


def check_optimizer_state_is_divided():
    rank, ranks = own_index()
    wg.manual_seed(0)
    module = build(["linear", "norm"])
    alone, own = copy.deepcopy(module), copy.deepcopy(module)
    model = DistributedDataParallel(own, gradient_as_bucket_view=True)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), wg.optim.Adam, lr=0.1)
    whole = wg.optim.Adam(alone.parameters(), lr=0.1)
    for batch in wg.randn(3, 2 * ranks, WIDTH, dtype=wg.float64):
        for one, trained, part in ((optimizer, model, batch.chunk(ranks)[rank]), (whole, alone, batch)):
            one.zero_grad()
            mean_loss(trained, part).backward()
            one.step()
    assert_close([p.detach() for p in own.parameters()], [p.detach() for p in alone.parameters()], rtol=1e-8)
    optimizer.consolidate_state_dict(to=ranks - 1)
    if rank == ranks - 1:
        assert list(optimizer.state_dict()["state"]) == list(range(len(list(own.parameters()))))
