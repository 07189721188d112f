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
