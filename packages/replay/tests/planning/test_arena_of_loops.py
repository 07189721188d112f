"""Memory of programs with loops: it is planned as that of others, and bodies have theirs in it."""

from __future__ import annotations

import struct
import warnings
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_replay.loops.unrolled import UNROLLED
from wengert_replay.testing.trials import run_trial

from .test_arena import peak_of, program_of

func = wg.func
SLACK = 1024  # small values have slots, which nobody else uses


def normal(*shape: int, seed: int = 0) -> wg.Tensor:
    return wg.randn(shape, generator=wg.Generator().manual_seed(seed))


def leaf(*shape: int, seed: int = 0) -> wg.Tensor:
    return (normal(*shape, seed=seed) * 0.2).requires_grad_()


W, U, V = leaf(64, 64, seed=1), leaf(64, 64, seed=2), leaf(5000, seed=3)


def rnn(h, xs):
    return func.scan(lambda h, x: (h2 := (h @ W.detach() + x @ U.detach()).tanh(), h2), h, xs)


def rnn_of_arguments(h, xs, w, u):
    return func.scan(lambda h, x: (h2 := (h @ w + x @ u).tanh(), h2.sum(1)), h, xs)


def rnn_gradient(h, xs):
    last, ys = func.scan(lambda h, x: (h2 := (h @ W + x @ U).tanh(), h2), h, xs)
    return wg.autograd.grad((ys * ys).sum() + last.sum(), [W, U])


def newton(a):
    return func.while_loop(lambda c: (c[0] * c[0] - a).abs().max() > 1e-3,
                           lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1), (a * 0.5, wg.tensor(0)))  # fmt: skip


def newton_gradient(x):
    a = V.exp()
    x, _ = func.while_loop(lambda c: (c[0] * c[0] - a.detach()).abs().max() > 1e-3,
                           lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1), (a * 0.5 * x, wg.tensor(0)))  # fmt: skip
    return wg.autograd.grad(x.sum(), V)


def powers(x):
    return func.fori_loop(0, 20, lambda i, y: (0.999 * y + 0.1).sin(), x)


def powers_gradient(x):
    return wg.autograd.grad(func.fori_loop(0, 20, lambda i, y: (V * y + 0.1).sin(), x).sum(), V)


def choices(y, xs):
    def step(y, x):
        y = func.cond(x.sum() > 0, lambda y: (y * 1.1).sin(), lambda y: (y - 0.5).cumsum(0).cos(), y)
        return y, y + x

    return func.scan(step, y, xs)


def choices_gradient(y, xs):
    def step(y, x):
        y = func.cond(x.sum() > 0, lambda y: (y * V).sin(), lambda y: (y - V).cos(), y)
        return y, y + x

    return wg.autograd.grad(func.scan(step, y, xs)[1].sum(), V)


def choice(x):
    y = x * 2
    z = func.cond(y.sum() > 0, lambda y: ((y * 1.1).sin() + y).cumsum(0), lambda y: (y - 0.5).cos(), y)
    return (z * z).cumsum(0)


def nest(y, xs, a):
    def step(y, x):
        y = func.fori_loop(0, 5, lambda i, y: (a @ y + x).tanh(), y)
        return y, y * 2

    return func.scan(step, y, xs)


def nested_gradient(y, xs):
    def step(y, x):
        y = func.fori_loop(0, 5, lambda i, y: (W @ y + x).tanh(), y)
        return y, y * 2

    return wg.autograd.grad(func.scan(step, y, xs)[1].sum(), W)


def around(x):
    for k in range(6):
        x = (x * (1.0 + k)).cumsum(0) * 1e-3
    x = func.fori_loop(0, 5, lambda i, y: (0.99 * y + 0.1).sin(), x)
    for k in range(6):
        x = (x * (1.0 + k)).cumsum(0) * 1e-3
    return x


