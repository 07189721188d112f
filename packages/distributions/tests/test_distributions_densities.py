"""Densities, cumulative distribution functions, quantiles and probabilities agree with each other."""

import math

import pytest
import wengert as wg
from wengert import distributions as dist

from .distribution_cases import CASES, CONTINUOUS, FINITE, numbers

WITH_CDF = [case for case in CONTINUOUS if case.name not in ("beta", "student_t", "fisher_snedecor")]


@pytest.fixture(autouse=True)
def seed():
    wg.manual_seed(7)


@pytest.mark.parametrize("case", WITH_CDF, ids=str)
def test_density_is_the_derivative_of_the_cdf(case):
    d, _ = case.build()
    values = d.sample((20,)).requires_grad_()
    (slope,) = wg.autograd.grad(d.cdf(values).sum(), values)
    assert wg.allclose(slope, d.log_prob(values.detach()).exp(), rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("case", [case for case in CONTINUOUS if case.quantile], ids=str)
def test_quantiles_invert_the_cdf(case):
    d, _ = case.build()
    u = wg.linspace(0.02, 0.98, 25, dtype=wg.float64).unsqueeze(-1).expand(25, 3)
    assert wg.allclose(d.cdf(d.icdf(u)), u, rtol=1e-7)


@pytest.mark.parametrize("case", FINITE, ids=str)
def test_probabilities_of_all_values_sum_to_one(case):
    d, _ = case.build()
    log_probs = d.log_prob(d.enumerate_support())
    assert wg.allclose(log_probs.exp().sum(0), wg.ones(d.batch_shape, dtype=wg.float64))
    assert wg.allclose(d.entropy(), -(log_probs.exp() * log_probs).sum(0))
    assert wg.allclose(d.perplexity(), d.entropy().exp())


@pytest.mark.parametrize(
    "d",
    [
        dist.Geometric(numbers(0.3, 0.8)),
        dist.NegativeBinomial(2.5, numbers(0.2, 0.5)),
        dist.Poisson(numbers(0.5, 6.0)),
    ],
    ids=repr,
)
def test_probabilities_of_whole_numbers_sum_to_one(d):
    values = wg.arange(200, dtype=wg.float64).unsqueeze(-1)
    probs = d.log_prob(values).exp()
    assert wg.allclose(probs.sum(0), wg.ones(2, dtype=wg.float64))
    assert wg.allclose((probs * values).sum(0), d.mean)
    assert wg.allclose((probs * (values - d.mean) ** 2).sum(0), d.variance)


def test_probabilities_of_counts_sum_to_one():
    d = dist.Multinomial(4, numbers(0.2, 0.3, 0.5))
    counts = numbers(*[number for i in range(5) for j in range(5 - i) for number in (i, j, 4 - i - j)]).reshape(-1, 3)
    log_probs = d.log_prob(counts)
    assert wg.allclose(log_probs.exp().sum(), numbers(1.0).squeeze())
    assert wg.allclose(d.entropy(), -(log_probs.exp() * log_probs).sum())


@pytest.mark.parametrize(
    ("d", "low", "high"),
    [
        (dist.StudentT(numbers(3.0), 0.5, 2.0), -3e3, 3e3),
        (dist.FisherSnedecor(numbers(4.0), numbers(8.0)), 1e-9, 3e3),
        (dist.Beta(numbers(2.5), numbers(1.5)), 0.0, 1.0),
        (dist.VonMises(numbers(1.0), numbers(1e-3)), -math.pi, math.pi),
        (dist.VonMises(numbers(1.0), numbers(5.0)), -math.pi, math.pi),
        (dist.VonMises(numbers(-2.0), numbers(2e3)), -math.pi, math.pi),
        (dist.InverseGamma(numbers(3.0), numbers(2.0)), 1e-9, 3e3),
    ],
    ids=repr,
)
def test_density_has_the_integral_one(d, low, high):
    s = wg.linspace(-1.0, 1.0, 400_001, dtype=wg.float64)
    s = s**5 if high > 100 and low < 0 else ((s + 1) / 2) ** 4 * 2 - 1 if high > 100 else s  # finer near the center
    values = low + (high - low) * (s + 1) / 2
    assert abs(wg.trapezoid(d.log_prob(values).exp(), values).item() - 1) < 1e-6


def test_circular_variance_is_that_of_the_density():
    d = dist.VonMises(numbers(0.5, 0.5, 0.5), numbers(0.1, 3.0, 300.0))
    values = wg.linspace(-math.pi, math.pi, 100_001, dtype=wg.float64).unsqueeze(-1)
    mean_cosine = wg.trapezoid(d.log_prob(values).exp() * (values - 0.5).cos(), values.expand(-1, 3), dim=0)
    assert wg.allclose(d.variance, 1 - mean_cosine, rtol=1e-7)


@pytest.mark.parametrize("case", [case for case in CONTINUOUS if case.name != "fisher_snedecor"], ids=str)
def test_entropy_is_the_mean_of_minus_the_log_density(case):
    d, _ = case.build()
    values = -d.log_prob(d.sample((20_000,)))
    error = values.std(0) / math.sqrt(len(values)) + 1e-9
    assert ((values.mean(0) - d.entropy()).abs() <= 5.5 * error).all()


def test_multivariate_normal_is_one_of_independent_numbers_after_a_rotation():
    factor = wg.linalg.qr(wg.linspace(-1, 2, 9, dtype=wg.float64).reshape(3, 3) + wg.eye(3, dtype=wg.float64)).Q
    scale, x = numbers(0.5, 1.0, 3.0), wg.linspace(-2, 2, 12, dtype=wg.float64).reshape(4, 3)
    d = dist.MultivariateNormal(wg.zeros(3, dtype=wg.float64), factor * scale**2 @ factor.mT)
    expected = dist.Normal(0.0, scale).log_prob(x @ factor).sum(-1)
    assert wg.allclose(d.log_prob(x), expected)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2, 3), (4, 1, 3)])
def test_log_prob_of_batches_is_that_of_each_one(shape):
    covariances = wg.stack([(k + 1) * wg.eye(3, dtype=wg.float64) + 0.5 for k in range(2)])
    values = wg.linspace(-2, 2, math.prod(shape), dtype=wg.float64).reshape(shape)
    d = dist.MultivariateNormal(wg.zeros(3, dtype=wg.float64), covariances)
    ones = [dist.MultivariateNormal(wg.zeros(3, dtype=wg.float64), covariance) for covariance in covariances]
    full = values.expand(*shape[:-2], 2, 3)
    expected = wg.stack([ones[k].log_prob(full[..., k, :]) for k in range(2)], -1)
    assert wg.allclose(d.log_prob(values), expected)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_log_prob_of_an_expanded_distribution_is_that_of_its_parts(case):
    d, _ = case.build()
    value = d.sample()
    big = d.expand((4, *d.batch_shape))
    assert big.batch_shape == (4, *d.batch_shape)
    assert big.event_shape == d.event_shape
    assert type(big) is type(d)
    assert wg.allclose(big.log_prob(value), d.log_prob(value).expand(big.batch_shape))
    assert big.sample((2,)).shape == (2, *big.batch_shape, *big.event_shape)
