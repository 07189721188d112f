"""numpy.linalg, numpy.fft and products on tensors: names, errors, out=, results with names, vmap."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import forward_ad
from wengert_numpy.functions import table
from wengert_numpy.functions.linalg.linear_algebra import LinAlgError

table.load()
A = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 4.0]])
NOT_DISPATCHED = {"fft.fftfreq", "fft.rfftfreq", "fft.test", "linalg.test", "linalg.LinAlgError"}
"""Names that take no arrays, so that NumPy asks no protocol."""


def names_of(module: Any, prefix: str) -> list[str]:
    """Return the public functions of a module, by their names below numpy."""
    return [prefix + name for name in module.__all__ if callable(getattr(module, name))]


@pytest.mark.parametrize("name", names_of(np.linalg, "linalg.") + names_of(np.fft, "fft."))
def test_each_function_of_linalg_and_fft_is_in_the_table_or_absent_with_a_reason(name: str) -> None:
    known = table.numpy_function(name) in table.FUNCTIONS
    assert known or name in table.ABSENT or name in NOT_DISPATCHED, name


# ---- errors: NumPy's types and phrases


def error_of(call: Callable[[Callable[[Any], Any]], Any], make: Callable[[Any], Any]) -> BaseException:
    """Return the error that a call raises for arrays or for tensors."""
    try:
        call(make)
    except Exception as error:
        return error
    raise AssertionError("no error was raised")


ONES = np.ones((2, 2))
ERRORS: list[tuple[str, Callable[[Callable[[Any], Any]], Any]]] = [
    ("Singular matrix", lambda t: np.linalg.inv(t(ONES))),
    ("Singular matrix", lambda t: np.linalg.solve(t(ONES), [1.0, 2.0])),
    ("not positive definite", lambda t: np.linalg.cholesky(t(-ONES))),
    ("must be at least two-dimensional", lambda t: np.linalg.inv(t(ONES[0]))),
    ("must be square", lambda t: np.linalg.det(t(A[:2]))),
    ("must be square", lambda t: np.linalg.matrix_power(t(A[:2]), 2)),
    ("must be at least two-dimensional", lambda t: np.linalg.qr(t(A[0]))),
    ("must be an integer", lambda t: np.linalg.matrix_power(t(A), 1.5)),
    ("infs or NaNs", lambda t: np.linalg.eigvals(t(A * np.nan))),
    ("UPLO", lambda t: np.linalg.eigh(t(A), "X")),
    ("Unrecognized mode", lambda t: np.linalg.qr(t(A), "x")),
    ("mismatch in its core dimension 0", lambda t: np.linalg.solve(t(A), np.ones(2))),
    ("", lambda t: np.linalg.solve(t(np.stack([A, A])), np.ones((3, 3, 1)))),
    ("Incompatible dimensions", lambda t: np.linalg.lstsq(t(A), np.ones(2))),
    ("must be two-dimensional", lambda t: np.linalg.lstsq(t(np.stack([A, A])), np.ones(3))),
    ("can't be both set", lambda t: np.linalg.pinv(t(A), 0.1, rtol=0.1)),
    ("can't be both set", lambda t: np.linalg.matrix_rank(t(A), 0.1, rtol=0.1)),
    ("Invalid ind", lambda t: np.linalg.tensorinv(t(A), 0)),
    ("requirement", lambda t: np.linalg.tensorsolve(t(A[:2]), np.ones(2))),
    ("float16 is unsupported", lambda t: np.linalg.inv(t(A.astype(np.float16)))),
    ("Improper number of dimensions", lambda t: np.linalg.norm(t(np.ones((2, 2, 2))), 1)),
    ("Invalid norm order", lambda t: np.linalg.norm(t(A), 3)),
    ("Invalid norm order", lambda t: np.linalg.norm(t(A[0]), "fro")),
    ("Duplicate axes", lambda t: np.linalg.norm(t(A), axis=(0, 0))),
    ("'axis' must be None, an integer or a tuple", lambda t: np.linalg.norm(t(A), axis="x")),
    ("axis 2 is out of bounds", lambda t: np.linalg.norm(t(A), axis=2)),
    ("no identity", lambda t: np.linalg.norm(t(A[:0, 0]), -np.inf)),
    ("empty arrays", lambda t: np.linalg.cond(t(A[:0]))),
    ("at least two arrays", lambda t: np.linalg.multi_dot([t(A)])),
    ("not aligned", lambda t: np.linalg.multi_dot([t(A), t(ONES)])),
    ("one-dimensional", lambda t: np.linalg.outer(t(A), t(A))),
    ("3-dimensional vectors", lambda t: np.linalg.cross(t(ONES), t(ONES))),
    ("not aligned", lambda t: np.dot(t(A), np.ones(2))),
    ("not aligned", lambda t: np.inner(t(A), np.ones(2))),
    ("", lambda t: np.vdot(t(A), np.ones(2))),
    ("shape-mismatch for sum", lambda t: np.tensordot(t(A), np.ones(2), 1)),
    ("duplicate axes", lambda t: np.tensordot(t(A), t(A), ([0, 0], [0, 1]))),
    ("incompatible dimensions for cross", lambda t: np.cross(t(np.ones(4)), t(np.ones(4)))),
    ("", lambda t: np.einsum("ij,jk", t(A), np.ones((2, 2)))),
    ("", lambda t: np.einsum("ij", t(A[0]))),
    ("", lambda t: np.einsum("i->j", t(A[0]))),
    ("unexpected keyword argument", lambda t: np.einsum("i", t(A[0]), what=1)),
    ("according to the rule 'safe'", lambda t: np.einsum("ij,j", t(A), A[0], dtype=np.int64)),
    ("at least two", lambda t: np.trace(t(A[0]))),
    ("cannot be the same", lambda t: np.trace(t(A), axis1=1, axis2=-1)),
    ("Invalid number of FFT data points", lambda t: np.fft.fft(t(A), 0)),
    ("Invalid number of FFT data points", lambda t: np.fft.irfft(t(A[:, :1]))),
    ("Invalid norm value", lambda t: np.fft.fft(t(A), norm="x")),
    ("axis 2 is out of bounds", lambda t: np.fft.fft(t(A), 3, axis=2)),
    ("", lambda t: np.fft.fft(t(A), axis=2)),
    ("different lengths", lambda t: np.fft.fftn(t(A), (2, 2), (0,))),
    ("not supported for the input types", lambda t: np.fft.rfft(t(A * 1j))),
    ("`axes` should not be `None`", lambda t: np.fft.fftn(t(A), (2, 2))),
    ("`None` values to `s`", lambda t: np.fft.fftn(t(A), (2, None), (0, 1))),
    ("2-dimensional vectors are deprecated", lambda t: np.cross(t(ONES[0]), t(A[0]))),
]


@pytest.mark.parametrize(("phrase", "call"), ERRORS, ids=[f"{i}-{phrase}" for i, (phrase, _) in enumerate(ERRORS)])
def test_bad_arguments_raise_the_error_of_numpy(phrase: str, call: Callable[[Callable[[Any], Any]], Any]) -> None:
    expected, error = error_of(call, lambda a: a), error_of(call, wg.tensor)
    assert isinstance(error, type(expected)), repr(error)
    assert phrase in str(expected)
    assert phrase in str(error)


def test_linalg_errors_are_those_of_numpy_and_of_wengert() -> None:
    for kind in (np.linalg.LinAlgError, wg.linalg.LinAlgError):
        with pytest.raises(kind, match=r"^Singular matrix"):
            np.linalg.inv(wg.zeros(2, 2))
    assert issubclass(LinAlgError, ValueError)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors")
@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 3), (3, 2)])
def test_cross_products_of_planar_vectors_are_those_of_numpy(m: int, n: int) -> None:
    x, y = np.arange(1.0, 1 + 4 * m).reshape(4, m), np.arange(3.0, 3 + n)
    a, b = wg.tensor(x, requires_grad=True), wg.tensor(y, requires_grad=True)
    np.testing.assert_array_equal(np.cross(a, b).detach().numpy(), np.cross(x, y))
    assert wg.autograd.gradcheck(np.cross, (a, b), check_forward_ad=True)


# ---- results with names


def test_results_with_several_parts_are_numpys_namedtuples() -> None:
    t = wg.tensor(A, requires_grad=True)
    for result, reference in (
        (np.linalg.eig(t), np.linalg.eig(A)),
        (np.linalg.eigh(t), np.linalg.eigh(A)),
        (np.linalg.qr(t), np.linalg.qr(A)),
        (np.linalg.svd(t), np.linalg.svd(A)),
        (np.linalg.slogdet(t), np.linalg.slogdet(A)),
    ):
        assert type(result) is type(reference)
        assert all(isinstance(part, wg.Tensor) and part.grad_fn is not None for part in result
                   if part is not getattr(result, "sign", None))


# ---- one triangle


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_the_gradient_of_the_triangle_that_is_not_read_is_zero(uplo: str) -> None:
    t = wg.tensor(A, requires_grad=True)
    other = np.triu(np.ones((3, 3)), 1) if uplo == "L" else np.tril(np.ones((3, 3)), -1)
    for value in (
        np.linalg.eigvalsh(t, uplo)[0], np.linalg.eigh(t, uplo)[0][1], np.linalg.cholesky(t, upper=uplo == "U").sum()
    ):
        (grad,) = wg.autograd.grad(value, t)
        assert not (grad.numpy() * other).any()
        assert grad.numpy().any()


# ---- out=


@pytest.mark.parametrize("call", [
    lambda x, y, out: np.dot(x, y, out=out),
    lambda x, y, out: np.linalg.multi_dot([x, y, y], out=out),
    lambda x, y, out: np.outer(x[0], y[0], out=out),
    lambda x, y, out: np.einsum("ij,jk", x, y, out=out),
    lambda x, y, out: np.einsum("ij,jk", x, y, out=out, optimize=True),
    lambda x, y, out: np.matmul(x, y, out=out),
])  # fmt: skip
def test_a_tensor_for_out_is_written_to_with_its_history(call: Callable[..., Any]) -> None:
    x, y = wg.tensor(A, requires_grad=True), wg.tensor(A.T)
    out = wg.zeros(3, 3, dtype=wg.float64)
    assert call(x, y, out) is out
    np.testing.assert_allclose(out.detach().numpy(), call(A, A.T, np.zeros((3, 3))))
    out.sum().backward()
    assert x.grad.numpy().any()
    array = np.zeros((3, 3))
    assert call(x.detach(), y, array) is array
    np.testing.assert_allclose(array, out.detach().numpy())
    with pytest.raises(TypeError, match="cannot hold the derivative"):
        call(x, y, array)


def test_fft_writes_to_out() -> None:
    x = wg.tensor(A, requires_grad=True)
    for name in ("fft", "ifft2", "fftn"):
        out = wg.zeros(3, 3, dtype=wg.complex128)
        assert getattr(np.fft, name)(x, out=out) is out
        assert out.grad_fn is not None
        np.testing.assert_allclose(out.detach().numpy(), getattr(np.fft, name)(A))


def test_dot_refuses_an_out_of_another_dtype() -> None:
    with pytest.raises((TypeError, ValueError)):
        np.dot(wg.tensor(A), A, out=wg.zeros(3, 3, dtype=wg.float32))


# ---- forward mode, batches, subclasses

CALLS: list[Callable[[Any], Any]] = [
    lambda a: np.linalg.inv(a),
    lambda a: np.linalg.solve(a, a[0]),
    lambda a: np.linalg.det(a),
    lambda a: np.linalg.slogdet(a)[1],
    lambda a: np.linalg.pinv(a),
    lambda a: np.linalg.lstsq(a, a[0])[0],
    lambda a: np.linalg.lstsq(a[:, :2], a[0])[1],
    lambda a: np.linalg.cholesky(a),
    lambda a: np.linalg.qr(a[:, :2], "complete")[1],
    lambda a: np.linalg.svd(a)[1],
    lambda a: np.linalg.eigvalsh(a),
    lambda a: abs(np.linalg.eigh(a)[1]),
    lambda a: np.linalg.matrix_power(a, -2),
    lambda a: np.linalg.norm(a, "nuc"),
    lambda a: np.linalg.norm(a, axis=0),
    lambda a: np.linalg.cond(a, 1),
    lambda a: np.linalg.multi_dot([a, a, a[0]]),
    lambda a: np.dot(a, a[0]),
    lambda a: np.inner(a, a),
    lambda a: np.tensordot(a, a, ([0], [1])),
    lambda a: np.kron(a, a[0]),
    lambda a: np.cross(a, a[0]),
    lambda a: np.trace(a),
    lambda a: np.einsum("ij,kj,ii->k", a, a, a),
    lambda a: abs(np.fft.rfft(a, 5)),
    lambda a: np.fft.irfftn(a),
    lambda a: np.fft.fftshift(a),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_vmap_gives_the_results_of_single_calls(call: Callable[[Any], Any]) -> None:
    batch = wg.tensor(np.stack([A, 2 * A + np.eye(3), A @ A]))
    expected = wg.stack([call(one) for one in batch])
    np.testing.assert_allclose(wg.vmap(call)(batch).numpy(), expected.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_tangents_are_those_of_differences(call: Callable[[Any], Any]) -> None:
    direction = np.array([[0.3, -0.2, 0.1], [-0.2, 0.5, 0.4], [0.1, 0.4, -0.6]])
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual(call(forward_ad.make_dual(wg.tensor(A), wg.tensor(direction)))).tangent
    step = 1e-6
    difference = (call(A + step * direction) - call(A - step * direction)) / (2 * step)
    np.testing.assert_allclose(tangent.numpy(), difference, rtol=1e-5, atol=1e-7)


def test_eigenvalues_of_a_batch_within_vmap_are_complex() -> None:
    batch = wg.tensor(np.stack([A, A + 1]))
    values = wg.vmap(lambda a: np.linalg.eigvals(a))(batch)
    assert values.dtype is wg.complex128
    np.testing.assert_allclose(np.sort(values.real.numpy()), np.sort(np.linalg.eigvals(batch.numpy())))


class Matrix(wg.Tensor):
    """A subclass of tensors."""


def test_subclasses_are_operands() -> None:
    m = wg.tensor(A, requires_grad=True).as_subclass(Matrix)
    for call in CALLS:
        np.testing.assert_allclose(call(m).detach().numpy(), call(A), rtol=1e-9, atol=1e-12)


def test_no_warning_is_issued_by_calls_that_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.fft.fftn(wg.tensor(A), (2, -1), (0, 1))
        np.linalg.slogdet(wg.zeros(2, 2))
