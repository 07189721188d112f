"""Numbers near 2**63 as sizes, steps and places: refused in words, or the result that they mean."""
import itertools
import os

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.optable.core_table import TABLE

F = {name: TABLE.ops[f"nn.functional.{name}"] for name in ("pad", "unfold", "fold")}
MOST, LEAST = 2**63 - 1, -(2**63)
HUGE = [2**61, 2**61 + 1, 2**62, 2**62 + 1, MOST - 1, MOST]
V, X = wg.tensor([0.0, 1, 2, 3]), wg.tensor([[0.0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])


@pytest.mark.parametrize("n", HUGE)
@pytest.mark.parametrize("call", [
    lambda n: V.repeat(n), lambda n: X.repeat(n, n), lambda n: X.repeat(1, n), lambda n: V.tile(n),
    lambda n: V.repeat(n, 1, n), lambda n: F["pad"](V, (n, 0)), lambda n: F["pad"](V, (n, n)),
    lambda n: F["pad"](X, (n, n, n, n)), lambda n: F["pad"](V, (n, -n, n, n)), lambda n: F["pad"](V, (-n, -n)),
    lambda n: F["pad"](V, (-n - 1, -n - 1)), lambda n: F["unfold"](wg.ones(1, 1, 4, 4), 2, padding=n),
    lambda n: wg.diag_embed(V, n), lambda n: wg.diag_embed(V, -n - 1), lambda n: wg.diagflat(X, n),
    lambda n: V.unfold(0, n, n), lambda n: V.unfold(0, n, 1), lambda n: wg.eye(n, n), lambda n: wg.linspace(0, 1, n),
    lambda n: V.repeat_interleave(n),
])  # fmt: skip
def test_a_size_that_does_not_fit_is_refused(call, n):
    with pytest.raises(RuntimeError):
        call(n)


@pytest.mark.parametrize("n", [LEAST, LEAST + 1, -1, -(2**40)])
def test_negative_repeats_are_refused(n):
    with pytest.raises(RuntimeError, match="negative dimension"):
        V.repeat(n)


@pytest.mark.parametrize("n", HUGE)
def test_steps_beyond_the_end_leave_one_element_and_a_stride_that_is_no_trap(n):
    for view, shape in ((V[::n], (1,)), (X[1:, ::n], (2, 1)), (V.unfold(0, 2, n), (1, 2)), (V.unfold(0, 1, n), (1, 1))):
        assert view.shape == shape
        assert min(view.stride()) >= 0
        assert view.tolist() == np.asarray(view.clone()).tolist()
        assert view.unsqueeze(0).squeeze(0).tolist() == view.tolist()


@pytest.mark.parametrize("n", [*HUGE, LEAST, LEAST + 1, -(2**62), 4, -3])
def test_diagonals_far_outside(n):
    array, near = X.numpy(), max(min(n, 10), -10)
    assert X.tril(n).tolist() == np.tril(array, near).tolist()
    assert X.triu(n).tolist() == np.triu(array, near).tolist()
    assert X.clone().tril_(n).tolist() == np.tril(array, near).tolist()
    assert wg.tril_indices(3, 4, n).tolist() == np.stack(np.tril_indices(3, near, 4)).tolist()
    assert wg.triu_indices(3, 4, n).tolist() == np.stack(np.triu_indices(3, near, 4)).tolist()


@pytest.mark.parametrize("n", HUGE)
def test_blocks_farther_apart_than_an_image_is_wide(n):
    image = wg.arange(16.0).reshape(1, 1, 4, 4)
    assert F["unfold"](image, 2, stride=n).tolist() == [[[0], [1], [4], [5]]]
    with pytest.raises(RuntimeError):
        F["unfold"](image, 2, dilation=n)


@pytest.mark.skipif(os.environ.get("WENGERT_KERNELS") == "python", reason="NumPy looks at each of 2**61 elements")
def test_an_expanded_dim_is_looked_at_once_where_that_is_enough():
    far = wg.tensor([True, False]).reshape(2, 1, 1).expand(2, 2**40, 2**20)
    assert far.all(1).shape == (2, 2**20)
    assert far[:, :, :4].any(1).tolist() == [[True] * 4, [False] * 4]


@pytest.mark.parametrize("shape", [(3, 4), (0, 4)])
def test_truth_of_expanded_dims(shape):
    few = wg.zeros(shape)[:, :1].expand(*shape)
    assert few.all(1).tolist() == np.zeros(shape).all(1).tolist()
    assert few.all().item() == (shape[0] == 0)
    assert few.any(0).tolist() == [False] * 4


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(("n", "r"), [(0, 1), (0, 3), (1, 1), (1, 5), (4, 1), (4, 2), (5, 3), (5, 5), (4, 6), (30, 28)])
def test_combinations_are_those_of_itertools(n, r, again):
    if again and n == 30:
        n = 5
    pick = itertools.combinations_with_replacement if again else itertools.combinations
    rows = [list(row) for row in pick(range(n), r)]
    found = wg.combinations(wg.arange(n), r, again)
    assert found.shape == (len(rows), r)
    assert found.tolist() == rows


@pytest.mark.parametrize(("n", "r", "again"), [
    (2**17, 2, False), (2**17, 2**30, True), (3, 2**62, True), (40, 20, False), (2, 2**40, True), (1, 2**62, True),
])  # fmt: skip
def test_combinations_beyond_memory_are_refused(n, r, again):
    with pytest.raises((RuntimeError, MemoryError)):
        wg.combinations(wg.arange(n), r, again)


def test_a_format_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="must be str, not tuple"):
        wg.Tensor.__format__(wg.ones(1), (1, 2))


