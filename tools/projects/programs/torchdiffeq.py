"""Fit a neural ODE to a spiral: dopri5, and gradients by the adjoint equation."""

from typing import Any

import torch
from fixed_numbers import fix_parameters, gradients
from torchdiffeq import odeint, odeint_adjoint


class Field(torch.nn.Module):
    """The right side of the equation: a network of the cubes of the state."""

    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2)).double()

    def forward(self, t: Any, y: Any) -> Any:
        return self.net(y**3)


def main() -> dict[str, Any]:
    matrix = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]], dtype=torch.float64)
    start = torch.tensor([[2.0, 0.0]], dtype=torch.float64)
    times = torch.linspace(0.0, 2.0, 20, dtype=torch.float64)
    with torch.no_grad():
        path = odeint(lambda t, y: (y**3) @ matrix, start, times, method="dopri5", rtol=1e-8, atol=1e-8)
    field = fix_parameters(Field())
    optimizer = torch.optim.Adam(field.parameters(), lr=0.01)
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = (odeint_adjoint(field, start, times, method="dopri5", rtol=1e-6, atol=1e-8) - path).abs().mean()
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    return {"path": path, "losses": losses, "gradients": gradients(field)}
