"""Memory of programs: blocks of the first run are planned anew, arguments and results are used where they are."""

from __future__ import annotations

import gc
import random
import struct

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_replay.testing.trials import run_trial

BLOCK, BLOCKS = 24, 6  # elements of a block; blocks
LARGE = 80  # elements that get no slot
WORD = 8


def memory_of(n: int, seed: int = 0) -> bytes:
    numbers = random.Random(seed)
    return struct.pack(f"{n}d", *(numbers.uniform(-1, 1) for _ in range(n)))


def regions_of(size: int, n: int = BLOCKS) -> list[tuple[int, int]]:
    return [(WORD * size * i, WORD * size * (i + 1)) for i in range(n)]


@st.composite
def launches_in_blocks(draw: st.DrawFn) -> tuple[int, list[tuple]]:
    """Launches whose operands lie in a block each, as tensors do: whole blocks, parts of them, single numbers."""
    size = draw(st.sampled_from([BLOCK, LARGE, 5000]))
    made: list[tuple] = []

    def offset(n: int) -> int:
        at = draw(st.sampled_from([0, 0, 0, size - n, (size - n) // 2]))
        return WORD * (size * draw(st.integers(0, BLOCKS - 1)) + at)

    for _ in range(draw(st.integers(1, 20))):
        kind = draw(st.sampled_from(["add", "mul", "exp", "scale", "sum", "move", "store", "fill", "row"]))
        n = draw(st.sampled_from([1, 8, size // 2, size, size]))
        a, b, out = offset(n), offset(n), offset(n)
        apart = abs(a - out) >= WORD * n
        launch, allowed = {
            "add": ((kind, n, a, b, out), all(one == out or abs(one - out) >= WORD * n for one in (a, b))),
            "mul": ((kind, n, a, b, out), all(one == out or abs(one - out) >= WORD * n for one in (a, b))),
            "exp": ((kind, n, a, out), a == out or apart),
            "scale": ((kind, n, 0.5, a, out), a == out or apart),
            "sum": ((kind, n, a, out), apart),
            "move": ((kind, WORD * n, a, out), apart),
            "store": ((kind, struct.pack(f"{n}d", *[1.5] * n), out), True),
            "fill": ((kind, n, -0.25, out), True),
            "row": ((kind, n, a, out), apart),
        }[kind]
        if allowed:
            made.append(launch)
    return size, made


@given(launches_in_blocks(), st.sets(st.integers(0, BLOCKS - 1)), st.booleans())
@settings(max_examples=300, deadline=None)
def test_planned_memory_leaves_the_same(case, ends, parts):
    size, launches = case
    kept = [(low, low + WORD if parts else high) for low, high in (regions_of(size)[i] for i in ends)]
    plain, replayed, facts = run_trial(memory_of(size * BLOCKS), launches, kept, None, regions_of(size))
    for states in replayed:
        assert [states[-1][low:high] for low, high in kept] == [plain[-1][low:high] for low, high in kept]
    assert facts["arena"] <= WORD * size * BLOCKS + 64 * BLOCKS  # never more than the first run, but for alignment


CHAIN = [
    ("scale", LARGE, 3.0, 0, WORD * LARGE),
    ("exp", LARGE, WORD * LARGE, 2 * WORD * LARGE),
    ("scale", LARGE, 0.5, 2 * WORD * LARGE, WORD * LARGE),
    ("add", LARGE, WORD * LARGE, 2 * WORD * LARGE, 3 * WORD * LARGE),
]
END = (3 * WORD * LARGE, 4 * WORD * LARGE)


def trial(fault: tuple | None = None) -> tuple[bool, dict]:
    plain, replayed, facts = run_trial(memory_of(LARGE * BLOCKS), CHAIN, [END], fault, regions_of(LARGE))
    return all(states[-1][slice(*END)] == plain[-1][slice(*END)] for states in replayed), facts


def test_a_span_that_ends_too_early_is_noticed():
    right, facts = trial()
    assert right
    assert facts["spans"] == 5  # the second block has two
    assert sum(not trial(("shorten", k))[0] for k in range(facts["spans"])) >= 1


def test_spans_share_memory_that_blocks_did_not():
    """Each launch writes to a block of its own; no three are in use at a time."""
    size = WORD * LARGE
    launches = [("scale", LARGE, 0.5, k * size, (k + 1) * size) for k in range(BLOCKS - 1)]
    kept = [(size * (BLOCKS - 1), size * BLOCKS)]
    plain, replayed, facts = run_trial(memory_of(LARGE * BLOCKS), launches, kept, None, regions_of(LARGE))
    assert replayed[1][-1][slice(*kept[0])] == plain[-1][slice(*kept[0])]
    assert facts["arena"] <= 2 * size


def test_blocks_that_fusion_leaves_unused_take_no_memory():
    n = 5000
    launches = [
        ("scale", n, 0.5, 0, WORD * n),
        ("exp", n, WORD * n, 2 * WORD * n),
        ("exp", n, 2 * WORD * n, 3 * WORD * n),
    ]
    kept = [(3 * WORD * n, 4 * WORD * n)]
    *_, facts = run_trial(memory_of(n * BLOCKS), launches, kept, None, regions_of(n))
    assert facts["arena"] == 2 * WORD * n  # what it reads, and what is kept


def test_a_launch_without_partners_stays_where_it_was_recorded():
    """The launch gives back what it reads before others need memory."""
    n = 5000
    launches = [
        ("fill", n, 0.5, WORD * n),
        ("add", n, 0, WORD * n, 0),
        ("fill", n, 0.25, 2 * WORD * n),
        ("move", WORD * n, 2 * WORD * n, 3 * WORD * n),
    ]
    kept = [(0, WORD * n), (3 * WORD * n, 4 * WORD * n)]
    plain, replayed, facts = run_trial(memory_of(n * BLOCKS), launches, kept, None, regions_of(n))
    assert all(replayed[1][-1][slice(*part)] == plain[-1][slice(*part)] for part in kept)
    assert facts["arena"] == 3 * WORD * n


# ---- programs


def peak_of(function, *args) -> int:
    """Return the bytes that a second call has in use at most."""
    function(*args)
    gc.collect()
    wg.memory.reset_peak()
    before = wg.memory.stats()["bytes_in_use"]
    function(*args)
    return wg.memory.stats()["bytes_peak"] - before


def program_of(function) -> wg.replay.Program:
    return wg.replay.explain(function).programs[-1]


def test_a_program_takes_no_more_than_an_eager_call():
    weights = [wg.randn(100, 100, requires_grad=True) for _ in range(4)]

    def step(x):
        y = x
        for weight in weights:
            y = (y @ weight).tanh() + x
        return wg.autograd.grad(y.square().mean(), weights[-1:])[0]

    x = wg.randn(64, 100)
    captured = wg.capture(step)
    captured(x)
    assert program_of(captured).nbytes <= peak_of(step, x)
    for _ in range(3):
        x = wg.randn(64, 100)
        assert bool((captured(x) == step(x)).all())


def test_the_blocks_of_the_first_run_are_given_back():
    captured = wg.capture(lambda x: ((x * 2 + 1).exp() * x).sum())
    x = wg.ones(100_000)
    captured(x)
    gc.collect()
    y = wg.ones(100_000, dtype=wg.float64)
    before = wg.memory.stats()["bytes_in_use"]
    captured(y)
    assert wg.memory.stats()["bytes_in_use"] - before < 1000


@pytest.mark.parametrize("n", [1, 3, 1000])
def test_arguments_are_read_where_they_are(n):
    """Each call has another argument: contiguous, a part of a larger one, with other values."""
    captured, eager = wg.capture(lambda x: (x.exp() + x).sum(0)), lambda x: (x.exp() + x).sum(0)
    for k in range(4):
        x = wg.randn(3, n)
        assert bool((captured(x) == eager(x)).all())
        part = wg.randn(5, n)[1:4]
        assert bool((captured(part) == eager(part)).all()), k
    assert wg.replay.explain(captured).replays >= 6


def test_an_argument_that_is_written_is_copied_back():
    def step(x, y):
        x.mul_(2)
        y = y + x
        x.add_(1)
        return y

    captured = wg.capture(step)
    for k in range(4):
        x, z, y = wg.full((600,), 1.0 + k), wg.full((600,), 1.0 + k), wg.ones(600)
        assert bool((captured(x, y) == step(z, y)).all())
        assert bool((x == z).all())
        assert x._version == z._version
        assert bool((y == 1).all())


def test_results_are_never_written_again():
    captured = wg.capture(lambda x: (x + 1, (x * 2).cumsum(0)))
    found = [captured(wg.full((1000,), float(k))) for k in range(4)]
    for k, (plus, twice) in enumerate(found):
        assert bool((plus == k + 1).all())
        assert float(twice[-1]) == 2000.0 * k


def test_a_result_that_is_a_part_of_a_block():
    def step(x):
        y = wg.zeros(4, 500)
        y[1] = x
        y[2] = x * 2
        return y[1:3]

    captured = wg.capture(step)
    for k in range(4):
        x = wg.full((500,), 1.0 + k)
        assert bool((captured(x) == step(x)).all())


def test_a_result_that_nothing_writes():
    captured = wg.capture(lambda x: (wg.empty(7), x * 2))
    for _ in range(3):
        room, twice = captured(wg.ones(3))
        assert room.shape == (7,)
        assert bool((twice == 2).all())


def test_an_operation_takes_few_bytes():
    def steps(x, y):
        for _ in range(300):
            x = x + 0.01 * (y - x * y)
            y = (y * x).tanh() + 0.5
        return x + y

    captured = wg.capture(steps)
    captured(wg.tensor(1.0), wg.tensor(2.0))
    counts = program_of(captured).counts()
    assert counts.launches > 1500
    assert counts.instruction_bytes + counts.step_bytes < 40 * counts.launches


@pytest.mark.parametrize("shape", [(), (3,), (20,)])
def test_what_was_computed_before_is_no_instruction(shape):
    def twice(x, y):
        a = (x * y).exp() + y
        b = (x * y).exp() + y
        return a * b, (x * y).exp()

    def once(x, y):
        e = (x * y).exp()
        a = e + y
        return a * a, e * 1

    captured, other = wg.capture(twice), wg.capture(once)
    for k in range(4):
        x, y = wg.randn(shape) + k, wg.randn(shape)
        assert all(bool((p == q).all()) for p, q in zip(captured(x, y), twice(x, y), strict=True))
        other(x, y)
    assert program_of(captured).counts().instruction_bytes <= program_of(other).counts().instruction_bytes + 48


def test_what_was_updated_since_is_computed_again():
    def step(x, y):
        a = x * y
        first = a + 1
        x.add_(1)
        b = x * y
        a.add_(b)
        return first, a + 1, b + 1, x * y

    captured = wg.capture(step)
    for k in range(4):
        x, z, y = wg.tensor([1.0 + k, 2.0]), wg.tensor([1.0 + k, 2.0]), wg.tensor([3.0, 4.0])
        assert all(bool((p == q).all()) for p, q in zip(captured(x, y), step(z, y), strict=True))
        assert bool((x == z).all())


@pytest.mark.parametrize("n", [4, 8, 10, 20])
def test_short_vectors_take_no_more_than_an_eager_call(n):
    weight = wg.randn(n, n, requires_grad=True)

    def step(x):
        for _ in range(50):
            x = x + 0.1 * (weight @ x).tanh()
        return wg.autograd.grad((x * x).sum(), weight)[0]

    captured, x = wg.capture(step), wg.randn(n)
    captured(x)
    assert program_of(captured).nbytes <= peak_of(step, x) + 1024
    for _ in range(3):
        x = wg.randn(n)
        assert bool((captured(x) == step(x)).all())


def test_equal_plans_of_kernels_are_kept_once():
    def bytes_of(steps: int) -> int:
        def step(x, y):
            total = wg.zeros(32, 16)
            for _ in range(steps):
                total = total + x.view(32, 1) @ y.view(1, 16)
                x = x * 0.5
            return total

        captured = wg.capture(step)
        captured(wg.ones(32), wg.ones(16))
        return program_of(captured).stream_nbytes

    assert (bytes_of(300) - bytes_of(200)) / 100 <= 56 + 44 + 20 + 3 * 3  # the product, the sum, the half, and marks
