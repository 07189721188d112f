"""Transport distances and their gradients: exact, by Sinkhorn's iteration, sliced, and Gromov-Wasserstein."""

from typing import Any

import ot
import torch
from fixed_numbers import numbers


def main() -> dict[str, Any]:
    source = numbers(40, 2).requires_grad_()
    target = numbers(50, 2, seed=1) * 0.5 + 1
    a, b = (torch.full((size,), 1 / size, dtype=torch.float64) for size in (40, 50))
    found: dict[str, Any] = {}
    exact = ot.emd2(a, b, ot.dist(source, target))
    exact.backward()
    found["exact"], found["exact: gradient"] = exact.detach(), source.grad.clone()
    source.grad = None
    smooth = ot.sinkhorn2(a, b, ot.dist(source, target), 0.5, numItermax=200)
    smooth.sum().backward()
    found["Sinkhorn"], found["Sinkhorn: gradient"] = smooth.detach(), source.grad.clone()
    source.grad = None
    directions = torch.nn.functional.normalize(numbers(2, 30, seed=3), dim=0)
    sliced = ot.sliced_wasserstein_distance(source, target, projections=directions)
    sliced.backward()
    found["sliced"], found["sliced: gradient"] = sliced.detach(), source.grad.clone()
    within = (ot.dist(one, one).detach() for one in (source, target))
    found["Gromov-Wasserstein"] = ot.gromov.entropic_gromov_wasserstein2(*within, a, b, epsilon=1.0, max_iter=20)
    return found
