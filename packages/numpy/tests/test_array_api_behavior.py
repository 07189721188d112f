"""What the array API's functions do at the edges: errors, special numbers, in-place use, derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import wengert as wg
import wengert.array_api as xp
from hypothesis import given, settings
from hypothesis import strategies as st

from .array_api_cases import floats

ONES = (2, 3)


def errors() -> list[tuple[type[Exception], str, Any]]:
    """Return an error's type, its key phrase, and the call that raises it."""
    return [
        (ValueError, "no identity", lambda: xp.max(xp.zeros((0, 2)), axis=0)),
        (ValueError, "no identity", lambda: xp.min(xp.zeros(0))),
        (ValueError, "empty sequence", lambda: xp.argmax(xp.zeros(0))),
        (ValueError, "axis", lambda: xp.cumulative_sum(xp.ones(ONES))),
        (ValueError, "axis", lambda: xp.take(xp.ones(ONES), xp.asarray([0]))),
        (ValueError, "one dim or more", lambda: xp.nonzero(xp.asarray(3))),
        (ValueError, "size not equal to one", lambda: xp.squeeze(xp.ones(ONES), 0)),
        (ValueError, "broadcast", lambda: xp.broadcast_to(xp.ones(3), (2, 2))),
        (ValueError, "does not broadcast", lambda: xp.broadcast_to(xp.ones(ONES), (3,))),
        (ValueError, "broadcast", lambda: xp.broadcast_shapes((2,), (3,))),
        (ValueError, "broadcast", lambda: xp.broadcast_arrays(xp.ones(2), xp.ones(3))),
        (ValueError, "copy=False", lambda: xp.reshape(xp.ones(ONES).mT, (6,), copy=False)),
        (ValueError, "reshape", lambda: xp.reshape(xp.ones(ONES), (4,))),
        (ValueError, "must match", lambda: xp.concat([xp.ones(ONES), xp.ones(2)])),
        (ValueError, "shape-mismatch", lambda: xp.tensordot(xp.ones(ONES), xp.ones(ONES), axes=((0,), (1,)))),
        (ValueError, "elements", lambda: xp.vecdot(xp.ones((2, 1)), xp.ones(ONES))),
        (ValueError, "3 elements", lambda: xp.linalg.cross(xp.ones(2), xp.ones(2))),
        (ValueError, "one-dimensional", lambda: xp.linalg.outer(xp.ones(ONES), xp.ones(2))),
        (ValueError, "mode", lambda: xp.linalg.qr(xp.ones(ONES), mode="raw")),
        (ValueError, "side", lambda: xp.searchsorted(xp.ones(2), 1.0, side="middle")),
        (ValueError, "one dim", lambda: xp.searchsorted(xp.ones(ONES), 1.0)),
        (ValueError, "order", lambda: xp.diff(xp.ones(3), n=-1)),
        (ValueError, "as many", lambda: xp.take_along_axis(xp.ones(ONES), xp.asarray([0]))),
        (ValueError, "duplicate", lambda: xp.flip(xp.ones(ONES), axis=(0, 0))),
        *((IndexError, "range|bounds", call) for call in [
            lambda: xp.sum(xp.ones(ONES), axis=2), lambda: xp.max(xp.ones(ONES), axis=-3),
            lambda: xp.sort(xp.ones(ONES), axis=2), lambda: xp.argmin(xp.ones(ONES), axis=5),
            lambda: xp.expand_dims(xp.ones(ONES), 4), lambda: xp.expand_dims(xp.ones(ONES), (0, 5)),
            lambda: xp.std(xp.ones(ONES), axis=(0, 2)), lambda: xp.any(xp.ones(ONES), axis=9),
            lambda: xp.concat([xp.ones(ONES)], axis=2), lambda: xp.flip(xp.ones(ONES), axis=2),
            lambda: xp.roll(xp.ones(ONES), 1, axis=2), lambda: xp.unstack(xp.ones(ONES), axis=2),
            lambda: xp.permute_dims(xp.ones(ONES), (0, 2)), lambda: xp.moveaxis(xp.ones(ONES), 2, 0),
        ]),
        (TypeError, "asarray", lambda: xp.sin("a")),
        (TypeError, "asarray", lambda: xp.add(xp.ones(2), None)),
        (Exception, "matmul", lambda: xp.matmul(xp.ones(()), xp.ones(2))),
        (Exception, "positive-definite", lambda: xp.linalg.cholesky(-xp.asarray([[1.0, 0.0], [0.0, 1.0]]))),
        (Exception, "singular", lambda: xp.linalg.inv(xp.zeros((2, 2)))),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(len(errors())))
