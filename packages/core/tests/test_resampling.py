"""Kernels that resize images and read them at the places of a grid, against the same by ordinary operations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.drivers.nn.resampling import resize_dims, sample_grid, sample_grid_back, sample_grid_move
from wengert_core.ops.nn.grid_sample_primitives import NEAREST, Sampler
from wengert_core.ops.nn.upsampling import KINDS, every_taps, resize_backward, resize_dim

pytestmark = pytest.mark.native("calls the kernels themselves")
RANDOM = np.random.default_rng(11)
GRIDS = list(itertools.product([(2, 0), (2, 1), (2, 2), (3, 0), (3, 1)], range(3), (False, True)))


def normal(*shape: int, dtype: str = "float64") -> Any:
    return wc.tensor(RANDOM.normal(size=shape)).to(getattr(wc, dtype))


def assert_near(found: Any, expected: Any, dtype: str) -> None:
    assert found.dtype is expected.dtype
    tolerance = 1e-4 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=tolerance, atol=tolerance)


def grid_of(ndim: int, dtype: str) -> tuple[Any, Any]:
    """(images, a grid of more places than a block has, some of them outside)."""
    grid = wc.tensor(RANDOM.uniform(-1.9, 1.9, size=(2, *(5, 8, 3)[:ndim], ndim))).to(getattr(wc, dtype))
    return normal(2, 9, *(4, 5, 3)[:ndim], dtype=dtype), grid


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("way", "padding", "align_corners"), GRIDS)
def test_images_at_places(way, padding, align_corners, dtype):
    ndim, mode = way
    image, grid = grid_of(ndim, dtype)
    sampler = Sampler(image.shape[2:], grid, mode, padding, align_corners)
    weights = None if mode == NEAREST else sampler.weights()
    found = sample_grid(image, grid, mode, padding, align_corners)
    assert_near(found, sampler.weighted_sum(image, weights), dtype)
    grad = normal(*found.shape, dtype=dtype)
    found = sample_grid_back(grad, grid, tuple(image.shape[2:]), mode, padding, align_corners)
    assert_near(found, sampler.scatter_back(grad, weights), dtype)
    if mode != NEAREST:
        found = sample_grid_move(grad, image, grid, mode, padding, align_corners)
        assert_near(found, sampler.grid_grad(grad, image, sampler.slopes()), dtype)


@pytest.mark.parametrize(("ndim", "mode"), [(2, 0), (2, 2), (3, 0)])
def test_many_places_are_shared_out_to_threads(ndim, mode):
    image, grid = normal(3, 17, *(30, 21, 8)[:ndim]), normal(3, *(64, 40, 2)[:ndim], ndim)
    sampler = Sampler(image.shape[2:], grid, mode, 0, False)
    found = sample_grid(image, grid, mode, 0, False)
    assert_near(found, sampler.weighted_sum(image, sampler.weights()), "float64")
    grad = normal(*found.shape)
    found = sample_grid_back(grad, grid, tuple(image.shape[2:]), mode, 0, False)
    assert_near(found, sampler.scatter_back(grad, sampler.weights()), "float64")
    found = sample_grid_move(grad, image, grid, mode, 0, False)
    assert_near(found, sampler.grid_grad(grad, image, sampler.slopes()), "float64")


@pytest.mark.parametrize("mode", range(3))
@pytest.mark.parametrize("padding", range(3))
def test_places_that_are_no_numbers(mode, padding):
    image, grid = grid_of(2, "float64")
    grid[0, 0, 0, 0], grid[0, 1, 1, 1], grid[1, 2, 2, 0], grid[1, 3, 3] = np.nan, np.inf, -np.inf, 1e30
    sampler = Sampler(image.shape[2:], grid, mode, padding, False)
    expected = sampler.weighted_sum(image, None if mode == NEAREST else sampler.weights())
    np.testing.assert_array_equal(
        sample_grid(image, grid, mode, padding, False).isnan().numpy(), expected.isnan().numpy()
    )


def test_pixels_outside_do_not_count():
    image = wc.full((1, 1, 2, 2), float("inf"), dtype=wc.float64)
    far = wc.full((1, 1, 1, 2), 9.0, dtype=wc.float64)
    assert sample_grid(image, far, 0, 0, False).item() == 0
    assert sample_grid_back(image[:, :, :1, :1], far, (2, 2), 0, 0, False).tolist() == [[[[0, 0], [0, 0]]]]


@pytest.mark.parametrize("change", ["dtype", "rank", "coordinates", "images", "mode", "cubic"])
def test_the_kernel_leaves_other_arguments_to_the_stages(change):
    image, grid = grid_of(3 if change == "cubic" else 2, "float32")
    mode = {"mode": 3, "cubic": 2}.get(change, 0)
    if change == "dtype":
        image = image.to(wc.float64)
    elif change == "rank":
        image = image[0]
    elif change == "coordinates":
        grid = grid[..., :1]
    elif change == "images":
        grid = grid[:1]
    assert sample_grid(image, grid, mode, 0, False) is None


def neighbors(kind: str, old: Any, new: Any, align_corners: bool, dtype: Any) -> Any:
    """(taps of each dim, the tables of the kernel)."""
    taps = every_taps(kind, old, new, align_corners, None)
    tables = [
        None if each is None else (
            wc.tensor(np.stack([place for place, _ in each]).astype(np.int32)),
            wc.tensor(np.stack([np.ones(len(place)) if w is None else w for place, w in each])).to(dtype),
        )
        for each in taps
    ]  # fmt: skip
    return taps, tables


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "lanczos" not in kind])
def test_images_of_another_size(kind, align_corners, dtype):
    n = int(next(c for c in kind if c.isdigit()))
    for old, new in (((4, 3, 5), (7, 3, 2)), ((5, 1, 6), (5, 4, 9)), ((90, 70, 3), (170, 33, 5))):
        x = normal(2, 3, *old[:n], dtype=dtype)
        taps, tables = neighbors(kind, old[:n], new[:n], align_corners, x.dtype)
        expected = x
        for d in range(n - 1, -1, -1):
            expected = resize_dim(expected, d + 2, taps[d])
        assert_near(resize_dims(x, tables, new[:n], False), expected, dtype)
        grad = expected = normal(2, 3, *new[:n], dtype=dtype)
        for d in range(n):
            expected = resize_backward(expected, d + 2, old[d], taps[d])
        assert_near(resize_dims(grad, tables, old[:n], True), expected, dtype)


def test_a_neighbor_of_weight_zero_does_not_count():
    x = wc.tensor([[[np.inf, 1.0, 2.0]]])
    table = (wc.tensor([[0, 1], [1, 2]], dtype=wc.int32), wc.tensor([[0.0, 1.0], [3.0, 0.0]]))
    assert resize_dims(x, [table], [2], False).tolist() == [[[3.0, 1.0]]]
    assert resize_dims(x[..., :2], [table], [3], True).tolist() == [[[0.0, np.inf, 0.0]]]


def test_results_have_memory_of_their_own():
    x = normal(1, 2, 3, 3)
    found = resize_dims(x, [None, None], (3, 3), False)
    assert found.data_ptr() != x.data_ptr()
    np.testing.assert_array_equal(found.numpy(), x.numpy())


def test_tables_that_do_not_fit():
    with pytest.raises(RuntimeError, match="do not fit"):
        resize_dims(normal(1, 1, 3), [(wc.zeros(1, 4, dtype=wc.int32), wc.zeros(1, 4, dtype=wc.float64))], [5], False)
