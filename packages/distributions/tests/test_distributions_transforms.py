"""Transforms are inverted, and their log-determinants are those of Jacobians."""

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert import distributions as dist
from wengert.autograd.functional import jacobian

from .distribution_cases import numbers

REAL, POSITIVE = st.floats(-3.0, 3.0), st.floats(0.1, 3.0)


def vectors(elements, size=3):
    return st.lists(elements, min_size=size, max_size=size).map(lambda values: numbers(*values))


POINTWISE = [
    dist.ExpTransform(), dist.SigmoidTransform(), dist.SoftplusTransform(), dist.TanhTransform(),
    dist.AffineTransform(1.0, -2.0), dist.AffineTransform(numbers(1.0, 2.0, 3.0), numbers(0.5, -1.0, 2.0)),
    dist.ComposeTransform([dist.AffineTransform(0.5, -2.0), dist.SigmoidTransform()]),
    dist.CatTransform([dist.ExpTransform(), dist.TanhTransform()], lengths=[1, 2]),
    dist.StackTransform([dist.ExpTransform(), dist.TanhTransform(), dist.SigmoidTransform()]),
    dist.CumulativeDistributionTransform(dist.Normal(numbers(0.5).squeeze(), numbers(2.0).squeeze())),
]  # fmt: skip


@pytest.mark.parametrize("transform", POINTWISE, ids=repr)
@settings(deadline=None, max_examples=20)
@given(vectors(REAL))
def test_pointwise_transforms_have_their_slopes(transform, x):
    y = transform(x)
    assert wg.allclose(transform.inv(y), x, rtol=1e-6, atol=1e-7)
    slopes = jacobian(transform, x).diagonal()
    assert wg.allclose(transform.log_abs_det_jacobian(x, y), slopes.abs().log(), rtol=1e-6, atol=1e-7)
    if not isinstance(transform, (dist.CatTransform, dist.StackTransform)):
        assert wg.equal(wg.as_tensor(transform.sign).double().expand(3), slopes.sign())


@settings(deadline=None, max_examples=20)
@given(vectors(POSITIVE), st.sampled_from([-2.0, -0.5, 0.5, 1.0, 3.0]))
def test_powers_have_their_slopes(x, exponent):
    transform = dist.PowerTransform(numbers(exponent).squeeze())
    y = transform(x)
    assert wg.allclose(transform.inv(y), x)
    slopes = jacobian(transform, x).diagonal()
    assert wg.allclose(transform.log_abs_det_jacobian(x, y), slopes.abs().log(), atol=1e-7)


@settings(deadline=None, max_examples=20)
@given(vectors(REAL))
def test_stick_breaking_has_its_determinant(x):
    transform = dist.StickBreakingTransform()
    y = transform(x)
    assert dist.constraints.simplex.check(y)
    assert wg.allclose(transform.inv(y), x, atol=1e-7)
    matrix = jacobian(lambda x: transform(x)[..., :-1], x)
    assert wg.allclose(transform.log_abs_det_jacobian(x, y), wg.linalg.slogdet(matrix).logabsdet, atol=1e-7)


@settings(deadline=None, max_examples=20)
@given(vectors(st.floats(-2.0, 2.0), 6))
def test_correlation_factors_have_their_determinant(x):
    transform = dist.CorrCholeskyTransform()
    y = transform(x)
    assert dist.constraints.corr_cholesky.check(y)
    assert wg.allclose(transform.inv(y), x, atol=1e-6)
    below = wg.tril_indices(4, 4, -1)
    matrix = jacobian(lambda x: transform(x)[below[0], below[1]], x)
    assert wg.allclose(transform.log_abs_det_jacobian(x, y), wg.linalg.slogdet(matrix).logabsdet, atol=1e-6)


@settings(deadline=None, max_examples=20)
@given(vectors(REAL, 9))
def test_matrices_satisfy_their_constraints(values):
    x = values.reshape(3, 3)
    for transform in (dist.LowerCholeskyTransform(), dist.PositiveDefiniteTransform()):
        y = transform(x)
        assert transform.codomain.check(y).all()
        assert wg.allclose(transform(transform.inv(y)), y, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("registry", [dist.biject_to, dist.transform_to], ids=["biject_to", "transform_to"])
@pytest.mark.parametrize(
    "constraint",
    [
        dist.constraints.real, dist.constraints.positive, dist.constraints.greater_than(2.0),
        dist.constraints.less_than(-1.0), dist.constraints.interval(-1.0, 2.0), dist.constraints.unit_interval,
        dist.constraints.simplex, dist.constraints.corr_cholesky,
        dist.constraints.independent(dist.constraints.positive, 1),
    ],
    ids=repr,
)  # fmt: skip
def test_registries_lead_to_constraints(registry, constraint):
    transform = registry(constraint)
    x = wg.linspace(-3, 3, 6, dtype=wg.float64).reshape(2, 3)
    assert constraint.check(transform(x)).all()
    if registry is dist.biject_to:
        assert transform.bijective
        assert wg.allclose(transform.inv(transform(x)), x)


@pytest.mark.parametrize(
    "d",
    [
        dist.Normal(0.0, 1.0), dist.Beta(2.0, 3.0), dist.Gamma(2.0, 3.0), dist.Dirichlet(wg.ones(3)),
        dist.Uniform(1.0, 4.0), dist.LKJCholesky(3), dist.StudentT(3.0), dist.Pareto(2.0, 1.0),
    ],
    ids=repr,
)  # fmt: skip
def test_supports_are_reached_from_real_numbers(d):
    transform = dist.biject_to(d.support)
    x = transform.inv(d.sample())
    assert x.isfinite().all()
    y = transform(x)
    assert (d.log_prob(y) + transform.log_abs_det_jacobian(x, y)).isfinite().all()


def test_cache_makes_inverses_exact():
    transform = dist.ComposeTransform([dist.TanhTransform(), dist.AffineTransform(1.0, 2.0)], cache_size=1)
    x = wg.tensor([30.0, -40.0])
    y = transform(x)
    assert transform.inv(y) is x
    assert dist.TanhTransform().inv(dist.TanhTransform()(x)).isinf().all()


def test_gradients_flow_through_a_transformed_distribution():
    loc = numbers(0.5).squeeze().requires_grad_()
    d = dist.TransformedDistribution(dist.Normal(0.0, 1.0), [dist.AffineTransform(loc, 2.0), dist.ExpTransform()])
    value = numbers(1.0, 2.0)
    (got,) = wg.autograd.grad(d.log_prob(value).sum(), loc)
    assert wg.allclose(got, ((value.log() - 0.5) / 4).sum())


@pytest.mark.parametrize("base", [dist.LogNormal, dist.HalfNormal, dist.HalfCauchy])
def test_a_class_of_a_user_may_have_an_attribute_named_transform(base):
    class Prior(base):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self._transform = None

    prior = Prior(*([0.0, 1.0] if base is dist.LogNormal else [1.0]))
    assert prior.sample((3,)).shape == prior.rsample((3,)).shape == (3,)
    assert prior.icdf(wg.tensor(0.5)) > 0
