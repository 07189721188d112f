"""Euclidean distances of many rows, which are a matrix product, beside norms of differences."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.exchange.arrays import from_array, to_array

PRODUCT, DIFFERENCES = "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shapes", [((40, 5), (3, 5)), ((2, 3, 7), (1, 26, 7)), ((30, 1), (30, 1))], ids=str)
def test_products_are_close(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str) -> None:
    rng = np.random.default_rng(0)
    a, b = (from_array(rng.normal(size=shape).astype(dtype)) for shape in shapes)
    near, exact = wg.cdist(a, b), wg.cdist(a, b, compute_mode=DIFFERENCES)
    assert near.dtype is exact.dtype is a.dtype
    tolerance = 1e-2 if dtype == "float32" else 1e-6  # the root of what the difference of squares loses
    np.testing.assert_allclose(to_array(near), to_array(exact), atol=tolerance)
    np.testing.assert_array_equal(to_array(near), to_array(wg.cdist(a, b, compute_mode=PRODUCT)))


def test_few_rows_and_other_norms_are_of_differences() -> None:
    x = from_array(1e4 + np.random.default_rng(1).normal(size=(26, 4)))
    for rows, p in ((25, 2.0), (26, 1.0), (26, 3.0)):
        few = x[:rows]
        exact = wg.cdist(few, few, p, compute_mode=DIFFERENCES)
        np.testing.assert_array_equal(to_array(wg.cdist(few, few, p)), to_array(exact))
    assert (wg.cdist(x, x) != wg.cdist(x, x, compute_mode=DIFFERENCES)).any()
    assert (wg.cdist(x[:3], x[:3], compute_mode=PRODUCT) != wg.cdist(x[:3], x[:3])).any()


def test_rows_of_nothing() -> None:
    for shapes in (((30, 0), (2, 0)), ((0, 3), (30, 3))):
        found = wg.cdist(wg.zeros(shapes[0]), wg.zeros(shapes[1]))
        assert tuple(found.shape) == (shapes[0][0], shapes[1][0])
        assert not found.any()


# ---- the kernels, beside NumPy
ORDERS = [0.0, 1.0, 2.0, 2.5, 3.0, np.inf]


def norms(difference: np.ndarray, p: float) -> np.ndarray:
    """The p-norms along the last dim."""
    return np.linalg.norm(difference, p, axis=-1)


def pair_numbers(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of pdist, in its order."""
    return np.triu_indices(n, 1)


@pytest.mark.parametrize("p", ORDERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("rows", "others", "columns"), [(4, 4, 1), (33, 5, 70), (5, 33, 130), (70, 40, 3), (1, 64, 7)])
def test_distances_are_norms_of_differences(rows: int, others: int, columns: int, dtype: str, p: float) -> None:
    rng = np.random.default_rng(rows)
    a, b = rng.normal(size=(2, rows, columns)).astype(dtype), rng.normal(size=(2, others, columns)).astype(dtype)
    tolerance = 2e-6 if dtype == "float32" else 1e-14
    exact = norms(a[:, :, None].astype(float) - b[:, None], p)
    turned = norms(a[0][:, None, None].astype(float) - b[:1, None], p)
    for first, second, expected in (
        (from_array(a), from_array(b), exact),
        (from_array(a), from_array(b[1]), norms(a[:, :, None].astype(float) - b[1], p)),
        (from_array(a[1]), from_array(b), norms(a[1][:, None].astype(float) - b[:, None], p)),
        (from_array(a).transpose(0, 1)[:, :1], from_array(b[:1]), turned),
    ):
        found = wg.cdist(first, second, p, compute_mode=DIFFERENCES)
        np.testing.assert_allclose(to_array(found), expected, rtol=tolerance)
    first, second = pair_numbers(rows)
    within = wg.pdist(from_array(a[0]), p)
    np.testing.assert_allclose(to_array(within), norms(a[0].astype(float)[first] - a[0][second], p), rtol=tolerance)


@pytest.mark.parametrize("p", ORDERS)
def test_distances_of_rows_with_nan_and_infinity(p: float) -> None:
    x = np.random.default_rng(2).normal(size=(40, 5))
    x[3, 1], x[7, 0], x[39, 4], x[8] = np.nan, np.inf, -np.inf, x[9]
    with np.errstate(invalid="ignore"):
        difference = x[:, None] - x
        counts = np.where(np.isnan(difference).any(-1), np.nan, (difference != 0).sum(-1))
        expected = counts if p == 0 else norms(difference, p)
    np.testing.assert_allclose(to_array(wg.cdist(from_array(x), from_array(x), p, compute_mode=DIFFERENCES)), expected)
    np.testing.assert_allclose(to_array(wg.pdist(from_array(x), p)), expected[pair_numbers(40)])


@pytest.mark.parametrize("p", [1.0, 2.0, 2.5, 3.0, np.inf])
@pytest.mark.parametrize(("rows", "others", "columns"), [(4, 3, 2), (33, 5, 70), (5, 40, 3)])
def test_gradients_of_distances_are_sums_of_slopes(rows: int, others: int, columns: int, p: float) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(rows, columns)), rng.normal(size=(2, others, columns))
    a[1] = b[0, 2]                                       # a distance of 0
    grad = rng.normal(size=(2, rows, others))

    def slope(difference: np.ndarray) -> np.ndarray:
        size = norms(difference, p)[..., None]
        if p == np.inf:
            return np.sign(difference) * (abs(difference) == size)
        return np.sign(difference) * (abs(difference) / np.where(size == 0, 1, size)) ** (p - 1) * (size != 0)

    each = grad[..., None] * slope(a[:, None] - b[:, None])
    sizes = norms(a[:, None] - b[:, None], p)
    found = wg._cdist_backward(*map(from_array, (grad, a, b)), p, from_array(sizes))
    np.testing.assert_allclose(to_array(found), each.sum(-2), atol=1e-13)
    turned = wg._cdist_backward(from_array(grad).mT, from_array(b), from_array(a), p, from_array(sizes).mT)
    np.testing.assert_allclose(to_array(turned), -each.sum(-3), atol=1e-13)
    first, second = pair_numbers(rows)
    part = grad[0, :, 0][0] * slope(a[first] - a[second])
    expected = np.zeros_like(a)
    np.add.at(expected, first, part)
    np.add.at(expected, second, -part)
    one = from_array(grad[0, :1, 0]).expand(len(first))
    within = wg._pdist_backward(one, from_array(a), p, from_array(norms(a[first] - a[second], p)))
    np.testing.assert_allclose(to_array(within), expected, atol=1e-13)
