"""Linear algebra of sizes beyond the blocks it works in, in batches, and where it ends early; against products."""

from __future__ import annotations

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.drivers.linalg.linalg_error import LinAlgError
from wengert_core.ops.linalg import linalg_reference as arrays

OPS = wc.TABLE.ops
DTYPES = ("float32", "float64", "complex64", "complex128")
PRECISION = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-11, "complex128": 1e-11}


def matrices(*shape, dtype="float64", seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=shape)
    return (x + 1j * random.normal(size=shape) if "complex" in dtype else x).astype(dtype)


def adjoint(x):
    return x.swapaxes(-2, -1).conj()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (31, 33), (32, 32), (33, 32), (70, 100), (100, 65), (2, 3, 40, 40), (0, 4)])
def test_lu_multiplies_to_the_matrix(shape, dtype):
    a = matrices(*shape, dtype=dtype)
    p, lower, upper = (x.numpy() for x in OPS["linalg.lu"](wc.tensor(a)))
    np.testing.assert_allclose(p @ lower @ upper, a, atol=PRECISION[dtype])
    assert lower.dtype == upper.dtype == a.dtype
    assert abs(lower).max(initial=0) <= 1.5, "rows were swapped so that no factor is large"


def test_pivots_are_those_of_lapack():
    a = matrices(3, 50, 50)
    lu, pivots, info = arrays.lu_factor(np, a)
    assert info.tolist() == [0, 0, 0]
    signs = np.where((pivots != np.arange(1, 51)).sum(-1) % 2, -1.0, 1.0)
    np.testing.assert_allclose(signs * np.diagonal(lu, 0, -2, -1).prod(-1), np.linalg.det(a))


def test_info_is_the_first_zero_pivot_of_each_matrix():
    a = np.stack([np.eye(4), np.diag([1.0, 0, 2, 0]), np.zeros((4, 4))])
    assert arrays.lu_factor(np, a)[2].tolist() == [0, 2, 1]
    assert OPS["linalg.inv_ex"](wc.tensor(a)).info.tolist() == [0, 2, 1]
    assert OPS["linalg.solve_ex"](wc.tensor(a), wc.ones(4, 1, dtype=wc.float64)).info.tolist() == [0, 2, 1]


def test_nan_is_not_taken_for_singular():
    a = np.stack([np.full((2, 2), np.nan), np.eye(2)])
    assert OPS["linalg.inv_ex"](wc.tensor(a)).info.tolist() == [0, 0]
    assert np.isnan(OPS["linalg.inv"](wc.tensor(a)).numpy()[0]).all()
    assert np.isnan(OPS["linalg.solve"](wc.tensor(a), wc.ones(2, 2, dtype=wc.float64)).numpy()[0]).all()
    x = OPS["linalg.solve"](wc.eye(2), wc.tensor([float("nan"), 1.0]))
    assert np.isnan(x.numpy()[0])


def test_a_singular_matrix_does_not_harm_the_others_of_its_batch():
    a = np.stack([matrices(3, 3), np.zeros((3, 3))])
    inverse = OPS["linalg.inv_ex"](wc.tensor(a)).inverse.numpy()
    np.testing.assert_allclose(inverse[0], np.linalg.inv(a[0]))
    assert np.isnan(inverse[1]).all()
    x = OPS["linalg.solve_ex"](wc.tensor(a), wc.ones(2, 3, dtype=wc.float64)).result.numpy()
    np.testing.assert_allclose(x[0], np.linalg.solve(a[0], np.ones(3)))
    assert np.isnan(x[1]).all()


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize(("n", "batch"), [(1, 2), (64, 2), (65, 2), (200, 2), (5, 70), (70, 70)])
def test_a_triangular_solution_fits_its_system(n, batch, upper, unit):
    t = matrices(batch, n, n) / n + 2 * np.eye(n)
    b = matrices(3, 1, n, 2)
    x = arrays.solve_triangular(np, t, b, upper, unit)
    kept = np.triu(t) if upper else np.tril(t)
    kept = np.where(np.eye(n, dtype=bool), 1, kept) if unit else kept
    np.testing.assert_allclose(kept @ x, np.broadcast_to(b, x.shape), atol=1e-11)


def test_a_zero_on_a_large_triangles_diagonal_gives_infinities_from_there_on():
    t = np.triu(np.ones((100, 100)))
    t[70, 70] = 0
    with np.errstate(all="ignore"):
        x = arrays.solve_triangular(np, t, np.arange(100.0)[:, None] + 1, True, False)[:, 0]
    assert np.isfinite(x[71:]).all()
    assert not np.isfinite(x[:71]).any()


@pytest.mark.parametrize("order", [1, 2, 17, 40])
def test_the_order_of_the_first_minor_that_is_not_positive(order):
    a = np.eye(40)
    a[order - 1, order - 1] = -1
    info = OPS["linalg.cholesky_ex"](wc.tensor(np.stack([np.eye(40), a]))).info
    assert info.tolist() == [0, order]
    with pytest.raises(LinAlgError, match=f"Batch element 1.*leading minor of order {order} "):
        OPS["linalg.cholesky"](wc.tensor(np.stack([np.eye(40), a])))