def two_scans(xs):
    last, ys = func.scan(lambda c, r: (c + r, c * r), xs[0] * 0, xs)
    last, zs = func.scan(lambda c, r: (c * r.sin(), c + r), last, ys)
    return zs.sum(0), last


PROGRAMS: dict[Any, tuple[tuple[int, ...], ...]] = {
    rnn: ((8, 64), (50, 8, 64)), rnn_of_arguments: ((64, 64), (20, 64, 64), (64, 64), (64, 64)),
    rnn_gradient: ((8, 64), (50, 8, 64)), newton: ((5000,),), newton_gradient: ((),), powers: ((5000,),),
    powers_gradient: ((5000,),), choices: ((1000,), (30, 1000)), choices_gradient: ((5000,), (10, 5000)),
    choice: ((5000,),), nest: ((100,), (20, 100), (100, 100)), nested_gradient: ((64,), (20, 64)),
    around: ((5000,),), two_scans: ((50, 1000),),
}  # fmt: skip


def arguments_of(function: Any, seed: int) -> list[wg.Tensor]:
    made = [normal(*shape, seed=seed + k) * 0.3 for k, shape in enumerate(PROGRAMS[function])]
    return [one.abs() + 1 for one in made] if function in (newton, newton_gradient) else made


def flat(value: Any) -> list[wg.Tensor]:
    return [value] if isinstance(value, wg.Tensor) else [one for item in value for one in flat(item)]


def bits(value: Any) -> list[bytes]:
    return [one.numpy().tobytes() for one in flat(value)]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda one: one.__name__)
def test_a_program_with_loops_takes_no_more_than_an_eager_call(function):
    captured, args = wg.capture(function), arguments_of(function, 1)
    captured(*args)
    program = program_of(captured)
    assert any(hasattr(call, "all_bodies") for call in program.calls.values())
    assert program.counts().arena_bytes <= peak_of(function, *args) + SLACK


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda one: one.__name__)
def test_results_of_earlier_calls_stay(function):
    captured, held = wg.capture(function), []
    for seed in range(4):
        args = arguments_of(function, seed)
        found, expected = captured(*args), function(*args)
        held.append((found, bits(found)))
        for one, other in zip(flat(found), flat(expected), strict=True):
            assert one.shape == other.shape
            assert bool((one - other).abs().max() <= 1e-3 * other.abs().max())
    assert all(bits(found) == before for found, before in held)
    assert wg.replay.explain(captured).replays >= 2


def test_memory_between_calls_does_not_grow():
    captured, args = wg.capture(rnn_of_arguments), arguments_of(rnn_of_arguments, 1)
    captured(*args), captured(*args)
    before = wg.memory.stats()["bytes_in_use"]
    for _ in range(20):
        captured(*args)
    assert wg.memory.stats()["bytes_in_use"] == before


def test_a_large_carry_has_room_for_a_quarter_more_iterations():
    def function(x, n):
        return wg.autograd.grad(func.fori_loop(0, n, lambda i, y: (V * y).sin(), x).sum(), V)[0]

    captured = wg.capture(function)
    for n, replays in ((8, 0), (8, 1), (10, 2), (11, 2), (11, 3), (13, 4)):
        x = normal(5000, seed=n)
        assert bits(captured(x, wg.tensor(n))) == bits(function(x, wg.tensor(n)))
        assert wg.replay.explain(captured).replays == replays


def test_a_loop_that_had_no_iteration_and_cannot_be_one_is_recorded_operation_by_operation():
    """A recording without an iteration does not show that the body reads a number."""

    def function(x, n):
        return func.fori_loop(0, n, lambda i, y: y * 2 if y.sum() > 0 else y - 1, x) + 1

    captured = wg.capture(function)
    for n in (0, 0, 3, 3, 3, 3):
        x = wg.ones(4)
        assert bits(captured(x, wg.tensor(n))) == bits(function(x, wg.tensor(n)))
    found = wg.replay.explain(captured)
    assert found.replays >= 3
    assert not any("did something else" in why for why in found.reasons)


