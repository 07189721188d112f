"""Loops of func in captured functions, beside eager runs: the same bits, and programs that do not grow."""

from __future__ import annotations

import signal
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func


def normal(*shape, seed=0):
    return wg.randn(shape, generator=wg.Generator().manual_seed(seed), dtype=wg.float64)


def tensors_in(value):
    if isinstance(value, wg.Tensor):
        return [value]
    return [one for item in value for one in tensors_in(item)]


def check_same(function, calls, replays=None):
    """Check that a captured function gives what the function gives in each call; return the explanation."""
    captured = wg.capture(function)
    for args in calls:
        found, expected = tensors_in(captured(*args)), tensors_in(function(*args))
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert (one.shape, one.dtype, one.stride()) == (other.shape, other.dtype, other.stride())
            assert one.numpy().tobytes() == other.numpy().tobytes()
    explanation = wg.replay.explain(captured)
    assert explanation.replays == (len(calls) - 1 if replays is None else replays), explanation.reasons
    return explanation


def operations(explanation):
    return [step.name for step in explanation.programs[-1].steps]


def test_scan_is_one_instruction():
    w = normal(4, 4)

    def function(xs, h):
        return func.scan(lambda h, x: (wg.tanh(h @ w + x), {"y": h.sum(), "z": h * 2}), h, xs)[0]

    found = check_same(function, [(normal(9, 2, 4, seed=k), normal(2, 4, seed=k)) for k in range(4)])
    assert operations(found) == ["scan"]


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_scan_of_rows_of_any_shape(data):
    count, rows = data.draw(st.integers(0, 5)), data.draw(st.sampled_from([(), (3,), (2, 3), (0, 2)]))
    reverse, dim = data.draw(st.booleans()), data.draw(st.integers(0, len(rows)))
    swaps = data.draw(st.booleans())

    def function(xs, a, b):
        def step(carry, x):
            one, two = carry
            following = (two, one * 0.5 + x) if swaps else (one * 0.5 + x, two - one)
            return following, (following[0].sum(), x * two)

        return func.scan(step, (a, b), xs, reverse=reverse, dim=dim)

    def arguments(seed):
        shape = (*rows[:dim], count, *rows[dim:])
        return normal(*shape, seed=seed), normal(*rows, seed=seed + 1), normal(*rows, seed=seed + 2)

    check_same(lambda *args: [*function(*args)[0], *function(*args)[1]], [arguments(k) for k in range(3)])


def test_scan_with_a_length_alone():
    check_same(lambda x: func.scan(lambda c, _: (c * 2, c), x, length=6)[1], [(normal(3, seed=k),) for k in range(3)])


def test_closures_that_change_between_replays():
    w = normal(3)

    def function(x):
        inside = x.exp()
        return func.fori_loop(0, 5, lambda i, c: c * w + inside + i, x)

    captured = wg.capture(function)
    for k in range(5):
        w.mul_(0.5 + k)
        x = normal(3, seed=k)
        assert captured(x).tolist() == function(x).tolist()
    assert wg.replay.explain(captured).replays == 4


def test_a_closure_that_is_replaced():
    holder = [normal(3)]
    captured = wg.capture(lambda x: func.fori_loop(0, 3, lambda i, c: c * holder[0], x))
    x = wg.ones(3, dtype=wg.float64)
    captured(x)
    captured(x)
    holder[0] = normal(3, seed=5)
    assert captured(x).tolist() == (holder[0] * holder[0] * holder[0]).tolist()


def test_bounds_that_are_tensors():
    found = check_same(lambda n, m, x: func.fori_loop(n, m, lambda i, c: c * 2 + i, x),
                       [(wg.tensor(a), wg.tensor(b), normal(2, seed=a)) for a, b in
                        ((0, 3), (1, 8), (2, 2), (5, 1), (0, 100))])  # fmt: skip
    assert len(found.programs) == 1


def test_bounds_without_an_iteration_at_first():
    found = check_same(lambda n, x: func.fori_loop(0, n, lambda i, c: c * 2 + i, x) + 1,
                       [(wg.tensor(n), normal(2)) for n in (0, 0, 4, 0, 4, 7)], replays=4)  # fmt: skip
    assert len(found.programs) == 1
    assert not found.programs[0].n_branches


