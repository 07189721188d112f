"""Register an image to another by a homography, warp, rotate and filter images, and estimate a fundamental matrix."""

from typing import Any

import kornia.filters as filters
import kornia.geometry as geometry
import torch
from fixed_numbers import numbers


def main() -> dict[str, Any]:
    sides = [torch.linspace(-1, 1, size, dtype=torch.float64) for size in (32, 40)]
    rows, columns = torch.meshgrid(*sides, indexing="ij")
    image = torch.exp(-8 * ((rows - 0.2) ** 2 + (columns + 0.1) ** 2))[None, None]
    matrix = torch.tensor([[[1.0, 0.05, 1.5], [-0.04, 0.98, -0.5], [1e-4, 2e-4, 1.0]]], dtype=torch.float64)
    target = geometry.transform.warp_perspective(image, matrix, dsize=(32, 40))
    guess = torch.eye(3, dtype=torch.float64)[None].requires_grad_()
    optimizer = torch.optim.Adam([guess], lr=0.01)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = (geometry.transform.warp_perspective(image, guess, dsize=(32, 40)) - target).abs().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    angles = torch.tensor([30.0, -12.0], dtype=torch.float64)
    turned = geometry.transform.rotate(image.expand(2, 1, 32, 40), angles)
    points, moved = numbers(1, 12, 2), numbers(1, 12, 2, seed=1)
    depth = geometry.conversions.axis_angle_to_rotation_matrix(numbers(10, 3, seed=2))
    quaternions = geometry.conversions.rotation_matrix_to_quaternion(depth)
    return {
        "target": target, "losses": losses, "gradient": guess.grad, "turned": turned,
        "homography": geometry.homography.find_homography_dlt(points, points * 0.9 + 0.02 * moved),
        "quaternions": quaternions, "blurred": filters.gaussian_blur2d(image, (5, 5), (1.5, 1.5)),
        "edges": filters.sobel(image), "resized": geometry.transform.resize(image, (16, 20)),
    }
