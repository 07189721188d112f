"""Divergences are those of samples, are zero for equal distributions, and are found by classes."""

import math
import warnings

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert import distributions as dist
from wengert.distributions.kl import _KL_REGISTRY
from wengert_distributions.kl import registry

from .distribution_cases import CASES, numbers

BY_NAME = {case.name: case for case in CASES}
NAMES = [name for name, case in BY_NAME.items() if (type(case.build()[0]),) * 2 in _KL_REGISTRY]
POSITIVE = st.floats(0.1, 10.0)


@pytest.fixture
def restored_registry():
    saved = dict(_KL_REGISTRY)
    yield
    _KL_REGISTRY.clear()
    _KL_REGISTRY.update(saved)
    registry._KL_MEMOIZE.clear()


@pytest.mark.parametrize("name", NAMES)
def test_divergence_from_itself_is_zero(name):
    p, q = BY_NAME[name].build()[0], BY_NAME[name].build()[0]
    divergence = dist.kl_divergence(p, q)
    assert divergence.shape == p.batch_shape
    assert wg.allclose(divergence, wg.zeros_like(divergence), atol=1e-10)


def pairs_of_samples():
    """Pairs with a finite divergence: p and q by their classes."""
    unit, positive, shape = numbers(0.2, 0.7), numbers(0.5, 2.0), numbers(1.5, 3.0)
    p = {
        dist.Bernoulli: dist.Bernoulli(unit), dist.Beta: dist.Beta(shape, positive + 1),
        dist.ContinuousBernoulli: dist.ContinuousBernoulli(unit), dist.Exponential: dist.Exponential(positive),
        dist.Gamma: dist.Gamma(shape, positive), dist.Gumbel: dist.Gumbel(unit, positive),
        dist.Laplace: dist.Laplace(unit, positive), dist.Normal: dist.Normal(unit, positive),
        dist.Pareto: dist.Pareto(positive, shape + 8), dist.Uniform: dist.Uniform(numbers(0.2, 0.1), numbers(0.5, 0.9)),
    }  # fmt: skip
    q = {
        dist.Beta: dist.Beta(shape.flip(0), positive), dist.ContinuousBernoulli: dist.ContinuousBernoulli(unit.flip(0)),
        dist.Exponential: dist.Exponential(positive.flip(0)), dist.Gamma: dist.Gamma(positive, shape),
        dist.Gumbel: dist.Gumbel(unit, positive + 2), dist.Laplace: dist.Laplace(unit.flip(0), positive.flip(0)),
        dist.Normal: dist.Normal(unit, shape), dist.Pareto: dist.Pareto(numbers(0.05, 0.05), positive),
        dist.Poisson: dist.Poisson(positive), dist.Uniform: dist.Uniform(numbers(-1.0, -0.5), numbers(1.5, 2.0)),
    }  # fmt: skip
    for kind_p, kind_q in _KL_REGISTRY:
        if kind_p in p and kind_q in q and dist.kl_divergence(p[kind_p], q[kind_q]).isfinite().all():
            yield pytest.param(p[kind_p], q[kind_q], id=f"{kind_p.__name__}-{kind_q.__name__}")


@pytest.mark.parametrize(("p", "q"), list(pairs_of_samples()))
def test_divergence_is_the_mean_log_ratio_of_samples(p, q):
    wg.manual_seed(11)
    x = p.sample((40_000,))
    ratios = p.log_prob(x) - q.log_prob(x)
    error = ratios.std(0) / math.sqrt(len(ratios)) + 1e-9
    assert ((ratios.mean(0) - dist.kl_divergence(p, q)).abs() <= 5.5 * error).all()


@settings(deadline=None, max_examples=50)
@given(st.lists(POSITIVE, min_size=4, max_size=4))
def test_divergences_are_not_negative(values):
    a, b, c, d = (numbers(value) for value in values)
    for kind in (dist.Normal, dist.Gamma, dist.Beta, dist.Laplace, dist.Cauchy, dist.Gumbel):
        assert (dist.kl_divergence(kind(a, b), kind(c, d)) >= -1e-9).all()


def test_all_multivariate_pairs_agree_with_full_covariances():
    factor, diagonal = wg.linspace(-1, 1, 6, dtype=wg.float64).reshape(3, 2), numbers(0.5, 1.0, 2.0)
    low = [
        dist.LowRankMultivariateNormal(numbers(0.0, 1.0, 2.0), factor, diagonal),
        dist.LowRankMultivariateNormal(wg.zeros(4, 3, dtype=wg.float64), factor.flip(0), diagonal.flip(0)),
    ]
    full = [dist.MultivariateNormal(one.loc, one.covariance_matrix) for one in low]
    expected = dist.kl_divergence(full[0], full[1])
    assert expected.shape == (4,)
    for p, q in ((low[0], low[1]), (low[0], full[1]), (full[0], low[1])):
        assert wg.allclose(dist.kl_divergence(p, q), expected)


@pytest.mark.parametrize("pair", [(3, dist.Normal), (dist.Normal, 3)])
def test_only_classes_are_registered(pair):
    with pytest.raises(TypeError, match="must be a class"):
        dist.register_kl(*pair)


def test_classes_of_other_libraries_are_registered(restored_registry):
    class Foreign:
        """A distribution that inherits from none of ours, as Pyro's are."""

    dist.register_kl(dist.Normal, Foreign)(lambda p, q: p.loc)
    assert dist.kl_divergence(dist.Normal(3.0, 1.0), Foreign()).item() == 3


def test_most_specific_function_is_called(restored_registry):
    class A(dist.Normal):
        pass

    class B(A):
        pass

    dist.register_kl(A, dist.Normal)(lambda p, q: "A, Normal")
    assert dist.kl_divergence(B(0.0, 1.0), B(0.0, 1.0)) == "A, Normal"
    dist.register_kl(B, B)(lambda p, q: "B, B")
    assert dist.kl_divergence(B(0.0, 1.0), B(0.0, 1.0)) == "B, B"
    assert dist.kl_divergence(B(0.0, 1.0), A(0.0, 1.0)) == "A, Normal"
    assert dist.kl_divergence(dist.Normal(0.0, 1.0), B(0.0, 1.0)) == 0


def test_ambiguity_warns_once_for_a_pair(restored_registry):
    class A(dist.Normal):
        pass

    dist.register_kl(A, dist.Normal)(lambda p, q: 1)
    dist.register_kl(dist.Normal, A)(lambda p, q: 2)
    with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(A, A\). Please register_kl\(A, A\)"):
        assert dist.kl_divergence(A(0.0, 1.0), A(0.0, 1.0)) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dist.kl_divergence(A(0.0, 1.0), A(0.0, 1.0)) == 1


def test_pair_without_a_formula_stays_without_one():
    p, q = dist.Poisson(1.0), dist.StudentT(1.0)
    for _ in range(2):
        with pytest.raises(NotImplementedError, match="p type Poisson and q type StudentT"):
            dist.kl_divergence(p, q)
