"""Minimize Rosenbrock's function by quasi-Newton, conjugate gradient and trust region methods, and fit a curve."""

from typing import Any

import torch
from torchmin import least_squares, minimize


def rosenbrock(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def main() -> dict[str, Any]:
    start = torch.tensor([1.3, 0.7, 0.8, 1.9, 1.2], dtype=torch.float64)
    found: dict[str, Any] = {}
    for method in ("bfgs", "l-bfgs", "cg", "newton-cg", "newton-exact", "trust-ncg"):
        result = minimize(rosenbrock, start, method=method)
        found[method], found[f"{method}: steps"] = result.x, float(result.nit)
    times = torch.linspace(0, 2, 30, dtype=torch.float64)
    values = 2.5 * torch.exp(-1.3 * times) + 0.01 * torch.sin(40 * times)
    fit = least_squares(lambda p: p[0] * torch.exp(-p[1] * times) - values, torch.ones(2, dtype=torch.float64))
    found["least squares"] = fit.x
    return found


TOLERANCE = dict.fromkeys(("bfgs", "l-bfgs", "cg", "newton-cg", "trust-ncg"), 1e-05)
