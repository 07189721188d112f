"""Names are loaded when they are asked for, and are the same objects everywhere."""

import subprocess
import sys

import pytest
import wengert_distributions
from wengert import distributions as dist

LOADS_LITTLE = """
import sys
import wengert as wg
assert not [name for name in sys.modules if name.startswith("wengert_distributions")]
wg.distributions.Normal(0.0, 1.0).log_prob(wg.tensor(0.5))
loaded = [name for name in sys.modules if name.startswith("wengert_distributions.")]
assert not [name for name in loaded if ".kl" in name or ".gamma" in name or "transform" in name], loaded
"""

DIVERGENCES = """
from wengert import distributions as dist
p = dist.Poisson(1.0)
assert dist.kl_divergence(p, p) == 0
assert len(dist.kl._KL_REGISTRY) > 70
"""


def test_a_distribution_is_loaded_without_the_others():
    subprocess.run([sys.executable, "-c", LOADS_LITTLE], check=True)


def test_divergences_are_complete_when_they_are_asked_for():
    subprocess.run([sys.executable, "-c", DIVERGENCES], check=True)


@pytest.mark.parametrize("name", wengert_distributions.__all__)
def test_names_are_there(name):
    assert getattr(dist, name) is getattr(wengert_distributions, name)
    assert name in dir(wengert_distributions)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'Normol'"):
        wengert_distributions.Normol  # noqa: B018


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("normal", "Normal"), ("studentT", "StudentT"), ("kl", "kl_divergence"), ("constraints", "positive"),
        ("constraint_registry", "biject_to"), ("transforms", "ExpTransform"), ("utils", "broadcast_all"),
        ("relaxed_bernoulli", "LogitRelaxedBernoulli"), ("exp_family", "ExponentialFamily"),
    ],
)  # fmt: skip
def test_modules_have_the_names_of_torch(module, name):
    found = getattr(getattr(dist, module), name)
    assert found is not None
    assert getattr(dist, name, found) is found
