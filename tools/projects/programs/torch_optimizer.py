"""Train a small network by optimizers that are not PyTorch's own."""

from typing import Any

import torch
import torch_optimizer
from fixed_numbers import fix_parameters, numbers

NAMES = "AdaBound AdaBelief AdaMod DiffGrad Lamb MADGRAD NovoGrad QHAdam RAdam Shampoo SWATS Yogi PID SGDW".split()


def main() -> dict[str, Any]:
    found: dict[str, Any] = {}
    inputs, targets = numbers(64, 4), numbers(64, 2, seed=1)
    for name in NAMES:
        net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2)).double()
        fix_parameters(net)
        optimizer = getattr(torch_optimizer, name)(net.parameters(), lr=0.01)
        losses = []
        for _ in range(20):
            optimizer.zero_grad()
            loss = torch.nn.functional.smooth_l1_loss(net(inputs), targets)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        found[name] = losses
    return found
