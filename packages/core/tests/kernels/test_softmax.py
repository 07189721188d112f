"""softmax, log_softmax, their gradients and logsumexp against their definitions in long double."""
import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import assert_close, output, values

SHAPES = [(1, 1), (3, 2), (200, 10), (7, 31), (5, 32), (4, 33), (3, 1000), (2, 1024), (2, 1025), (2, 5000), (0, 4)]
REAL = ["float32", "float64"]


def rows(name: str, shape: tuple[int, int], seed: int = 0, layout: str = "dense") -> NDArray:
    array = values(name, shape[0] * shape[1], seed=seed).reshape(shape)
    if layout == "dense":
        return array
    padded = np.full((2 * shape[0], shape[1] + 3), 77, name)
    view = padded[1::2, 1:-2]
    view[...] = array
    return view


def run(name: str, a: NDArray, b: NDArray | None = None, layout: str = "dense") -> NDArray:
    shape = (a.shape[0], 1) if name == "logsumexp" else a.shape
    out = rows(str(a.dtype), shape, seed=7, layout=layout)
    testing.softmax(name, out, a, b)
    return out


def softmax(x: NDArray) -> NDArray:
    e = np.exp(x - x.max(1, keepdims=True, initial=-np.inf))
    return e / e.sum(1, keepdims=True)


def logsumexp(x: NDArray) -> NDArray:
    top = x.max(1, keepdims=True, initial=-np.inf)
    return top + np.log(np.exp(x - top).sum(1, keepdims=True))


@pytest.mark.parametrize("layout", ["dense", "padded"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REAL)
def test_forward(name: str, shape: tuple[int, int], layout: str) -> None:
    x = rows(name, shape, layout=layout)
    wide = x.astype(np.longdouble)
    size = np.abs(wide).max(1, keepdims=True, initial=1)
    # x - max is rounded once, which exp turns into a relative error of that size
    assert_close(run("softmax", x, layout=layout), softmax(wide), ulps=4, scale=4 * size * softmax(wide))
    assert_close(run("logsumexp", x, layout=layout), logsumexp(wide), ulps=2, scale=size)
    assert_close(run("log_softmax", x, layout=layout), wide - logsumexp(wide), ulps=3, scale=2 * size)


@pytest.mark.parametrize("layout", ["dense", "padded"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REAL)
def test_backward(name: str, shape: tuple[int, int], layout: str) -> None:
    grad, x = rows(name, shape, seed=1, layout=layout), rows(name, shape, seed=2).astype(np.longdouble)
    y, log_y = softmax(x).astype(name), (x - logsumexp(x)).astype(name)
    g, size = grad.astype(np.longdouble), np.abs(grad).max(1, keepdims=True, initial=1).astype(np.longdouble)
    wide = y.astype(np.longdouble)
    want = (g - (g * wide).sum(1, keepdims=True)) * wide
    assert_close(run("softmax_backward", grad, y, layout), want, ulps=6, scale=size * wide)
    wide = log_y.astype(np.longdouble)
    want = g - np.exp(wide) * g.sum(1, keepdims=True)
    scale = size + np.exp(wide) * np.abs(g).sum(1, keepdims=True)
    assert_close(run("log_softmax_backward", grad, log_y, layout), want, ulps=4, scale=scale)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
def test_in_place(op: str, name: str) -> None:
    x = rows(name, (9, 40))
    want = run(op, x)
    testing.softmax(op, x, x)
    np.testing.assert_array_equal(x, want)


@pytest.mark.parametrize("name", REAL)
def test_large_numbers_do_not_overflow(name: str) -> None:
    x = np.array([[1e30, 1e30, -1e30], [-1e30, -2e30, -np.inf], [1000, 999, -np.inf]], name)
    assert_close(run("softmax", x), softmax(x.astype(np.longdouble)), ulps=2)
    np.testing.assert_allclose(run("logsumexp", x)[:, 0].astype(float), [1e30, -1e30, 1000.313262], rtol=1e-6)


NAN, INF = np.nan, np.inf
SPECIAL_ROWS = [[NAN, 1.0], [INF, 1.0], [-INF, -INF], [NAN, INF], [-INF, 3.0]]


@pytest.mark.parametrize("pad", [0, 100])
@pytest.mark.parametrize("name", REAL)
def test_special_rows_are_torchs(name: str, pad: int) -> None:
    x = np.array([[*row, *[-INF] * pad] for row in SPECIAL_ROWS], name)
    np.testing.assert_array_equal(run("logsumexp", x)[:, 0], np.array([NAN, INF, -INF, NAN, 3], name))
    np.testing.assert_array_equal(run("softmax", x)[:, :2], [[NAN, NAN]] * 4 + [[0, 1]])
    np.testing.assert_array_equal(run("log_softmax", x)[:, :2], [[NAN, NAN]] * 4 + [[-INF, 0]])


@pytest.mark.parametrize("name", REAL)
def test_rows_of_nothing(name: str) -> None:
    assert run("logsumexp", np.zeros((3, 0), name)).tolist() == [[-INF]] * 3
    assert run("softmax", np.zeros((3, 0), name)).shape == (3, 0)
    testing.softmax("softmax_backward", output((3, 0), name), np.zeros((3, 0), name), np.zeros((3, 0), name))