def test_a_wrong_call_raises_an_error_that_says_what_is_wrong(number: int) -> None:
    kind, phrase, call = errors()[number]
    with pytest.raises(kind, match=phrase):
        call()


@pytest.mark.parametrize("name", ["sin", "isinf", "isnan", "sqrt", "abs", "exp", "sign", "round", "floor", "real"])
def test_functions_of_one_array_take_numbers(name: str) -> None:
    found = getattr(xp, name)(2.0)
    assert isinstance(found, wg.Tensor)
    assert found.item() == pytest.approx(getattr(np, name)(2.0))
    assert getattr(xp, name)(np.ones(2)).shape == (2,)


@pytest.mark.parametrize("axis", [None, 0, (0,), ()], ids=repr)
@pytest.mark.parametrize("correction", [1, 1.5, 7])
def test_moments_without_a_degree_of_freedom_are_nan(axis: Any, correction: float) -> None:
    for function in (xp.var, xp.std):
        found = function(xp.asarray([2.0]), axis=axis, correction=correction)
        assert bool(xp.all(xp.isnan(found)))
    assert math.isnan(xp.mean(xp.zeros(0)))


def test_moments_of_integers_have_the_default_dtype() -> None:
    for function in (xp.mean, xp.var, xp.std):
        assert function(xp.asarray([1, 2, 4])).dtype is wg.get_default_dtype()
    assert xp.mean(xp.asarray([1, 2])).item() == 1.5


def test_every_nan_is_an_element_of_its_own() -> None:
    values, indices, inverse, counts = xp.unique_all(xp.asarray([2.0, math.nan, 1.0, math.nan, 2.0]))
    assert values.tolist()[:2] == [1.0, 2.0]
    assert bool(xp.all(xp.isnan(values[2:])))
    assert counts.tolist() == [1, 2, 1, 1]
    assert indices.tolist() == [2, 0, 1, 3]
    assert inverse.tolist() == [1, 2, 0, 3, 1]
    assert xp.unique_values(xp.asarray([0.0, -0.0])).shape == (1,)


def test_searchsorted_agrees_with_sort_about_nan() -> None:
    x1 = xp.asarray([1.0, math.inf, math.nan, math.nan])
    x2 = xp.asarray([0.0, 1.0, math.inf, math.nan, 5.0])
    for side in ("left", "right"):
        assert xp.searchsorted(x1, x2, side=side).tolist() == np.searchsorted(x1.numpy(), x2.numpy(), side).tolist()


def test_results_of_several_arrays_have_named_fields() -> None:
    matrix = xp.asarray([[2.0, 1.0], [1.0, 3.0]])
    assert xp.unique_all(matrix)._fields == ("values", "indices", "inverse_indices", "counts")
    assert xp.unique_counts(matrix)._fields == ("values", "counts")
    assert xp.unique_inverse(matrix)._fields == ("values", "inverse_indices")
    assert xp.linalg.eigh(matrix)._fields == xp.linalg.eig(matrix)._fields == ("eigenvalues", "eigenvectors")
    assert xp.linalg.qr(matrix)._fields == ("Q", "R")
    assert xp.linalg.svd(matrix)._fields == ("U", "S", "Vh")
    assert xp.linalg.slogdet(matrix)._fields == ("sign", "logabsdet")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (4, 2), (2, 4)], ids=repr)
def test_decompositions_restore_their_matrix(shape: tuple[int, ...], dtype: str) -> None:
    array = floats(*shape) + (1j * floats(*shape, seed=3) if "complex" in dtype else 0)
    x = xp.asarray(array, dtype=getattr(xp, dtype))
    tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-9
    real = xp.real(x).dtype

    def same(found: Any, expected: Any) -> bool:
        return found.dtype is expected.dtype and bool(xp.all(xp.abs(found - expected) < tolerance))

    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    assert s.dtype is real
    assert same(u @ (s[..., None] * vh), x)
    q, r = xp.linalg.qr(x)
    assert same(q @ r, x)
    complete = xp.linalg.qr(x, mode="complete")
    assert same(complete.Q @ complete.R, x)
    assert complete.Q.shape[-2:] == (shape[-2], shape[-2])
    full = xp.linalg.svd(x)
    assert (full.U.shape[-1], full.Vh.shape[-1]) == shape[-2:]
    if shape[-1] == shape[-2]:
        w, v = xp.linalg.eig(x)
        assert w.dtype is v.dtype is (x.dtype if x.dtype.is_complex else x.dtype.to_complex())
        assert same(x.to(v.dtype) @ v, v * w[..., None, :])
        assert xp.linalg.eigvals(x).dtype is w.dtype
        hermitian = x + xp.conj(x.mT)
        w, v = xp.linalg.eigh(hermitian)
        assert w.dtype is real
        assert same(v @ (w[..., None] * xp.conj(v.mT)), hermitian)


