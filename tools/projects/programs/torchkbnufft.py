"""Compute non-uniform Fourier transforms and their adjoints, and reconstruct an image by gradients."""

from typing import Any

import torch
import torchkbnufft as tkbn
from fixed_numbers import numbers


def main() -> dict[str, Any]:
    points = numbers(2, 400) * 3.14159
    side = torch.linspace(-1, 1, 20, dtype=torch.float64)
    rows, columns = torch.meshgrid(side, side, indexing="ij")
    image = torch.complex(torch.exp(-5 * (rows**2 + columns**2)), rows * columns)[None, None].to(torch.complex128)
    forward = tkbn.KbNufft(im_size=(20, 20)).to(torch.complex128)
    adjoint = tkbn.KbNufftAdjoint(im_size=(20, 20)).to(torch.complex128)
    data = forward(image, points)
    guess = torch.zeros_like(image).requires_grad_()
    losses = []
    for _ in range(5):
        loss = (forward(guess, points) - data).abs().square().mean()
        losses.append(loss.item())
        (gradient,) = torch.autograd.grad(loss, guess)
        guess = (guess - 0.5 * gradient).detach().requires_grad_()
    return {"data": data, "adjoint": adjoint(data, points), "losses": losses, "gradient": gradient,
            "kernel": tkbn.calc_toeplitz_kernel(points, im_size=(20, 20))}
