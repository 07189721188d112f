"""Derivatives of determinants where the matrix has no inverse with right digits."""

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck

RANK_ONE = np.outer([1.0, 2.0, 3.0], [3.0, 1.0, 2.0])
NOISE = np.random.default_rng(3).standard_normal((3, 3))
MATRICES = {
    "ones": np.ones((3, 3)), "ones of 4": np.ones((4, 4)), "zeros": np.zeros((3, 3)), "one zero": np.zeros((1, 1)),
    "rank 1": RANK_ONE, "nearly rank 1": RANK_ONE + 1e-6 * NOISE, "rank 1 but for rounding": RANK_ONE + 1e-15 * NOISE,
    "many sizes": np.diag([1.0, 1e-3, 1e-5, 1e-7]), "complex": np.ones((3, 3)) * (1 + 2j),
    "singular and regular": np.stack([np.ones((3, 3)), NOISE]), "without elements": np.eye(0),
}


@pytest.mark.parametrize("name", MATRICES)
def test_first_and_second_order(name):
    x = wg.tensor(MATRICES[name], requires_grad=True)
    assert gradcheck(wg.linalg.det, x, check_forward_ad=True)
    assert gradgradcheck(wg.linalg.det, x, check_fwd_over_rev=True)


@pytest.mark.parametrize("step", [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1])
def test_the_gradient_has_its_digits_at_any_distance_from_a_singular_matrix(step):
    """d det / dA is a matrix of cofactors, sums of products of numbers up to 9."""
    rows = RANK_ONE + step * NOISE
    x = wg.tensor(rows, requires_grad=True)
    wg.linalg.det(x).backward()
    exact = np.array([[(-1) ** (i + j) * minor(rows, i, j) for j in range(3)] for i in range(3)])
    np.testing.assert_allclose(x.grad.numpy(), exact, rtol=0, atol=1e-12)
    assert gradgradcheck(wg.linalg.det, x)


def minor(a, i, j):
    (p, q), (r, s) = (row[[k for k in range(3) if k != j]].astype(np.longdouble)
                      for row in a[[k for k in range(3) if k != i]])
    return float(p * s - q * r)
