"""Random programs on tensors that are large enough for groups, with parts, casts, sums and gradients between.

Each program uses few kinds of operations, so that launches of one kind meet often: some are put into groups, others
wait behind a group or go ahead of it, and memory is used again.
"""

from __future__ import annotations

import random

import pytest
import wengert as wg

from .scenarios import attempt, compare_runs

SEEDS = 60
MATRICES = [(64, 65), (130, 33), (64, 128), (41, 100)]


def matrix(t, c):
    """As many elements of a tensor as a matrix has."""
    rows, columns = MATRICES[c % len(MATRICES)]
    flat = t.reshape(-1)
    return flat.repeat(-(-rows * columns // len(flat)))[: rows * columns].reshape(rows, columns)


def fitting(u, v):
    flat = v.reshape(-1)
    return flat.repeat(-(-u.numel() // len(flat)))[: u.numel()].reshape(u.shape).to(u.dtype)


def fill_parts(world, u, v, c):
    flat = u.reshape(-1)
    made = wg.empty(2 * len(flat), dtype=u.dtype)
    made[: len(flat)].copy_(flat.sin())
    wg.cos(flat, out=made[len(flat) :])
    return made * 0.5


def fill_transposed(world, u, v, c):
    a = matrix(u, c)
    made = wg.empty(2, a.shape[1], a.shape[0], dtype=a.dtype)
    made[0].copy_(a.tanh().t())
    made[1].copy_(matrix(v, c).t())
    return made * 0.5


def write_part(world, u, v, c):
    made = u.reshape(-1) * 1
    half = len(made) // 2
    made[:half].add_(made[half : 2 * half])
    made[half:].mul_(0.5)
    return made


def write_outside(world, u, v, c):
    world["out"].mul_(0.5).add_(fitting(world["out"], u.detach().float()), alpha=0.1)
    return world["out"] * 1


def compute_gradient(world, u, v, c):
    x, row = matrix(u, c).detach().clone().requires_grad_(), matrix(v, c)[0].detach().clone().requires_grad_()
    y = ((x - row).tanh() * row).sum(c // 4 % 2)
    return wg.autograd.grad(y.sin().sum(), [x, row])[c // 8 % 2]


def run_backward(world, u, v, c):
    (world["leaf"] * fitting(world["leaf"].detach(), u.detach().float())).tanh().pow(2).sum().backward()
    return world["leaf"].detach() * 1


STEPS = [
    fill_parts, fill_transposed, write_part, write_outside, compute_gradient, run_backward,
    lambda world, u, v, c: u.sin(), lambda world, u, v, c: (u * 0.5 + 1).cos() * u, lambda world, u, v, c: u.tanh(),
    lambda world, u, v, c: u + fitting(u, v), lambda world, u, v, c: u * fitting(u, v),
    lambda world, u, v, c: wg.cat([matrix(u, c).t(), matrix(v, c).t()], c // 4 % 2),
    lambda world, u, v, c: wg.cat([matrix(u, c), matrix(v, c)], c // 4 % 2),
    lambda world, u, v, c: wg.stack([matrix(u, c).t(), matrix(v, c).t()], c // 4 % 3),
    lambda world, u, v, c: matrix(u, c).t().contiguous(), lambda world, u, v, c: matrix(u, c).flip(c // 4 % 2),
    lambda world, u, v, c: matrix(u, c).sum(c // 4 % 2), lambda world, u, v, c: u * 0.3 - (u * u).sum().tanh(),
    lambda world, u, v, c: matrix(u, c) - matrix(u, c).mean(c // 4 % 2, keepdim=True),
    lambda world, u, v, c: matrix(u, c) * fitting(matrix(u, c)[0], v), lambda world, u, v, c: u.mul(0.5).sin_().add_(1),
    lambda world, u, v, c: u.to([wg.float64, wg.float32, wg.float16][c % 3]),
    lambda world, u, v, c: u.reshape(-1)[c % 7 :],
    lambda world, u, v, c: wg.where(u > 0.2, u * 2, u.sin()), lambda world, u, v, c: wg.nn.functional.dropout(u, 0.3),
    lambda world, u, v, c: matrix(u, c).softmax(c // 4 % 2), lambda world, u, v, c: matrix(u, c)[wg.arange(30).flip(0)],
    lambda world, u, v, c: (matrix(u, c).float() @ matrix(v, c).float()[:20].t() * 0.05).tanh(),
    lambda world, u, v, c: matrix(u, c).cumsum(c // 4 % 2).tanh(),
]  # fmt: skip


def scenario_of(seed):
    def generate(capture):
        rng = random.Random(seed)
        kinds = rng.sample(STEPS, rng.randrange(3, 7))
        steps = [
            (rng.choice(kinds), *(rng.randrange(100) for _ in range(3))) for _ in range(rng.choice((3, 6, 10, 20)))
        ]
        world = {"out": wg.ones(4200), "leaf": wg.linspace(-1, 1, 4200).requires_grad_()}
        shapes = [rng.choice([(64, 65), (4200,), (64, 128), (65,)]) for _ in range(2)]

        def program(*given):
            values = list(given)
            for step, first, second, c in steps:
                recent = values[-4:]
                values.append(step(world, recent[first % len(recent)], values[second % len(values)], c).clamp(-4, 4))
                values[-1] = values[-1].reshape(-1)[:9000] if values[-1].numel() > 9000 else values[-1]
            return [one.detach() * 1 for one in values[-4:]]

        f, kept = capture(program), []
        for _ in range(4):
            kept.append(attempt(f, *(wg.randn(shape) for shape in shapes)))
            yield [digest(one) for one in kept], [digest(one) for one in world.values()], wg.get_rng_state()

    return generate


def digest(value):
    """Facts of large tensors that are compared: bits as a number, so that a failure is read."""
    if isinstance(value, wg.Tensor):
        grad = None if value.grad is None else digest(value.grad)
        return (
            value.dtype,
            tuple(value.shape),
            value._version,
            hash(value.detach().contiguous().numpy().tobytes()),
            grad,
        )
    return [digest(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("first", range(0, SEEDS, 10))
def test_random_programs_with_groups(first):
    assert sum(compare_runs(scenario_of(seed)).replays for seed in range(first, first + 10)) > 20
