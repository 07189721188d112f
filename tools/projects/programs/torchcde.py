"""Classify spirals by a neural controlled differential equation over cubic splines."""

from typing import Any

import torch
import torchcde
from fixed_numbers import fix_parameters, gradients, numbers


class Field(torch.nn.Module):
    """A matrix for each state, which is multiplied by the change of the path."""

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.channels, self.hidden = channels, hidden
        self.net = torch.nn.Sequential(
            torch.nn.Linear(hidden, 16), torch.nn.ReLU(), torch.nn.Linear(16, channels * hidden), torch.nn.Tanh()
        ).double()

    def forward(self, t: Any, z: Any) -> Any:
        return self.net(z).view(z.size(0), self.hidden, self.channels)


def main() -> dict[str, Any]:
    t = torch.linspace(0.0, 4.0, 30, dtype=torch.float64)
    turns = numbers(16, 1)
    signs = torch.sign(numbers(16, 1, seed=1))
    path = torch.stack([t.expand(16, 30), torch.cos(t + turns), signs * torch.sin(t + turns)], dim=2)
    labels = (signs[:, 0] > 0).double()
    coefficients = torchcde.hermite_cubic_coefficients_with_backward_differences(path)
    splines = torchcde.natural_cubic_coeffs(path)
    spline = torchcde.CubicSpline(coefficients)
    field, first, last = (fix_parameters(one) for one in (
        Field(3, 6), torch.nn.Linear(3, 6).double(), torch.nn.Linear(6, 1).double()))
    losses = []
    optimizer = torch.optim.Adam([*field.parameters(), *first.parameters(), *last.parameters()], lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        z = torchcde.cdeint(spline, field, first(spline.evaluate(0.0)), spline.interval, method="rk4",
                            options={"step_size": 0.2}, adjoint=True, adjoint_params=tuple(field.parameters()))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(last(z[:, -1])[:, 0], labels)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    return {"splines": splines, "losses": losses, "gradients": gradients(field)}
