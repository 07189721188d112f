"""Random programs of views, in-place writes and arithmetic: reverse mode against central differences, to the second
order.

A program is a list of steps drawn from a seed; running it is a function of its input alone, so it can be differentiated
by differences. Where a step overwrites what a formula needs, backward must say so: a wrong gradient is the only
failure.
"""

import random

import pytest
import wengert_core as wc
from wengert_engine import grad, no_grad
from wengert_engine.hooks.mutation import allow_mutation_on_saved_tensors
from wengert_engine.hooks.saved_hooks import saved_tensors_hooks

SEEDS = range(150)
STEP = 1e-6
OVERWRITTEN = "modified by an inplace operation"


def rows(t, rng):
    return t[rng.randrange(t.shape[0])] if t.ndim > 1 else t[rng.randrange(1, t.shape[0]):]


UNARY = [lambda t, rng: t.sin(), lambda t, rng: t.tanh(), lambda t, rng: t * rng.uniform(0.5, 1.5), lambda t, rng: -t,
         lambda t, rng: t * t, lambda t, rng: t.exp().reciprocal()]
VIEWS = [rows, lambda t, rng: t.t() if t.ndim == 2 else t.unsqueeze(0), lambda t, rng: t.reshape(-1),
         lambda t, rng: t[..., ::2], lambda t, rng: t.flatten().expand(2, -1), lambda t, rng: t.clone()]
BINARY = [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b * 0.5]
WRITES = [lambda a, b: a.mul_(b), lambda a, b: a.add_(b), lambda a, b: a.copy_(b), lambda a, b: a.mul_(0.7),
          lambda a, b: a.sin_()]


def run(seed, x):
    """Run the program of a seed on x; returns a scalar."""
    rng = random.Random(seed)
    made = [x * 1.0]
    for _ in range(rng.randrange(4, 14)):
        kind, t = rng.random(), rng.choice(made)
        if kind < 0.3:
            made.append(rng.choice(UNARY)(t, rng))
        elif kind < 0.6:
            made.append(rng.choice(VIEWS)(t, rng))
        else:
            other = rng.choice(made)
            scalar = other.sum() * 0.3 if rng.random() < 0.5 or other.shape != t.shape else other
            if kind < 0.8:
                made.append(rng.choice(BINARY)(t, scalar))
            elif t.stride() and 0 not in t.stride():
                rng.choice(WRITES)(t, scalar)
    return sum((t * (i + 1)).sum() for i, t in enumerate(made)) * 0.1


def by_differences(function, x):
    result = wc.zeros_like(x)
    with no_grad():
        for i in range(x.numel()):
            values = []
            for step in (STEP, -STEP):
                moved = x.detach().clone()
                moved.view(-1)[i] += step
                values.append(function(moved).item())
            result.view(-1)[i] = (values[0] - values[1]) / (2 * STEP)
    return result


def close(a, b):
    scale = max(1.0, b.abs().max().item())
    return (a - b).abs().max().item() <= 2e-6 * scale


def start(seed):
    rng = random.Random(-seed - 1)
    values = [[rng.uniform(-0.8, 0.8) for _ in range(3)] for _ in range(2)]
    return wc.tensor(values, dtype=wc.float64, requires_grad=True)


def first_order(seed):
    """The gradient, or None where the program overwrites what it needs."""
    x = start(seed)
    try:
        return x, grad(run(seed, x), x)[0]
    except RuntimeError as error:
        assert OVERWRITTEN in str(error)  # noqa: PT017 - only some of the programs are refused
        return x, None


@pytest.mark.parametrize("seed", SEEDS)
def test_reverse_mode_agrees_with_differences_or_refuses(seed):
    x, g = first_order(seed)
    if g is not None:
        assert close(g, by_differences(lambda moved: run_live(seed, moved), x))


def run_live(seed, x):
    """The program on a tensor that does not require grad: the same values."""
    return run(seed, x.detach())


@pytest.mark.parametrize("seed", range(0, 150, 3))
def test_second_order_agrees_with_differences_or_refuses(seed):
    x = start(seed)
    try:
        (g,) = grad(run(seed, x), x, create_graph=True)
        if not g.requires_grad:
            return
        (h,) = grad((g * g).sum(), x)
    except RuntimeError as error:
        assert OVERWRITTEN in str(error)  # noqa: PT017 - only some of the programs are refused
        return

    def square_of_slope(moved):
        moved = moved.detach().requires_grad_()
        (slope,) = grad(run_in_grad_mode(seed, moved), moved)
        return (slope * slope).sum()

    assert close(h, by_differences(square_of_slope, x))


def run_in_grad_mode(seed, x):
    from wengert_engine import enable_grad

    with enable_grad():
        return run(seed, x)


def test_most_programs_do_run():
    assert sum(first_order(seed)[1] is not None for seed in SEEDS) > len(SEEDS) // 2


def copy_saved():
    return saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("context", [copy_saved, allow_mutation_on_saved_tensors], ids=["copied", "mutation"])
def test_with_copies_of_what_is_saved_no_program_is_refused(seed, context):
    with context():
        x, g = first_order(seed)
    assert close(g, by_differences(lambda moved: run_live(seed, moved), x))
