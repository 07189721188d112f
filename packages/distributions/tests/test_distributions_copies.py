"""Distributions and transforms are pickled, copied and expanded without loss, and without copies of memory."""

import copy
import pickle

import pytest
import wengert as wg
from wengert import distributions as dist

from .distribution_cases import CASES, CONTINUOUS, numbers

EXPANDED = ("normal", "gamma", "student_t")


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))])
def test_copies_are_the_same_distribution(case, duplicate):
    d, _ = case.build()
    other = duplicate(d)
    assert repr(other) == repr(d)
    wg.manual_seed(1)
    value = d.sample((3,))
    wg.manual_seed(1)
    assert wg.equal(other.sample((3,)), value)
    assert wg.equal(other.log_prob(value), d.log_prob(value))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_copies_keep_what_was_computed_lazily(case):
    d, _ = case.build()
    d.log_prob(d.sample())
    assert repr(pickle.loads(pickle.dumps(d))) == repr(d)


@pytest.mark.parametrize("case", [case for case in CONTINUOUS if case.name in EXPANDED], ids=str)
def test_expand_copies_no_memory(case):
    d, _ = case.build()
    big = d.expand((5, 3))
    for name in d.arg_constraints:
        assert getattr(big, name).data_ptr() == getattr(d, name).data_ptr()
        assert getattr(big, name).shape == (5, 3)


def test_expand_passes_gradients_on():
    loc = numbers(1.0, 2.0).requires_grad_()
    dist.Normal(loc, 1.0).expand((4, 2)).mean.sum().backward()
    assert loc.grad.tolist() == [4.0, 4.0]


def test_expand_keeps_the_choice_to_validate():
    for value in (True, False):
        d = dist.Normal(0.0, 1.0, validate_args=value).expand((2,))
        assert d._validate_args is value


def test_expand_does_not_check_parameters_again():
    d = dist.Normal(wg.tensor(0.0), wg.tensor(-1.0), validate_args=False)
    d._validate_args = True
    assert d.expand((2,)).scale.tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("name", ["probs", "logits"])
@pytest.mark.parametrize("kind", [dist.Bernoulli, dist.Geometric, dist.ContinuousBernoulli, dist.Categorical])
def test_expand_keeps_the_parameter_that_was_passed(kind, name):
    d = kind(**{name: numbers(0.25, 0.75)})
    d.log_prob(wg.zeros((), dtype=wg.float64) if kind is not dist.Categorical else wg.tensor(0))
    big = d.expand((3, *d.batch_shape))
    assert big._param is getattr(big, name)
    assert big.param_shape == big._param.shape


def test_expand_of_multinomial_has_an_entropy():
    d = dist.Multinomial(3, numbers(0.5, 0.5))
    assert wg.allclose(d.expand((2,)).entropy(), d.entropy().expand(2))


def test_caches_of_transforms_are_copied():
    transform = dist.SigmoidTransform(cache_size=1)
    x = wg.tensor([200.0])
    y = transform(x)
    other = copy.deepcopy(transform)
    assert other == transform
    assert other._cache_size == 1
    assert transform.inv(y) is x


def test_inverses_of_transforms_are_pickled():
    inverse = pickle.loads(pickle.dumps(dist.ExpTransform().inv))
    assert repr(inverse) == "_InverseTransform(ExpTransform())"
    assert inverse(wg.ones(2)).tolist() == [0.0, 0.0]


def test_lazy_parameters_are_differentiable_where_gradients_are_off():
    logits = numbers(0.5, -0.5).requires_grad_()
    d = dist.Bernoulli(logits=logits)
    with wg.no_grad():
        assert d.probs.requires_grad
    d.mean.sum().backward()
    assert logits.grad is not None
