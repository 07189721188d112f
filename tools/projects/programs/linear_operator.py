"""Solve, decompose and differentiate structured matrices."""

from typing import Any

import torch
from fixed_numbers import numbers
from linear_operator import operators


def main() -> dict[str, Any]:
    found: dict[str, Any] = {}
    root = numbers(30, 4).requires_grad_()
    diagonal = (numbers(30, seed=1).abs() + 0.5).requires_grad_()
    right = numbers(30, 3, seed=2)
    for name, build in (
        ("low rank", lambda: operators.RootLinearOperator(root) + operators.DiagLinearOperator(diagonal)),
        ("Toeplitz", lambda: operators.ToeplitzLinearOperator(torch.exp(-diagonal.cumsum(0)) * 4).add_jitter(2.0)),
        ("Kronecker", lambda: operators.KroneckerProductLinearOperator(
            operators.DenseLinearOperator(root[:5] @ root[:5].T),
            operators.DenseLinearOperator(root[5:11] @ root[5:11].T),
        ).add_jitter(1.0)),
    ):
        matrix = build()
        quadratic, logdet = matrix.inv_quad_logdet(right, logdet=True)
        found[f"{name}: solution"] = matrix.solve(right).detach()
        found[f"{name}: quadratic"], found[f"{name}: logdet"] = quadratic.detach(), logdet.detach()
        grads = torch.autograd.grad(quadratic + logdet, [root, diagonal], allow_unused=True)
        found[f"{name}: gradients"] = [one for one in grads if one is not None]
    return found
