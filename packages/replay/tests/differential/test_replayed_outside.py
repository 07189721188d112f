"""Captured beside eager: tensors from outside whose memory, shape or dtype changes, and memory that is used again."""

from __future__ import annotations

import gc

import numpy as np
import wengert as wg

from .scenarios import attempt, scenario


@scenario(replays=3)
def test_data_and_detach_share_memory(capture):
    w = wg.ones(3, requires_grad=True)

    def step(x):
        w.data.add_(x)
        w.detach().mul_(2)
        return (w * x).sum().detach()

    f = capture(step)
    for k in range(4):
        yield f(wg.full((3,), float(k))), w


@scenario(reason="has stored 1 tensor that it made")
def test_data_is_replaced_inside(capture):
    w = wg.ones(3)

    def step(x):
        w.data = w.data + x
        return w.sum()

    f = capture(step)
    for k in range(5):
        yield f(wg.full((3,), float(k))), w


@scenario(reason="set_ changes the memory or the shape")
def test_set_inside(capture):
    w = wg.ones(3)

    def step(x):
        w.set_(x * 2)
        return w.sum()

    f = capture(step)
    for k in range(5):
        yield f(wg.full((3,), float(k))), w


@scenario(reason="set_ changes the memory or the shape")
def test_set_on_a_tensor_made_inside(capture):
    def step(x):
        y = wg.empty(0)
        y.set_(x * 2)
        y.add_(1)
        return y

    f = capture(step)
    for k in range(4):
        yield f(wg.full((3,), float(k)))


@scenario(replays=3)
def test_resize_inside(capture):
    def step(x):
        y = x * 2
        y.resize_(2)
        return y + 1

    f = capture(step)
    for k in range(4):
        yield f(wg.full((3,), float(k)))


@scenario(reason="resize_ changes the memory or the shape")
def test_resize_an_argument(capture):
    f = capture(lambda x: x.resize_(2).add_(1))
    for k in range(4):
        x = wg.full((3,), float(k))
        yield f(x), x


@scenario(reason="t_ changes the memory or the shape")
def test_t_in_place(capture):
    w = wg.arange(6.0).view(2, 3)

    def step(x):
        w.t_()
        return (w * x.item()).sum(0)

    f = capture(step)
    for k in range(5):
        yield f(wg.tensor(float(k % 2))), w


@scenario(replays=9)
def test_memory_outside_moves(capture):
    w = wg.ones(3)
    f = capture(lambda x: (x * w).sum())
    for k in range(3):
        yield f(wg.full((3,), float(k)))
    w.data = wg.full((3,), 7.0)
    for k in range(3):
        yield f(wg.full((3,), float(k)))
    w.set_(wg.full((3,), 9.0))
    for k in range(3):
        yield f(wg.full((3,), float(k)))
    v = wg.ones(3)
    g = capture(lambda x: (x * v).sum())
    yield g(wg.ones(3)), g(wg.ones(3))
    v.resize_(1)
    for k in range(3):
        yield g(wg.full((3,), float(k)))
    v.resize_(600).fill_(2)
    yield attempt(g, wg.ones(3))
    yield g(wg.ones(600))


@scenario(replays=6)
def test_strides_outside_change(capture):
    w = wg.arange(4.0).view(2, 2)
    f = capture(lambda x: x * w)
    for _ in range(3):
        yield f(wg.ones(2, 2))
    w.t_()
    for _ in range(3):
        yield f(wg.ones(2, 2)), w
    w.as_strided_((2, 2), (1, 1))
    for _ in range(3):
        yield f(wg.ones(2, 2)), w


@scenario(replays=6)
def test_a_view_outside_changes_its_strides(capture):
    base = wg.arange(8.0)
    w = base[:4].view(2, 2)
    f = capture(lambda x: x * w)
    for _ in range(3):
        yield f(wg.ones(2, 2))
    w.t_()
    for _ in range(3):
        yield f(wg.ones(2, 2)), w
    w.data = base[4:].view(2, 2)
    for _ in range(3):
        yield f(wg.ones(2, 2)), w


@scenario(replays=4)
def test_the_dtype_outside_changes(capture):
    w = wg.arange(4.0)
    f = capture(lambda x: x * w)
    for _ in range(3):
        yield f(wg.ones(4))
    w.data = w.data.to(wg.int32)
    for _ in range(3):
        yield attempt(lambda: f(wg.ones(4))), w


@scenario(replays=3)
def test_a_global_is_another_tensor(capture):
    box = {"w": wg.ones(2)}
    f = capture(lambda x: x * box["w"])
    for k in range(3):
        yield f(wg.full((2,), float(k)))
    box["w"].mul_(5)
    yield f(wg.ones(2))


