"""Signs of zeros of remainders and quotients: NumPy's, for each dtype."""

from __future__ import annotations

import numpy as np
import pytest
import wengert as wg

VALUES = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 3.0, -3.0, 0.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("ufunc", [np.remainder, np.fmod, np.floor_divide, np.divmod])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_zeros_have_numpys_signs(ufunc: np.ufunc, dtype: type) -> None:
    x = np.array(VALUES, dtype)
    t = wg.from_numpy(x)
    results = ufunc(t[:, None], t)
    found = np.stack([one.numpy() for one in results]) if ufunc.nout == 2 else results.numpy()
    expected = np.array(ufunc(x[:, None], x))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found) & ~np.isnan(found), np.signbit(expected) & ~np.isnan(expected))


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
def test_the_derivative_of_a_remainder_of_zero_is_kept(dtype: wg.dtype) -> None:
    x = wg.tensor([4.0, 3.0], dtype=dtype, requires_grad=True)
    rest = np.remainder(x, -2.0)
    rest.sum().backward()
    assert np.signbit(rest.detach().numpy()).all()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 1.0]
