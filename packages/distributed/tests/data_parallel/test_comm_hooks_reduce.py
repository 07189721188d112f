"""Communication hooks: averages in other dtypes, by thin matrices, and what a hook has to return."""

from __future__ import annotations

import copy

import pytest
import wengert as wg
import wengert_distributed as dist
from wengert_distributed.comm_hooks import DDPCommHookType, register_ddp_comm_hook
from wengert_distributed.comm_hooks.debugging_hooks import noop_hook
from wengert_distributed.comm_hooks.default_hooks import (
    allreduce_hook,
    bf16_compress_hook,
    bf16_compress_wrapper,
    fp16_compress_hook,
    fp16_compress_wrapper,
)
from wengert_distributed.comm_hooks.power_sgd import PowerSGDState, batched_powerSGD_hook, orthogonalize, powerSGD_hook
from wengert_distributed.interface.future import Future
from wengert_distributed.parallel.buckets import GradBucket
from wengert_distributed.parallel.data_parallel import DistributedDataParallel
from wengert_distributed.parallel.gradients import DistributedGradients
from wengert_testing.sim_group import run_ranks


def average_by(hook, parts, state=None, as_views=True):
    """Return the gradient that each rank has from its part by a hook."""

    def average():
        weights = [wg.zeros_like(parts[0], requires_grad=True), wg.zeros(3, requires_grad=True)]
        DistributedGradients(weights, comm_hook=hook, comm_state=state, first_bucket_bytes=0, as_views=as_views)
        found = []
        for _ in range(2):
            for weight in weights:
                weight.grad = None
            ((weights[0] * parts[dist.get_rank()]).sum() + weights[1].sum() * (dist.get_rank() + 1)).backward()
            found.append(weights[0].grad.clone())
            assert weights[1].grad.tolist() == [sum(range(1, len(parts) + 1)) / len(parts)] * 3
        assert found[0].equal(found[1])
        return found[0]

    return run_ranks(len(parts), average, seed=1)


PARTS = wg.arange(24.0).view(2, 3, 4) * 0.37


@pytest.mark.parametrize("as_views", [True, False])
def test_allreduce_hook_averages_as_without_a_hook(as_views):
    for found in average_by(allreduce_hook, PARTS, as_views=as_views):
        assert found.equal((PARTS[0] + PARTS[1]) / 2)


@pytest.mark.parametrize(
    ("hook", "dtype"),
    [
        (fp16_compress_hook, wg.float16), (fp16_compress_wrapper(allreduce_hook), wg.float16),
        (bf16_compress_hook, wg.bfloat16), (bf16_compress_wrapper(allreduce_hook), wg.bfloat16),
    ],
    ids=["fp16", "fp16_wrapper", "bf16", "bf16_wrapper"],
)  # fmt: skip
def test_compressed_gradients_are_averaged_in_their_short_dtype(hook, dtype):
    expected = (PARTS.to(dtype).float().sum(0) / 2).to(dtype).float()
    for found in average_by(hook, PARTS):
        assert found.dtype == wg.float32
        assert found.equal(expected)


def test_noop_hook_leaves_gradients_as_they_are():
    def local():
        weight = wg.ones(1, requires_grad=True)
        DistributedGradients([weight], comm_hook=noop_hook)
        (weight * dist.get_rank()).sum().backward()
        return weight.grad.item()

    assert run_ranks(2, local) == [0, 1]


def test_a_hook_sees_buckets_in_order_and_may_return_another_tensor():
    def buckets_of_hook():
        weights = [wg.ones(2, requires_grad=True), wg.ones(3, requires_grad=True)]
        buckets = []

        def hook(state, bucket: GradBucket) -> Future:
            buckets.append((bucket.index(), bucket.is_last(), bucket.buffer().tolist(), len(bucket.parameters())))
            future = dist.all_reduce(bucket.buffer().clone(), group=state, async_op=True).get_future()
            return future.then(lambda done: done.value()[0] * 100)

        DistributedGradients(weights, comm_hook=hook, first_bucket_bytes=0)
        (weights[0].sum() * 2 + weights[1].sum()).backward()
        return buckets, [weight.grad.tolist() for weight in weights]

    buckets = [(0, False, [1, 1, 1], 1), (1, True, [2, 2], 1)]
    assert run_ranks(2, buckets_of_hook) == [(buckets, [[400] * 2, [200] * 3])] * 2


@pytest.fixture
def alone():
    dist.init_process_group("self")
    yield
    dist.destroy_process_group()


def future_of(value):
    future = Future()
    future.set_result(value)
    return future


@pytest.mark.parametrize(
    ("hook", "phrase"),
    [
        (lambda state, bucket: None, "must return a torch.futures.Future object, but got NoneType"),
        (lambda state, bucket: bucket.buffer(), "must return a torch.futures.Future object, but got torch.Tensor"),
        (lambda state, bucket: future_of(3), "flat tensor: bucket 0 has 2 elements, but got int"),
        (lambda state, bucket: future_of(bucket.buffer()[:1]), r"bucket 0 has 2 elements, but got shape \(1,\)"),
    ],
)
def test_results_of_hooks_that_are_no_reduced_gradients_are_refused(alone, hook, phrase):
    weight = wg.ones(2, requires_grad=True)
    DistributedGradients([weight], comm_hook=hook)
    with pytest.raises(RuntimeError, match=phrase):
        weight.sum().backward()


