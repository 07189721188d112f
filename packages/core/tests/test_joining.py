"""cat, stack, repeat and kin: recorded PyTorch results, and NumPy's on random shapes and layouts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array

from .recorded_networks import check_fact, load

SETUP, FACTS = load("copy")
DTYPES = ("bool", "uint8", "int16", "int32", "int64", "float16", "float32", "complex128", "uint16", "uint64")


@pytest.mark.parametrize(("code", "want"), FACTS, ids=[code for code, _ in FACTS])
def test_same_as_recorded(code: str, want: dict[str, Any]) -> None:
    check_fact(code, SETUP, want)


def part(shape: list[int], dtype: str, rng: random.Random) -> np.ndarray[Any, Any]:
    """Numbers in one of three memory layouts."""
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    layout = rng.randrange(3)
    if layout == 1:
        return np.ascontiguousarray(array.T).T
    return np.repeat(array, 2, -1)[..., ::2] if layout == 2 else array


@pytest.mark.parametrize("dtype", DTYPES)
def test_cat_and_stack_are_numpys(dtype: str) -> None:
    rng = random.Random(2)
    for _ in range(60):
        ndim = rng.randrange(1, 5)
        shape, dim = [rng.choice([1, 2, 3, 17]) for _ in range(ndim)], rng.randrange(ndim)
        sizes = [rng.choice([0, 1, 2, 20]) for _ in range(rng.randrange(1, 5))]
        arrays = [part([*shape[:dim], n, *shape[dim + 1 :]], dtype, rng) for n in sizes]
        got = to_array(wg.cat([from_array(a) for a in arrays], rng.choice([dim, dim - ndim])))
        np.testing.assert_array_equal(got, np.concatenate(arrays, dim), strict=True)
        same = [part(shape, dtype, rng) for _ in sizes]
        for new in range(ndim + 1):
            got = to_array(wg.stack(tuple(from_array(a) for a in same), new))
            np.testing.assert_array_equal(got, np.stack(same, new), strict=True)


def test_cat_converts_to_the_common_dtype() -> None:
    mixed = [wg.tensor([True, False]), wg.tensor([3], dtype=wg.uint8), wg.tensor([1.5], dtype=wg.bfloat16)]
    got = wg.cat(mixed)
    assert got.dtype is wg.bfloat16
    assert got.tolist() == [1.0, 0.0, 3.0, 1.5]
    assert wg.stack([wg.tensor(1), wg.tensor(2.5)]).tolist() == [1.0, 2.5]


def test_cat_of_many_large_tensors() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((50, 700)) for _ in range(3)]
    for dim in (0, 1):
        got = to_array(wg.cat([from_array(a) for a in arrays], dim))
        np.testing.assert_array_equal(got, np.concatenate(arrays, dim))


def test_cat_copies_even_one_tensor() -> None:
    one = wg.zeros(2)
    joined = wg.cat([one])
    joined.fill_(1.0)
    assert one.tolist() == [0.0, 0.0]


def test_out_may_be_a_part() -> None:
    x = wg.arange(6.0)
    wg.cat([x[:1], x[1:2]], out=x[4:])
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 0.0, 1.0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_repeat_is_numpys_tile(dtype: str) -> None:
    rng = random.Random(3)
    for _ in range(60):
        ndim = rng.randrange(1, 4)
        array = part([rng.choice([1, 2, 3]) for _ in range(ndim)], dtype, rng)
        counts = [rng.choice([0, 1, 1, 2, 3]) for _ in range(ndim + rng.randrange(3))]
        got = to_array(from_array(array).repeat(*counts))
        np.testing.assert_array_equal(got, np.tile(array, counts), strict=True)
    for counts in ((), (2,), (2, 1, 3)):
        np.testing.assert_array_equal(to_array(wg.tile(from_array(array), counts)), np.tile(array, counts))


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_repeat_interleave_is_numpys_repeat(dim: int) -> None:
    array = np.arange(6.0).reshape(2, 3)
    for repeats in (0, 1, 3, [2, 0] if dim == 0 else [1, 0, 4]):
        given = wg.tensor(repeats) if isinstance(repeats, list) else repeats
        got = from_array(array).repeat_interleave(given, dim=dim)
        np.testing.assert_array_equal(to_array(got), np.repeat(array, repeats, dim), strict=True)


def test_meshgrid_is_numpys() -> None:
    vectors = [np.arange(2.0), np.arange(3.0), np.arange(4.0)]
    for indexing in ("ij", "xy"):
        got = wg.meshgrid(*map(from_array, vectors), indexing=indexing)
        for ours, theirs in zip(got, np.meshgrid(*vectors, indexing=indexing), strict=True):
            np.testing.assert_array_equal(to_array(ours), theirs, strict=True)


def test_broadcast_tensors_are_views() -> None:
    x = wg.zeros(3, 1)
    a, b = wg.broadcast_tensors(x, wg.ones(2))
    x.fill_(5.0)
    assert a.tolist() == [[5.0, 5.0]] * 3
    assert b.stride() == (0, 1)


def test_combinations() -> None:
    x = wg.tensor([5, 6, 7])
    assert wg.combinations(x).tolist() == [[5, 6], [5, 7], [6, 7]]
    assert wg.combinations(x, 2, True).shape == (6, 2)
    assert wg.combinations(x, 4).shape == (0, 4)