def test_derivatives_of_functions_of_decompositions_agree_with_differences() -> None:
    x = wg.tensor(floats(3, 3), requires_grad=True)
    functions = [
        lambda t: xp.sum(xp.linalg.svd(t, full_matrices=False).S ** 2),
        lambda t: xp.abs(xp.linalg.svd(t, full_matrices=False).U),
        lambda t: xp.linalg.eigh(t + t.mT).eigenvalues,
        lambda t: xp.abs(xp.linalg.eigh(t + t.mT).eigenvectors),
        lambda t: xp.linalg.cholesky(t @ t.mT + xp.eye(3, dtype=t.dtype)),
        lambda t: xp.abs(xp.linalg.qr(t).R),
        lambda t: xp.abs(xp.linalg.eigvals(t)),
        lambda t: xp.linalg.eigvalsh(t + t.mT),
    ]
    for function in functions:
        assert wg.autograd.gradcheck(function, (x,), check_forward_ad=True)


def test_tests_and_indices_have_no_derivative() -> None:
    x = wg.tensor([3.0, 1.0, 2.0], requires_grad=True)
    for found in (xp.isnan(x), xp.argsort(x), xp.argmax(x), xp.equal(x, x), xp.nonzero(x)[0], xp.searchsorted(x, 2.0)):
        assert not found.requires_grad


def test_the_derivative_of_a_floor_quotient_is_zero() -> None:
    x = wg.tensor([3.0, 1.0], requires_grad=True)
    xp.sum(xp.floor_divide(x, 2.0) + xp.floor(x) + x).backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_functions_run_under_vmap_and_twice_differentiated() -> None:
    x = wg.tensor(floats(4, 3))

    def deviation(row: Any) -> Any:
        return xp.std(xp.sort(row), correction=1) + xp.sum(xp.clip(row, 0.5, 1.5))

    expected = [deviation(row).item() for row in x]
    assert wg.vmap(deviation)(x).tolist() == pytest.approx(expected)
    assert wg.func.hessian(deviation)(x[0]).shape == (3, 3)


def test_views_are_written_through() -> None:
    x = xp.zeros((2, 3))
    xp.matrix_transpose(x)[0, 1] = 1.0
    xp.permute_dims(x, (1, 0))[2, 0] = 2.0
    xp.linalg.diagonal(x)[1] = 3.0
    xp.reshape(x, (6,))[0] = 4.0
    xp.expand_dims(x, 0)[0, 1, 2] = 5.0
    xp.reshape(x, (6,), copy=True)[0] = 9.0
    assert x.tolist() == [[4.0, 0.0, 2.0], [1.0, 3.0, 5.0]]


def test_numpys_errors_of_axes_are_raised_for_several_axes() -> None:
    with pytest.raises(np.exceptions.AxisError):
        xp.prod(xp.ones(ONES), axis=(0, 5))


SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@settings(max_examples=60, deadline=None)
@given(SHAPES, st.data())
def test_reductions_of_any_shape_and_axes_agree_with_numpy(shape: tuple[int, ...], data: st.DataObject) -> None:
    array = floats(*shape)
    axes = data.draw(st.none() | st.sets(st.integers(0, max(len(shape) - 1, 0)), max_size=len(shape)).map(tuple))
    keepdims = data.draw(st.booleans())
    for name in ("sum", "prod", "all", "any", "count_nonzero"):
        found = getattr(xp, name)(xp.asarray(array), axis=axes, keepdims=keepdims)
        expected = getattr(np, name)(array, axis=axes, keepdims=keepdims)
        assert tuple(found.shape) == np.shape(expected)
        np.testing.assert_allclose(found.numpy(), expected)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-3, 3) | st.sampled_from([0.5, math.nan]), max_size=8))
def test_unique_elements_restore_the_array(values: list[float]) -> None:
    x = xp.asarray(values, dtype=xp.float64)
    found = xp.unique_all(x)
    restored = xp.take(found.values, found.inverse_indices) if values else x
    np.testing.assert_array_equal(restored.numpy(), x.numpy())
    np.testing.assert_array_equal(xp.take(x, found.indices).numpy() if values else x, found.values.numpy())
    assert int(xp.sum(found.counts)) == len(values)
