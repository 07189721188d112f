"""Train a controller that holds pendulums upright, with and without capture and replay.

    python replay_controller.py [--steps 300] [--seed 0] [--quick]

A pendulum with its mass above its axis falls; a network of 2-16-1 units sees its angle and velocity and gives a torque.
A training step simulates 16 pendulums for 100 steps of time, differentiates what the controller has let them do, and
changes the weights in place: thousands of small operations, whose Python code takes most of the time. Recorded once by
``wengert.capture`` and replayed, the same step computes the same numbers without that code. Exit status 1 if the
weights of the two runs differ, or if a pendulum does not stand.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import wengert as wg

PENDULUMS, TIMES, H, UNITS = 16, 100, 0.05, 16
GRAVITY, FRICTION = 9.81, 0.1
RATE, MOMENTUM = 0.02, 0.9


def first_weights(seed):
    """Small random weights, and their velocities."""
    wg.manual_seed(seed)
    shapes = (UNITS, 2), (UNITS,), (1, UNITS), (1,)
    weights = [(wg.randn(*shape) * 0.3).requires_grad_() for shape in shapes]
    return weights, [wg.zeros_like(weight) for weight in weights]


def torque(weights, angle, velocity):
    w1, b1, w2, b2 = weights
    linear = wg.nn.functional.linear
    return linear(linear(wg.stack([angle, velocity], 1), w1, b1).tanh(), w2, b2).squeeze(1)


def simulate(weights, angle, velocity):
    """Return angles and velocities at the end, and the mean cost of the path."""
    cost = 0.0
    for _ in range(TIMES):
        push = 10 * torque(weights, angle, velocity)
        velocity = velocity + H * (GRAVITY * angle.sin() - FRICTION * velocity + push)
        angle = angle + H * velocity
        cost = cost + (angle.square() + 0.1 * velocity.square() + 0.001 * push.square()).mean()
    return angle, velocity, cost / TIMES


def make_step(weights, velocities):
    """Return a training step: gradient descent with momentum, along gradients of length 1 at most."""

    def step(angle, velocity):
        _, _, cost = simulate(weights, angle, velocity)
        cost.backward()
        with wg.no_grad():
            length = sum((weight.grad.square().sum() for weight in weights), start=wg.zeros(())).sqrt()
            scale = 1 / length.clamp(min=1.0)
            for weight, moved in zip(weights, velocities, strict=True):
                moved.mul_(MOMENTUM).add_(weight.grad * scale)
                weight.sub_(moved, alpha=RATE)
                weight.grad = None
        return cost.detach()

    return step


def starts():
    """Pendulums at rest that lean to both sides."""
    return wg.linspace(-0.6, 0.6, PENDULUMS), wg.zeros(PENDULUMS)


def train(step, steps):
    """Return the costs and the seconds of each step; the first comes before the times that count."""
    costs, seconds = [], []
    for _ in range(steps):
        state = starts()
        began = time.perf_counter()
        cost = step(*state)
        seconds.append(time.perf_counter() - began)
        costs.append(cost.item())
    return costs, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="10 steps; the pendulums are not looked at")
    parser.add_argument("--out", type=Path, help="nothing is written; for the programs beside this one")
    options = parser.parse_args()
    steps = 10 if options.quick else options.steps

    weights, velocities = first_weights(options.seed)
    expected, usual = train(make_step(weights, velocities), steps)
    captured_weights, velocities = first_weights(options.seed)
    step = wg.capture(make_step(captured_weights, velocities))
    costs, seconds = train(step, steps)
    print(f"cost: {costs[0]:.4f} in the first step, {costs[-1]:.4f} in the last")

    eager, replayed = statistics.median(usual[1:]), statistics.median(seconds[1:])
    print(f"time per step: {eager * 1e3:.2f} ms as usual, {replayed * 1e3:.2f} ms replayed")
    print(f"{eager / replayed:.1f} times as fast; the first step, which is recorded, took {seconds[0] * 1e3:.1f} ms")
    print(f"programs: {len(wg.replay.explain(step).programs)}, replays: {wg.replay.explain(step).replays}")
    equal = costs == expected and all(bool((a == b).all()) for a, b in zip(weights, captured_weights, strict=True))
    print(f"costs and weights equal to those without capture: {'yes' if equal else 'NO'}")

    with wg.no_grad():
        angle, _, _ = simulate(captured_weights, *starts())
    worst = float(angle.abs().max())
    print(f"after {TIMES * H:g} seconds the angles are at most {worst:.3f}")
    return 0 if equal and (options.quick or worst < 0.05) else 1


if __name__ == "__main__":
    sys.exit(main())
