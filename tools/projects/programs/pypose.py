"""Compose and invert rigid motions, differentiate them, and fit a pose by Levenberg-Marquardt."""

from typing import Any

import pypose as pp
import torch
from fixed_numbers import numbers


class Inverse(torch.nn.Module):
    """The pose whose product with the input is the identity."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.pose = pp.Parameter(pp.se3(numbers(count, 6, seed=3) * 0.5).Exp())

    def forward(self, poses: Any) -> Any:
        return (self.pose @ poses).Log().tensor()


def main() -> dict[str, Any]:
    motions = pp.se3(numbers(100, 6) * 0.7).requires_grad_()
    points = numbers(100, 3, seed=1)
    poses = motions.Exp()
    moved = poses.Act(points)
    moved.square().sum().backward()
    product = (poses.detach() @ poses.detach().Inv()).matrix()
    poses = pp.se3(numbers(3, 6, seed=2) * 0.5).Exp()
    model = Inverse(3).double()
    optimizer = pp.optim.LM(model, strategy=pp.optim.strategy.Adaptive(damping=1e-6))
    losses = [float(optimizer.step(poses)) for _ in range(4)]
    jacobian = pp.so3(numbers(5, 3, seed=4)).Jr()
    gradient = motions.grad.as_subclass(torch.Tensor)
    return {"moved": moved.detach().as_subclass(torch.Tensor), "gradient": gradient, "product": product,
            "losses": losses[:2], "jacobian": jacobian}
