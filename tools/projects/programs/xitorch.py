"""Roots, fixed points, eigenpairs and linear solutions, with implicit derivatives of first and second order."""

from typing import Any

import torch
import xitorch
from fixed_numbers import numbers
from xitorch.integrate import quad, solve_ivp
from xitorch.interpolate import Interp1D
from xitorch.linalg import solve, symeig
from xitorch.optimize import equilibrium, minimize, rootfinder


def main() -> dict[str, Any]:
    a = (numbers(5, 5) * 0.3).requires_grad_()
    found: dict[str, Any] = {}

    def residual(y: Any, matrix: Any) -> Any:
        return torch.tanh(y @ matrix + 0.2) + y / 2.0

    root = rootfinder(residual, torch.zeros((1, 5), dtype=torch.float64), params=(a,))
    (first,) = torch.autograd.grad(root.sum(), a, create_graph=True)
    (second,) = torch.autograd.grad(first.square().sum(), a)
    found |= {"root": root.detach(), "root: gradient": first.detach(), "root: second order": second}
    point = equilibrium(lambda y, m: torch.tanh(y @ m + 0.1), torch.zeros((1, 5), dtype=torch.float64), params=(a,))
    found |= {"fixed point": point.detach(), "fixed point: gradient": torch.autograd.grad(point.sum(), a)[0]}
    best = minimize(lambda y, m: ((y @ m + y - 1) ** 2).sum(), torch.zeros((1, 5), dtype=torch.float64), params=(a,))
    found["minimum"] = best.detach()
    operator = xitorch.LinearOperator.m(a @ a.T + torch.eye(5, dtype=torch.float64), is_hermitian=True)
    values, _ = symeig(operator, neig=3)
    found |= {"eigenvalues": values.detach(), "eigenvalues: gradient": torch.autograd.grad(values.sum(), a)[0]}
    operator = xitorch.LinearOperator.m(a @ a.T + torch.eye(5, dtype=torch.float64), is_hermitian=True)
    solution = solve(operator, numbers(5, 2, seed=1))
    found["solution: gradient"] = torch.autograd.grad(solution.sum(), a)[0]
    times = torch.linspace(0, 1, 6, dtype=torch.float64)
    path = solve_ivp(lambda t, y, m: y @ m - y, times, torch.ones((1, 5), dtype=torch.float64), params=(a,))
    found["path: gradient"] = torch.autograd.grad(path.sum(), a)[0]
    ends = torch.tensor([0.0, 2.0], dtype=torch.float64)
    integral = quad(lambda x, m: torch.exp(-(x**2) * m.square().sum()), *ends, params=(a,))
    found["integral: gradient"] = torch.autograd.grad(integral.sum(), a)[0]
    grid = torch.linspace(0, 1, 10, dtype=torch.float64)
    found["spline"] = Interp1D(grid, torch.sin(4 * grid), method="cspline")(torch.linspace(0.05, 0.95, 7).double())
    return found
