"""Type promotion of the array API standard: alike for arrays with and without dims; numbers only bring their kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp

from .array_api_signatures import DTYPES

HERE = [name for name in DTYPES if hasattr(wg, name)]
FLOATING = ["float32", "float64", "complex64", "complex128"]
INTEGERS = [name for name in HERE if "int" in name]
REAL = "add subtract multiply maximum minimum atan2 copysign hypot logaddexp divide pow remainder floor_divide".split()
COMPLEX = "add subtract multiply divide pow".split()
WHOLE = "add subtract multiply maximum minimum floor_divide remainder bitwise_and bitwise_or bitwise_xor".split()
COMPARISONS = "equal not_equal less greater less_equal greater_equal".split()


def is_in_table(first: str, second: str) -> bool:
    """Return whether the standard says to what two dtypes promote."""
    pair = {first, second}
    mixed = "uint64" in pair and any(name.startswith("int") for name in pair)
    same = [{"bool"}, set(INTEGERS), set(FLOATING)]
    return any(pair <= one for one in same) and not mixed


PAIRS = [(first, second) for first in HERE for second in HERE if is_in_table(first, second)]


def promotion_of(first: str, second: str) -> Any:
    """Return the dtype of two dtypes of which the standard's table has the same as NumPy."""
    return getattr(xp, np.promote_types(first, second).name)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_result_type_has_the_standards_table(first: str, second: str) -> None:
    expected = promotion_of(first, second)
    a, b = getattr(xp, first), getattr(xp, second)
    assert xp.result_type(a, b) is expected
    assert xp.result_type(xp.ones((), dtype=a), b) is expected
    assert xp.result_type(xp.ones(2, dtype=a), xp.ones((), dtype=b), a) is expected
    assert xp.can_cast(a, b) is (expected is b)
    assert xp.can_cast(xp.ones(2, dtype=a), b) is (expected is b)


@pytest.mark.parametrize("shapes", [((), ()), ((), (2,)), ((2,), ()), ((2,), (2,)), ((0,), ())], ids=repr)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_functions_of_two_arrays_promote_alike_with_and_without_dims(first: str, second: str, shapes: Any) -> None:
    x1, x2 = xp.ones(shapes[0], dtype=getattr(xp, first)), xp.ones(shapes[1], dtype=getattr(xp, second))
    expected = promotion_of(first, second)
    names = ["logical_and", "logical_or"] if expected is xp.bool else WHOLE if expected in INTEGER_DTYPES else REAL
    for name in COMPLEX if expected.is_complex else names:
        assert getattr(xp, name)(x1, x2).dtype is expected, name
    for name in COMPARISONS[: 2 if expected.is_complex else None]:
        assert getattr(xp, name)(x1, x2).dtype is xp.bool, name
    assert xp.where(xp.ones((), dtype=xp.bool), x1, x2).dtype is expected
    if shapes[0] == shapes[1]:
        assert xp.stack([x1, x2]).dtype is expected
        assert xp.concat([x1, x2], axis=None).dtype is expected


INTEGER_DTYPES = [getattr(xp, name) for name in INTEGERS]


@pytest.mark.parametrize("shape", [(), (2,)], ids=repr)
@pytest.mark.parametrize(
    ("dtype", "number"),
    [("bool", True), ("int8", 3), ("uint8", 3), ("int64", 3), ("int8", True), ("float32", 3), ("float32", 2.5),
     ("float64", True), ("float64", 2.5), ("complex64", 3), ("complex64", 2.5), ("complex64", 1j), ("complex128", 1j)],
)  # fmt: skip
def test_numbers_take_the_dtype_of_the_array_in_both_positions(dtype: str, number: Any, shape: Any) -> None:
    kind = getattr(xp, dtype)
    x = xp.ones(shape, dtype=kind)
    names = ["logical_and", "logical_xor"] if kind is xp.bool else ["add", "multiply", "subtract", "pow"]
    if kind.is_floating_point:
        names = [*names, "divide", "maximum", "minimum", "atan2", "hypot", "logaddexp", "copysign", "remainder"]
    if kind in INTEGER_DTYPES:
        names = [*names, "maximum", "bitwise_and", "bitwise_left_shift", "bitwise_right_shift", "floor_divide"]
    for name in names:
        function, array = getattr(xp, name), xp.asarray(number, dtype=kind)
        for found, expected in ((function(x, number), function(x, array)), (function(number, x), function(array, x))):
            assert found.dtype is expected.dtype is kind, name
            assert found.shape == expected.shape == shape
            assert bool(xp.all(found == expected)), name
    for one in (xp.equal(x, number), xp.not_equal(number, x)):
        assert one.dtype is xp.bool
    assert xp.result_type(x, number) is kind
    assert xp.where(xp.ones(shape, dtype=xp.bool), x, number).dtype is kind
    assert xp.where(xp.ones(shape, dtype=xp.bool), number, x).dtype is kind


