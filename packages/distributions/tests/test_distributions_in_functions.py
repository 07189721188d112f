"""Distributions inside of the transforms of functions: vmap, forward mode, gradients of gradients."""

import pytest
import wengert as wg
from wengert import distributions as dist
from wengert.func import grad, jvp, vmap

from .distribution_cases import CONTINUOUS, RELAXED, numbers

SHAPE, CONCENTRATION = numbers(2.0).squeeze(), numbers(0.5, 1.0, 3.0)


def gamma(shape):
    return dist.Gamma(shape, 1.0, validate_args=False).rsample()


def dirichlet(concentration):
    return dist.Dirichlet(concentration, validate_args=False).rsample()


@pytest.fixture(autouse=True)
def seed():
    wg.manual_seed(17)


def test_vmap_of_log_prob_is_that_of_a_batch():
    value = wg.linspace(-1, 1, 5, dtype=wg.float64)
    got = vmap(lambda loc: dist.Normal(loc, 1.0, validate_args=False).log_prob(value))(CONCENTRATION)
    assert wg.allclose(got, dist.Normal(CONCENTRATION.unsqueeze(-1), 1.0).log_prob(value))
    normal = dist.MultivariateNormal(wg.zeros(2), wg.eye(2), validate_args=False)
    values = wg.linspace(-1, 1, 8).reshape(4, 2)
    assert wg.allclose(vmap(normal.log_prob)(values), normal.log_prob(values))


@pytest.mark.parametrize("case", [*CONTINUOUS, *RELAXED], ids=str)
def test_forward_mode_of_samples_agrees_with_reverse_mode(case):
    tangents = tuple(wg.linspace(0.5, 1.5, one.numel(), dtype=wg.float64).view_as(one) for one in case.parameters)

    def samples(*parameters):
        wg.manual_seed(23)
        d = case.make(*parameters)
        d._validate_args = False
        return d.rsample((4,))

    _, tangent = jvp(samples, case.parameters, tangents)
    gradients = grad(lambda parameters: samples(*parameters).sum())(case.parameters)
    expected = sum((gradient * one).sum() for gradient, one in zip(gradients, tangents, strict=True))
    assert wg.allclose(tangent.sum(), expected)


def test_forward_mode_of_dirichlet_samples_agrees_with_reverse_mode():
    weights, tangent = numbers(1.0, -2.0, 0.5), numbers(0.3, 0.2, -0.1)

    def projection(concentration):
        wg.manual_seed(3)
        return (dirichlet(concentration) * weights).sum()

    _, moved = jvp(projection, (CONCENTRATION,), (tangent,))
    assert wg.allclose(moved, (grad(projection)(CONCENTRATION) * tangent).sum())


@pytest.mark.parametrize("sampler", [gamma, dirichlet])
def test_vmap_draws_different_samples(sampler):
    samples = vmap(sampler, randomness="different")(CONCENTRATION.expand(4, 3))
    assert samples.shape == (4, 3)
    assert len(set(samples[:, 0].tolist())) == 4
    gradients = vmap(grad(lambda x: sampler(x).sum()), randomness="different")(CONCENTRATION.expand(4, 3))
    assert gradients.shape == (4, 3)


@pytest.mark.parametrize("randomness", ["error", "same"])
@pytest.mark.parametrize("sampler", [gamma, dirichlet])
def test_vmap_refuses_samples_of_batches_that_should_not_differ(sampler, randomness):
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        vmap(sampler, randomness=randomness)(CONCENTRATION.expand(4, 3))


@pytest.mark.parametrize("function", [lambda x: gamma(x).sum(), lambda x: (dirichlet(x) * CONCENTRATION).sum()])
def test_gradients_of_gradients_of_samples_are_refused(function):
    with pytest.raises(RuntimeError, match="second derivative of samples"):
        grad(lambda x: grad(function)(x).sum())(CONCENTRATION)


def test_gradients_of_gradients_by_the_rate_are_there():
    def sample(rate):
        wg.manual_seed(3)
        return dist.Gamma(SHAPE, rate).rsample()

    value = sample(numbers(2.0).squeeze())
    assert wg.allclose(grad(grad(sample))(numbers(2.0).squeeze()), 2 * value / 4)
