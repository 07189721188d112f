"""wengert.scipy.linalg: values beside SciPy's, derivatives beside differences."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy.test_util import check_grads

sl = pytest.importorskip("scipy.linalg")
from wengert_numpy.autograd_scipy import linalg  # noqa: E402

A = numpy.array([[1.0, 0.4, -0.3], [0.2, 1.7, 0.5], [-0.6, 0.1, 2.6]])
B = numpy.array([[3.2, -0.5, 0.3], [0.7, 4.1, 0.2], [0.1, 0.6, 2.9]])
P = A @ A.T + numpy.eye(3)
V = numpy.array([0.5, -1.2, 0.8])
M = numpy.array([[0.3, 1.0], [-0.7, 0.4], [1.1, 0.6]])
BANDS = numpy.array([[0.0, 0.3, -0.2, 0.5], [4.0, 5.0, 3.5, 4.5], [0.6, -0.4, 0.2, 0.0], [0.1, 0.7, 0.0, 0.0]])
W = numpy.array([0.4, -0.9, 1.3, 0.2])


def both(a: Any) -> Any:
    return (a + a.T) / 2


CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "solve": (lambda a, b, m=linalg: m.solve(a, b), (A, V)),
    "solve transposed": (lambda a, b, m=linalg: m.solve(a, b, transposed=True), (A, M)),
    "solve pos": (lambda a, b, m=linalg: m.solve(a, b, assume_a="pos"), (P, M)),
    "solve sym, lower": (lambda a, b, m=linalg: m.solve(a, b, assume_a="sym", lower=True), (P, V)),
    "solve upper triangular": (lambda a, b, m=linalg: m.solve(a, b, assume_a="upper triangular"), (A, V)),
    "solve_triangular": (lambda a, b, m=linalg: m.solve_triangular(a, b), (A, V)),
    "solve_triangular lower": (lambda a, b, m=linalg: m.solve_triangular(a, b, lower=True), (A, M)),
    "solve_triangular T": (lambda a, b, m=linalg: m.solve_triangular(a, b, trans="T"), (A, M)),
    "solve_triangular unit": (lambda a, b, m=linalg: m.solve_triangular(a, b, 2, True, True), (A, V)),
    "inv": (lambda a, m=linalg: m.inv(a), (A,)),
    "det": (lambda a, m=linalg: m.det(a), (A,)),
    "pinv": (lambda a, m=linalg: m.pinv(a), (M,)),
    "lstsq": (lambda a, b, m=linalg: m.lstsq(a, b)[0], (M, V)),
    "lstsq residues": (lambda a, b, m=linalg: m.lstsq(a, b)[1], (M, A)),
    "solve_sylvester": (lambda a, b, q, m=linalg: m.solve_sylvester(a, b, q), (A, B, A + B)),
    "solve_sylvester oblong": (lambda a, b, q, m=linalg: m.solve_sylvester(a, b, q), (A, B[:2, :2], M)),
    "solve_continuous_lyapunov": (lambda a, q, m=linalg: m.solve_continuous_lyapunov(a, q), (A, B)),
    "solve_discrete_lyapunov": (lambda a, q, m=linalg: m.solve_discrete_lyapunov(a / 4, q), (A, B)),
    "expm": (lambda a, m=linalg: m.expm(a), (A,)),
    "logm": (lambda a, m=linalg: m.logm(a), (B,)),
    "sqrtm": (lambda a, m=linalg: m.sqrtm(a), (B,)),
    **{
        name: (lambda a, m=linalg, name=name: getattr(m, name)(a), (A,))
        for name in ("cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")
    },
    "norm": (lambda a, m=linalg: m.norm(a, "fro"), (A,)),
    "norm of an axis": (lambda a, m=linalg: m.norm(a, 1, axis=0), (A,)),
    "solve_banded": (lambda a, b, m=linalg: m.solve_banded((2, 1), a, b), (BANDS, W)),
    "solve_banded of columns": (
        lambda a, b, m=linalg: m.solve_banded((2, 1), a, b),
        (BANDS, numpy.stack([W, W[::-1]], 1)),
    ),
    "solveh_banded": (lambda a, b, m=linalg: m.solveh_banded(a, b), (BANDS[:2], W)),
    "solveh_banded lower": (lambda a, b, m=linalg: m.solveh_banded(a, b, lower=True), (BANDS[1:], W)),
    "toeplitz": (lambda c, r, m=linalg: m.toeplitz(c, r), (V, W)),
    "toeplitz symmetric": (lambda c, m=linalg: m.toeplitz(c), (V,)),
    "circulant": (lambda c, m=linalg: m.circulant(c), (V,)),
    "hankel": (lambda c, r, m=linalg: m.hankel(c, r), (V, W)),
    "hankel of zeros": (lambda c, m=linalg: m.hankel(c), (V,)),
    "block_diag": (lambda a, b, m=linalg: m.block_diag(a, b, 2), (M, V)),
    "solve_toeplitz": (lambda c, b, m=linalg: m.solve_toeplitz(c, b), (W + 2, W)),
    "solve_toeplitz of two": (lambda c, r, b, m=linalg: m.solve_toeplitz((c, r), b), (W + 2, W, W)),
    "cholesky": (lambda a, m=linalg: m.cholesky(both(a)), (P,)),
    "cholesky lower": (lambda a, m=linalg: m.cholesky(both(a), lower=True), (P,)),
    "cho_solve": (lambda a, b, m=linalg: m.cho_solve(m.cho_factor(a), b), (P, V)),
    "cho_solve lower": (lambda a, b, m=linalg: m.cho_solve(m.cho_factor(a, lower=True), b), (P, M)),
    "lu": (lambda a, m=linalg: m.lu(a)[2], (A[::-1].copy(),)),
    "lu permuted": (lambda a, m=linalg: m.lu(a, permute_l=True)[0], (A[::-1].copy(),)),
    "lu_solve": (lambda a, b, m=linalg: m.lu_solve(m.lu_factor(a), b), (A[::-1].copy(), V)),
    "lu_solve transposed": (lambda a, b, m=linalg: m.lu_solve(m.lu_factor(a), b, trans=1), (A[::-1].copy(), M)),
    "qr": (lambda a, m=linalg: m.qr(a, mode="economic")[1] ** 2, (M,)),
    "qr r": (lambda a, m=linalg: m.qr(a, mode="r")[0] ** 2, (A,)),
    "eigh": (lambda a, m=linalg: m.eigh(both(a))[0], (P,)),
    "eigh upper": (lambda a, m=linalg: m.eigh(a, lower=False)[1] ** 2, (P,)),
    "eigh subset": (lambda a, m=linalg: m.eigh(both(a), subset_by_index=[1, 2], eigvals_only=True), (P,)),
    **{
        f"eigh of pairs, type {k}": (lambda a, b, m=linalg, k=k: m.eigh(both(a), both(b), type=k)[0], (A, P))
        for k in (1, 2, 3)
    },
    **{
        f"eigenvectors of pairs, type {k}": (
            lambda a, b, m=linalg, k=k: m.eigh(a, b, type=k, lower=False)[1] ** 2,
            (A, P),
        )
        for k in (1, 2, 3)
    },
    "eigvalsh": (lambda a, m=linalg: m.eigvalsh(both(a)), (P,)),
    "svdvals": (lambda a, m=linalg: m.svdvals(a), (M,)),
    "svd": (lambda a, m=linalg: m.svd(a, full_matrices=False)[0] ** 2, (M,)),
    "svd values": (lambda a, m=linalg: m.svd(a, compute_uv=False), (M,)),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_scipys(name: str) -> None:
    function, args = CALLS[name]
    expected = function(*args, m=sl)
    numpy.testing.assert_allclose(function(*args), expected, rtol=1e-10, atol=1e-12)
    got = function(*map(wg.tensor, args))
    assert type(got) is wg.Tensor
    numpy.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_agree_with_differences(name: str) -> None:
    numpy.random.seed(4)  # noqa: NPY002 - the generator of check_grads
    function, args = CALLS[name]
    check_grads(function, tuple(range(len(args))), order=1 if "norm" in name else 2)(*args)


@pytest.mark.parametrize("name", ["sqrtm", "logm", "expm"])
def test_matrix_functions_take_batches(name: str) -> None:
    batch = numpy.stack([B, P])
    got = getattr(linalg, name)(wg.tensor(batch))
    numpy.testing.assert_allclose(got.numpy(), [getattr(sl, name)(B), getattr(sl, name)(P)], rtol=1e-10)
    check_grads(getattr(linalg, name), order=1)(batch)


@pytest.mark.parametrize("name", ["sqrtm", "logm", "solve_banded", "solve_sylvester"])
def test_complex_matrices_have_derivatives(name: str) -> None:
    z = B + 0.3j * A
    calls = {
        "solve_banded": lambda a: linalg.solve_banded((1, 1), a, V * 1j),
        "solve_sylvester": lambda a: linalg.solve_sylvester(a, B, a),
    }
    check_grads(calls.get(name, getattr(linalg, name)), order=1)(z)


def test_a_factor_of_a_decomposition_multiplies_to_the_matrix() -> None:
    p, lower, upper = linalg.lu(wg.tensor(A))
    numpy.testing.assert_allclose((p @ lower @ upper).numpy(), A, atol=1e-14)
    values, vectors = linalg.eig(wg.tensor(A))
    numpy.testing.assert_allclose((vectors @ wg.diag(values)).numpy(), A @ vectors.numpy(), atol=1e-13)
    numpy.testing.assert_allclose(numpy.sort_complex(linalg.eigvals(wg.tensor(A)).numpy()),
                                  numpy.sort_complex(sl.eigvals(A)))  # fmt: skip
    q, r = linalg.qr(wg.tensor(M))
    assert q.shape == (3, 3)
    numpy.testing.assert_allclose((q @ r).numpy(), M, atol=1e-14)
    inverse, rank = linalg.pinv(wg.tensor(M), return_rank=True)
    assert rank == 2
    assert inverse.shape == (2, 3)


@pytest.mark.parametrize(("call", "message"), [
    (lambda x: linalg.qr(x, pivoting=True), r"qr\(\): argument 'pivoting'"),
    (lambda x: linalg.qr(x, mode="raw"), r"qr\(\): argument 'mode'"),
    (lambda x: linalg.eig(x, left=True), r"eig\(\): argument 'left'"),
    (lambda x: linalg.eig(x, x), r"eig\(\): argument 'b'"),
    (lambda x: linalg.eigvals(x, homogeneous_eigvals=True), r"eigvals\(\): argument 'homogeneous_eigvals'"),
    (lambda x: linalg.eigh(x, subset_by_value=(0, 1)), r"eigh\(\): argument 'subset_by_value'"),
    (lambda x: linalg.solve_sylvester(x[None], x, x), r"solve_sylvester\(\): argument 'a'"),
    (lambda x: linalg.sqrtm(x, disp=False), r"sqrtm\(\): argument 'disp'"),
    (lambda x: linalg.logm(x, disp=False), r"logm\(\): argument 'disp'"),
])  # fmt: skip
def test_arguments_that_tensors_do_not_have_are_named(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call(wg.tensor(A))


@pytest.mark.parametrize(("call", "message"), [
    (lambda: linalg.solve(wg.ones(2, 3), [1.0, 2.0]), "expected square matrix"),
    (lambda: linalg.solve(wg.tensor(A), wg.ones(2)), "incompatible"),
    (lambda: linalg.solve(wg.tensor(A), wg.ones(3), assume_a="odd"), "odd is not a recognized matrix structure"),
    (lambda: linalg.solve_triangular(wg.tensor(A), wg.ones(3), trans="X"), "argument 'trans' = 'X'"),
    (lambda: linalg.solve_banded((1, 1), wg.tensor(BANDS), wg.ones(4)), "number of lower and upper diagonals"),
    (lambda: linalg.solve_banded((2, 1), wg.tensor(BANDS), wg.ones(3)), "shapes of ab and b are not compatible"),
    (lambda: linalg.solveh_banded(wg.tensor(BANDS), wg.ones(3)), "shapes of ab and b are not compatible"),
    (lambda: linalg.qr(wg.tensor(A), mode="odd"), "Mode argument should be one of"),
    (lambda: linalg.eigh(wg.tensor(A), type=4), "only accepts 1, 2, and 3"),
])  # fmt: skip
def test_bad_input_raises_scipys_errors(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_matrix_that_is_not_positive_definite_raises_linalgerror() -> None:
    with pytest.raises(numpy.linalg.LinAlgError):
        linalg.cholesky(wg.tensor(-P))


def test_derivatives_run_through_a_program_of_arrays() -> None:
    def loss(a: Any) -> Any:
        return linalg.sqrtm(np.eye(3) + a @ a.T).std() + linalg.solve(a, np.ones(3)).max()

    check_grads(loss, order=1)(A)
