"""Decompose tensors (CP, Tucker, tensor train), and learn a CP decomposition by gradients."""

from typing import Any

import tensorly as tl
import torch
from fixed_numbers import numbers
from tensorly.decomposition import non_negative_parafac, parafac, tensor_train, tucker


def main() -> dict[str, Any]:
    tl.set_backend("pytorch")
    factors = [numbers(size, 3, seed=seed) for seed, size in enumerate((8, 9, 10))]
    tensor = tl.cp_to_tensor((None, factors)) + 0.01 * numbers(8, 9, 10, seed=5)
    found: dict[str, Any] = {}
    found["CP"] = tl.cp_to_tensor(parafac(tensor, rank=3, init="svd", n_iter_max=50))
    found["Tucker"] = tl.tucker_to_tensor(tucker(tensor, rank=[3, 3, 3], n_iter_max=20))
    found["tensor train"] = tl.tt_to_tensor(tensor_train(tensor, rank=[1, 3, 3, 1]))
    found["non-negative"] = tl.cp_to_tensor(non_negative_parafac(tensor.abs(), rank=3, init="svd", n_iter_max=50))
    learned = [numbers(size, 3, seed=seed + 10).requires_grad_() for seed, size in enumerate((8, 9, 10))]
    optimizer = torch.optim.Adam(learned, lr=0.02)
    losses = []
    for _ in range(100):
        optimizer.zero_grad()
        loss = tl.norm(tl.cp_to_tensor((None, learned)) - tensor, 2)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    found["losses"] = losses
    return found
