"""Masks of all layouts, repeated indices, sums of 16 bits at positions, padding by the elements, windows of one row."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.drivers.copy.repeat_indices import repeat_indices
from wengert_core.drivers.copy.take_indices import take_indices

RANDOM = np.random.default_rng(5)
DTYPES = ["bool", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


def numbers(shape: Any, dtype: str) -> Any:
    return np.asarray(RANDOM.integers(0, 100, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_reading_at_a_mask_of_the_same_shape(share, dtype):
    for shape in ((0,), (7,), (3, 0), (4, 5, 6), (300, 211)):
        x, mask = numbers(shape, dtype), RANDOM.random(shape) < share
        np.testing.assert_array_equal(wc.tensor(x)[wc.tensor(mask)].numpy(), x[mask])


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("step", [1, 2])
def test_reading_and_writing_at_masks_of_other_layouts(order, step):
    x, mask = numbers((4, 6, 5), "float32"), RANDOM.random((4, 6, 5)) < 0.4
    for t_order, mask_order in ((order, (0, 1, 2)), ((0, 1, 2), order), (order, order)):
        laid = wc.tensor(np.ascontiguousarray(x.transpose(t_order))).permute(*np.argsort(t_order).tolist())
        where = wc.tensor(np.ascontiguousarray(mask.transpose(mask_order))).permute(*np.argsort(mask_order).tolist())
        laid, where, a, m = laid[:, ::step], where[:, ::step], x[:, ::step], mask[:, ::step]
        np.testing.assert_array_equal(laid[where].numpy(), a[m])
        expected = a.copy()
        expected[m] = np.arange(m.sum())
        changed = laid.clone()
        changed[where] = wc.arange(int(m.sum()), dtype=wc.float32)
        np.testing.assert_array_equal(changed.numpy(), expected)


def test_masks_of_some_dims():
    x = numbers((4, 6, 5), "float64")
    for dims in ((0,), (0, 1)):
        mask = RANDOM.random([x.shape[d] for d in dims]) < 0.5
        np.testing.assert_array_equal(wc.tensor(x)[wc.tensor(mask)].numpy(), x[mask])
    mask = RANDOM.random((6, 5)) < 0.5
    np.testing.assert_array_equal(wc.tensor(x)[:, wc.tensor(mask)].numpy(), x[:, mask])


# ---- repeated indices
@pytest.mark.native("calls the loop itself")
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_indices_as_often_as_counts_say(dtype):
    for counts in ([], [0], [3], [0, 2, 0, 1], RANDOM.integers(0, 4, 1000).tolist()):
        found = repeat_indices(wc.tensor(counts, dtype=getattr(wc, dtype)))
        np.testing.assert_array_equal(found.numpy(), np.arange(len(counts)).repeat(counts))
    assert repeat_indices(wc.tensor([4, 9, 1, 9], dtype=wc.int64)[::2]).tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("counts", [[1, -1], [2**62, 2**62], [1 << 40]])
def test_counts_that_are_left_to_others(counts):
    assert repeat_indices(wc.tensor(counts)) is None


def test_negative_counts_are_refused():
    with pytest.raises(RuntimeError, match="repeats can not be negative"):
        wc.repeat_interleave(wc.arange(2), wc.tensor([1, -1]))


# ---- sums of 16 bits
def add_at(x: Any, index: Any, source: Any) -> Any:
    """x[index] += source, one after the other, rounded each time."""
    x = x.copy()
    for at, value in zip(index, source, strict=True):
        x[at] = x[at] + value
    return x


@pytest.mark.native("NumPy's sums are rounded once")
@pytest.mark.parametrize("columns", [(), (1,), (7,), (8,), (35,)])
def test_float16_at_positions_is_rounded_each_time(columns):
    x, source = (RANDOM.normal(size=(n, *columns)).astype("float16") for n in (9, 200))
    x[0], source[3], source[4] = np.nan, np.inf, 6e-8
    index = RANDOM.integers(-9, 9, 200)
    expected = add_at(x, index, source)
    found = wc.tensor(x)
    found.index_put_((wc.tensor(index),), wc.tensor(source), accumulate=True)
    np.testing.assert_array_equal(found.numpy(), expected)
    found = wc.index_add(wc.tensor(x), 0, wc.tensor(index % 9), wc.tensor(source))
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.native("NumPy's sums are rounded once")
@pytest.mark.parametrize("columns", [(), (1,), (35,)])
def test_bfloat16_at_positions_is_rounded_each_time(columns):
    x, source = (wc.tensor(RANDOM.normal(size=(n, *columns))).to(wc.bfloat16) for n in (5, 60))
    index = RANDOM.integers(0, 5, 60)
    expected = x.clone()
    for at, value in zip(index.tolist(), source, strict=True):
        expected[at] = expected[at] + value
    found = wc.index_add(x, 0, wc.tensor(index), source)
    assert found.float().tolist() == expected.float().tolist()
    assert wc.index_put(x, (wc.tensor(index),), source, True).float().tolist() == expected.float().tolist()


@pytest.mark.native("NumPy keeps the bits of a NaN")
def test_the_bits_of_nan_in_sums_of_float16():
    x = wc.zeros(20, dtype=wc.int16).fill_(0x7D01).view(wc.float16)
    for index in (wc.zeros(1, dtype=wc.int64), wc.arange(20)):
        source = wc.ones(1, 20, dtype=wc.float16) if index.numel() == 1 else wc.ones(20, dtype=wc.float16)
        target = x[None] if index.numel() == 1 else x
        found = wc.index_add(target, 0, index, source).view(wc.int16).reshape(-1).tolist()
        assert found == [0x7E00] * 20


# ---- padding by the elements
@pytest.mark.parametrize("dtype", DTYPES[1:])  # PyTorch does not pad bool by its elements
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_padding_by_the_elements(mode, dtype):
    names = {"reflect": "reflect", "replicate": "edge"}
    for n, pads in ((1, (2, 1)), (2, (1, 2, 0, 3)), (3, (1, 1, 2, 0, 1, 2)), (2, (3, 0, 0, 0)), (2, (0, 0, 2, 1))):
        x = numbers((2, 3, 4, 5, 6)[: n + 2], dtype)
        pairs = [(0, 0)] * 2 + [pads[2 * d : 2 * d + 2] for d in range(n - 1, -1, -1)]
        found = wc.TABLE.ops["nn.functional.pad"](wc.tensor(x), pads, mode)
        np.testing.assert_array_equal(found.numpy(), np.pad(x, pairs, mode=names[mode]))


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_padding_that_cuts_or_is_large(mode):
    pad = wc.TABLE.ops["nn.functional.pad"]
    x = numbers((2, 3, 40, 50), "float32")
    for pads in ((-2, 3, 1, -4), (-1, -1, -1, -1), (30, 39, 20, 11)):
        index = [np.arange(-pads[2 * d], x.shape[-1 - d] + pads[2 * d + 1]) for d in (1, 0)]
        for d, n in enumerate((40, 50)):
            at = np.abs(index[d]) if mode == "reflect" else np.clip(index[d], 0, n - 1)
            index[d] = np.where(at < n, at, 2 * (n - 1) - at)
        expected = x[:, :, index[0][:, None], index[1]]
        np.testing.assert_array_equal(pad(wc.tensor(x), pads, mode).numpy(), expected)
    laid = wc.tensor(x).to(memory_format=wc.channels_last)
    found = pad(laid, (1, 1, 1, 1), mode)
    assert found.is_contiguous(memory_format=wc.channels_last)
    np.testing.assert_array_equal(found.numpy(), pad(wc.tensor(x), (1, 1, 1, 1), mode).numpy())


@pytest.mark.native("calls the loop itself")
def test_places_must_be_vectors_of_int64():
    with pytest.raises(RuntimeError, match="expected int64 vectors"):
        take_indices(wc.zeros(3, 4), [wc.zeros(2, dtype=wc.int32)])


# ---- windows of one row
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize(("kernel", "padding"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1)])
def test_the_largest_of_windows_of_one_row(kernel, padding, dilation):
    x = np.round(RANDOM.normal(size=(2, 3, 41)) * 3).astype("float32")
    x[RANDOM.random(x.shape) < 0.1] = np.nan
    values, indices = wc.TABLE.ops["max_pool1d_with_indices"](
        wc.tensor(x), (kernel,), (2,), (padding,), (dilation,), False
    )
    op = wc.TABLE.ops["max_pool2d_with_indices"]
    rows = np.concatenate([x[:, :, None], np.full_like(x, -np.inf)[:, :, None]], 2)
    more, places = op(wc.tensor(rows), (2, kernel), (2, 2), (0, padding), (1, dilation), False)
    np.testing.assert_array_equal(values.numpy(), more[:, :, 0].numpy())
    np.testing.assert_array_equal(indices.numpy(), places[:, :, 0].numpy())
