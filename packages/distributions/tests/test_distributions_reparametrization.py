"""Samples move with the parameters as quantiles do."""

import math

import pytest
import wengert as wg
from wengert import distributions as dist
from wengert_distributions.sampling.gamma import standard_gamma
from wengert_distributions.sampling.implicit import BLOCK, beta_slopes, gamma_slopes, in_blocks

from .distribution_cases import CONTINUOUS, numbers

SHAPES = numbers(1e-3, 0.05, 0.5, 0.999, 1.0, 1.7, 4.0, 30.0, 1e3, 1e5)


@pytest.fixture(autouse=True)
def seed():
    wg.manual_seed(5)


@pytest.mark.parametrize("case", [case for case in CONTINUOUS if case.quantile], ids=str)
def test_gradients_of_samples_are_those_of_quantiles(case):
    d, parameters = case.build(requires_grad=True)
    samples = d.rsample((50,))
    u = d.cdf(samples.detach()).detach()
    inside = ((u > 1e-6) & (u < 1 - 1e-6)).double()
    got = wg.autograd.grad((samples * inside).sum(), parameters, retain_graph=True)
    expected = wg.autograd.grad((d.icdf(u) * inside).sum(), parameters)
    for one, other in zip(got, expected, strict=True):
        assert wg.allclose(one, other, rtol=1e-6, atol=1e-9)


def gamma_quantiles(shape, u):
    """Quantiles by bisection of the cumulative distribution function."""
    low, high = wg.zeros_like(u), 10 * shape + 100
    for _ in range(200):
        middle = (low + high) / 2
        below = wg.special.gammainc(shape, middle) < u
        low, high = wg.where(below, middle, low), wg.where(below, high, middle)
    return (low + high) / 2


def test_gamma_samples_move_as_their_quantiles():
    shape, u = wg.meshgrid(numbers(0.5, 1.0, 1.7, 4.0, 30.0), numbers(0.01, 0.3, 0.5, 0.7, 0.99), indexing="ij")
    step = 1e-5
    expected = (gamma_quantiles(shape + step, u) - gamma_quantiles(shape - step, u)) / (2 * step)
    got = in_blocks(gamma_slopes, shape, gamma_quantiles(shape, u))
    assert wg.allclose(got, expected, rtol=1e-6)


def test_exponential_samples_move_as_gamma_samples_of_shape_one():
    """dF/da at a = 1 is -exp(-x) (log x + gamma) - E1(x) + ..., which must fit the differences across a = 1."""
    x = numbers(1e-8, 1e-3, 0.5, 1.0, 1.5, 10.0, 40.0)
    slopes = [in_blocks(gamma_slopes, wg.full_like(x, shape), x) for shape in (1 - 1e-9, 1.0, 1 + 1e-9)]
    assert wg.allclose(slopes[0], slopes[1], rtol=1e-7)
    assert wg.allclose(slopes[1], slopes[2], rtol=1e-7)


@pytest.mark.parametrize("quantile", [1e-8, 1e-3, 0.2, 0.5, 0.8, 0.999])
def test_beta_samples_with_one_shape_of_one_move_as_their_quantiles(quantile):
    """Beta(a, 1) has the quantile u**(1/a), and Beta(1, b) has 1 - (1 - u)**(1/b)."""
    x = (math.log(quantile) / SHAPES).exp()
    x, shapes = x[(x > 1e-300) & (x < 1)], SHAPES[(x > 1e-300) & (x < 1)]
    got = in_blocks(beta_slopes, shapes, wg.ones_like(shapes), x) * (1 - x)
    assert wg.allclose(got, -x * x.log() / shapes, rtol=1e-6)
    y = 1 - (math.log1p(-quantile) / SHAPES).exp()
    y, shapes = y[(y > 0) & (y < 1 - 1e-9)], SHAPES[(y > 0) & (y < 1 - 1e-9)]
    got = in_blocks(beta_slopes, shapes, wg.ones_like(shapes), 1 - y) * y  # by the other shape, of 1 - y
    assert wg.allclose(got, -(1 - y) * (-y).log1p() / shapes, rtol=1e-6)


