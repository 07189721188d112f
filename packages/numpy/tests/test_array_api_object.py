"""Tensors as the standard's arrays: attributes, methods, operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp

UNARY = "abs invert neg pos".split()
BINARY = """add and eq floordiv ge gt le lshift lt matmul mod mul ne or pow rshift sub truediv xor""".split()
COMPARISONS = "eq ge gt le lt ne".split()
CONVERSIONS = "bool complex float index int getitem setitem array_namespace dlpack dlpack_device".split()


def matrix() -> Any:
    """Return a matrix of three rows."""
    return xp.reshape(xp.arange(6, dtype=xp.float64), (3, 2))


def test_arrays_have_the_attributes_of_the_standard() -> None:
    x = matrix()
    assert (tuple(x.shape), x.ndim, x.dtype, x.device) == ((3, 2), 2, xp.float64, wg.device("cpu"))
    assert x.size == 6
    assert isinstance(x.size, int)
    assert x.T.tolist() == x.mT.tolist() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    assert hash(x.device) == hash(wg.device("cpu"))


@pytest.mark.parametrize("name", [*UNARY, *BINARY, *CONVERSIONS])
def test_arrays_have_the_special_methods_of_the_standard(name: str) -> None:
    assert callable(getattr(wg.Tensor, f"__{name}__"))
    if name in BINARY and name not in COMPARISONS:
        assert callable(getattr(wg.Tensor, f"__r{name}__"))


def test_to_device_gives_the_array_on_a_device() -> None:
    x = matrix()
    assert x.to_device("cpu") is x
    assert x.to_device(x.device, stream=None) is x
    with pytest.raises(TypeError, match="stream"):
        x.to_device("cpu", stream=1)


def test_numbers_are_made_of_arrays_without_dims() -> None:
    assert complex(xp.asarray(1 + 2j)) == 1 + 2j
    assert (float(xp.asarray(2.5)), int(xp.asarray(7)), bool(xp.asarray(True))) == (2.5, 7, True)
    assert [10, 20, 30][xp.asarray(1)] == 20


def test_operators_and_in_place_operators_agree_with_functions() -> None:
    x, y = xp.asarray([7, -7, 3]), xp.asarray([2, 3, -2])
    pairs = [(x // y, xp.floor_divide(x, y)), (x % y, xp.remainder(x, y)), (x << 2, xp.bitwise_left_shift(x, 2)),
             (2 ** xp.asarray([1, 3]), xp.pow(2, xp.asarray([1, 3]))), (~x, xp.bitwise_invert(x)),
             (x & y, xp.bitwise_and(x, y)), (x != y, xp.not_equal(x, y)), (x / y, xp.divide(x, y))]  # fmt: skip
    for found, expected in pairs:
        assert found.dtype is expected.dtype
        assert found.tolist() == expected.tolist()
    z = xp.asarray([1, 2, 3])
    z += 1
    z <<= 1
    z ^= 1
    assert z.tolist() == [5, 7, 9]


def test_indexing_has_the_forms_of_the_standard() -> None:
    x = matrix()
    array = x.numpy()
    for key in [
        1, (1, 0), (..., 0), (slice(None), 1), (None, 1), (slice(2, 0, -1),), (slice(None, None, -2), slice(None)),
        (..., None, slice(1)), slice(5, 1), (slice(0, 0), ...),
    ]:  # fmt: skip
        assert x[key].tolist() == array[key].tolist()
    assert x[x > 2].tolist() == array[array > 2].tolist()
    assert x[xp.asarray([2, 0])].tolist() == array[[2, 0]].tolist()
    assert x[xp.asarray([2, 0]), 1].tolist() == array[[2, 0], 1].tolist()
    x[x > 2] = 0.0
    x[0, :] = xp.asarray([8.0, 9.0])
    assert x.tolist() == [[8.0, 9.0], [2.0, 0.0], [0.0, 0.0]]


def test_dlpack_takes_the_arguments_of_the_standard() -> None:
    x = matrix()
    assert x.__dlpack_device__()[0] == 1
    assert np.from_dlpack(x).tolist() == x.tolist()
    capsule = x.__dlpack__(stream=None, max_version=(1, 0), dl_device=x.__dlpack_device__(), copy=True)
    assert "dltensor" in repr(capsule)
