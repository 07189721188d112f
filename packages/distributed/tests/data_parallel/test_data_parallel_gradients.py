"""DistributedGradients: gradients of several ranks are those that one process computes from the whole batch."""

from __future__ import annotations

import copy

import pytest
import wengert as wg
import wengert_distributed as dist
from data_parallel_models import (
    WIDTH,
    assert_close,
    build,
    gradients_of,
    gradients_of_whole_batch,
    mean_loss,
    trees,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_distributed.comm_hooks.default_hooks import allreduce_hook
from wengert_distributed.parallel.gradients import DistributedGradients
from wengert_testing.sim_group import run_ranks


def own_part(batch):
    return batch.chunk(dist.get_world_size())[dist.get_rank()]


def leaf(*values, **options):
    return wg.tensor(values, requires_grad=True, **options)


@settings(deadline=None, max_examples=15)
@given(tree=trees(), ranks=st.integers(2, 4), bytes_=st.integers(0, 600), first=st.integers(0, 300),
       as_views=st.booleans(), static=st.booleans(), seed=st.integers(0, 2**16))  # fmt: skip
def test_gradients_are_the_mean_over_the_whole_batch(tree, ranks, bytes_, first, as_views, static, seed):
    wg.manual_seed(seed)
    model = build(tree)
    batches = wg.randn(3, 2 * ranks, WIDTH, dtype=wg.float64)

    def steps():
        own = copy.deepcopy(model)
        gradients = DistributedGradients(own.named_parameters(), bucket_bytes=bytes_, first_bucket_bytes=first,
                                         as_views=as_views, static_graph=static)  # fmt: skip
        found = []
        for number, batch in enumerate(batches):
            own.zero_grad(set_to_none=number != 1)
            mean_loss(own, own_part(batch)).backward()
            found.append(gradients_of(own))
        return found, gradients.buckets

    results = run_ranks(ranks, steps, seed=seed)
    for found, buckets in results:
        assert buckets == results[0][1]
        for one, batch in zip(found, batches, strict=True):
            assert_close(one, gradients_of_whole_batch(model, batch))


def test_training_on_three_ranks_gives_the_parameters_of_one_process():
    wg.manual_seed(0)
    model = build(["linear", "tanh", ["norm", "shared"], "shared"])
    batches = wg.randn(5, 6, WIDTH, dtype=wg.float64)

    def train(part):
        own = copy.deepcopy(model)
        if part is own_part:
            DistributedGradients(own.parameters(), first_bucket_bytes=0)
        optimizer = wg.optim.SGD(own.parameters(), lr=0.1, momentum=0.9)
        for batch in batches:
            optimizer.zero_grad()
            mean_loss(own, part(batch)).backward()
            optimizer.step()
        return [parameter.detach() for parameter in own.parameters()]

    expected = train(lambda batch: batch)
    for found in run_ranks(3, train, own_part, seed=1):
        assert_close(found, expected)


def test_ranks_begin_with_the_values_of_rank_0():
    def values():
        weight, bias = leaf(float(dist.get_rank())), leaf(dist.get_rank() + 10.0, dtype=wg.float64)
        counter = wg.tensor([dist.get_rank() + 7])
        DistributedGradients([weight, bias], buffers=[counter])
        return weight.item(), bias.item(), counter.item()

    assert run_ranks(3, values) == [(0, 10, 7)] * 3


def test_ranks_keep_their_values_without_a_broadcast():
    def values():
        weight = leaf(float(dist.get_rank()))
        DistributedGradients([weight], broadcast=False)
        return weight.item()

    assert run_ranks(2, values) == [0, 1]


def test_the_average_is_the_sum_divided_once():
    parts = wg.tensor([[0.1, 1e8, 3.0], [0.2, 1.0, 1e-30]])

    def average():
        weight = wg.zeros(3, requires_grad=True)
        DistributedGradients([weight])
        (weight * parts[dist.get_rank()]).sum().backward()
        return weight.grad

    expected = (parts[0] + parts[1]) / 2
    assert all(found.equal(expected) for found in run_ranks(2, average))


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
def test_the_average_of_a_short_dtype_is_rounded_once(dtype):
    parts = (wg.arange(12.0).view(3, 4) * 0.37 + 1000).to(dtype)

    def average():
        weight = wg.zeros(4, dtype=dtype, requires_grad=True)
        DistributedGradients([weight])
        (weight * parts[dist.get_rank()]).sum().backward()
        return weight.grad

    expected = (parts.float().sum(0) / 3).to(dtype)
    assert all(found.equal(expected) for found in run_ranks(3, average))


def test_the_sum_is_not_divided():
    def total():
        weight = leaf(1.0)
        DistributedGradients([weight], average=False)
        (weight * (dist.get_rank() + 1)).sum().backward()
        return weight.grad.item()

    assert run_ranks(3, total) == [6, 6, 6]


def test_parameters_of_several_dtypes_are_reduced_together():
    dtypes = (wg.float32, wg.float64, wg.complex64, wg.bfloat16, wg.float16, wg.complex128)

    def average():
        weights = [wg.ones(2, 3, dtype=dtype, requires_grad=True) for dtype in dtypes]
        gradients = DistributedGradients(weights)
        sum((weight * (dist.get_rank() + 1)).abs().sum().float() for weight in weights).backward()
        return [weight.grad.clone() for weight in weights], len(gradients.buckets)

    for found, buckets in run_ranks(2, average):
        assert buckets == len(dtypes)
        assert [grad.dtype for grad in found] == list(dtypes)
        assert all(wg.equal(grad, wg.full((2, 3), 1.5, dtype=grad.dtype)) for grad in found)


def test_gradients_are_views_of_buckets_and_are_apart_on_request():
    def memory(as_views):
        weights = [wg.ones(3, requires_grad=True), wg.ones(2, requires_grad=True)]
        DistributedGradients(weights, as_views=as_views)
        sum(weight.sum() for weight in weights).backward()
        return weights[0].grad.data_ptr() - weights[1].grad.data_ptr()

    assert run_ranks(2, memory, True) == [8, 8]
    assert all(abs(distance) > 8 for distance in run_ranks(2, memory, False))


def test_gradients_apart_from_buckets_survive_the_next_step():
    def first_gradient():
        weight = leaf(1.0)
        DistributedGradients([weight], as_views=False)
        (weight * (dist.get_rank() + 1)).sum().backward()
        before, weight.grad = weight.grad, None
        (weight * 7).sum().backward()
        return before.item(), weight.grad.item()

    assert run_ranks(2, first_gradient) == [(1.5, 7)] * 2


def test_gradients_accumulate_without_communication_inside_no_sync():
    def accumulate(as_views):
        weight = leaf(1.0)
        gradients = DistributedGradients([weight], as_views=as_views)
        rank = dist.get_rank()
        found = []
        for _ in range(2):
            weight.grad = None
            with gradients.no_sync():
                (weight * (rank + 1)).sum().backward()
                (weight * (rank + 1)).sum().backward()
            found.append(weight.grad.item())
            (weight * 10 * rank).sum().backward()
            found.append(weight.grad.item())
        return found

    for as_views in (True, False):
        assert run_ranks(2, accumulate, as_views, seed=3) == [[2, 8, 2, 8], [4, 8, 4, 8]]


def test_gradients_that_are_not_reset_accumulate_their_averages():
    def accumulate():
        weight = leaf(1.0)
        DistributedGradients([weight])
        for _ in range(3):
            (weight * dist.get_rank()).sum().backward()
        return weight.grad.item()

    assert run_ranks(2, accumulate) == [1.5, 1.5]


def test_buckets_are_made_anew_in_the_order_in_which_gradients_arrive_on_rank_0():
    def buckets():
        weights = {name: leaf(1.0) for name in "abcd"}
        gradients = DistributedGradients(weights.items(), bucket_bytes=8, first_bucket_bytes=4)
        before = gradients.buckets
        order = "bdca" if dist.get_rank() == 0 else "acdb"
        x = leaf(1.0)
        for name in order:
            x = x * weights[name]
        x.sum().backward()
        values = [weight.grad.item() for weight in weights.values()]
        x = leaf(2.0 * dist.get_rank())
        for name in order:
            x = x * weights[name]
        for weight in weights.values():
            weight.grad = None
        x.sum().backward()
        return before, gradients.buckets, values, [weight.grad.item() for weight in weights.values()]

    for before, after, first, second in run_ranks(2, buckets, seed=5):
        assert before == [["d"], ["c", "b"], ["a"]]
        assert after == [["a"], ["c", "d"], ["b"]]
        assert (first, second) == ([1] * 4, [1] * 4)


def test_a_group_of_one_rank_installs_no_hooks():
    dist.init_process_group("self")
    try:
        weight = leaf(1.0)
        gradients = DistributedGradients([weight])
        with gradients.no_sync():
            (weight * 3).sum().backward()
        assert (weight.grad.item(), gradients.buckets) == (3, [])
        assert not weight._post_accumulate_grad_hooks
    finally:
        dist.destroy_process_group()


def test_gradients_are_local_again_after_remove():
    def local():
        weight = leaf(1.0)
        gradients = DistributedGradients([weight])
        gradients.remove()
        (weight * dist.get_rank()).sum().backward()
        return weight.grad.item()

    assert run_ranks(2, local) == [0, 1]


def test_a_group_of_some_ranks_averages_over_them():
    def average():
        group = dist.new_group([0, 2])
        if dist.get_rank() == 1:
            return None
        weight = leaf(1.0)
        DistributedGradients([weight], group)
        (weight * dist.get_rank()).sum().backward()
        return weight.grad.item()

    assert run_ranks(3, average) == [1, None, 1]


def test_sparse_gradients_are_added_over_the_ranks():
    table = wg.arange(10.0, dtype=wg.float64).view(5, 2)

    def average():
        weight = table.clone().requires_grad_()
        scale = wg.ones(2, dtype=wg.float64, requires_grad=True)
        DistributedGradients([weight, scale], sparse=[weight])
        rows = wg.tensor([[0, 2, 2], [2, 4, 0]][dist.get_rank()])
        found = []
        for _ in range(2):
            weight.grad = scale.grad = None
            (wg.nn.functional.embedding(rows, weight, sparse=True) * scale * (dist.get_rank() + 1)).sum().backward()
            found += [weight.grad, scale.grad.clone()]
        return found

    for found in run_ranks(2, average, seed=2):
        for sparse, dense in (found[:2], found[2:]):
            assert (sparse.is_sparse, sparse.is_coalesced(), sparse.indices().tolist()) == (True, True, [[0, 2, 4]])
            assert sparse.to_dense()[:, 0].tolist() == [1.5, 0, 2, 0, 1]
            assert dense.tolist() == [(8 + 2 * 12) / 2, (11 + 2 * 15) / 2]


def test_a_graph_of_gradients_is_warned_about_and_not_kept():
    dist.init_process_group("self")
    try:
        weight = leaf(2.0)
        DistributedGradients([weight], comm_hook=allreduce_hook)
        with pytest.warns(UserWarning, match="create_graph"):
            (weight**3).sum().backward(create_graph=True)
        assert (weight.grad.item(), weight.grad.requires_grad) == (12, False)
    finally:
        dist.destroy_process_group()


def test_buckets_are_reduced_while_backward_still_computes_other_gradients(monkeypatch):
    def events():
        log = []
        weights = [leaf(2.0) for _ in range(4)]
        for number, weight in enumerate(weights):
            weight.register_hook(lambda grad, number=number: log.append(number))
        gradients = DistributedGradients(weights, first_bucket_bytes=0, bucket_bytes=0)
        launch = gradients._reducer.launch
        monkeypatch.setattr(gradients._reducer, "launch", lambda bucket: (log.append("launch"), launch(bucket)))
        x = leaf(1.0)
        for weight in weights:
            x = (x * weight).sin()
        x.sum().backward()
        return log

    assert run_ranks(2, events) == [[3, "launch", 2, "launch", 1, "launch", 0]] * 2


BAD_CALLS = [
    (lambda w: DistributedGradients(w), TypeError, "iterable of tensors, but got one tensor"),
    (lambda w: DistributedGradients([]), ValueError, "empty parameter list"),
    (lambda w: DistributedGradients([3]), TypeError, "0 is int"),
    (lambda w: DistributedGradients([w, w]), ValueError, "in the list twice"),
    (lambda w: DistributedGradients([w.detach()]), RuntimeError, "parameter 0 has to be a leaf that requires grad"),
    (lambda w: DistributedGradients([("a", w * 2)]), RuntimeError, "parameter a has to be a leaf"),
    (lambda w: DistributedGradients([w], 3), ValueError, "Process group 3"),
    (lambda w: DistributedGradients([w], bucket_bytes=-1), ValueError, "bucket_bytes has to be at least 0"),
    (lambda w: DistributedGradients([w], first_bucket_bytes="1"), TypeError, "first_bucket_bytes has to be a number"),
    (lambda w: DistributedGradients([w], sparse=[w.detach()]), ValueError, "sparse has to name tensors"),
    (lambda w: DistributedGradients([w], comm_hook=3), TypeError, "must be callable"),
]


@pytest.mark.parametrize(("call", "error", "phrase"), BAD_CALLS)
def test_bad_arguments_are_refused(call, error, phrase):
    dist.init_process_group("self")
    try:
        with pytest.raises(error, match=phrase):
            call(leaf(1.0))
    finally:
        dist.destroy_process_group()


def test_gradients_need_a_process_group():
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        DistributedGradients([leaf(1.0)])
