"""n-dimensional copies, casts and fills against NumPy's assignment."""
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import DTYPES, assert_same, dtype, values

BY_SIZE = ["int8", "float16", "float32", "float64", "complex128"]


@st.composite
def views(draw: st.DrawFn, shape: tuple[int, ...], name: str) -> NDArray:
    """A view of this shape: permuted, stepped and reversed."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -3])) for _ in shape]
    base_shape = [shape[dim] * abs(steps[dim]) for dim in order]
    base = values(name, int(np.prod(base_shape)), seed=3).reshape(base_shape)
    inverse = np.argsort(np.array(order, int)).tolist() if order else []
    return base.transpose(inverse)[(*(slice(None, None, step) for step in steps), ...)]


SHAPES = st.lists(st.sampled_from([0, 1, 2, 3, 5, 33]), max_size=4).map(tuple)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), SHAPES, st.sampled_from(BY_SIZE))
def test_copy_between_any_two_layouts(data: st.DataObject, shape: tuple[int, ...], name: str) -> None:
    src, dst = data.draw(views(shape, name)), data.draw(views(shape, name))
    want = src.copy()
    testing.copy_strided(dst, src)
    np.testing.assert_array_equal(dst, want)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), SHAPES, st.sampled_from(DTYPES), st.sampled_from(DTYPES))
def test_cast_between_any_two_layouts(data: st.DataObject, shape: tuple[int, ...], src: str, dst: str) -> None:
    source, target = data.draw(views(shape, src)), data.draw(views(shape, dst))
    want = np.empty(source.size, dtype(dst))
    testing.cast(source.copy().reshape(-1), want)
    testing.copy_strided(target, source)
    assert_same(target, want.reshape(shape))


@pytest.mark.parametrize("name", BY_SIZE)
@pytest.mark.parametrize("shape", [(65, 130), (4, 4), (3, 200), (200, 3), (64, 64), (1000, 5)])
def test_transpose(shape: tuple[int, int], name: str) -> None:
    src = values(name, shape[0] * shape[1]).reshape(shape).T
    dst = np.zeros(src.shape, dtype(name))
    testing.copy_strided(dst, src)
    np.testing.assert_array_equal(dst, src)


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0), (2, 1, 0), (0, 2, 1)])
def test_permuted_batches(order: tuple[int, int, int]) -> None:
    src = values("float32", 37 * 41 * 43).reshape(37, 41, 43).transpose(order)
    dst = np.zeros(src.shape, np.float32)
    testing.copy_strided(dst, src)
    np.testing.assert_array_equal(dst, src)


@pytest.mark.parametrize("name", BY_SIZE)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_broadcast_source(name: str, axis: int) -> None:
    shape = [7, 20, 33]
    shape[axis] = 1
    src = np.broadcast_to(values(name, int(np.prod(shape))).reshape(shape), (7, 20, 33))
    dst = np.zeros(src.shape, dtype(name))
    testing.copy_strided(dst, src)
    np.testing.assert_array_equal(dst, src)


def test_only_the_view_is_written() -> None:
    base = np.zeros((6, 6), np.float32)
    testing.copy_strided(base[1:5:2, ::-2], np.ones((2, 3), np.float32))
    want = np.zeros((6, 6), np.float32)
    want[1:5:2, ::-2] = 1
    np.testing.assert_array_equal(base, want)


@pytest.mark.parametrize("name", BY_SIZE)
def test_fill(name: str) -> None:
    base = np.zeros((9, 8), dtype(name))
    testing.fill_strided(base[::2, 1:-1], np.array(3, dtype(name)))
    want = np.zeros((9, 8), dtype(name))
    want[::2, 1:-1] = 3
    np.testing.assert_array_equal(base, want)