def test_a_test_decides_in_each_replay():
    def function(x, limit):
        return func.while_loop(lambda s: s[0].abs().sum() < limit, lambda s: (s[0] * 1.5, s[1] + 1),
                               (x, wg.zeros((), dtype=wg.int64)))  # fmt: skip

    found = check_same(function, [(wg.ones(3), wg.tensor(float(limit))) for limit in (10, 10, 100, 1, 1e6, 3.1)])
    assert len(found.programs) == 1
    assert "while_loop" in operations(found)


def test_a_loop_without_an_iteration_at_first():
    def function(x, limit):
        return func.while_loop(lambda c: c.sum() < limit, lambda c: c * 2, x) + 1

    found = check_same(function, [(wg.ones(2), wg.tensor(limit)) for limit in (1.0, 1.0, 50.0, 1.0, 9.0)], replays=3)
    assert len(found.programs) == 1
    assert not found.programs[0].n_branches


def test_a_carry_whose_strides_change():
    found = check_same(lambda x: func.fori_loop(0, 4, lambda i, c: c.t() * 2, x), [(normal(3, 3),)] * 3)
    assert operations(found) == ["fori_loop"]


def test_many_iterations_take_no_more_memory():
    def bytes_of(count):
        captured = wg.capture(lambda x: func.fori_loop(0, count, lambda i, c: (c * 0.999 + 0.001 * i).sin(), x))
        x = wg.tensor([0.5, 0.25], dtype=wg.float64)
        results = [captured(x).tolist() for _ in range(2)]
        assert results[0] == results[1]
        counts = wg.replay.explain(captured).programs[0].counts()
        return counts.arena_bytes, counts.instruction_bytes, counts.step_bytes

    assert bytes_of(10) == bytes_of(10_000)


def test_errors_in_the_middle():
    def function(x, indices):
        return func.scan(lambda c, i: (c + x.gather(0, i), c), x, indices)[0]

    captured = wg.capture(function)
    x = wg.arange(3.0)
    good, bad = wg.zeros(4, 3, dtype=wg.int64), wg.zeros(4, 3, dtype=wg.int64)
    bad[2, 1] = 7
    for indices in (good, good, bad, good, bad, good):
        if indices is bad:
            for one in (function, captured):
                with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 0 with size 3"):
                    one(x, indices)
        else:
            assert captured(x, indices).tolist() == function(x, indices).tolist()
    assert wg.replay.explain(captured).replays == 3


def test_nested_loops():
    def function(xs, h):
        def step(c, x):
            inner = func.fori_loop(0, 3, lambda i, s: (s * x + i).tanh(), c)
            return inner, func.scan(lambda t, y: (t + y, t * y), inner.sum(), x)[1]

        return func.scan(step, h, xs)

    found = check_same(function, [(normal(6, 4, seed=k), normal(4, seed=k + 9)) for k in range(4)])
    assert operations(found) == ["scan"]


def test_nested_loops_read_what_the_function_has_computed():
    w = normal(4)

    def function(x, y):
        scale = (x * w).exp()
        part = y.t()[1]

        def step(i, c):
            return func.fori_loop(0, 3, lambda j, s: (s * scale + part * w + i * j).sin(), c)

        return func.fori_loop(0, 4, step, x) * scale

    found = check_same(function, [(normal(4, seed=k), normal(4, 2, seed=k)) for k in range(4)])
    assert operations(found)[-2:] == ["fori_loop", "mul"]


def test_loops_inside_of_other_contexts():
    def function(x):
        with wg.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
            y = func.fori_loop(0, 3, lambda i, c: c * c, x)
        return wg.vmap(lambda c: func.fori_loop(0, 3, lambda i, s: s * c, c))(y)

    check_same(function, [(normal(3, seed=k),) for k in range(3)])


def test_random_numbers_are_drawn_as_by_eager_calls():
    def function(x):
        return func.fori_loop(0, 5, lambda i, c: c + wg.randn(3) * wg.rand(3), x) + wg.rand(3)

    captured = wg.capture(function)
    for k in range(4):
        wg.manual_seed(k)
        expected, after = function(wg.ones(3)), wg.rand(1)
        wg.manual_seed(k)
        assert captured(wg.ones(3)).tolist() == expected.tolist()
        assert wg.rand(1).tolist() == after.tolist()
    assert wg.replay.explain(captured).replays == 3


def test_branches_around_a_loop():
    def function(x):
        y = func.fori_loop(0, 6, lambda i, c: c * 1.1, x)
        if y.sum() > 0:
            y = func.fori_loop(0, 4, lambda i, c: c + i, y)
        return y - 1

    check_same(function, [(normal(3, seed=0) * sign,) for sign in (1, 1, -1, 1, -1, -1)], replays=4)


