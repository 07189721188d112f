"""Convert rotations, interpolate and register point clouds, with gradients."""

from typing import Any

import roma
import torch
from fixed_numbers import numbers


def main() -> dict[str, Any]:
    vectors = (numbers(500, 3) * 2).requires_grad_()
    matrices = roma.rotvec_to_rotmat(vectors)
    quaternions = roma.rotmat_to_unitquat(matrices)
    points = numbers(500, 3, seed=1)
    turned = roma.quat_action(quaternions, points)
    turned.square().sum(0)[0].backward()
    steps = torch.linspace(0, 1, 5, dtype=torch.float64)
    path = roma.unitquat_slerp(quaternions[:50].detach(), quaternions[50:100].detach(), steps)
    target = points @ matrices[0].T.detach() + torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    rotation, shift = roma.rigid_points_registration(points, target)
    nearest = roma.special_procrustes(numbers(100, 3, 3, seed=2).requires_grad_())
    euler = roma.rotmat_to_euler("xyz", matrices[:100].detach())
    return {"gradient": vectors.grad, "path": path, "rotation": rotation, "shift": shift,
            "nearest": nearest.detach(), "euler": euler}
