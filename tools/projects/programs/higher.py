"""Learn first weights from which a few inner steps fit sine waves (MAML), through the inner optimizer."""

from typing import Any

import higher
import torch
from fixed_numbers import fix_parameters, gradients, numbers


def main() -> dict[str, Any]:
    net = fix_parameters(torch.nn.Sequential(
        torch.nn.Linear(1, 20), torch.nn.Tanh(), torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1)
    ).double())
    outer = torch.optim.Adam(net.parameters(), lr=0.01)
    inner = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for step in range(6):
        outer.zero_grad()
        total = 0.0
        for task in range(4):
            phase = task + 0.3 * step
            x = numbers(10, 1, seed=10 * step + task) * 3
            with higher.innerloop_ctx(net, inner, copy_initial_weights=False) as (learner, optimizer):
                for _ in range(3):
                    optimizer.step((learner(x) - torch.sin(x + phase)).square().mean())
                points = torch.linspace(-3, 3, 20, dtype=torch.float64)[:, None]
                loss = (learner(points) - torch.sin(points + phase)).square().mean()
                loss.backward()
            total += loss.item()
        outer.step()
        losses.append(total)
    return {"losses": losses, "gradients": gradients(net)}
