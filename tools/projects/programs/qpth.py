"""Solve quadratic programs in a layer, and differentiate the solutions by all of their data."""

from typing import Any

import torch
from fixed_numbers import numbers
from qpth.qp import QPFunction


def main() -> dict[str, Any]:
    half = numbers(16, 8, 8)
    square = (half @ half.transpose(1, 2) + torch.eye(8, dtype=torch.float64)).detach().requires_grad_()
    linear = numbers(16, 8, seed=1).requires_grad_()
    bounds = numbers(16, 12, 8, seed=2).requires_grad_()
    limits = (numbers(16, 12, seed=3).abs() + 0.1).requires_grad_()
    equal = numbers(16, 2, 8, seed=4).requires_grad_()
    zeros = torch.zeros(16, 2, dtype=torch.float64)
    solution = QPFunction(verbose=-1)(square, linear, bounds, limits, equal, zeros)
    solution.square().sum().backward()
    names = {"quadratic": square, "linear": linear, "bounds": bounds, "limits": limits, "equal": equal}
    return {"solution": solution.detach(), **{f"gradient: {name}": one.grad for name, one in names.items()}}


TOLERANCE = {f"gradient: {name}": 1e-5 for name in ("quadratic", "linear", "bounds", "limits", "equal")}
