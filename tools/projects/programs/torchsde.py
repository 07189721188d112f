"""Solve a stochastic equation along a fixed path, and differentiate it through the solver and by the adjoint."""

from typing import Any

import torch
import torchsde
from fixed_numbers import fix_parameters, gradients


class Path(torchsde.BaseBrownian):  # type: ignore[misc]
    """A path that stands for Brownian motion: random streams are other ones on each side."""

    levy_area_approximation = "none"
    dtype, device = torch.float64, torch.device("cpu")
    shape = torch.Size((8, 3))

    def __init__(self) -> None:
        super().__init__()
        self.phase = torch.arange(24, dtype=torch.float64).reshape(8, 3)

    def value(self, t: Any) -> Any:
        return sum(torch.sin(float(t) * k * k + self.phase * k) / k for k in range(1, 12))

    def __call__(self, ta: Any, tb: Any = None, return_U: bool = False, return_A: bool = False) -> Any:
        return self.value(ta) if tb is None else self.value(tb) - self.value(ta)

    def __repr__(self) -> str:
        return "Path()"

    def size(self) -> Any:
        return self.shape


class Equation(torch.nn.Module):
    """Drift and diffusion by networks."""

    noise_type, sde_type = "diagonal", "ito"

    def __init__(self, sde_type: str = "ito") -> None:
        super().__init__()
        self.sde_type = sde_type
        self.drift = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Softplus(), torch.nn.Linear(16, 3)).double()
        self.spread = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Sigmoid(), torch.nn.Linear(16, 3)).double()

    def f(self, t: Any, y: Any) -> Any:
        return self.drift(y)

    def g(self, t: Any, y: Any) -> Any:
        return torch.sigmoid(self.spread(y)) * 0.3


def main() -> dict[str, Any]:
    start = torch.linspace(-1.0, 1.0, 24, dtype=torch.float64).reshape(8, 3)
    times = torch.linspace(0.0, 1.0, 5, dtype=torch.float64)
    found: dict[str, Any] = {}
    for method, solve, kind in (
        ("milstein", torchsde.sdeint, "ito"),
        ("midpoint", torchsde.sdeint_adjoint, "stratonovich"),
    ):
        equation = fix_parameters(Equation(kind))
        end = solve(equation, start, times, bm=Path(), method=method, dt=0.02)
        (end**2).mean().backward()
        found[method] = end.detach()
        found[f"{method}: gradients"] = gradients(equation)
    return found