class Endless:
    """A sequence that says it has very many items, and gives one for each index."""

    def __len__(self):
        return MOST

    def __getitem__(self, index):
        return 1


@pytest.mark.parametrize("data", [Endless(), [1.0, Endless()], (Endless(), 1.0), [[1.0, 2.0], Endless()]])
def test_sequences_that_are_too_long_to_be_read_are_refused(data):
    for call in (wg.tensor, wg.as_tensor):
        with pytest.raises(ValueError, match=r"at most 268435456 are read one by one|expected sequence of length"):
            call(data)


@pytest.mark.parametrize(("stride", "padding", "dilation"), [
    (2**61 + 1, 2**61 + 1, 2**61 + 1), (1, 2**31, 1), (2**31, 2**31, 2**31), (1, 2**62, 1), (1, 2**31, 2**30 + 1),
])  # fmt: skip
def test_convolutions_that_tables_do_not_reach_are_refused(stride, padding, dilation):
    with pytest.raises(RuntimeError):
        wg.conv2d(wg.ones(1, 4, 5, 4), wg.ones(4, 2, 3, 2), None, stride, padding, dilation, 2)


def test_steps_of_convolutions_that_none_is_made_of_may_be_huge():
    image, one, two = wg.arange(6.0).reshape(1, 1, 2, 3), wg.ones(1, 1, 1, 1), wg.ones(1, 1, 2, 2)
    assert wg.conv2d(image, one, None, 1, 0, 2**40).tolist() == image.tolist()
    assert wg.conv2d(image, one, None, 2**40).tolist() == [[[[0.0]]]]
    assert wg.conv2d(image, two, None, 2**62).tolist() == [[[[8.0]]]]


@pytest.mark.skipif(os.environ.get("WENGERT_KERNELS") == "python", reason="without a loop of ours it is refused")
def test_a_fill_of_an_expanded_dim_writes_once():
    one = wg.zeros(1)
    with pytest.warns(UserWarning, match="masked_fill_ on expanded tensors"):
        one.expand(3, 4).masked_fill_(wg.tensor([[False], [False], [True]]), 2.0)
    assert one.tolist() == [2.0]


@pytest.mark.parametrize("n", HUGE)
def test_views_of_nothing_have_strides_that_are_no_trap(n):
    view = wg.ones(2, 0).view(0, n)
    assert view.shape == (0, n)
    assert min(view.stride()) >= 0


@pytest.mark.parametrize("n", [3, 2**40, 2**60])
def test_slices_of_any_size_that_are_none_are_distinct(n):
    for shape, dim in (((0, n), 0), ((n, 0), 1)):
        found = wg.unique(V[:1].as_strided(shape, (1, 1)), return_inverse=True, return_counts=True, dim=dim)
        assert [part.shape for part in found] == [shape, (0,), (0,)]
        assert found[1].dtype is found[2].dtype is wg.int64


@pytest.mark.skipif(os.environ.get("WENGERT_KERNELS") == "python", reason="NumPy reads an expanded dim again and again")
def test_an_expanded_dim_is_read_once_where_to_read_it_again_changes_nothing():
    for dtype in (wg.float32, wg.int64, wg.bfloat16):
        endless = X.to(dtype).unsqueeze(2).expand(3, 4, 2**40)
        assert endless.max().item() == 11
        assert endless.amin((1, 2)).tolist() == [0, 4, 8]
        assert endless.amax(2).tolist() == X.tolist()


@pytest.mark.skipif(os.environ.get("WENGERT_KERNELS") == "python", reason="NumPy reads an expanded dim again and again")
@pytest.mark.parametrize("take", [
    lambda index: wg.take(X, index), lambda index: V.index_select(0, index), lambda index: V.gather(0, index),
    lambda index: V[index], lambda index: X.take_along_dim(index.unsqueeze(0), 1),
])  # fmt: skip
@pytest.mark.parametrize("entry", [3, 99])
def test_an_expanded_index_is_looked_at_once(take, entry):
    with pytest.raises((RuntimeError, IndexError, MemoryError)):
        take(wg.tensor([entry]).expand(2**40))