def test_what_cannot_be_a_loop_is_recorded_as_before():
    total = wg.zeros(3)

    def writes(x):
        total.zero_()

        def step(i, c):
            total.add_(c)
            return c * 2

        func.fori_loop(0, 3, step, x)
        return total + 0

    def reads(x):
        return func.fori_loop(0, 3, lambda i, c: c * 2 if c.sum() > 4 else c * 3, x)

    def writes_to_the_carry(x):
        return func.fori_loop(0, 3, lambda i, c: c.mul_(2), x + 0)

    for function in (writes, reads, writes_to_the_carry):
        check_same(function, [(wg.ones(3),)] * 4, replays=2)
        assert any(function.__name__ in key[0] or "<lambda>" in key[0] or ":step" in key[0] for key in UNROLLED)


def test_what_a_body_does_in_python_happens_as_often_as_without_a_capture():
    calls, made = [], []

    def step(i, c):
        calls.append(1)
        made.append(c)
        return c * 2

    def function(x):
        made.clear()
        return func.fori_loop(0, 3, step, x) + made[1]

    captured = wg.capture(function, quiet=True)
    for _ in range(4):
        assert captured(wg.ones(2)).tolist() == [10.0, 10.0]
    assert len(calls) % 3 == 0


def test_a_body_that_depends_on_python_is_not_made_a_loop():
    state = [0]

    def step(i, c):
        state[0] += 1
        return c * state[0]

    def function(x):
        state[0] = 0
        return func.fori_loop(0, 4, step, x)

    check_same(function, [(wg.ones(2),)] * 4, replays=2)


def test_a_result_that_is_written_to():
    def function(x):
        y = func.fori_loop(0, 3, lambda i, c: c * 2, x)
        y.add_(1)
        return y, x

    captured = wg.capture(function)
    for k in range(3):
        x = normal(2, seed=k)
        assert captured(x)[0].tolist() == (x * 8 + 1).tolist()


def test_printing_counts_and_files(tmp_path):
    captured = wg.capture(lambda x: func.fori_loop(0, 50, lambda i, c: (c * 0.5).sin(), x) + 1)
    captured(wg.ones(3))
    program = wg.replay.explain(captured).programs[0]
    lines = str(program).splitlines()
    assert [line.split("  #")[0] for line in lines[1:]] == [
        "%0 = fori_loop(a0): float32[3]  [loop]",
        "    %0 = mul(a0, 0.5): float32[3]",
        "    %1 = sin(%0): float32[3]",
        "%1 = add(%0, 1): float32[3]",
    ]
    assert "test_loops.py" in lines[1]
    counts = program.counts()
    assert (counts.operations, counts.calls) == (2, 1)
    assert counts.arena_bytes > program.nbytes
    program.save(tmp_path / "program")
    assert wg.replay.load(tmp_path / "program")(wg.ones(3)).tolist() == captured(wg.ones(3)).tolist()
    assert program.to_dot().startswith("digraph")


def test_validation():
    factor = [2.0]
    captured = wg.capture(lambda x: func.fori_loop(0, 5, lambda i, c: c * factor[0], x), validate=True)
    x = wg.ones(2)
    assert captured(x).tolist() == captured(x).tolist() == [32.0, 32.0]
    factor[0] = 3.0
    with pytest.raises(wg.replay.ReplayDiffersError):
        captured(x)


def test_no_warnings_and_no_reasons():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = check_same(lambda x: func.fori_loop(0, 3, lambda i, c: c * 2, x), [(wg.ones(2),)] * 3)
    assert found.reasons == []


def test_a_loop_is_interrupted():
    captured = wg.capture(lambda n, x: func.fori_loop(0, n, lambda i, c: (c * 0.5).sin(), x))
    few, x = wg.tensor(3), wg.ones(2)
    expected = captured(few, x).tolist()
    assert captured(few, x).tolist() == expected
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            captured(wg.tensor(10**12), x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert captured(few, x).tolist() == expected
    assert wg.replay.explain(captured).replays == 2


def test_threads_replay_one_loop():
    w = normal(4)
    captured = wg.capture(lambda x: func.fori_loop(0, 50, lambda i, c: (c * w + i).sin(), x))
    arguments = [normal(4, seed=k) for k in range(20)]
    captured(arguments[0])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(captured, arguments * 5))
    expected = [captured.function(x).tolist() for x in arguments]
    assert [one.tolist() for one in found] == expected * 5
