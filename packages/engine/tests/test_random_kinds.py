"""Random programs of writes through views of the other kind: complex views of real tensors, real views of complex ones.

Reverse mode against central differences, and forward mode against reverse mode.
"""

import random

import pytest
import wengert_core as wc
from wengert_engine import enable_grad, grad, no_grad
from wengert_engine.forward.dual import enter, get, leave, put

SEEDS = range(80)
STEP = 1e-6


def as_complex(t, rng):
    pairs = t.shape[-1] == 2 and t.stride()[-1] == 1 and all(step % 2 == 0 for step in t.stride()[:-1])
    return wc.view_as_complex(t) if pairs else t


def of_other_kind(t, rng):
    if not t.is_complex():
        return as_complex(t, rng)
    return rng.choice([wc.view_as_real, lambda z: z.real, lambda z: z.imag])(t)


VIEWS = [of_other_kind, of_other_kind, lambda t, rng: t[rng.randrange(t.shape[0]):] if t.ndim else t,
         lambda t, rng: t.transpose(0, 1) if t.ndim > 1 else t, lambda t, rng: t * 1.0]
WRITES = [lambda a, b: a.mul_(b), lambda a, b: a.add_(b), lambda a, b: a.mul_(0.7), lambda a, b: a.sin_(),
          lambda a, b: a.copy_(b.expand_as(a))]


def run(seed, x):
    """Run the program of a seed on x; returns a real scalar."""
    rng = random.Random(seed)
    made = [x * 1.0]
    for _ in range(rng.randrange(4, 12)):
        t = rng.choice(made)
        if rng.random() < 0.55:
            made.append(rng.choice(VIEWS)(t, rng))
            continue
        other = rng.choice(made)
        factor = other.sum().clone() * 0.2
        rng.choice(WRITES)(t, factor if t.is_complex() or not factor.is_complex() else wc.view_as_real(factor)[0])
    total = 0.0
    for i, t in enumerate(made):
        total = total + ((wc.view_as_real(t) if t.is_complex() else t) * (i + 1)).pow(2).sum()
    return total * 0.1


def start(seed):
    rng = random.Random(-seed - 1)
    values = [[[rng.uniform(-0.8, 0.8) for _ in range(2)] for _ in range(2)] for _ in range(2)]
    return wc.tensor(values, dtype=wc.float64, requires_grad=True)


def gradient(seed):
    """x, its gradient, and what was differentiated; None where the program overwrites what it needs."""
    x = start(seed)
    function = (lambda y: run(seed, y)) if seed % 2 else (lambda y: run(seed, wc.view_as_complex(y)))
    try:
        return x, grad(function(x), x)[0], function
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)  # noqa: PT017 - only some of the programs are refused
        return x, None, function


@pytest.mark.parametrize("seed", SEEDS)
def test_reverse_mode_agrees_with_differences_or_refuses(seed):
    x, g, function = gradient(seed)
    if g is None:
        return
    with no_grad():
        for i in range(x.numel()):
            values = []
            for step in (STEP, -STEP):
                moved = x.detach().clone()
                moved.view(-1)[i] += step
                with enable_grad():
                    values.append(function(moved).item())
            difference = (values[0] - values[1]) / (2 * STEP)
            assert abs(g.reshape(-1)[i].item() - difference) <= 2e-6 * max(1.0, abs(difference))


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_mode_agrees_with_reverse_mode(seed):
    x, g, function = gradient(seed)
    if g is None:
        return
    direction = start(seed + 1000).detach()
    enter()
    try:
        dual = x.detach().clone()
        put(dual, direction)
        pushed = get(function(dual)).item()
    finally:
        leave()
    pulled = (g * direction).sum().item()
    assert abs(pushed - pulled) <= 1e-9 * max(1.0, abs(pulled))


def test_most_programs_do_run():
    assert sum(gradient(seed)[1] is not None for seed in SEEDS) > len(SEEDS) // 2