@scenario(replays=3)
def test_numpy_writes_to_a_tensor_outside(capture):
    array = np.arange(4.0)
    w = wg.from_numpy(array)
    f = capture(lambda x: (x * w).sum())
    for _ in range(4):
        array += 1
        yield f(wg.ones(4, dtype=wg.float64))


@scenario(replays=3)
def test_numpy_sees_what_a_replay_writes(capture):
    w = wg.zeros(3)
    seen = w.numpy()

    def step(x):
        w.add_(x)

    f = capture(step)
    for k in range(4):
        f(wg.full((3,), float(k)))
        yield seen.tolist(), w


@scenario(replays=5)
def test_numpy_makes_a_negative_stride(capture):
    def flip(x):
        return x * 2

    f = capture(flip)
    for k in range(3):
        array = (np.arange(6.0) + k).reshape(2, 3)
        yield attempt(lambda array=array: f(wg.from_numpy(array[::-1].copy())))
        yield attempt(lambda array=array: f(wg.from_numpy(array[::-1, ::-1])))
        yield f(wg.from_numpy(array).flip(0))


@scenario(replays=2)
def test_blocks_are_used_again(capture):
    def long(x):
        total = x
        for k in range(20):
            y = total * 1.5
            z = y + x
            del y
            total = (z - total).tanh() + k
        return total, total.sum()

    f = capture(long)
    for k in range(3):
        gc.collect()
        yield f(wg.linspace(-1, 1, 100) * k)


@scenario(replays=3)
def test_values_of_the_first_call_are_not_kept(capture):
    def step(x):
        y = wg.zeros(3)
        y[0] = x[0]
        y += wg.tensor([1.0, 2.0, 3.0])
        z = wg.full((3,), 4.0)
        z.mul_(y)
        return y, z, wg.ones_like(y).add_(z)

    f = capture(step)
    for k in range(4):
        yield f(wg.full((3,), float(k)))


@scenario(replays=3)
def test_empty_is_filled_later(capture):
    def step(x):
        y = wg.empty(4)
        y[:2] = x
        y[2:] = y[:2] * 2
        return y

    f = capture(step)
    for k in range(4):
        yield f(wg.full((2,), float(k)))


@scenario(replays=5)
def test_a_tensor_is_freed_between_calls(capture):
    f = capture(lambda x, y: (x @ y).sum())
    for k in range(6):
        x, y = wg.full((40, 40), 0.1 * k), wg.ones(40, 40)
        yield f(x, y)
        del x, y
        gc.collect()


@scenario(replays=3)
def test_storage_is_resized_between_calls(capture):
    w = wg.ones(3)
    f = capture(lambda x: x * w)
    yield f(wg.ones(3)), f(wg.ones(3))
    attempt(lambda: w.untyped_storage().resize_(0))
    attempt(lambda: w.untyped_storage().resize_(12))
    w.fill_(3)
    yield f(wg.ones(3)), f(wg.ones(3))


@scenario(replays=4)
def test_buffers_swap_their_memory(capture):
    a, b = wg.zeros(3), wg.ones(3)
    f = capture(lambda x: x * a - b)
    for k in range(6):
        yield f(wg.full((3,), 2.0 + k))
        if k % 3 == 2:
            a.data, b.data = b.data, a.data


@scenario(replays=3)
def test_chunks_are_written(capture):
    def step(x):
        for k, part in enumerate(x.chunk(3)):
            part.mul_(k)
        for row in x.unbind(0):
            row.add_(1)
        a, b, c = x.split([1, 3, 2])
        b += a
        c.copy_(b[:2])
        return x.clone()

    f = capture(step)
    for k in range(4):
        x = wg.arange(6.0) + k
        yield f(x), x


@scenario(replays=3)
def test_complex_views(capture):
    def step(z):
        z.real.mul_(2)
        wg.view_as_real(z)[..., 1].add_(1)
        return z.conj() * 1, z.imag.clone(), z.conj()

    f = capture(step)
    for k in range(4):
        z = wg.complex(wg.arange(3.0) + k, wg.ones(3))
        got = f(z)
        yield z, got[0], got[1], got[2].resolve_conj()


@scenario(replays=3)
def test_views_as_another_dtype(capture):
    def step(x):
        bits = x.view(wg.int32)
        bits.add_(1)
        return bits * 1, x * 1

    f = capture(step)
    for k in range(4):
        x = wg.arange(3.0) + k
        yield f(x), x
