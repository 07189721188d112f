"""Rows that a body reads by a number of the loop, in captured functions: ``xs[i]``, beside eager runs."""

from __future__ import annotations

import contextlib
import warnings

import pytest
import wengert as wg

func = wg.func


def normal(*shape, seed=0):
    return wg.randn(shape, generator=wg.Generator().manual_seed(seed), dtype=wg.float64)


def leaf(*shape, seed=0):
    return normal(*shape, seed=seed).requires_grad_()


def facts_of(values):
    values = [values] if isinstance(values, wg.Tensor) else values
    return [None if one is None else (one.dtype, one.shape, one.stride(), one.detach().numpy().tobytes())
            for one in values]  # fmt: skip


def check_same(function, calls, replays=None):
    """Check that a captured function gives what the function gives in each call; return the names of its operations."""
    captured = wg.capture(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for args in calls:
            assert facts_of(captured(*args)) == facts_of(function(*args))
    found = wg.replay.explain(captured)
    assert found.replays == (len(calls) - 1 if replays is None else replays), found.reasons
    return [step.name for step in found.programs[-1].steps]


BODIES = {
    "row": lambda i, c, xs: c + xs[i].sum(),
    "comma": lambda i, c, xs: c * xs[i, 1] + xs[i][0],
    "both": lambda i, c, xs: c + xs[i, i % 3],
    "slice": lambda i, c, xs: c + (xs[i, 1:] * 2).sum(),
    "column": lambda i, c, xs: c + (xs[:, i % 3] * xs[..., i % 2]).sum(),
    "None": lambda i, c, xs: c + xs[None, i, ::2].sum(),
    "next": lambda i, c, xs: c + xs[(i + 1) % 5].sum() * xs[4 - i, 0],
    "negative": lambda i, c, xs: c + xs[-1 - i].sum(),
    "twice": lambda i, c, xs: c + (xs[i] * xs[i]).sum(),
}


@pytest.mark.parametrize("name", BODIES)
def test_indices(name):
    body = BODIES[name]

    def function(x, xs):
        return func.fori_loop(0, 5, lambda i, c: body(i, c, xs), x)

    assert "fori_loop" in check_same(function, [(normal(2, seed=k), normal(5, 3, seed=k + 1)) for k in range(4)])


@pytest.mark.parametrize("name", BODIES)
def test_gradients(name):
    body = BODIES[name]

    def function(x, xs):
        y = func.fori_loop(0, 5, lambda i, c: body(i, c, xs), x)
        return wg.autograd.grad((y * y).sum(), [x, xs])

    names = check_same(function, [(leaf(2, seed=k), leaf(5, 3, seed=k + 1)) for k in range(4)])
    assert "fori_loop_backward" in names


@pytest.mark.parametrize("sign", [0.0, -0.0])
@pytest.mark.parametrize("count", [1, 2])
def test_zeros_in_gradients_have_their_sign(sign, count):
    def function(x, xs, w):
        y = func.fori_loop(0, count, lambda i, c: c + xs[i] * w, x)
        return wg.autograd.grad(y, [x, xs], wg.tensor(sign, dtype=wg.float64))

    def arguments(k):
        return leaf(seed=k), leaf(3, seed=k + 1), wg.tensor(float(k), dtype=wg.float64)

    assert "fori_loop_backward" in check_same(function, [arguments(k) for k in range(4)])


def test_a_tensor_from_outside_that_changes():
    xs = wg.arange(4.0)
    captured = wg.capture(lambda x: func.fori_loop(0, 4, lambda i, c: 2 * c + xs[i], x))
    for _ in range(4):
        assert captured(wg.ones(())).item() == captured.function(wg.ones(())).item()
        xs.mul_(3)
    assert wg.replay.explain(captured).replays == 3


def test_what_the_function_has_computed():
    def function(x, w):
        table = (x * w).exp()
        return func.fori_loop(1, 4, lambda i, c: c * table[i] - table[i - 1], x.sum())

    check_same(function, [(normal(4, seed=k), normal(4, seed=k + 1)) for k in range(4)])


@pytest.mark.parametrize("view", [lambda t: t[::2], lambda t: t[1:], lambda t: t[:, ::2], lambda t: t.t(),
                                  lambda t: t.unsqueeze(1), lambda t: t[0].expand(6, 6)])  # fmt: skip
def test_tensors_whose_rows_are_apart(view):
    def function(x, xs):
        rows = view(xs)
        return func.fori_loop(0, 3, lambda i, c: (c + rows[i].sum()) * 2 + (rows[i] * rows[i]).max(), x)

    for shape in ((), (1,)):
        arguments = [(normal(*shape, seed=k), normal(6, 6, seed=k + 1)) for k in range(4)]
        captured = wg.capture(function)
        for args in arguments:
            assert facts_of(captured(*args)) == facts_of(function(*args))
        assert wg.replay.explain(captured).replays >= 2


@pytest.mark.parametrize("error", ["captured", "later"])
def test_an_index_out_of_range(error):
    captured = wg.capture(lambda n, x, xs: func.fori_loop(0, n, lambda i, c: c + xs[i], x))
    x, xs = wg.zeros(()), wg.arange(3.0)
    for n in (3, 2, 4, 3, 5, 1)[2 if error == "captured" else 0 :]:
        if n <= 3:
            assert captured(wg.tensor(n), x, xs).item() == sum(range(n))
            continue
        for one in (captured.function, captured):
            with pytest.raises(IndexError, match=r"^index 3 is out of bounds for dimension 0 with size 3$"):
                one(wg.tensor(n), x, xs)
    assert wg.replay.explain(captured).replays == (3 if error == "later" else 1)


def test_lower_bounds_below_zero():
    check_same(lambda n, x, xs: func.fori_loop(n, 2, lambda i, c: c * 2 + xs[i], x),
               [(wg.tensor(n), normal(seed=1), normal(4, seed=2)) for n in (-4, -1, 1, 2, -3)])  # fmt: skip


def test_a_counter_in_the_carry():
    def function(x, xs, limit):
        n, total = func.while_loop(lambda s: s[1] < limit, lambda s: (s[0] + 1, s[1] + xs[s[0] % 4]),
                                   (wg.tensor(0), x))  # fmt: skip
        (_, last), ys = func.scan(lambda s, x: ((s[0] + 1, s[1] * xs[s[0]]), xs[s[0]] + x), (wg.tensor(0), x), xs)
        return n, total, last, ys

    names = check_same(function, [(normal(seed=k), normal(4, seed=k).abs() + 0.1, wg.tensor(limit))
                                  for k, limit in enumerate((3.0, 8.0, 1.0, 30.0))])  # fmt: skip
    assert {"while_loop", "scan"} <= set(names)


def test_an_index_that_is_read_itself():
    def function(x, xs, order):
        return func.fori_loop(0, 4, lambda i, c: c * xs[order[i]] + i, x)

    orders = [wg.tensor(order) for order in ([0, 1, 2, 3], [3, 1, 1, 0], [-1, 2, -3, 0])]
    check_same(function, [(normal(2), normal(4, seed=k), order) for k, order in enumerate(orders)])


def test_rows_that_are_outputs_or_tests():
    def function(x, xs, flags):
        ys = func.scan(lambda i, _: (i + 1, (xs[i], i)), wg.tensor(0), length=3)[1]
        return *ys, *func.while_loop(lambda s: flags[s[0]], lambda s: (s[0] + 1, s[1] * xs[s[0]]), (wg.tensor(0), x))

    flags = [wg.tensor([True] * n + [False] * (5 - n)) for n in (3, 1, 4, 0)]
    check_same(function, [(normal(2, seed=k), normal(5, 2, seed=k), one) for k, one in enumerate(flags)])


def test_other_numbers_beside_that_of_the_loop():
    def function(x, xs, j):
        return func.fori_loop(0, 3, lambda i, c: c + xs[i, j] + xs[i, xs[i].argmax()], x)

    check_same(function, [(normal(2, seed=k), normal(3, 3, seed=k), wg.tensor(k - 1)) for k in range(4)])


def test_parameters_and_modules():
    weight, layer = wg.nn.Parameter(normal(4, 3)), wg.nn.Linear(3, 2, dtype=wg.float64)

    def function(x):
        y = func.fori_loop(0, 4, lambda i, c: c * layer(weight[i]), x)
        return wg.autograd.grad(y.sum(), [x, weight, *layer.parameters()])

    assert "fori_loop_backward" in check_same(function, [(leaf(2, seed=k),) for k in range(4)])


def test_gradients_of_gradients():
    def function(x, xs):
        y = func.fori_loop(0, 4, lambda i, c: (c * xs[i]).sin(), x)
        (first,) = wg.autograd.grad(y.sum(), x, create_graph=True)
        return wg.autograd.grad((first * first).sum(), [x, xs])

    check_same(function, [(leaf(2, seed=k), leaf(4, 2, seed=k + 1)) for k in range(3)])


def test_results_with_a_graph():
    xs = leaf(4, 2)
    captured = wg.capture(lambda x: func.fori_loop(0, 4, lambda i, c: (c * xs[i]).sin(), x))
    for k in range(5):
        x = leaf(2, seed=k)
        assert facts_of(wg.autograd.grad((captured(x) ** 2).sum(), [x, xs])) \
            == facts_of(wg.autograd.grad((captured.function(x) ** 2).sum(), [x, xs]))  # fmt: skip
    assert wg.replay.explain(captured).replays == 4


@pytest.mark.parametrize("has_gradient", [False, True])
def test_nested_loops(has_gradient):
    def function(x, xs, w):
        def outer(i, c):
            row = xs[i]
            return func.fori_loop(0, i + 1 if not has_gradient else 3,
                                  lambda j, s: (s * w[j] + xs[i, j] + row[j] * i).sin(), c)  # fmt: skip

        y = func.fori_loop(0, 3, outer, x)
        return wg.autograd.grad(y.sum(), [x, xs, w]) if has_gradient else y

    make = leaf if has_gradient else normal
    calls = [(make(2, seed=k), make(3, 3, seed=k + 1), make(3, seed=k + 2)) for k in range(4)]
    captured = wg.capture(function)
    for args in calls:
        found, expected = captured(*args), function(*args)
        if not has_gradient:
            assert facts_of(found) == facts_of(expected)
        else:
            wg.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    assert wg.replay.explain(captured).replays >= 2


def write_to_row(i, c, xs, kept):
    xs[i].add_(1)
    return c + xs[i]


def write_to_view_of_row(i, c, xs, kept):
    row = xs[i][None]
    row[0] = c * 2
    return c + xs.sum()


def write_to_source(i, c, xs, kept):
    table = xs * 2
    row = table[i]
    table.mul_(3)
    return c + row


def write_by_index(i, c, xs, kept):
    xs[i] = c
    return c + 1 + xs[i]


def write_to_another_before(i, c, xs, kept):
    kept[0].add_(1)
    row = xs[i]
    row.mul_(2)
    return c + row


def write_to_another_behind(i, c, xs, kept):
    row = xs[i]
    kept[0].add_(1)
    row.mul_(2)
    return c + row


def write_through_out(i, c, xs, kept):
    row = xs[i]
    wg.mul(c, 2, out=row)
    return c + row


def keep_row(i, c, xs, kept):
    kept[1].append(xs[i])
    return c + 1


def give_row(i, c, xs, kept):
    return xs[i]


def write_and_catch(i, c, xs, kept):
    row = xs[i]
    with contextlib.suppress(Exception):
        row.add_(1)
    return c + row


def write_in_a_loop_inside(i, c, xs, kept):
    row = xs[i]

    def inner(j, s):
        row.add_(j)
        return s + row

    return func.fori_loop(0, 2, inner, c)


def write_by_numpy(i, c, xs, kept):
    xs[i].numpy()[...] = 5
    return c + xs[i]


@pytest.mark.parametrize("body", [write_to_row, write_to_view_of_row, write_to_source, write_by_index,
                                  write_to_another_before, write_to_another_behind, write_through_out, keep_row,
                                  give_row, write_and_catch, write_in_a_loop_inside, write_by_numpy])  # fmt: skip
def test_rows_that_are_views(body):
    """Bodies that use a row as a view do what they do in an eager run, from the first call on."""

    def function(x, xs, kept):
        kept[1].clear()
        y = func.fori_loop(0, 3, lambda i, c: body(i, c, xs, kept), x)
        if kept[1]:
            kept[1][-3].add_(7)
        return y + 0

    kept, other = (wg.zeros(()), []), (wg.zeros(()), [])
    captured = wg.capture(lambda x, xs: function(x, xs, kept), quiet=True)
    for k in range(4):
        x, xs = normal(seed=k), normal(3, seed=k + 1)
        also, table = x.clone(), xs.clone()
        assert captured(x, xs).item() == function(also, table, other).item()
        assert xs.tolist() == table.tolist()
        assert kept[0].item() == other[0].item()


def test_numbers_look_as_tensors():
    seen = []

    def body(i, c):
        seen.append((isinstance(i, wg.Tensor), i.shape, i.dtype))
        return c + (i.float() * 2).reshape(1) + wg.stack([i, i]).sum() + wg.where(i > 1, i, 0)

    captured = wg.capture(lambda x: func.fori_loop(1, 4, body, x))
    for _ in range(3):
        assert captured(wg.ones(1)).tolist() == [30.0]
    assert set(seen) == {(True, wg.Size([]), wg.int64)}


def test_programs_do_not_grow():
    def counts_of(count):
        captured = wg.capture(lambda x, xs: func.fori_loop(0, count, lambda i, c: (c * xs[i]).sin(), x))
        args = normal(3), normal(count, 3, seed=1)
        assert captured(*args).tolist() == captured(*args).tolist()
        return wg.replay.explain(captured).programs[0].counts()

    few, many = counts_of(10), counts_of(2000)
    assert many.instruction_bytes == few.instruction_bytes
    assert many.arena_bytes - few.arena_bytes <= 2 * 1990 * 3 * 8 + 64
