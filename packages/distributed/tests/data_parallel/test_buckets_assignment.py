"""Buckets: which parameters share one, in which order, and the views of their gradients."""

from __future__ import annotations

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_distributed.parallel.buckets import (
    Bucket,
    GradBucket,
    assign_to_buckets,
    check_bucket_bytes,
    is_dense,
    view_like,
)

DTYPES = (wg.float32, wg.float64, wg.bfloat16, wg.complex64)


def test_a_bucket_is_closed_by_the_parameter_that_reaches_its_limit():
    parameters = [wg.ones(size) for size in (10, 1, 2, 3)]
    assert assign_to_buckets(parameters, [3, 2, 1, 0], [12, 12]) == [[3], [2, 1], [0]]


def test_the_last_limit_holds_for_all_further_buckets():
    parameters = [wg.ones(1) for _ in range(5)]
    assert assign_to_buckets(parameters, range(5), [4, 8]) == [[0], [1, 2], [3, 4]]


def test_buckets_of_several_dtypes_are_in_the_order_in_which_they_are_full():
    parameters = [wg.ones(2), wg.ones(2, dtype=wg.float64), wg.ones(2), wg.ones(2, dtype=wg.float64)]
    assert assign_to_buckets(parameters, [0, 1, 2, 3], [1000]) == [[0, 2], [1, 3]]
    assert assign_to_buckets(parameters, [0, 1, 2, 3], [16]) == [[1], [0, 2], [3]]


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_every_parameter_is_in_one_bucket_with_others_of_its_dtype_below_the_limit(data):
    sizes = data.draw(st.lists(st.integers(0, 30), min_size=1, max_size=12))
    parameters = [wg.ones(size, dtype=data.draw(st.sampled_from(DTYPES))) for size in sizes]
    limits = data.draw(st.lists(st.integers(0, 200), min_size=1, max_size=3))
    order = data.draw(st.permutations(range(len(sizes))))
    buckets = assign_to_buckets(parameters, order, limits)
    assert sorted(number for bucket in buckets for number in bucket) == list(range(len(sizes)))
    for bucket in buckets:
        assert len({parameters[number].dtype for number in bucket}) == 1
        assert bucket == sorted(bucket, key=list(order).index)
        before_last = sum(parameters[number].numel() * parameters[number].element_size() for number in bucket[:-1])
        assert len(bucket) == 1 or before_last < max(limits)


def test_gradients_are_views_of_flat_memory_with_the_strides_of_their_parameters():
    parameters = [wg.ones(2, 3), wg.ones(4, 5).t(), wg.ones(6)[::2]]
    bucket = Bucket(0, [0, 1, 2], parameters)
    bucket.flat.copy_(wg.arange(29.0))
    assert [tuple(view.shape) for view in bucket.views] == [(2, 3), (5, 4), (3,)]
    assert bucket.views[1].stride() == parameters[1].stride()
    assert bucket.views[2].stride() == (1,)
    bucket.views[1].fill_(-1)
    assert bucket.flat.tolist() == [0, 1, 2, 3, 4, 5] + [-1] * 20 + [26, 27, 28]


@pytest.mark.parametrize(
    ("tensor", "dense"),
    [(wg.ones(2, 3), True), (wg.ones(2, 3).t(), True), (wg.ones(4)[::2], False), (wg.ones(1).expand(3), False),
     (wg.ones(()), True), (wg.ones(2, 1, 3).transpose(0, 1), True)],
)  # fmt: skip
def test_dense_tensors_fill_a_stretch_of_memory(tensor, dense):
    assert is_dense(tensor) is dense


def test_a_view_has_the_shape_of_its_parameter():
    assert view_like(wg.arange(10.0), 4, wg.ones(2, 3)).tolist() == [[4, 5, 6], [7, 8, 9]]


@pytest.mark.parametrize(
    ("value", "error"),
    [("1", TypeError), (True, TypeError), (None, TypeError), (-1, ValueError), (float("nan"), ValueError)],
)
def test_sizes_of_buckets_that_are_no_number_of_bytes_are_refused(value, error):
    with pytest.raises(error, match="bucket_bytes"):
        check_bucket_bytes("bucket_bytes", value)


def test_a_hook_may_replace_the_buffer_of_a_bucket():
    bucket = GradBucket(Bucket(1, [0, 1], [wg.ones(2, 2), wg.ones(1)]), 2)
    assert (bucket.index(), bucket.is_last(), len(bucket.parameters())) == (1, True, 2)
    bucket.set_buffer(wg.arange(5).to(wg.float16))
    assert [gradient.tolist() for gradient in bucket.gradients()] == [[[0, 1], [2, 3]], [4]]
    assert bucket.buffer().dtype == wg.float16