def test_an_exception_in_a_hook_ends_backward(alone):
    def hook(state, bucket):
        raise LookupError("no route")

    weight = wg.ones(2, requires_grad=True)
    DistributedGradients([weight], comm_hook=hook)
    with pytest.raises(LookupError, match="no route"):
        weight.sum().backward()


def test_a_module_has_one_hook(alone):
    model = DistributedDataParallel(wg.nn.Linear(1, 1))
    model.register_comm_hook(None, allreduce_hook)
    with pytest.raises(RuntimeError, match="can only be called once"):
        model.register_comm_hook(None, allreduce_hook)


def test_annotations_of_a_hook_are_checked(alone):
    def wrong_bucket(state, bucket: int):
        pass

    def wrong_result(state, bucket) -> int:
        pass

    model = DistributedDataParallel(wg.nn.Linear(1, 1))
    for hook, phrase in ((wrong_bucket, "bucket annotation"), (wrong_result, "return annotation")):
        with pytest.raises(ValueError, match=phrase):
            model.register_comm_hook(None, hook)


@pytest.mark.parametrize("kind", list(DDPCommHookType), ids=lambda kind: kind.name)
def test_every_named_hook_can_be_registered(alone, kind):
    model = DistributedDataParallel(wg.nn.Linear(2, 1))
    register_ddp_comm_hook(kind, model, None)
    model(wg.ones(1, 2)).sum().backward()
    assert model.module.weight.grad.tolist() == [[1, 1]]


# ---- PowerSGD


def test_columns_are_made_orthonormal():
    for rank in (1, 2, 4):
        matrix = wg.randn(6, rank, dtype=wg.float64)
        orthogonalize(matrix, 0)
        wg.testing.assert_close(matrix.t() @ matrix, wg.eye(rank, dtype=wg.float64))
    zeros = wg.zeros(3, 2)
    orthogonalize(zeros, 0)
    assert zeros.equal(wg.zeros(3, 2))


def power_sgd_gradients(hook, parts, steps, **options):
    """Return the gradients of some steps by PowerSGD, on each rank, and how much smaller they were."""

    def train():
        weights = [wg.zeros_like(parts[0], requires_grad=True), wg.zeros(2, dtype=parts.dtype, requires_grad=True)]
        state = PowerSGDState(None, start_powerSGD_iter=2, **options)
        DistributedGradients(weights, comm_hook=hook, comm_state=state)
        found = []
        for _ in range(steps):
            for weight in weights:
                weight.grad = None
            ((weights[0] * parts[dist.get_rank()]).sum() + weights[1].sum()).backward()
            found.append(weights[0].grad.clone())
            assert hook is batched_powerSGD_hook or weights[1].grad.tolist() == [1, 1]
        return found, state.compression_stats()[0]

    return run_ranks(len(parts), train, seed=2)


def test_power_sgd_is_exact_for_gradients_whose_average_has_the_rank_of_the_approximation():
    wg.manual_seed(1)
    parts = wg.randn(2, 1, 12, dtype=wg.float64) * wg.randn(12, 1, dtype=wg.float64)
    expected = parts.mean(0)
    results = power_sgd_gradients(powerSGD_hook, parts, 4)
    for found, rate in results:
        assert rate == pytest.approx(146 / 26)
        for gradient in found:
            wg.testing.assert_close(gradient, expected)
        assert all(one.equal(other) for one, other in zip(found, results[0][0], strict=True))


@pytest.mark.parametrize("hook", [powerSGD_hook, batched_powerSGD_hook])
@pytest.mark.parametrize("warm_start", [True, False])
def test_error_feedback_gives_back_what_the_compression_lost(hook, warm_start):
    wg.manual_seed(2)
    parts = wg.randn(3, 8, 8, dtype=wg.float64)
    expected = parts.mean(0)
    results = power_sgd_gradients(hook, parts, 60, warm_start=warm_start, matrix_approximation_rank=1)
    for found, _ in results:
        assert found[1].allclose(expected)
        assert not found[2].allclose(expected, atol=1e-3)
        assert (sum(found[2:]) / 58 - expected).norm() < 0.15 * expected.norm()
        assert all(one.equal(other) for one, other in zip(found, results[0][0], strict=True))


def test_power_sgd_trains_a_module_with_small_layers_uncompressed():
    module = wg.nn.Sequential(wg.nn.Linear(16, 16), wg.nn.Tanh(), wg.nn.Linear(16, 1))
    batch = wg.randn(8, 16)

    def train():
        model = DistributedDataParallel(copy.deepcopy(module))
        model.register_comm_hook(PowerSGDState(None, 2, 2), powerSGD_hook)
        optimizer = wg.optim.SGD(model.parameters(), lr=0.05)
        losses = []
        for _ in range(30):
            optimizer.zero_grad()
            loss = ((model(batch.chunk(2)[dist.get_rank()]) - 1) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses, [parameter.detach() for parameter in model.parameters()]

    (losses, first), (_, second) = run_ranks(2, train, seed=3)
    assert losses[-1] < 0.3 * losses[0]
    assert all(one.equal(other) for one, other in zip(first, second, strict=True))


def test_compression_begins_after_the_buckets_are_final():
    with pytest.raises(ValueError, match="Expect `start_powerSGD_iter` > 1"):
        PowerSGDState(None, start_powerSGD_iter=1)
    PowerSGDState(None, start_powerSGD_iter=0, use_error_feedback=False, warm_start=False)