def test_a_complex_number_makes_floating_arrays_complex() -> None:
    assert xp.add(xp.ones(2, dtype=xp.float32), 1j).dtype is xp.complex64
    assert xp.multiply(2j, xp.ones((), dtype=xp.float64)).dtype is xp.complex128
    assert xp.result_type(xp.float64, 1j) is xp.complex128


def test_numbers_without_an_array_have_default_dtypes() -> None:
    assert xp.result_type(True) is xp.bool
    assert xp.result_type(2, True) is xp.int64
    assert xp.result_type(2, 1.5) is wg.get_default_dtype()
    with pytest.raises(ValueError, match="at least one"):
        xp.result_type()


def test_other_kinds_promote_as_operators_do() -> None:
    assert xp.result_type(xp.int64, xp.float32) is (xp.ones(1, dtype=xp.int64) + xp.ones(1, dtype=xp.float32)).dtype
    assert xp.add(xp.ones((), dtype=xp.int8), xp.ones(2, dtype=xp.float64)).dtype is xp.float64
    assert not xp.can_cast(xp.int8, xp.float64)
    assert not xp.can_cast(xp.bool, xp.int8)
    assert not xp.can_cast(xp.complex64, xp.float64)


def test_dtypes_of_numpy_and_arrays_are_taken() -> None:
    assert xp.result_type(np.float32, xp.float64) is xp.float64
    assert xp.result_type(np.ones(2, dtype="int8"), xp.ones(2, dtype=xp.int16)) is xp.int16
    assert xp.isdtype(np.dtype("float32"), "real floating")
    assert xp.astype(xp.ones(2), np.int8).dtype is xp.int8
    assert xp.add(np.ones(2), xp.ones(2)).dtype is xp.float64
    with pytest.raises(TypeError, match="result_type"):
        xp.result_type(object())


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("bool", ["bool"]),
        ("signed integer", ["int8", "int16", "int32", "int64"]),
        ("unsigned integer", ["uint8", "uint16", "uint32", "uint64"]),
        ("integral", INTEGERS),
        ("real floating", ["float32", "float64"]),
        ("complex floating", ["complex64", "complex128"]),
        ("numeric", [*INTEGERS, *FLOATING]),
    ],
)
def test_isdtype_knows_the_kinds_of_the_standard(kind: str, names: list[str]) -> None:
    for name in HERE:
        dtype = getattr(xp, name)
        assert xp.isdtype(dtype, kind) is (name in names)
        assert xp.isdtype(dtype, (kind, dtype)) is True
        assert xp.isdtype(dtype, dtype) is True
        assert xp.isdtype(dtype, (xp.bool,)) is (name == "bool")


def test_isdtype_refuses_what_is_no_kind() -> None:
    with pytest.raises(ValueError, match="kind"):
        xp.isdtype(xp.int8, "floats")
    with pytest.raises(TypeError, match="tuple of tuples"):
        xp.isdtype(xp.int8, (("integral",),))


@pytest.mark.parametrize("name", [name for name in ("int8", "int16", "int32", "uint8", "uint16") if name in HERE])
def test_sums_and_products_of_small_integers_have_64_bits(name: str) -> None:
    x = xp.ones((2, 3), dtype=getattr(xp, name))
    unsigned = getattr(xp, "uint64", xp.int64)
    expected = xp.int64 if name.startswith("int") else unsigned
    for function in (xp.sum, xp.prod):
        assert {function(x, axis=axis).dtype for axis in (None, 0, (0, 1), ())} == {expected}
        assert function(x, dtype=x.dtype).dtype is x.dtype
    for function in (xp.cumulative_sum, xp.cumulative_prod):
        assert function(x, axis=0).dtype is expected
    assert xp.linalg.trace(x).dtype is expected
