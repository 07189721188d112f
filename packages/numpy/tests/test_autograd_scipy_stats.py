"""wengert.scipy.stats: values beside SciPy's, derivatives by the variable and the parameters beside differences."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import wengert as wg
import wengert_numpy.autograd_numpy as np
from wengert_numpy.autograd_numpy.test_util import check_grads

sps = pytest.importorskip("scipy.stats")
from wengert_numpy.autograd_scipy import stats  # noqa: E402

CONTINUOUS: dict[str, tuple[float, ...]] = {
    "norm": (), "t": (2.7,), "beta": (1.7, 2.6), "gamma": (1.8,), "chi2": (3.4,), "expon": (), "uniform": (),
    "logistic": (), "laplace": (), "cauchy": (),
}  # fmt: skip
DISCRETE = {"poisson": (1.7,), "bernoulli": (0.3,)}
X = numpy.array([0.35, 0.6, 0.85])
EDGES = numpy.array([-numpy.inf, -1.0, 0.0, 0.4, 1.0, 2.5, numpy.inf, numpy.nan])
OF_X = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")
MOMENTS = ("mean", "var", "std", "entropy", "median")


def cases(methods: tuple[str, ...]) -> list[Any]:
    return [(name, method) for name in CONTINUOUS for method in methods]


@pytest.mark.parametrize(("name", "method"), cases((*OF_X, "ppf", "isf")))
def test_functions_of_a_variable_have_scipys_values(name: str, method: str) -> None:
    shapes = CONTINUOUS[name]
    for args in ((*shapes,), (*shapes, 0.1), (*shapes, 0.1, 1.3)):
        with numpy.errstate(invalid="ignore"):
            expected = getattr(getattr(sps, name), method)(EDGES, *args)
        if "pdf" in method:  # of the gamma distribution SciPy's is NaN
            expected[[0, -2]] = 0.0 if method == "pdf" else -numpy.inf
        got = getattr(getattr(stats, name), method)(wg.tensor(EDGES), *args)
        assert got.dtype is wg.float64
        numpy.testing.assert_allclose(got.numpy(), expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize(("name", "method"), cases(OF_X))
def test_functions_of_a_variable_have_derivatives_by_all_arguments(name: str, method: str) -> None:
    numpy.random.seed(1)  # noqa: NPY002 - the generator of check_grads
    args = (X, *CONTINUOUS[name], 0.05, 1.2)
    function = getattr(getattr(stats, name), method)
    check_grads(function, tuple(range(len(args))), order=1 if name in ("t", "beta") else 2)(*args)


@pytest.mark.parametrize(("name", "method"), cases(("ppf", "isf")))
def test_quantiles_have_derivatives(name: str, method: str) -> None:
    numpy.random.seed(2)  # noqa: NPY002 - the generator of check_grads
    shapes = CONTINUOUS[name]
    distribution = getattr(stats, name)
    check_grads(lambda q, loc, scale: getattr(distribution, method)(q, *shapes, loc=loc, scale=scale), (0, 1, 2),
                order=1)(X, 0.1, 1.2)  # fmt: skip


@pytest.mark.parametrize(("name", "method"), cases(MOMENTS))
def test_moments_have_scipys_values_and_derivatives(name: str, method: str) -> None:
    args = (*CONTINUOUS[name], 0.2, 1.3)
    expected = getattr(getattr(sps, name), method)(*args)
    function = getattr(getattr(stats, name), method)
    numpy.testing.assert_allclose(function(*map(wg.tensor, args[:-1]), wg.tensor(1.3, dtype=wg.float64)), expected,
                                  rtol=1e-6)  # fmt: skip
    if name != "cauchy" or method in ("entropy", "median"):
        check_grads(function, tuple(range(len(args))), order=1)(*args)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_parameters_that_are_not_allowed_give_nan_and_no_other_gradient(name: str) -> None:
    scale = wg.tensor([1.0, -1.0, 0.0], dtype=wg.float64, requires_grad=True)
    value = getattr(stats, name).logpdf(0.4, *CONTINUOUS[name], 0.0, scale)
    assert value.isnan().tolist() == [False, True, True]
    value[0].backward()
    assert scale.grad.isfinite().all()
    assert scale.grad[1:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["beta", "gamma", "chi2", "expon", "uniform"])
def test_a_gradient_is_zero_outside_of_the_support(name: str) -> None:
    x = wg.tensor([-3.0, 0.5], dtype=wg.float64, requires_grad=True)
    getattr(stats, name).cdf(x, *CONTINUOUS[name]).sum().backward()
    assert x.grad[0] == 0
    assert x.grad[1] > 0


def test_t_with_infinite_degrees_of_freedom_is_the_normal_distribution() -> None:
    df = wg.tensor([numpy.inf, 3.0], dtype=wg.float64)
    numpy.testing.assert_allclose(stats.t.logpdf(0.4, df).numpy(), sps.t.logpdf(0.4, df.numpy()))
    numpy.testing.assert_allclose(stats.t.var(wg.tensor([0.5, 1.5, 3.0])).numpy(), sps.t.var([0.5, 1.5, 3.0]))


@pytest.mark.parametrize("method", ["pmf", "logpmf", "cdf", "logcdf", "sf", "logsf"])
@pytest.mark.parametrize("name", DISCRETE)
def test_distributions_of_integers_have_scipys_values_and_derivatives(name: str, method: str) -> None:
    function = getattr(getattr(stats, name), method)
    k = numpy.array([-1.0, 0.0, 0.5, 1.0, 3.0, numpy.nan])
    with numpy.errstate(divide="ignore"):
        expected = getattr(getattr(sps, name), method)(k, *DISCRETE[name])
    got = function(wg.tensor(k), *DISCRETE[name]).numpy()
    numpy.testing.assert_allclose(got, expected, rtol=1e-12)
    check_grads(lambda shape: function(numpy.array([0, 1]), shape)[:1], 0)(*DISCRETE[name])


def test_moments_of_distributions_of_integers_are_scipys() -> None:
    mu = wg.tensor(1.7, dtype=wg.float64)
    assert stats.poisson.mean(mu, loc=1) == 2.7
    numpy.testing.assert_allclose(stats.poisson.std(mu), sps.poisson.std(1.7))
    numpy.testing.assert_allclose(stats.bernoulli.entropy(mu / 4), sps.bernoulli.entropy(0.425))
    with pytest.raises(TypeError, match=r"scipy\.stats\.poisson\.entropy"):
        stats.poisson.entropy(mu)


def test_a_frozen_distribution_keeps_tensors() -> None:
    scale = wg.tensor(2.0, dtype=wg.float64, requires_grad=True)
    frozen = stats.norm(1.0, scale=scale)
    frozen.logpdf(numpy.array([4.0])).sum().backward()
    assert scale.grad == 0.5 * (9 / 4 - 1)
    assert frozen.var() == 4.0
    assert stats.gamma(2.0).rvs(size=3, random_state=0).shape == (3,)


def test_methods_without_derivatives_are_scipys() -> None:
    assert stats.norm.fit([1.0, 3.0]) == (2.0, 1.0)
    assert stats.norm.pdf(0.0) == sps.norm.pdf(0.0)
    assert stats.describe is sps.describe


@pytest.mark.parametrize(("call", "message"), [
    (lambda x: stats.t.pdf(x), "missing required arguments: 'df'"),
    (lambda x: stats.norm.pdf(x, 0, 1, 2), "takes from 1 to 3 positional arguments"),
    (lambda x: stats.norm.pdf(x, 0, loc=1), "multiple values for argument 'loc'"),
    (lambda x: stats.norm.pdf(x, mu=1), "unexpected keyword argument 'mu'"),
])  # fmt: skip
def test_wrong_arguments_are_named(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call(wg.ones(2))


# ---- several variables

ROOT = numpy.array([[1.0, 0.2, 0.0], [0.5, 1.5, 0.3], [-0.4, 0.1, 0.8]])
MEAN = numpy.array([0.2, -0.1, 0.4])
POINTS = numpy.array([[0.1, 0.4, 0.2], [1.0, 0.0, -1.0]])


@pytest.mark.parametrize("args", [
    (POINTS, MEAN, ROOT @ ROOT.T), (POINTS[0], MEAN, ROOT @ ROOT.T), (POINTS, MEAN), (POINTS, MEAN, 2.0),
    (POINTS, None, numpy.eye(3)), (POINTS, MEAN, [1.0, 2.0, 3.0]), (0.3,), (POINTS[0],), (0.3, 0.1, 2.0),
    (POINTS[:, None], MEAN, ROOT @ ROOT.T),
], ids=range(10))  # fmt: skip
def test_multivariate_normal_has_scipys_values(args: Any) -> None:
    tensors = [one if one is None else wg.tensor(one, dtype=wg.float64) for one in args]
    for method in ("pdf", "logpdf"):
        expected = getattr(sps.multivariate_normal, method)(*args)
        got = getattr(stats.multivariate_normal, method)(*tensors)
        assert got.shape == numpy.shape(expected)
        numpy.testing.assert_allclose(got.numpy(), expected, rtol=1e-12)


def test_multivariate_normal_has_derivatives_by_all_arguments() -> None:
    def logpdf(x: Any, mean: Any, root: Any) -> Any:
        return stats.multivariate_normal.logpdf(x, mean, root @ root.T + np.eye(3))

    numpy.random.seed(3)  # noqa: NPY002 - the generator of check_grads
    check_grads(logpdf, (0, 1, 2))(POINTS, MEAN, ROOT)
    check_grads(lambda root: stats.multivariate_normal(MEAN, root @ root.T).entropy())(ROOT)


def test_multivariate_normal_of_a_singular_covariance_is_scipys() -> None:
    basis = numpy.array([[1.0, 0.0], [0.5, 1.0], [0.0, 2.0], [0.0, 0.0]])

    def logpdf(x: Any, basis: Any) -> Any:
        return stats.multivariate_normal.logpdf(basis @ x, basis @ MEAN[:2], basis @ basis.T, allow_singular=True)

    numpy.testing.assert_allclose(logpdf(wg.tensor(MEAN[1:]), wg.tensor(basis)), logpdf(MEAN[1:], basis))
    check_grads(logpdf, (0, 1), order=1)(MEAN[1:], basis)
    off = stats.multivariate_normal.logpdf(wg.ones(4), None, basis @ basis.T, allow_singular=True)
    assert off == -numpy.inf


def test_a_covariance_that_is_not_allowed_is_an_error_as_in_scipy() -> None:
    singular = wg.ones(2, 2, dtype=wg.float64)
    with pytest.raises(numpy.linalg.LinAlgError, match="symmetric positive definite"):
        stats.multivariate_normal.logpdf([0.0, 0.0], None, -singular)
    with pytest.raises(ValueError, match="positive semidefinite"):
        stats.multivariate_normal.logpdf([0.0, 0.0], None, -singular, allow_singular=True)
    with pytest.raises(ValueError, match="Array 'cov' must be square"):
        stats.multivariate_normal.logpdf([0.0, 0.0], [0.0, 0.0], wg.ones(2, 3))
    with pytest.raises(TypeError, match=r"multivariate_normal\.cdf"):
        stats.multivariate_normal.cdf(wg.ones(2))
    assert stats.multivariate_normal.cdf(0.0) == 0.5


def test_dirichlet_has_scipys_values_and_derivatives() -> None:
    alpha = numpy.array([1.5, 0.7, 2.2])
    x = numpy.array([[0.2, 0.5], [0.3, 0.1], [0.5, 0.4]])
    for point in (x[:, 0], x[:2, 0], x):
        for method in ("pdf", "logpdf"):
            got = getattr(stats.dirichlet, method)(point, wg.tensor(alpha))
            numpy.testing.assert_allclose(got.numpy(), getattr(sps.dirichlet, method)(point, alpha), rtol=1e-12)
    for method in ("mean", "var", "entropy"):
        got = getattr(stats.dirichlet, method)(wg.tensor(alpha)).numpy()
        numpy.testing.assert_allclose(got, getattr(sps.dirichlet, method)(alpha), rtol=1e-12)
        check_grads(getattr(stats.dirichlet, method))(alpha)
    check_grads(lambda x, a: stats.dirichlet.logpdf(x / np.sum(x), a), (0, 1))(x[:, 0], alpha)


@pytest.mark.parametrize(("x", "alpha", "message"), [
    ([0.5, 0.5], [1.0, -1.0], "All parameters must be greater than 0"), ([0.5, 0.6], [1.0, 2.0], "normal simplex"),
    ([1.5, -0.5], [1.0, 2.0], "greater than or equal to zero"), ([0.2] * 5, [1.0, 2.0], "same number of entries"),
    ([1.0, 0.0], [1.0, 0.5], "greater than zero if its alpha"), ([1.0], [[1.0]], "one dimensional"),
])  # fmt: skip
def test_dirichlet_refuses_what_scipy_refuses(x: Any, alpha: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stats.dirichlet.logpdf(wg.tensor(x, dtype=wg.float64), alpha)


def test_densities_run_in_batches() -> None:
    scales = wg.tensor([1.0, 2.0], dtype=wg.float64)
    got = wg.func.vmap(lambda scale: stats.norm.logpdf(wg.tensor(X), 0.0, scale))(scales)
    numpy.testing.assert_allclose(got.numpy(), sps.norm.logpdf(X, 0.0, [[1.0], [2.0]]))
