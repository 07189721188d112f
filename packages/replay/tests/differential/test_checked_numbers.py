"""Operations that check the numbers of their arguments, in captured functions: one program for all of them."""

from __future__ import annotations

import pytest
import wengert as wg

F = wg.nn.functional


def numbers(k, *shape, high=7):
    return wg.randint(0, high, shape, generator=wg.Generator().manual_seed(k))


def normal(k, *shape):
    return wg.randn(shape, generator=wg.Generator().manual_seed(k), dtype=wg.float64)


TABLE = normal(99, 7, 3)
CHECKS = {
    "embedding": (lambda i: F.embedding(i, TABLE), lambda k: [numbers(k, 4)]),
    "embedding_bag": (lambda i: F.embedding_bag(i, TABLE), lambda k: [numbers(k, 4, 2)]),
    "one_hot": (lambda i: F.one_hot(i, 7), lambda k: [numbers(k, 4)]),
    "multi_margin_loss": (F.multi_margin_loss, lambda k: [normal(k, 4, 7), numbers(k, 4)]),
    "multilabel_margin_loss": (F.multilabel_margin_loss, lambda k: [normal(k, 4, 7), numbers(k, 4, 7)]),
    "searchsorted": (lambda x, y, order: wg.searchsorted(x, y, sorter=order),
                     lambda k: [normal(k, 7), normal(k + 1, 3), numbers(k, 7)]),
    "cross_entropy": (F.cross_entropy, lambda k: [normal(k, 4, 7), numbers(k, 4)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_checks_make_no_branches(name):
    function, arguments = CHECKS[name]
    captured = wg.capture(lambda *args: function(*args) * 1)
    for k in range(12):
        assert captured(*arguments(k)).tolist() == captured.function(*arguments(k)).tolist()
    found = wg.replay.explain(captured)
    assert (found.replays, found.programs[0].n_branches) == (11, 0)


def test_errors_are_those_of_an_eager_call():
    captured = wg.capture(lambda i: F.embedding(i, TABLE))
    for last in (3, 5, 7, -1, 6):
        index = wg.tensor([0, last])
        if 0 <= last < 7:
            assert captured(index).tolist() == TABLE[index].tolist()
        else:
            for one in (captured, captured.function):
                with pytest.raises(IndexError, match="index out of range in self"):
                    one(index)


def test_clipping_has_two_ways():
    w = wg.ones(3, requires_grad=True)

    def step(x):
        w.grad = None
        (w * x).sum().backward()
        wg.nn.utils.clip_grad_norm_([w], 1.0)
        return w.grad.clone()

    captured = wg.capture(step)
    for k in range(30):
        x = wg.full((3,), 0.1 * (k + 1))
        assert captured(x).tolist() == step(x).tolist()
    found = wg.replay.explain(captured)
    assert found.replays >= 26
    assert found.programs[-1].n_branches <= 1
