"""asarray, astype, from_dlpack and the functions that make arrays: memory, copies, history, devices."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp


def leaf(*values: float) -> Any:
    """Return a tensor of float64 that requires a gradient."""
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def test_a_tensor_is_itself_with_its_history() -> None:
    x = leaf(1.0, 2.0)
    y = x * 2
    assert xp.asarray(x) is x
    assert xp.asarray(y, dtype=xp.float64, device=y.device, copy=False) is y


def test_a_copy_is_recorded_and_has_memory_of_its_own() -> None:
    x = leaf(1.0, 2.0)
    copy = xp.asarray(x, copy=True)
    assert copy.data_ptr() != x.data_ptr()
    xp.sum(copy * copy).backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_cast_is_recorded() -> None:
    x = leaf(1.0, 2.0)
    xp.sum(xp.asarray(x, dtype=xp.complex128).real * 3).backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_copy_false_refuses_a_cast_numbers_and_lists() -> None:
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(xp.ones(2), dtype=xp.int8, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(2.0, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(np.ones(4)[::-1], copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(np.ones(4), dtype=xp.int8, copy=False)


@pytest.mark.parametrize("copy", [None, False])
@pytest.mark.parametrize("make", [lambda: np.zeros(3), lambda: array.array("d", [0, 0, 0])], ids=["ndarray", "buffer"])
def test_arrays_and_buffers_share_their_memory(make: Any, copy: bool | None) -> None:
    source = make()
    x = xp.asarray(source, copy=copy)
    x[1] = 5.0
    assert x.dtype is xp.float64
    assert list(source) == [0.0, 5.0, 0.0]


def test_copies_of_arrays_do_not_share_their_memory() -> None:
    source = np.zeros(3)
    xp.asarray(source, copy=True)[1] = 5.0
    xp.asarray(source, dtype=xp.float32)[1] = 5.0
    assert source.tolist() == [0.0, 0.0, 0.0]


def test_an_array_that_is_read_only_is_copied() -> None:
    source = np.zeros(3)
    source.flags.writeable = False
    xp.asarray(source)[1] = 5.0
    assert source.tolist() == [0.0, 0.0, 0.0]


def test_a_list_with_tensors_is_stacked_with_their_history() -> None:
    x, y = leaf(1.0, 2.0), wg.tensor(3.0, dtype=wg.float32, requires_grad=True)
    stacked = xp.asarray([[x[0], y], [7, x[1]]])
    assert stacked.dtype is xp.float64
    assert stacked.tolist() == [[1.0, 3.0], [7.0, 2.0]]
    xp.sum(stacked * xp.asarray([[1.0, 2.0], [3.0, 4.0]])).backward()
    assert x.grad.tolist() == [1.0, 4.0]
    assert y.grad.item() == 2.0


def test_numbers_in_a_list_do_not_change_the_dtype_of_tensors() -> None:
    assert xp.asarray([wg.tensor(1.0), 2.5, 3]).dtype is xp.float32
    assert xp.asarray([wg.tensor(1, dtype=wg.int8), 2]).dtype is xp.int8


@pytest.mark.parametrize(
    ("values", "kind"),
    [([True, False], "bool"), ([True, 2], "int64"), ([1, 2.5], "float32"), ([1, 2.5, 1j], "complex64"), ([], "float32"),
     (True, "bool"), (3, "int64"), (2.5, "float32"), (2j, "complex64"), (np.float64(2), "float32"), (range(3), "int64"),
     (((1, 2), (3, 4)), "int64"), ([np.ones(2), np.ones(2)], "float64")],
    ids=str,
)  # fmt: skip
def test_the_dtype_of_numbers_is_the_default_of_their_kind(values: Any, kind: str) -> None:
    assert xp.asarray(values).dtype is getattr(xp, kind)


@pytest.mark.parametrize(
    "obj",
    ["text", object(), {"a": 1}, None, np.array(["a"]), np.array([object()])],
    ids=lambda one: type(one).__name__,
)
def test_what_is_no_array_is_a_type_error(obj: Any) -> None:
    with pytest.raises(TypeError, match="asarray"):
        xp.asarray(obj)


def test_astype_copies_unless_it_need_not() -> None:
    x = leaf(1.0, 2.0)
    assert xp.astype(x, xp.float64, copy=False) is x
    assert xp.astype(x, xp.float64).data_ptr() != x.data_ptr()
    assert xp.astype(x, xp.float32, copy=False).dtype is xp.float32
    assert xp.astype(x, xp.float32, device="cpu").requires_grad
    assert xp.astype(xp.asarray([0j, 1j]), xp.bool).tolist() == [False, True]
    with pytest.raises(TypeError, match="imaginary part"):
        xp.astype(xp.asarray([1j]), xp.float32)


def test_dlpack_shares_memory_and_copies_on_demand() -> None:
    source = np.zeros(3)
    xp.from_dlpack(source)[0] = 1.0
    xp.from_dlpack(source, copy=True)[1] = 1.0
    assert source.tolist() == [1.0, 0.0, 0.0]
    x = leaf(1.0)
    assert xp.from_dlpack(x, copy=False) is x
    assert xp.from_dlpack(source, device="cpu").device == wg.device("cpu")
    with pytest.raises(AttributeError):
        xp.from_dlpack([1.0])


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_filled_arrays_have_the_default_dtype_and_take_numbers_as_shapes(name: str) -> None:
    function = getattr(xp, name)
    for shape, expected in ((3, (3,)), ((), ()), ((2, 0), (2, 0)), ([2, 3], (2, 3)), (np.int64(2), (2,))):
        assert tuple(function(shape).shape) == expected
        assert function(shape, dtype=xp.int8, device="cpu").dtype is xp.int8
    assert function(2).dtype is wg.get_default_dtype()
    like = getattr(xp, f"{name}_like")
    assert (like(xp.ones((2, 3), dtype=xp.int8)).dtype, like(xp.ones(2), dtype=xp.bool).dtype) == (xp.int8, xp.bool)
    assert tuple(like(xp.ones((2, 3))).shape) == (2, 3)


def test_full_keeps_the_history_of_its_value() -> None:
    x = leaf(3.0)
    xp.sum(xp.full((2, 2), x[0])).backward()
    xp.sum(xp.full_like(xp.ones(3), x[0], dtype=xp.float64)).backward()
    assert x.grad.tolist() == [7.0]
    assert xp.full(2, np.float64(2)).dtype is wg.get_default_dtype()


def test_arange_has_the_dtype_of_its_numbers() -> None:
    assert xp.arange(3).dtype is xp.int64
    assert xp.arange(0, 3, 0.5).dtype is wg.get_default_dtype()
    assert xp.arange(3, dtype=xp.complex64).tolist() == [0j, 1 + 0j, 2 + 0j]
    assert xp.arange(3, stop=5, step=1).tolist() == [3, 4]
    assert xp.arange(-3).shape == (0,)
    with pytest.raises(ValueError, match="step"):
        xp.arange(0, 3, 0)


def test_linspace_of_complex_numbers_is_complex() -> None:
    assert xp.linspace(0, 1, 3).dtype is wg.get_default_dtype()
    assert xp.linspace(0, 1j, num=3).tolist() == [0j, 0.5j, 1j]
    with pytest.raises(ValueError, match="non-negative"):
        xp.linspace(0, 1, -1)


def test_meshgrid_of_nothing_is_empty() -> None:
    assert xp.meshgrid() == ()
    with pytest.raises(ValueError, match="indexing"):
        xp.meshgrid(xp.ones(2), indexing="yx")


def test_triangles_need_matrices() -> None:
    for function in (xp.tril, xp.triu, xp.matrix_transpose, xp.linalg.inv, xp.linalg.diagonal):
        with pytest.raises(ValueError, match="two dims"):
            function(xp.ones(3))
