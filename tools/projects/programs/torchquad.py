"""Integrate functions of one to four variables, and differentiate an integral by a parameter."""

from typing import Any

import torch
from torchquad import Boole, GaussLegendre, Simpson, Trapezoid, set_up_backend


def main() -> dict[str, Any]:
    set_up_backend("torch", data_type="float64", torch_enable_cuda=False)
    found: dict[str, Any] = {}
    domain = [[0.0, 1.0]] * 3

    def wave(x: Any) -> Any:
        return torch.exp(-torch.sum(x * x, dim=1)) * torch.cos(x[:, 0])

    for rule in (Trapezoid, Simpson, Boole, GaussLegendre):
        found[rule.__name__] = rule().integrate(wave, dim=3, N=41**3, integration_domain=domain)
    scale = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    integral = Simpson().integrate(lambda x: torch.sin(scale * x.sum(dim=1)), dim=4, N=13**4,
                                   integration_domain=[[0.0, 1.0]] * 4)
    integral.backward()
    found["derivative"] = scale.grad
    ends = torch.tensor([[0.0, 1.0], [0.0, 2.0]], dtype=torch.float64, requires_grad=True)
    Boole().integrate(lambda x: x.prod(dim=1) ** 2, dim=2, N=101**2, integration_domain=ends).backward()
    found["derivative by the domain"] = ends.grad
    return found
