"""Infer by maximum a posteriori, by enumeration of a mixture, and by the No-U-Turn sampler."""

from typing import Any

import pyro
import pyro.distributions as dist
import torch
from fixed_numbers import numbers
from pyro.infer import MCMC, NUTS, SVI, Trace_ELBO, TraceEnum_ELBO, config_enumerate
from pyro.infer.autoguide import AutoDelta, init_to_value

TOLERANCE = {"posterior mean": 0.25, "posterior spread": 0.25}


def regression(x: Any, y: Any) -> None:
    weights = pyro.sample("weights", dist.Normal(torch.zeros(3).double(), 2.0).to_event(1))
    noise = pyro.sample("noise", dist.LogNormal(torch.zeros(()).double(), 1.0))
    with pyro.plate("data", len(y)):
        pyro.sample("y", dist.Normal(x @ weights, noise), obs=y)


@config_enumerate  # type: ignore[untyped-decorator]
def mixture(data: Any) -> None:
    shares = pyro.sample("shares", dist.Dirichlet(torch.ones(2).double()))
    with pyro.plate("parts", 2):
        centers = pyro.sample("centers", dist.Normal(torch.zeros(()).double(), 5.0))
    with pyro.plate("data", len(data)):
        part = pyro.sample("part", dist.Categorical(shares))
        pyro.sample("x", dist.Normal(centers[part], 0.5), obs=data)


def fit(model: Any, loss: Any, first: dict[str, Any], *data: Any) -> tuple[list[float], dict[str, Any]]:
    """Return the losses of some steps and the values that were found."""
    pyro.clear_param_store()
    hidden = pyro.poutine.block(model, hide=["part"])
    guide = AutoDelta(hidden, init_loc_fn=init_to_value(values=first))
    svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.05}), loss)
    losses = [svi.step(*data) for _ in range(60)]
    return losses, {name: value.detach() for name, value in guide.median().items()}


def main() -> dict[str, Any]:
    pyro.set_rng_seed(0)
    x = numbers(50, 3)
    y = x @ torch.tensor([1.0, -2.0, 0.5]).double() + 0.1 * numbers(50, seed=1)
    first = {"weights": torch.zeros(3).double(), "noise": torch.ones(()).double()}
    losses, values = fit(regression, Trace_ELBO(), first, x, y)
    found = {"losses": losses, **values}
    data = torch.cat([numbers(20, seed=2) * 0.5 + 2, numbers(30, seed=3) * 0.5 - 1])
    first = {"shares": torch.full((2,), 0.5).double(), "centers": torch.tensor([1.0, -0.5]).double()}
    losses, values = fit(mixture, TraceEnum_ELBO(max_plate_nesting=1), first, data)
    found |= {"enumerated": losses, **values}
    chain = MCMC(NUTS(regression), num_samples=100, warmup_steps=60, disable_progbar=True)
    chain.run(x, y)
    weights = chain.get_samples()["weights"]
    return found | {"posterior mean": weights.mean(0), "posterior spread": weights.std(0)}
