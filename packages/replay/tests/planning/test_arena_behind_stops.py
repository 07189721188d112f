"""Memory of programs that stop on the way: what comes behind the last guard or call is planned anew."""

from __future__ import annotations

import gc
import warnings

import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st


def agree(found, expected) -> bool:
    return all(
        bool(((own == other) | own.isnan() & other.isnan()).all()) for own, other in zip(found, expected, strict=True)
    )


def program_of(function) -> wg.replay.Program:
    return wg.replay.explain(function).programs[-1]


def peak_of(function, *args) -> int:
    """Return the bytes that a second call has in use at most."""
    function(*args)
    gc.collect()
    wg.memory.reset_peak()
    before = wg.memory.stats()["bytes_in_use"]
    function(*args)
    return wg.memory.stats()["bytes_peak"] - before


def chain(x):
    for k in range(6):
        x = (x * (1.0 + k)).cumsum(0)
    return x, x.sum()


def chain_by_sign(x):
    return chain(x) if x[0] > 0 else chain(-x)


def test_what_follows_the_last_guard_is_planned():
    captured, x = wg.capture(chain_by_sign), wg.ones(10_000)
    captured(x)
    assert program_of(captured).nbytes <= peak_of(chain_by_sign, x) + 4 * x.numel()  # the argument is copied
    blocks = wg.capture(lambda x: (chain(x), x[0] > 0 and None)[0])
    blocks(x)
    assert program_of(captured).nbytes < program_of(blocks).nbytes


def test_branches_beside_planned_memory():
    captured, held = wg.capture(chain_by_sign), []
    for k in range(12):
        x = wg.randn(2000)
        x[0] = 1.0 if k % 3 else -1.0
        held.append((captured(x), chain_by_sign(x)))
        assert all(agree(*pair) for pair in held)
    assert wg.replay.explain(captured).programs[0].n_branches == 1
    assert wg.replay.explain(captured).replays >= 8


def test_gradients_behind_a_guard():
    weights = [wg.randn(50, 50, requires_grad=True) for _ in range(3)]

    def step(x, use):
        if x.abs().max() > 100:
            x = x / 100
        for weight in weights:
            x = (x @ weight).tanh()
        loss = x.square().mean()
        for weight, grad in zip(weights, wg.autograd.grad(loss, weights), strict=True):
            use(weight, grad)
        return loss.detach()

    own = [one.detach().clone() for one in weights]
    captured = wg.capture(lambda x: step(x, lambda weight, grad: weight.detach().sub_(0.1 * grad)))
    inputs = [wg.randn(20, 50) * (200 if k in (3, 6) else 1) for k in range(9)]
    found = [captured(x) for x in inputs]
    after = [one.detach().clone() for one in weights]
    for weight, before in zip(weights, own, strict=True):
        weight.detach().copy_(before)
    for x, loss in zip(inputs, found, strict=True):
        assert loss == step(x, lambda weight, grad: weight.detach().sub_(0.1 * grad))
    assert agree(after, weights)
    assert wg.replay.explain(captured).replays >= 5


def test_what_follows_a_call_of_a_driver_is_planned():
    def step(x):
        y = wg.fft.rfft(x).abs()  # a call
        return chain(y)

    captured = wg.capture(step)
    for _ in range(4):
        x = wg.randn(5000)
        assert agree(captured(x), step(x))
    assert program_of(captured).n_calls
    assert wg.replay.explain(captured).replays == 3


def test_a_python_function_before_what_is_planned():
    kept = []

    @wg.compiler.disable
    def keep(y):
        kept.append(float(y[0]))
        return y * 2

    def step(x):
        return chain(keep(x + 1))

    captured = wg.capture(step)
    for k in range(4):
        assert bool((captured(wg.full((3000,), float(k)))[0] == step(wg.full((3000,), float(k)))[0]).all())
    assert kept[-2:] == [4.0, 4.0]


STATEMENTS = ["mul", "exp", "cumsum", "sum", "view", "inplace", "outside", "guard", "call", "empty", "drop", "matmul"]


def interpret(statements, x, table):
    """Run statements on a list of tensors, the last of which are results."""
    held = [x, x * 0.5]
    for kind, i, j in statements:
        a, b = held[i % len(held)], held[j % len(held)]
        if kind == "guard":
            if a[0] > b[1]:
                held.append(a - b)
        elif kind == "inplace":
            if a is not x:
                (a if a.shape == b.shape else a[0]).add_(b if a.shape == b.shape else 1.0)
        elif kind == "outside":
            table[3:].add_(a[3:])
        elif kind == "drop":
            held = held[:1] + held[2:] if len(held) > 2 else held
        else:
            held.append({
                "mul": lambda a, b: a * b + 0.25,
                "exp": lambda a, b: (-a.abs()).exp(),
                "cumsum": lambda a, b: (a * 0.01).cumsum(0),
                "sum": lambda a, b: b - a.sum() * 1e-3,
                "view": lambda a, b: a.flip(0)[:],
                "call": lambda a, b: wg.fft.fft(a).real * 1e-2,
                "empty": lambda a, b: wg.empty_like(a).copy_(b),
                "matmul": lambda a, b: (a.view(-1, 30) @ b.view(-1, 30).t()).reshape(-1)[: a.numel()],
            }[kind](a, b).clamp(-10, 10))  # fmt: skip
    return held[-3:]


@given(st.lists(st.tuples(st.sampled_from(STATEMENTS), st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=16))
@settings(max_examples=60, deadline=None)
def test_programs_that_stop_give_the_bits_of_eager_ones(statements):
    table, other = wg.zeros(3000), wg.zeros(3000)
    captured = wg.capture(lambda x: interpret(statements, x, table))
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some statements are refused
        for k in range(6):
            x = wg.sin(wg.arange(3000.0) * (1 + k % 3)) * (1.0 if k % 2 else -1.0)
            results.append((captured(x), interpret(statements, x, other)))
            assert agree([table], [other])
    for found, expected in results:
        assert agree(found, expected)
