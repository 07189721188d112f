"""Dtypes as NumPy sees them: what takes a dtype of NumPy takes ours."""

import numpy as np
import pytest
import wengert_core as wg

NAMES = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32",
         "float64", "complex64", "complex128")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_is_one_of_numpys(name: str) -> None:
    dtype, expected = getattr(wg, name), np.dtype(name)
    assert np.dtype(dtype) == expected
    assert np.zeros(2, dtype=dtype).dtype == expected
    assert (dtype.kind, dtype.type, dtype.itemsize) == (expected.kind, expected.type, expected.itemsize)
    assert np.issubdtype(dtype, expected.type)
