"""Train layers whose weights stay orthogonal, of low rank, positive definite or on a sphere."""

from typing import Any

import geotorch
import torch
from fixed_numbers import fix_parameters, numbers


def main() -> dict[str, Any]:
    found: dict[str, Any] = {}
    inputs, targets = numbers(20, 6), numbers(20, 6, seed=1)
    for name, constrain in (
        ("orthogonal", lambda layer: geotorch.orthogonal(layer, "weight")),
        ("low rank", lambda layer: geotorch.low_rank(layer, "weight", 2)),
        ("positive definite", lambda layer: geotorch.positive_definite(layer, "weight")),
        ("skew", lambda layer: geotorch.skew(layer, "weight")),
        ("sphere", lambda layer: geotorch.sphere(layer, "weight")),
    ):
        layer = fix_parameters(torch.nn.Linear(6, 6).double())
        constrain(layer)
        layer.weight = first_weight(name)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(15):
            optimizer.zero_grad()
            loss = (layer(inputs) - targets).square().mean()
            loss.backward()
            optimizer.step()
        found[name] = layer.weight.detach()
        found[f"{name}: loss"] = loss.item()
    return found


def first_weight(name: str) -> Any:
    """Return a matrix that fulfills the constraint."""
    square = numbers(6, 6, seed=2)
    if name == "orthogonal":
        return torch.linalg.matrix_exp(square - square.T)
    if name == "low rank":
        return square[:, :2] @ square[:2]
    if name == "positive definite":
        return square @ square.T + torch.eye(6, dtype=torch.float64)
    if name == "skew":
        return square - square.T
    return square / square.norm(dim=-1, keepdim=True)
