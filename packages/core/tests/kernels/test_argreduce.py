"""argmax and argmin against NumPy: the first position, NaN before all, in every memory form."""
import numpy as np
import pytest
from numpy.typing import NDArray
from wengert_core.kernels.testing import testing

from .kernel_arrays import FLOATS, INTEGERS, dtype, output, values
from .test_reduce import FORMS, SHAPES, arrange

OPS = {"argmax": np.argmax, "argmin": np.argmin}


def run(name: str, src: NDArray) -> NDArray:
    out = output(src.shape[0], "int64")
    testing.reduce(name, src, out)
    return out


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape[1]], ids=str)
@pytest.mark.parametrize("name", ["bool", *INTEGERS, *FLOATS])
@pytest.mark.parametrize("op", OPS)
def test_first_position_of_the_extreme(op: str, name: str, shape: tuple[int, int], form: str) -> None:
    src = arrange(values(name, shape[0] * shape[1], seed=5).reshape(shape), form)
    np.testing.assert_array_equal(run(op, src), OPS[op](src, axis=1))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("op", OPS)
def test_ties_go_to_the_first(op: str, form: str) -> None:
    src = np.random.default_rng(2).integers(0, 3, (20, 4000)).astype(np.float32)
    np.testing.assert_array_equal(run(op, arrange(src, form)), OPS[op](src, axis=1))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("at", [0, 1, 100, 1023, 1024, 2047, 2999])
@pytest.mark.parametrize("op", OPS)
def test_the_first_nan_wins(op: str, at: int, name: str, form: str) -> None:
    src = np.tile(values("float32", 3000), (9, 1))
    src[:, at] = np.nan
    src[:, 2999] = np.nan
    assert run(op, arrange(src.astype(dtype(name)), form)).tolist() == [at] * 9


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("number", [np.inf, -np.inf, 0.0])
def test_a_constant_row_gives_the_first_position(op: str, number: float) -> None:
    assert run(op, np.full((2, 2100), number)).tolist() == [0, 0]
    assert run(op, np.full((2100, 9), number).T).tolist() == [0] * 9
