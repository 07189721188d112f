"""Data parallel training on a GPU by NCCL, a world of one rank whose buckets are reduced by a hook. Skipped without."""

from __future__ import annotations

import copy

import pytest
import wengert as wg
import wengert_distributed as dist
from wengert_distributed.backends.nccl import NcclGroup
from wengert_distributed.comm_hooks.default_hooks import allreduce_hook, fp16_compress_hook
from wengert_distributed.comm_hooks.power_sgd import PowerSGDState, powerSGD_hook
from wengert_distributed.optim import ZeroRedundancyOptimizer
from wengert_distributed.parallel.data_parallel import DistributedDataParallel


def missing() -> str:
    """Return the reason why NCCL cannot be used here, "" where it can."""
    try:
        return "" if NcclGroup.is_available() else "no GPU"
    except Exception as error:
        return f"CuPy's NCCL cannot be imported: {error}"


WHY = missing()
pytestmark = pytest.mark.skipif(bool(WHY), reason=f"needs a GPU and NCCL: {WHY}")


@pytest.fixture
def world():
    dist.init_process_group("nccl", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.parametrize("as_views", [True, False])
@pytest.mark.parametrize(
    ("hook", "tolerance"), [(None, 0), (allreduce_hook, 1e-6), (fp16_compress_hook, 1e-3), (powerSGD_hook, 10)]
)
def test_gradients_on_a_gpu_are_those_without_buckets(world, hook, tolerance, as_views):
    module = wg.nn.Sequential(wg.nn.Linear(16, 16), wg.nn.Tanh(), wg.nn.Linear(16, 4)).to("cuda")
    model = DistributedDataParallel(copy.deepcopy(module), device_ids=[0], gradient_as_bucket_view=as_views)
    if hook is not None:
        model.register_comm_hook(PowerSGDState(None, 1, 2) if hook is powerSGD_hook else None, hook)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), wg.optim.Adam, lr=0)
    batch = wg.randn(8, 16)  # device_ids moves it
    for _ in range(4):
        optimizer.zero_grad()
        model(batch).pow(2).mean().backward()
        optimizer.step()
    module(batch.to("cuda")).pow(2).mean().backward()
    for one, other in zip(model.parameters(), module.parameters(), strict=True):
        assert one.grad.device.type == "cuda"
        wg.testing.assert_close(one.grad, other.grad, rtol=tolerance, atol=tolerance)