def test_beta_samples_move_as_the_integral_of_the_density_says():
    """dF/da by differences of an integral of the density, over 4000 steps."""
    for a, b, at in ((2.0, 3.0, 0.1), (2.0, 3.0, 0.7), (5.5, 2.5, 0.4), (20.0, 30.0, 0.3), (20.0, 30.0, 0.5)):
        t = wg.linspace(0.0, at, 4001, dtype=wg.float64)

        def integral(shape, other, t=t):
            return wg.trapezoid(dist.Beta(numbers(shape), numbers(other)).log_prob(t).exp(), t)

        difference = (integral(a + 1e-5, b) - integral(a - 1e-5, b)) / 2e-5
        expected = -difference / dist.Beta(numbers(a), numbers(b)).log_prob(numbers(at)).exp()
        got = in_blocks(beta_slopes, numbers(a), numbers(b), numbers(at)) * (1 - at)
        assert wg.allclose(got, expected, rtol=1e-4)


def test_slopes_are_finite_and_positive_everywhere():
    shapes, others, x = wg.meshgrid(
        SHAPES, SHAPES, numbers(1e-300, 1e-30, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-12), indexing="ij"
    )
    slopes = in_blocks(beta_slopes, shapes, others, x)
    assert slopes.isfinite().all()
    assert (slopes >= 0).all()
    shapes, ratios = wg.meshgrid(SHAPES, numbers(1e-300, 1e-6, 0.1, 0.99, 1.0, 1.01, 2.0, 30.0), indexing="ij")
    slopes = in_blocks(gamma_slopes, shapes, shapes * ratios)
    assert slopes.isfinite().all()
    assert (slopes >= 0).all()


def test_blocks_do_not_change_slopes():
    shapes = wg.linspace(0.1, 9.0, BLOCK + 5, dtype=wg.float64)
    x = shapes.flip(0).reshape(-1)
    slopes = in_blocks(gamma_slopes, shapes, x)
    assert slopes.shape == shapes.shape
    assert wg.allclose(slopes[-5:], in_blocks(gamma_slopes, shapes[-5:], x[-5:]), rtol=1e-12)


def test_float32_gradients_are_those_of_float64():
    shape = wg.tensor([0.3, 2.0, 50.0])
    x = wg.tensor([0.1, 3.0, 45.0])
    got = in_blocks(gamma_slopes, shape, x)
    assert got.dtype == wg.float32
    assert wg.allclose(got.double(), in_blocks(gamma_slopes, shape.double(), x.double()), rtol=1e-6)


def test_gamma_samples_are_differentiable_once():
    shape = numbers(2.0).requires_grad_()
    (gradient,) = wg.autograd.grad(standard_gamma(shape).sum(), shape, create_graph=True)
    with pytest.raises(RuntimeError):
        gradient.sum().backward()


def test_rate_of_gamma_samples_is_a_scale():
    rate = numbers(0.5, 2.0).requires_grad_()
    samples = dist.Gamma(3.0, rate).rsample((4,))
    (gradient,) = wg.autograd.grad(samples.sum(), rate)
    assert wg.allclose(gradient, -(samples / rate).sum(0).detach())


def test_components_of_dirichlet_samples_keep_their_sum():
    concentration = numbers(0.5, 1.0, 3.0).requires_grad_()
    samples = dist.Dirichlet(concentration).rsample((10,))
    (gradient,) = wg.autograd.grad(samples.sum(), concentration)
    assert (gradient.abs() < 1e-9).all()


def test_samples_without_parameters_that_need_gradients_have_none():
    for d in (dist.Gamma(1.0, 1.0), dist.Beta(1.0, 1.0), dist.Dirichlet(wg.ones(2)), dist.StudentT(3.0)):
        assert not d.rsample().requires_grad
        assert d.has_rsample


def test_variational_distribution_finds_the_posterior():
    """Steps along gradients of samples move a gamma distribution onto another one, by the divergence."""
    target = dist.Gamma(numbers(3.0).squeeze(), numbers(2.0).squeeze())
    logs = numbers(0.0, 0.0).requires_grad_()
    for step in range(300):
        q = dist.Gamma(*logs.exp())
        samples = q.rsample((64,))
        loss = (q.log_prob(samples) - target.log_prob(samples)).mean()
        (gradient,) = wg.autograd.grad(loss, logs)
        with wg.no_grad():
            logs -= 0.3 / (1 + step / 50) * gradient
    assert dist.kl_divergence(dist.Gamma(*logs.exp()), target) < 0.01
