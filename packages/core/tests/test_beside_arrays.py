"""NumPy arrays beside tensors in Python's operators: constants, with dtypes as in PyTorch, where NumPy answers."""

from __future__ import annotations

import operator

import numpy as np
import pytest
import wengert_core as wc

OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor"]


@pytest.mark.parametrize("name", OPERATORS)
def test_a_tensor_and_an_array_give_a_tensor_of_numpys_dtype(name: str) -> None:
    work = getattr(operator, name)
    kind = "int64" if name in ("and_", "or_", "xor") else "float64"
    array = np.array([3, 2], kind)
    x = wc.tensor([5, 3], dtype=getattr(wc, kind))
    result = work(x, array)
    assert isinstance(result, wc.Tensor)
    assert result.dtype is getattr(wc, kind)
    np.testing.assert_allclose(result.numpy(), work(x.numpy(), array))


def test_dtypes_and_shapes_are_those_of_arrays() -> None:
    assert (wc.ones(2) + np.ones(2)).dtype is wc.float64
    assert (wc.ones(2) + np.ones(2, np.float32)).dtype is wc.float32
    assert (wc.ones(2) + np.array(1.0)).dtype is wc.float64
    assert (wc.ones(2) + np.float64(1)).dtype is wc.float32
    assert (wc.ones(2) + np.ones((3, 1))).shape == (3, 2)
    assert (wc.ones(2) @ np.ones(2, np.float32)).item() == 2


def test_in_place_gives_a_new_tensor() -> None:
    x = y = wc.ones(2)
    x += np.ones(2)
    assert x.dtype is wc.float64
    assert y.tolist() == [1, 1]


@pytest.mark.parametrize("swapped", [False, True])
def test_arrays_are_compared_element_by_element(swapped: bool) -> None:
    sides = [wc.tensor([1, 3]), np.array([1, 2])]
    left, right = sides[::-1] if swapped else sides
    assert (left == right).tolist() == [True, False]
    assert (left != right).tolist() == [False, True]
    for work in (operator.lt, operator.le, operator.gt, operator.ge):
        assert work(left, right).tolist() == work(*map(np.asarray, (left, right))).tolist()


@pytest.mark.parametrize("name", OPERATORS)
def test_an_array_on_the_left_is_a_constant_too(name: str) -> None:
    work = getattr(operator, name)
    kind = "int64" if name in ("and_", "or_", "xor") else "float64"
    array, x = np.array([3, 2], kind), wc.tensor([5, 3], dtype=getattr(wc, kind))
    result = work(array, x)
    assert isinstance(result, wc.Tensor)
    assert result.dtype is getattr(wc, kind)
    np.testing.assert_allclose(result.numpy(), work(array, x.numpy()))


def test_subclasses_of_arrays_answer_themselves() -> None:
    class Answer(np.ndarray):
        def __rmul__(self, other: object) -> str:
            return "rmul"

        def __radd__(self, other: object) -> str:
            return "radd"

    array = np.ones(2).view(Answer)
    assert (wc.ones(2) * array, wc.ones(2) + array) == ("rmul", "radd")


def test_what_answers_ufuncs_itself_is_no_number() -> None:
    class LabelArray:
        __array_ufunc__ = None

        def __array__(self, dtype: object = None, copy: object = None) -> object:
            return np.ones(2)

        def __float__(self) -> float:
            return 1.0

        def __rmul__(self, other: object) -> str:
            return "rmul"

    assert wc.ones(2) * LabelArray() == "rmul"
    with pytest.raises(TypeError, match="unsupported operand"):
        wc.ones(2) - LabelArray()


def test_an_array_without_numbers_is_refused() -> None:
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type numpy.str_"):
        wc.ones(2) * np.array(["a", "b"])


@pytest.mark.parametrize(
    "call",
    [
        lambda array: wc.add(wc.ones(2), array),
        lambda array: wc.ones(2).mul(array),
        lambda array: wc.pow(wc.ones(2), array),
        lambda array: wc.clamp(wc.ones(2), array),
        lambda array: wc.eq(wc.ones(2), array),
        lambda array: wc.add(wc.ones(2), wc.ones(2), alpha=array),
        lambda array: wc.full((2,), array),
    ],
)
@pytest.mark.parametrize("array", [np.ones(2), np.array(1.0), np.array(1)], ids=["1-d", "float", "int"])
def test_functions_take_no_arrays(call, array) -> None:
    with pytest.raises(TypeError, match=r"must be (Tensor|Number), not numpy.ndarray"):
        call(array)


def test_pow_takes_no_modulus() -> None:
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \*\* or pow\(\): 'Tensor', 'int', 'int'"):
        pow(wc.tensor(2), 3, 5)
