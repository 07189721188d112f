"""Passes: launches run as a stream leave what they leave when they run one by one."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_replay.testing.trials import run_trial

WORDS = 48  # of 8 bytes
LONG = 5000  # elements of launches that form groups


def memory_of(n: int, seed: int = 0) -> bytes:
    numbers = random.Random(seed)
    return struct.pack(f"{n}d", *(numbers.uniform(-1, 1) for _ in range(n)))


def is_disjoint(a: int, b: int, n: int, m: int) -> bool:
    return a + n <= b or b + m <= a


SMALL = ["add", "mul", "scale", "exp", "sum", "move", "store", "fill", "row", "stop", "write"]


@st.composite
def small_launches(draw: st.DrawFn) -> list[tuple]:
    """Launches on numbers and short vectors, which overlap as blocks of a pool and views do."""
    made: list[tuple] = []
    for _ in range(draw(st.integers(1, 24))):
        kind, n = draw(st.sampled_from(SMALL)), draw(st.sampled_from([1, 1, 1, 2, 5, 8]))
        a, b, out = (draw(st.integers(0, WORDS - n)) for _ in range(3))
        value = draw(st.sampled_from([0.5, -0.25, 0.0]))
        apart = is_disjoint(a, out, n, 1 if kind == "sum" else n)
        same = a == out or apart
        launch, allowed = {
            "add": ((kind, n, 8 * a, 8 * b, 8 * out), same and (b == out or is_disjoint(b, out, n, n))),
            "mul": ((kind, n, 8 * a, 8 * b, 8 * out), same and (b == out or is_disjoint(b, out, n, n))),
            "scale": ((kind, n, value, 8 * a, 8 * out), same),
            "exp": ((kind, n, 8 * a, 8 * out), same),
            "sum": ((kind, n, 8 * a, 8 * out), apart),
            "row": ((kind, n, 8 * a, 8 * out), apart),
            "move": ((kind, 8 * n, 8 * a, 8 * out), apart),
            "store": ((kind, struct.pack(f"{n}d", *range(n)), 8 * out), True),
            "fill": ((kind, n, value, 8 * out), True),
            "stop": ((kind,), True),
            "write": ((kind, 8 * out, struct.pack(f"{n}d", *[value] * n)), True),
        }[kind]
        if allowed:
            made.append(launch)
    return made


def bytes_of(state: bytes, kept: list[tuple[int, int]] | None) -> list[bytes]:
    return [state] if kept is None else [state[low:high] for low, high in kept]


def agree(plain: list[bytes], replayed: list[list[bytes]], kept: list[tuple[int, int]] | None) -> bool:
    """Whether memory is the same at each stop, and where it matters at the end."""
    return all(
        states[:-1] == plain[:-1] and bytes_of(states[-1], kept) == bytes_of(plain[-1], kept) for states in replayed
    )


RANGES = st.lists(st.tuples(st.integers(0, WORDS - 1), st.integers(1, 6)), max_size=3)


@given(small_launches(), st.none() | RANGES)
@settings(max_examples=400, deadline=None)
def test_small_launches_leave_the_same_memory(launches, ranges):
    kept = None if ranges is None else [(8 * low, 8 * min(low + n, WORDS)) for low, n in ranges]
    plain, replayed, _ = run_trial(memory_of(WORDS), launches, kept)
    assert agree(plain, replayed, kept)


LARGE = ["add", "mul", "exp", "scale", "same", "sum", "short", "half", "spread", "stop"]


@st.composite
def long_launches(draw: st.DrawFn) -> list[tuple]:
    """Launches on six long stretches and some numbers behind them."""
    made: list[tuple] = []
    for _ in range(draw(st.integers(2, 14))):
        kind, row = draw(st.sampled_from(LARGE)), draw(st.booleans())
        a, b, out = (8 * LONG * draw(st.integers(0, 5)) for _ in range(3))
        number, element = 8 * (6 * LONG + draw(st.integers(0, 7))), 8 * draw(st.integers(0, LONG - 1))
        vector = min(draw(st.sampled_from([number, b])), 8 * (6 * LONG - 92))
        launch, allowed = {
            "add": ((kind, LONG, a, b, out), True),
            "mul": ((kind, LONG, a, b, out), True),
            "exp": ((kind, LONG, a, out), True),
            "scale": ((kind, LONG, 0.5, a, out), True),
            "same": (("scale", LONG, 1.0, a, out), True),
            "sum": ((kind, LONG, a, number), True),
            "short": (("scale", 1, -0.5, number, a + element), True),  # between two members
            "half": (("move", 4 * LONG, a + 80, out), a != out),
            "spread": ((kind, LONG // 50, 50, a, vector, row, out), is_disjoint(vector, out, 8 * LONG, 8 * LONG)),
            "stop": ((kind,), True),
        }[kind]
        if allowed:
            made.append(launch)
    return made


@given(long_launches(), st.none() | st.sets(st.integers(0, 6)))
@settings(max_examples=120, deadline=None)
def test_long_launches_leave_the_same_memory(launches, stretches):
    kept = None if stretches is None else [(8 * LONG * i, 8 * (LONG * i + (8 if i == 6 else LONG))) for i in stretches]
    memory = memory_of(6 * LONG + 8)
    plain, replayed, _ = run_trial(memory, launches, kept)
    assert agree(plain, replayed, kept)


@pytest.mark.parametrize("overwritten", [None, "factor", "product"])
def test_readers_of_a_product_with_one_get_its_factor_as_it_was(overwritten):
    a, factor, product, out = (8 * LONG * k for k in range(4))
    launches = [("exp", LONG, a, factor), ("scale", LONG, 1.0, factor, product)]
    if overwritten is not None:
        launches += [("mul", LONG, a, product, factor if overwritten == "factor" else product)]
    launches += [("add", LONG, product, a, out), ("exp", LONG, out, out)]
    kept = [(factor, factor + 8 * LONG), (out, out + 8 * LONG)]
    plain, replayed, facts = run_trial(memory_of(4 * LONG), launches, kept)
    assert facts["groups"] == 1
    assert agree(plain, replayed, kept)


CHAIN = [
    ("scale", 1, 3.0, 0, 64),
    ("add", 1, 64, 8, 72),
    ("mul", 1, 72, 72, 80),
    ("exp", 1, 80, 64),
    ("add", 1, 64, 80, 72),
    ("stop",),
    ("mul", 1, 72, 64, 80),
    ("add", 4, 0, 96, 128),
]
KEPT = [(80, 88), (128, 160)]


@pytest.mark.parametrize(
    ("kind", "choices"),
    [("drop", range(7)), ("exchange", [0, 1, 2, 3, 5, 6]), ("forget", range(4)), ("reuse", [2, 3, 4, 5])],
)
def test_a_wrong_pass_is_noticed(kind, choices):
    """Mistakes of a pass with a wrong rule give other memory: most of them, as some change nothing."""
    memory = memory_of(WORDS)
    assert agree(*run_trial(memory, CHAIN, KEPT)[:2], KEPT)
    noticed = [not agree(*run_trial(memory, CHAIN, KEPT, (kind, which))[:2], KEPT) for which in choices]
    assert sum(noticed) >= len(noticed) - 1, (kind, noticed)


def test_what_nobody_reads_is_dropped():
    launches = [("exp", 1, 0, 64), ("exp", 1, 8, 72), ("exp", 1, 72, 80), ("scale", 1, 2.0, 64, 64)]
    _, _, all_of_it = run_trial(memory_of(WORDS), launches, None)
    plain, replayed, some = run_trial(memory_of(WORDS), launches, [(64, 72)])
    assert agree(plain, replayed, [(64, 72)])
    assert all_of_it["instructions"] - some["instructions"] >= 4  # two launches, a load, stores


def test_what_is_the_same_in_each_run_is_computed_once():
    launches = [("store", struct.pack("2d", 1.5, 2.5), 64), ("add", 1, 64, 72, 80), ("exp", 1, 80, 88)]
    plain, replayed, facts = run_trial(memory_of(WORDS), launches, [(88, 96)])
    assert agree(plain, replayed, [(88, 96)])
    assert facts["instructions"] <= 3  # to memory, the end, and what makes its address even


def test_copies_are_no_instructions():
    launches = [("scale", 1, 2.0, 0, 64), ("move", 8, 64, 72), ("move", 8, 72, 80), ("scale", 1, 2.0, 80, 88)]
    kept = [(88, 96)]
    _, _, facts = run_trial(memory_of(WORDS), launches, kept)
    _, _, without = run_trial(memory_of(WORDS), [launches[0], ("scale", 1, 2.0, 64, 88)], kept)
    assert facts["instructions"] == without["instructions"]


@pytest.mark.parametrize("n", [4096, 5000, 8192, 70000, 200001])
def test_a_chain_with_a_sum_is_one_group(n):
    """A sum in blocks has the bits of the sum of all."""
    x, y, z, total = 0, 8 * n, 16 * n, 24 * n
    launches = [
        ("scale", n, 1.5, x, y),
        ("exp", n, y, z),
        ("scale", 1, 2.0, total + 8, total + 16),
        ("mul", n, z, y, y),
        ("sum", n, y, total),
        ("scale", n, 0.5, y, x),
    ]
    kept = [(x, y), (total, total + 24)]
    plain, replayed, facts = run_trial(memory_of(3 * n + 3), launches, kept)
    assert agree(plain, replayed, kept)
    assert facts["groups"] == 1


@pytest.mark.parametrize(
    "between",
    [
        ("stop",),
        ("scale", 1, 2.0, 0, 8 * LONG + 800),  # writes an element of what is read behind
        ("move", 800, 8 * LONG, 16 * LONG + 80),  # writes elements of what is written behind
    ],
)
def test_nothing_overtakes_what_it_depends_on(between):
    launches = [
        ("scale", LONG, 1.5, 0, 8 * LONG),
        between,
        ("mul", LONG, 8 * LONG, 8 * LONG, 16 * LONG),
    ]
    plain, replayed, facts = run_trial(memory_of(3 * LONG), launches, None)
    assert agree(plain, replayed, None)
    assert facts["groups"] == 0


def test_a_launch_between_members_runs_before_them_where_it_can():
    between = ("sum", 8, 0, 24 * LONG)
    launches = [("scale", LONG, 1.5, 0, 8 * LONG), between, ("mul", LONG, 8 * LONG, 8 * LONG, 16 * LONG)]
    plain, replayed, facts = run_trial(memory_of(3 * LONG + 1), launches, None)
    assert agree(plain, replayed, None)
    assert facts["groups"] == 1


@pytest.mark.parametrize("is_row", [True, False])
def test_a_matrix_with_a_row_or_a_column_is_a_member(is_row):
    n, rows = 60 * 100, 100
    vector = 24 * n
    launches = [
        ("scale", n, 1.5, 0, 8 * n),
        ("spread", rows, 60, 8 * n, vector, is_row, 16 * n),
        ("exp", n, 16 * n, 8 * n),
        ("sum", n, 8 * n, vector + 8 * rows),
        ("spread", rows, 60, 8 * n, vector, not is_row, 0),
    ]
    kept = [(0, 8 * n), (vector, vector + 8 * rows + 8)]
    plain, replayed, facts = run_trial(memory_of(3 * n + rows + 1), launches, kept)
    assert agree(plain, replayed, kept)
    assert (facts["groups"], facts["launches"]) == (1, 1)
