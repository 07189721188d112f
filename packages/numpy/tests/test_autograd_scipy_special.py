"""wengert.scipy and wengert.scipy.special: values beside SciPy's, derivatives beside differences."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np
from wengert_numpy import autograd_scipy
from wengert_numpy.autograd_numpy.test_util import check_grads

sp = pytest.importorskip("scipy.special")
import scipy  # noqa: E402
from wengert_numpy.autograd_scipy import special  # noqa: E402

X = numpy.array([[0.3, 1.1, 2.0], [1.7, 0.6, 0.9]])
CALLS: dict[str, Any] = {
    "logsumexp": lambda x, m=special: m.logsumexp(x),
    "logsumexp of an axis": lambda x, m=special: m.logsumexp(x, axis=1, keepdims=True),
    "logsumexp with weights": lambda x, m=special: m.logsumexp(x, axis=0, b=numpy.array([[1.0], [-0.2]])),
    "logsumexp with a sign": lambda x, m=special: m.logsumexp(x, axis=-1, b=[1.0, -2.0, 0.5], return_sign=True)[0],
    "logsumexp of a number": lambda x, m=special: m.logsumexp(x[0, 0], b=2.0),
    "softmax": lambda x, m=special: m.softmax(x),
    "softmax of an axis": lambda x, m=special: m.softmax(x, axis=0),
    "log_softmax": lambda x, m=special: m.log_softmax(x, axis=(0, 1)),
    "polygamma": lambda x, m=special: m.polygamma(2, x),
    "multigammaln": lambda x, m=special: m.multigammaln(x + 2, 3),
    "zeta": lambda x, m=special: m.zeta(2.5, x),
    "sinc": lambda x, m=special: m.sinc(x),
    "comb": lambda x, m=special: m.comb(x + 3, 2),
    "comb with repetition": lambda x, m=special: m.comb(x + 3, 2, repetition=True),
    "perm": lambda x, m=special: m.perm(x + 3, 2),
    "factorial": lambda x, m=special: m.factorial(x),
    "a ufunc": lambda x, m=special: m.gammaln(x) + m.betainc(2.0, x, 0.3) + m.jn(2, x) + m.gammainc(x, 1.5),
    "erfinv, logit, expit": lambda x, m=special: m.erfinv(x / 4) + m.logit(x / 4) + m.expit(x) + m.i0(x),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_scipys(name: str) -> None:
    expected = CALLS[name](X, m=sp)
    numpy.testing.assert_allclose(CALLS[name](X), expected, rtol=1e-12)
    got = CALLS[name](wg.tensor(X))
    assert type(got) is wg.Tensor
    # sinc of whole numbers is 0 here, and what is left of sin(pi) in SciPy
    numpy.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, atol=1e-16 if name == "sinc" else 0)


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_agree_with_differences(name: str) -> None:
    numpy.random.seed(0)  # noqa: NPY002 - the generator of check_grads
    check_grads(CALLS[name])(X)


def test_logsumexp_has_a_derivative_by_the_weights_where_they_are_zero() -> None:
    b = numpy.array([1.0, 0.0, 2.0])
    check_grads(lambda a, b: special.logsumexp(a, b=b), (0, 1))(X[0], b)


@pytest.mark.parametrize("a", [[-numpy.inf, -numpy.inf], [numpy.inf, 1.0], [numpy.nan, 0.0], [1000.0, 1000.5]])
def test_logsumexp_of_extreme_exponents_is_scipys(a: list[float]) -> None:
    for b in (None, numpy.array([1.0, 0.0])):
        got = special.logsumexp(wg.tensor(a, dtype=wg.float64), b=b).numpy()
        numpy.testing.assert_allclose(got, sp.logsumexp(a, b=b))


def test_logsumexp_of_a_negative_sum_is_nan_without_a_sign() -> None:
    assert numpy.isnan(special.logsumexp(wg.tensor([0.0, 1.0]), b=[1.0, -1.0]).numpy())
    value, sign = special.logsumexp(wg.tensor([0.0, 1.0]), b=[1.0, -1.0], return_sign=True)
    assert sign == -1
    assert value.isfinite()


def test_logsumexp_of_complex_numbers_is_scipys() -> None:
    z = numpy.array([0.3 + 1j, -0.2 + 2j])
    numpy.testing.assert_allclose(special.logsumexp(wg.tensor(z)).numpy(), sp.logsumexp(z))


def test_arrays_come_out_of_differentiated_code_as_arrays() -> None:
    gradient = np.grad(lambda x: special.logsumexp(x).std() + special.logsumexp(x, axis=0).max())(X)
    assert type(gradient) is numpy.ndarray


@pytest.mark.parametrize("name", ["comb", "perm"])
def test_exact_integers_are_refused_by_name(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'exact'"):
        getattr(special, name)(wg.tensor(3.0), 2, exact=True)


@pytest.mark.parametrize("name", ["special", "stats", "linalg", "signal", "integrate", "optimize"])
def test_every_public_name_of_a_module_is_there(name: str) -> None:
    module, plain = getattr(autograd_scipy, name), getattr(scipy, name)
    assert [one for one in plain.__all__ if hasattr(plain, one) and one not in module.__all__] == []
    assert all(hasattr(module, one) for one in module.__all__)


def test_other_modules_are_scipys_own() -> None:
    assert autograd_scipy.fft is scipy.fft
    assert autograd_scipy.__version__ == scipy.__version__
    assert {"stats", "fft", "linalg"} <= set(dir(autograd_scipy))
