"""Methods of NumPy's arrays that clients call on tensors."""

from __future__ import annotations

import numpy as np
import pytest
import wengert as wg
from wengert_numpy.protocols.array_namespace import astype, copy


@pytest.mark.parametrize("dtype", [np.int8, "int8", np.dtype("int8"), wg.int8])
def test_astype_takes_dtypes_of_any_kind(dtype: object) -> None:
    assert astype(wg.tensor([1.0, 2.5]), dtype).dtype is wg.int8


def test_astype_and_copy_are_recorded_copies() -> None:
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    for result in (copy(x), astype(x, wg.float32), astype(x, np.float64)):
        assert result is not x
        assert wg.autograd.grad(result.sum(), x)[0].tolist() == [1.0, 1.0]
    assert astype(x, np.float32, copy=False) is x