# ---- calls that name their memory

SIZE, BLOCKS, WORD = 24, 6, 8


def regions() -> list[tuple[int, int]]:
    return [(WORD * SIZE * i, WORD * SIZE * (i + 1)) for i in range(BLOCKS)]


def trial(launches: list[tuple], kept: list[tuple[int, int]], fault: tuple | None = None) -> tuple[bool, dict]:
    """Run launches as they are, and as a program whose memory is planned; return whether what is kept is the same."""
    memory = b"".join(struct.pack("d", (7 * k % 11 - 5) / 8) for k in range(SIZE * BLOCKS))
    plain, replayed, facts = run_trial(memory, launches, kept, fault, regions())
    return all(states[-1][low:high] == plain[-1][low:high] for states in replayed for low, high in kept), facts


@st.composite
def launches_around_calls(draw: st.DrawFn) -> list[tuple]:
    made: list[tuple] = []
    for _ in range(draw(st.integers(1, 12))):
        n = draw(st.sampled_from([1, 2, SIZE // 2, SIZE]))
        blocks = draw(st.permutations(range(BLOCKS)))
        a, b, out, other = (WORD * SIZE * block + WORD * draw(st.sampled_from([0, SIZE - n])) for block in blocks[:4])
        made.append(draw(st.sampled_from([
            ("add", n, a, b, out), ("scale", n, 0.5, a, a), ("fill", n, -0.25, out), ("row", n, a, out),
            ("move", WORD * n, a, out), ("loop", [(a, n), (b, 1)], [(out, n)]), ("loop", [(a, n)], [(a, n)]),
            ("loop", [(a, n)], [(out, 1), (other, n)]), ("loop", [], [(out, n)]), ("loop", [(a, n)], []),
        ])))  # fmt: skip
    return made


@given(launches_around_calls(), st.sets(st.integers(0, BLOCKS - 1)))
@settings(max_examples=300, deadline=None)
def test_calls_find_their_memory_where_it_is_planned(launches, ends):
    right, facts = trial(launches, [regions()[i] for i in ends])
    assert right
    assert facts["arena"] <= WORD * SIZE * BLOCKS + 64 * BLOCKS


def block(k: int) -> tuple[int, int]:
    return WORD * SIZE * k, SIZE


CHAIN = [
    ("scale", SIZE, 3.0, 0, WORD * SIZE),
    ("loop", [block(1), block(0)], [block(2)]),
    ("scale", SIZE, 0.5, 2 * WORD * SIZE, WORD * SIZE),  # the first block's memory is used again
    ("loop", [block(1), block(2)], [block(3), block(4)]),
    ("add", SIZE, 3 * WORD * SIZE, 4 * WORD * SIZE, 5 * WORD * SIZE),
]


def test_memory_of_calls_is_used_again():
    right, facts = trial(CHAIN, [regions()[5]])
    assert right
    assert facts["arena"] <= 4 * WORD * SIZE


@pytest.mark.parametrize(("call", "part"), [(1, 0), (1, 2), (3, 0), (3, 1), (3, 2), (3, 3)])
def test_memory_that_a_call_does_not_name_is_noticed(call, part):
    assert not trial(CHAIN, [regions()[5]], ("name", call, part))[0]


def test_a_span_that_ends_before_a_call_is_noticed():
    facts = trial(CHAIN, [regions()[5]])[1]
    assert sum(not trial(CHAIN, [regions()[5]], ("shorten", k))[0] for k in range(facts["spans"])) >= 1


# ---- random bodies

STATEMENTS = ["add", "mul", "tanh", "cumsum", "matmul", "sum", "inplace", "view", "swap", "drop", "outside", "call",
              "cond", "fori", "while", "before"]  # fmt: skip
TABLE = normal(6, 6, seed=9)


def interpret(statements: Any, held: list[wg.Tensor], outside: list[wg.Tensor], depth: int = 0) -> list[wg.Tensor]:
    """Run statements on a list of matrices; the last of them are the results."""
    held = list(held)
    for kind, i, j in statements:
        a, b = held[i % len(held)], held[j % len(held)]
        if kind == "swap":
            held[i % len(held)], held[-1] = held[-1], a
        elif kind == "drop":
            held = held[1:] if len(held) > 3 else held
        elif kind == "inplace":
            held.append((a * 1.0).add_(b))
        elif kind == "cond" and depth < 2:
            held.append(func.cond(a.sum() > 0, lambda a, b: a - b, lambda a, b: (a @ b).tanh(), a, b))
        elif kind == "fori" and depth < 1:
            held.append(func.fori_loop(0, 1 + j % 3, lambda n, c, a=a: (c @ outside[0] + a).tanh(), b))
        elif kind == "while" and depth < 1:
            held.append(func.while_loop(lambda c: c[1] < 3, lambda c, a=a: ((c[0] + a).tanh().cumsum(0), c[1] + 1),
                                        (b, wg.tensor(0)))[0])  # fmt: skip
        elif kind in OPERATIONS:
            held.append(OPERATIONS[kind](a, b, outside))
    return held


OPERATIONS = {
    "add": lambda a, b, outside: a + 0.5 * b, "mul": lambda a, b, outside: a * b - 0.25,
    "tanh": lambda a, b, outside: a.tanh(), "cumsum": lambda a, b, outside: (a * 0.1).cumsum(1),
    "matmul": lambda a, b, outside: (a @ b).tanh(), "sum": lambda a, b, outside: (a - b.sum() * 1e-2).tanh(),
    "view": lambda a, b, outside: a.t() + b, "outside": lambda a, b, outside: a + outside[1].sin(),
    "call": lambda a, b, outside: wg.fft.fft(a).real.tanh(), "before": lambda a, b, outside: b - outside[0],
}  # fmt: skip


def loop_of(statements: Any, size: int, reverse: bool, count: int, n_carry: int, has_gradient: bool):
    weight = (normal(size, size, seed=7) * 0.1).requires_grad_(has_gradient)

    def function(x, xs):
        before = [(x * 0.5).tanh(), weight]

        def step(carry, row):
            held = interpret(statements, [*carry, row], before)
            return tuple(one.tanh() for one in held[-n_carry:]), (held[-1], carry[0])

        carry, ys = func.scan(step, (x, *[x * (0.1 * k) for k in range(1, n_carry)]), xs, length=count, reverse=reverse)
        results = [*carry, *ys]
        if not has_gradient:
            return results
        total = sum((one * one).sum() for one in results) + weight.sum()
        return [one.detach() for one in results] + list(wg.autograd.grad(total, [weight], allow_unused=True))

    return function


def agree(found: Any, expected: Any, exactly: int) -> bool:
    """Whether the first results have the same bits; gradients of loops differ in their last ones."""
    for k, (one, other) in enumerate(zip(found, expected, strict=True)):
        if one is None or other is None:
            if one is not other:
                return False
        elif k < exactly:
            if bits(one) != bits(other):
                return False
        elif not bool((one - other).abs().max() <= 1e-4 * (1 + other.abs().max())):
            return False
    return True


@given(
    st.lists(st.tuples(st.sampled_from(STATEMENTS), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8),
    st.sampled_from([2, 6, 40]), st.booleans(), st.integers(1, 5), st.integers(1, 3), st.booleans(),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_random_bodies_give_the_bits_of_eager_ones(statements, size, reverse, count, n_carry, has_gradient):
    UNROLLED.clear()
    function = loop_of(statements, size, reverse, count, n_carry, has_gradient)
    captured, held = wg.capture(function), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some bodies are refused
        for seed in range(4):
            x, xs = normal(size, size, seed=seed), normal(count, size, size, seed=seed + 1)
            held.append((captured(x, xs), function(x, xs)))
    for found, expected in held:
        assert agree(found, expected, n_carry + 2)
