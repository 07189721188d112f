"""Views that a body reads by a number of the loop, in captured functions: slices, ``select``, ``narrow``, lookups."""

from __future__ import annotations

import warnings

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_replay.loops.unrolled import UNROLLED

from .test_loop_indices import check_same, facts_of, leaf, normal

func = wg.func
embedding = wg.nn.functional.embedding


BODIES = {
    "slice": lambda i, c, xs: c + xs[i : i + 2].sum(0)[:2],
    "columns": lambda i, c, xs: c + (xs[:, i % 2 : i % 2 + 2] * 2)[0],
    "step": lambda i, c, xs: c + xs[i : i + 3 : 2].sum(),
    "number and slice": lambda i, c, xs: c + xs[i, i % 2 : i % 2 + 2] * xs[None, ..., i - i, i % 2 : i % 2 + 2].sum(),
    "neighbors": lambda i, c, xs: c * (xs[i : i + 2] - xs[i + 1 : i + 3]).sin().sum(),
    "one row": lambda i, c, xs: c + xs[i : i + 1].sum(1),
    "select": lambda i, c, xs: c + xs.select(0, i).sum(),
    "select of a column": lambda i, c, xs: c * wg.select(xs, dim=-1, index=i % 3).sum(),
    "select from the end": lambda i, c, xs: c + xs.select(-2, index=-1 - i)[:2],
    "narrow": lambda i, c, xs: c + xs.narrow(0, i, 2).sum(),
    "narrow of columns": lambda i, c, xs: c + wg.narrow(xs, 1, i % 2, length=2)[3],
    "index_select": lambda i, c, xs: c + xs.index_select(0, i)[0, :2],
    "embedding": lambda i, c, xs: c * embedding(i, xs)[:2],
    "embedding of several": lambda i, c, xs: c * embedding(wg.stack([i, i + 1]), xs).sum(),
    "take": lambda i, c, xs: c + xs.take(i),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("has_gradient", [False, True])
def test_views_by_a_number(name, has_gradient):
    body = BODIES[name]

    def function(x, xs):
        y = func.fori_loop(0, 4, lambda i, c: body(i, c, xs), x)
        return wg.autograd.grad((y * y).sum(), [x, xs]) if has_gradient else y

    make = leaf if has_gradient else normal
    names = check_same(function, [(make(2, seed=k), make(7, 3, seed=k + 1)) for k in range(4)])
    assert ("fori_loop_backward" if has_gradient else "fori_loop") in names


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_windows_of_tensors_of_any_strides(data):
    UNROLLED.clear()
    shape = data.draw(st.lists(st.integers(4, 6), min_size=1, max_size=3))
    dim = data.draw(st.integers(0, len(shape) - 1))
    size, step = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    order = data.draw(st.permutations(range(len(shape))))

    def function(x, xs):
        xs = xs.permute(order)
        where = (slice(None),) * dim

        def body(i, c):
            part = xs[(*where, slice(i, i + size * step, step))]
            return c + part.sum() * (part.stride()[dim] + part.shape[dim])

        return func.fori_loop(0, 5 - size * step, body, x)

    check_same(function, [(normal(seed=k), normal(*shape, seed=k + 1)) for k in range(3)])


def test_strides_are_those_of_a_view():
    def function(xs):
        return func.fori_loop(0, 3, lambda i, c: c * 2 + xs.t()[:, i : i + 2], xs.t()[:, :2] + 0)

    check_same(function, [(normal(5, 3, seed=k),) for k in range(3)])


def test_a_window_that_is_cut_short_in_a_later_call():
    captured = wg.capture(lambda n, x, xs: func.fori_loop(0, n, lambda i, c: c + xs[i : i + 2].sum(), x))
    x, xs = wg.zeros(()), wg.arange(4.0)
    for n in (2, 3, 4, 6, 1):
        assert captured(wg.tensor(n), x, xs).item() == captured.function(wg.tensor(n), x, xs).item()
    assert wg.replay.explain(captured).replays == 2


@pytest.mark.parametrize("body", [lambda i, c, xs: c + xs[i : 2 * i + 1].sum(), lambda i, c, xs: c + xs[: i + 1].sum(),
                                  lambda i, c, xs: c + xs[i:].sum(), lambda i, c, xs: c + xs[i - 1 : i + 1].sum(),
                                  lambda i, c, xs: c + xs[3 - i : 3].sum(),
                                  lambda i, c, xs: c + xs[i:i].sum()])  # fmt: skip
def test_slices_of_another_length_in_each_iteration(body):
    def function(x, xs):
        return func.fori_loop(0, 3, lambda i, c: body(i, c, xs), x)

    assert "fori_loop" not in check_same(function, [(normal(seed=k), normal(6, seed=k + 1)) for k in range(4)], 2)


@pytest.mark.parametrize(("read", "error"), [(lambda xs, i: xs.select(0, i), IndexError),
                                         (lambda xs, i: xs.narrow(0, i, 1)[0], RuntimeError)])  # fmt: skip
def test_errors_are_those_of_an_eager_call(read, error):
    def function(n, x, xs):
        return func.fori_loop(0, n, lambda i, c: c + read(xs, i), x)

    captured = wg.capture(function)
    x, xs = wg.zeros(()), wg.arange(3.0)
    assert captured(wg.tensor(3), x, xs).item() == captured(wg.tensor(3), x, xs).item() == 3
    for _ in range(2):
        raised = []
        for one in (function, captured):
            with pytest.raises(error, match="3") as found:
                one(wg.tensor(4), x, xs)
            raised.append(str(found.value))
        assert raised[0] == raised[1]
    assert captured(wg.tensor(2), x, xs).item() == 1


def test_windows_are_views_to_who_writes_to_them():
    def function(x, xs):
        def body(i, c):
            xs[i : i + 2] += 1
            return c + xs[i : i + 2].sum()

        return func.fori_loop(0, 3, body, x)

    captured = wg.capture(function, quiet=True)
    for k in range(4):
        x, xs = normal(seed=k), normal(5, seed=k + 1)
        also, table = x.clone(), xs.clone()
        assert captured(x, xs).item() == function(also, table).item()
        assert xs.tolist() == table.tolist()


def test_nested_loops():
    weight = leaf(3, 2)

    def function(x, xs):
        def outer(i, c):
            part = xs.narrow(0, i, 3)
            row = weight[i]
            return func.fori_loop(0, 2, lambda j, s: (s * part[j : j + 2].sum() + part.select(0, j) * row).sin(), c)

        y = func.fori_loop(0, 3, outer, x)
        return wg.autograd.grad(y.sum(), [x, xs, weight])

    captured = wg.capture(function)
    for k in range(4):
        args = leaf(2, seed=k), leaf(5, 2, seed=k + 1)
        for one, other in zip(captured(*args), function(*args), strict=True):
            wg.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
    assert wg.replay.explain(captured).replays >= 2


def test_validation():
    captured = wg.capture(lambda x, xs: func.fori_loop(0, 3, lambda i, c: c * xs[i : i + 2], x), validate=True)
    for k in range(3):
        captured(normal(2, seed=k), normal(5, seed=k))
    assert wg.replay.explain(captured).replays == 2


def test_tokens_in_a_scan():
    table, weight = leaf(11, 4), leaf(4, 4, seed=1)

    def function(tokens, h):
        def step(h, token):
            h = wg.tanh(h @ weight + embedding(token, table))
            return h, h.sum()

        last, sums = func.scan(step, h, tokens)
        return (*wg.autograd.grad((sums * sums).sum() + last.sum(), [table, weight]),)

    def tokens(k):
        return wg.randint(0, 11, (6, 3), generator=wg.Generator().manual_seed(k))

    assert "scan_backward" in check_same(function, [(tokens(k), normal(3, 4, seed=k)) for k in range(5)])


def test_python_lists_are_read_as_before():
    steps = [0.5, 0.25, 0.125]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        captured = wg.capture(lambda x: func.fori_loop(0, 3, lambda i, c: c * steps[i], x))
        for k in range(4):
            x = normal(2, seed=k)
            assert facts_of(captured(x)) == facts_of(captured.function(x))