def test_reflections_of_geqrf_multiply_to_q():
    a = wc.tensor(matrices(2, 6, 4, dtype="complex128"))
    h, tau = OPS["geqrf"](a)
    q, r = (x.numpy() for x in OPS["linalg.qr"](a))
    np.testing.assert_allclose(OPS["linalg.householder_product"](h, tau).numpy(), q, atol=1e-12)
    np.testing.assert_allclose(np.triu(h.numpy()[..., :4, :]), r, atol=1e-12)
    whole = OPS["linalg.qr"](a, "complete")[0].numpy()
    other = matrices(2, 6, 3, dtype="complex128", seed=1)
    turned = OPS["ormqr"](h, tau, wc.tensor(other), transpose=True).numpy()
    np.testing.assert_allclose(turned, adjoint(whole) @ other, atol=1e-12)


@pytest.mark.parametrize("size", [1e-8, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_exponential_agrees_with_eigenvalues(size, dtype):
    x = matrices(20, 20, dtype=dtype)
    x = (x + adjoint(x)) * (size / 20)
    values, vectors = np.linalg.eigh(x.astype("complex128"))
    expected = (vectors * np.exp(values)) @ adjoint(vectors)
    got = OPS["matrix_exp"](wc.tensor(x)).numpy()
    assert got.dtype == x.dtype
    precision = 1e-6 if got.real.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(got, expected, atol=precision * abs(expected).max())


def test_exponentials_of_a_batch_are_scaled_each_by_its_own_norm():
    x = np.stack([np.zeros((2, 2)), np.diag([700.0, -700.0]), np.full((2, 2), np.nan)])
    got = OPS["matrix_exp"](wc.tensor(x)).numpy()
    np.testing.assert_array_equal(got[0], np.eye(2))
    np.testing.assert_allclose(np.diagonal(got[1]), np.exp([700.0, -700.0]), rtol=1e-10)
    assert np.isnan(got[2]).all()


def test_eigenvalues_of_a_batch_with_nan():
    x = np.stack([np.eye(2), np.full((2, 2), np.nan)])
    values, vectors = (y.numpy() for y in OPS["linalg.eigh"](wc.tensor(x)))
    np.testing.assert_array_equal(values[0], [1, 1])
    assert np.isnan(values[1]).all()
    assert np.isnan(vectors[1]).all()
    with pytest.raises(LinAlgError, match=r"Batch element 1.*non-finite values"):
        OPS["linalg.svd"](wc.tensor(x))
    with pytest.raises(LinAlgError, match="non-finite values"):
        OPS["linalg.pinv"](wc.tensor(x[1]))


@pytest.mark.parametrize("n", [2, 3, 4, 50])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_singular_values_of_infinities_come_to_an_end(dtype, n):
    x = np.stack([np.eye(n, dtype=dtype)] * 2)
    x[1, 0, 0] = np.inf
    u, values, vh = (y.numpy() for y in OPS["linalg.svd"](wc.tensor(x)))
    np.testing.assert_allclose(u[0] * values[0, None] @ vh[0], x[0])
    assert np.isnan(values[1]).all()
    assert np.isnan(OPS["linalg.svdvals"](wc.tensor(x)).numpy()[1]).all()
    assert np.isnan(OPS["linalg.cond"](wc.tensor(x)).numpy()[1])
    assert OPS["linalg.matrix_rank"](wc.tensor(x)).tolist() == [n, 0]


def test_out_is_written_resized_and_checked():
    a = wc.tensor(matrices(3, 3))
    out = wc.empty(0, dtype=wc.float64)
    assert OPS["linalg.inv"](a, out=out) is out
    np.testing.assert_allclose(out.numpy(), np.linalg.inv(a.numpy()))
    parts = (wc.empty(0, dtype=wc.float64), wc.empty(0, dtype=wc.float64))
    result = OPS["linalg.qr"](a, out=parts)
    assert (result.Q is parts[0], result.R is parts[1]) == (True, True)
    with pytest.raises(TypeError, match=r"tuple of Tensors, not .*: of 2 Tensors"):
        OPS["linalg.qr"](a, out=out)


def test_least_squares_of_a_singular_system_has_the_smallest_solution():
    a, b = np.array([[1.0, 1, 0], [1, 1, 0]]), np.array([[2.0], [2.0]])
    x, _, rank, values = OPS["linalg.lstsq"](wc.tensor(a), wc.tensor(b), driver="gelsd")
    np.testing.assert_allclose(x.numpy(), [[1], [1], [0]], atol=1e-12)
    assert rank.item() == 1
    np.testing.assert_allclose(values.numpy(), [2, 0], atol=1e-12)
