"""Learn the equation of a pendulum from its motion: a neural ODE, with the solvers of torchdiffeq.

    python neural_ode_torchdiffeq.py [--steps 500] [--seed 0] [--quick]

torchdiffeq (github.com/rtqichen/torchdiffeq) is a package for PyTorch: it imports torch, for which ``as_torch`` puts
wengert in this process. It declares PyTorch as a requirement, so install it without: pip install --no-deps torchdiffeq
(and SciPy, which it imports).

The state y is the angle of a damped pendulum and its velocity. A network f learns y' = f(y) from short pieces of the
path: the solver integrates f, and gradients come from the adjoint equation, integrated backwards, whose memory does not
grow with the number of steps (Chen et al., Neural ordinary differential equations, 2018). Exit status 1 if the learned
path, integrated from the first point, is further from the true one than 0.2 on average, or if the gradients by the
adjoint equation differ from those through the solver.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import wengert

torch = wengert.as_torch()  # before torchdiffeq is imported, which imports torch

from torchdiffeq import odeint, odeint_adjoint  # noqa: E402 - see above

nn = torch.nn
POINTS, PIECE, BATCH, HIDDEN, RATE = 200, 15, 32, 32, 0.02
SPAN = 8.0


class Motion(nn.Module):
    """The right side of the equation: a network of the state."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 2))
        for layer in (self.net[0], self.net[2]):
            nn.init.normal_(layer.weight, std=0.1)
            nn.init.zeros_(layer.bias)

    def forward(self, t, y):
        return self.net(y)


def true_path():
    """Times float64[POINTS], and the states float64[POINTS, 2] of a pendulum that starts at rest."""

    def pendulum(t, y):
        return torch.stack([y[1], -4 * torch.sin(y[0]) - 0.3 * y[1]])

    times = torch.linspace(0.0, SPAN, POINTS)
    return times, odeint(pendulum, torch.tensor([2.0, 0.0]), times, rtol=1e-8, atol=1e-10)


def train(motion, times, path, steps):
    """Fit pieces of the path; return the seconds of each step."""
    optimizer = torch.optim.Adam(motion.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses, seconds = [], []
    for step in range(steps):
        began = time.perf_counter()
        starts = torch.randperm(POINTS - PIECE)[:BATCH]
        pieces = torch.stack([path[starts + shift] for shift in range(PIECE)])
        optimizer.zero_grad()
        found = odeint_adjoint(motion, pieces[0], times[:PIECE], rtol=1e-4, atol=1e-5)
        loss = (found - pieces).square().mean()
        loss.backward()
        optimizer.step()
        schedule.step()
        seconds.append(time.perf_counter() - began)
        losses.append(loss.item())
        if (step + 1) % max(1, steps // 10) == 0:
            mean = statistics.fmean(losses[-max(1, steps // 10) :])
            print(f"step {step + 1:>4}/{steps}: mean squared error of pieces {mean:.5f}", flush=True)
    return seconds


def compare_gradients(motion, times, path):
    """The largest difference of the adjoint's gradients and those of the recorded solver, over the largest entry."""
    gradients = []
    for solve in (odeint_adjoint, odeint):
        motion.zero_grad()
        (solve(motion, path[0], times[:PIECE], rtol=1e-9, atol=1e-11) - path[:PIECE]).square().mean().backward()
        gradients.append(nn.utils.parameters_to_vector([parameter.grad for parameter in motion.parameters()]))
    return (gradients[0] - gradients[1]).abs().max().item() / gradients[1].abs().max().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="not used: the program writes nothing")
    parser.add_argument("--quick", action="store_true", help="three steps, whose result is not checked")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    torch.set_default_dtype(torch.float64)
    times, path = true_path()
    motion = Motion()
    print(f"{POINTS} points of a path, pieces of {PIECE}, seed {options.seed}")
    seconds = train(motion, times, path, 3 if options.quick else options.steps)

    with torch.no_grad():
        learned = odeint(motion, path[0], times, rtol=1e-5, atol=1e-6)
    distance = (learned - path).norm(dim=1).mean().item()
    for place in range(0, POINTS, 40):
        (x, y), (a, b) = path[place].tolist(), learned[place].tolist()
        print(f"t = {times[place].item():.2f}: true ({x:+.2f}, {y:+.2f}), learned ({a:+.2f}, {b:+.2f})")
    difference = compare_gradients(motion, times, path)
    print(f"mean distance from the true path: {distance:.3f}")
    print(f"gradients by the adjoint and through the solver: max relative difference {difference:.1e}")
    print(f"time per step: {1e3 * statistics.median(seconds):.1f} ms (median of {len(seconds)})")
    return 1 if difference > 1e-5 or (distance > 0.2 and not options.quick) else 0


if __name__ == "__main__":
    sys.exit(main())
