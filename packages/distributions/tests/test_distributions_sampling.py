"""Samples have the moments, the quantiles and the frequencies of their distributions. Seeds are fixed, bounds wide."""

import math

import pytest
import wengert as wg
from wengert import distributions as dist

from .distribution_cases import CASES, CONTINUOUS, FINITE, REPARAMETRIZED, numbers

COUNT = 20_000


@pytest.fixture(autouse=True)
def seed():
    wg.manual_seed(20260101)


def check_mean(values, expected):
    """The mean of independent values is within 5.5 standard errors of what is expected."""
    error = values.std(0) / math.sqrt(len(values)) + 1e-9
    assert ((values.mean(0) - expected).abs() <= 5.5 * error).all(), (values.mean(0), expected, error)


@pytest.mark.parametrize("case", [case for case in CASES if case.moments], ids=str)
def test_samples_have_the_mean_and_the_variance(case):
    d, _ = case.build()
    samples = d.sample((COUNT,))
    check_mean(samples, d.mean)
    check_mean((samples - d.mean) ** 2, d.variance)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_samples_lie_in_the_support(case):
    d, _ = case.build()
    for shape in ((), (7,), (2, 3)):
        samples = d.sample(shape)
        assert samples.shape == wg.Size(shape) + d.batch_shape + d.event_shape
        assert d.support.check(samples).all()
        assert not samples.requires_grad


@pytest.mark.parametrize("case", [case for case in CONTINUOUS if case.quantile or "gamma" in case.name], ids=str)
def test_cdf_of_samples_is_uniform(case):
    d, _ = case.build()
    u = d.cdf(d.sample((COUNT,)))
    check_mean(u, 0.5)
    check_mean((u < 0.1).double(), 0.1)
    check_mean((u - 0.5) ** 2, 1 / 12)


@pytest.mark.parametrize("case", FINITE, ids=str)
def test_frequencies_are_the_probabilities(case):
    d, _ = case.build()
    samples, values = d.sample((COUNT,)), d.enumerate_support()
    for value in values:
        same = samples == value
        check_mean((same.all(-1) if d.event_shape else same).double(), d.log_prob(value).exp())


BOUNDED_BY_A_PARAMETER = ("uniform", "pareto", "generalized_pareto")


@pytest.mark.parametrize("case", [case for case in CASES if case.name not in BOUNDED_BY_A_PARAMETER], ids=str)
def test_score_has_the_mean_zero(case):
    """The gradient of the log-probability is 0 on average: samples and log_prob belong together."""
    count, (d, parameters) = 4000, case.build(requires_grad=True)
    values = d.sample((count,))
    terms = []
    for block in values.split(count // 20):
        gradients = wg.autograd.grad(d.log_prob(block).mean(0).sum(), parameters, retain_graph=True)
        terms.append(wg.cat([gradient.flatten() for gradient in gradients]))
    blocks = wg.stack(terms)
    error = blocks.std(0) / math.sqrt(len(blocks))
    assert (blocks.mean(0).abs() <= 7 * error + 1e-6).all()


@pytest.mark.parametrize("case", [case for case in REPARAMETRIZED if case.moments], ids=str)
def test_gradients_of_samples_have_the_gradient_of_the_mean(case):
    count, (d, parameters) = 4000, case.build(requires_grad=True)
    expected = wg.autograd.grad(d.mean.sum(), parameters, allow_unused=True, materialize_grads=True, retain_graph=True)
    terms = []
    for _ in range(20):
        gradients = wg.autograd.grad(d.rsample((count // 20,)).mean(0).sum(), parameters, retain_graph=True)
        terms.append(wg.cat([gradient.flatten() for gradient in gradients]))
    blocks = wg.stack(terms)
    error = blocks.std(0) / math.sqrt(len(blocks)) + 1e-9
    assert ((blocks.mean(0) - wg.cat([one.flatten() for one in expected])).abs() <= 7 * error).all()


def test_same_seed_gives_the_same_samples():
    for case in CASES:
        d, _ = case.build()
        wg.manual_seed(3)
        one = d.sample((3,))
        wg.manual_seed(3)
        assert wg.equal(one, d.sample((3,))), case


def test_small_concentrations_do_not_underflow():
    samples = dist.Dirichlet(numbers(1e-3, 1e-3, 1e-3)).sample((1000,))
    assert samples.isfinite().all()
    assert wg.isclose(samples.sum(-1), wg.ones(1000, dtype=wg.float64)).all()
    check_mean(samples, 1 / 3)
    gammas = dist.Gamma(wg.full((1000,), 1e-3), 1.0).sample()
    assert (gammas > 0).all()


def test_von_mises_has_its_mean_direction():
    loc, concentration = numbers(-3.0, 0.0, 2.5), numbers(1e-6, 0.5, 40.0)
    d = dist.VonMises(loc, concentration)
    samples = d.sample((COUNT,))
    assert (samples.abs() <= math.pi).all()
    check_mean((samples - loc).cos(), 1 - d.variance)
    check_mean((samples - loc).sin(), 0.0)


def test_lkj_samples_are_correlations():
    """For the concentration 1, correlations of 3 x 3 matrices have the variance 1 / 4 (a scaled Beta(3/2, 3/2))."""
    factors = dist.LKJCholesky(3, numbers(1.0).squeeze()).sample((COUNT,))
    matrices = factors @ factors.mT
    assert wg.isclose(matrices.diagonal(dim1=-2, dim2=-1), wg.ones(3, dtype=wg.float64)).all()
    for i, j in ((1, 0), (2, 0), (2, 1)):
        check_mean(matrices[:, i, j], 0.0)
        check_mean(matrices[:, i, j] ** 2, 0.25)


def test_components_of_a_mixture_come_by_their_weights():
    d = dist.MixtureSameFamily(dist.Categorical(numbers(0.2, 0.8)), dist.Normal(numbers(-50.0, 50.0), 1.0))
    check_mean((d.sample((COUNT,)) > 0).double(), 0.8)
    broad = dist.MixtureSameFamily(dist.Categorical(numbers(0.5, 0.5)), dist.Normal(wg.zeros(4, 2), 1.0))
    assert broad.sample((5,)).shape == (5, 4)
