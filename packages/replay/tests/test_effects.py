"""Side effects of hooks and custom Functions: what is seen in their code, and what is not warned about."""

from __future__ import annotations

import warnings

import pytest
import wengert as wg
from wengert_replay.recording.effects import effects_of, side_effect

COUNTS = {"calls": 0}
TOTAL = 0
WEIGHT = wg.ones(2)


def prints(grad):
    print(grad)


def counts(grad):
    COUNTS["calls"] += 1
    return grad * 2


def assigns(grad):
    global TOTAL
    TOTAL = TOTAL + 1
    return grad


def appends_to(seen):
    return lambda grad: seen.append(grad)


def counter():
    n = 0

    def hook(grad):
        nonlocal n
        n += 1

    return hook


def computes(grad):
    scaled = grad * WEIGHT
    scaled[0] = 0
    parts = [scaled, grad]
    parts.append(scaled + 1)
    return sum(parts)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (prints, "calls print()"),
        (counts, "may change 'COUNTS'"),
        (assigns, "assigns the variable 'TOTAL' from outside"),
        (appends_to([]), "may change 'seen'"),
        (counter(), "assigns the variable 'n' from outside"),
        (computes, ""),
        (lambda grad: grad.clamp(-1, 1), ""),
        (len, ""),
        (object(), ""),
    ],
)
def test_what_the_code_of_a_function_shows(function, words):
    assert side_effect(function) == words


class Plain(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.factor = 2
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.factor + 0 * x


class Counting(Plain):
    @staticmethod
    def backward(ctx, grad):
        COUNTS["calls"] += 1
        return grad * 2


def test_a_function_that_keeps_values_in_its_context_is_not_warned_about():
    assert effects_of(Plain) == []
    (words,) = effects_of(Counting)
    assert "Counting.backward (" in words
    assert "test_effects.py" in words
    assert words.endswith("may change 'COUNTS'")


def use(function):
    def step(x):
        y = function.apply(x)
        y.sum().backward()
        return y.detach()

    return wg.capture(step)


def test_a_recording_warns_once_and_replays_do_not():
    captured = use(Counting)
    with pytest.warns(RuntimeWarning, match="Counting.backward.*when a program is recorded") as caught:
        captured(wg.ones(2, requires_grad=True))
    assert len([one for one in caught if "Counting" in str(one.message)]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        captured(wg.ones(2, requires_grad=True))
        captured(wg.ones(3, requires_grad=True))
        use(Plain)(wg.ones(2, requires_grad=True))


def test_hooks_are_looked_at():
    seen = []

    def step(x):
        y = x * 2
        y.register_hook(lambda grad: seen.append(1))
        y.sum().backward()
        return x.grad

    captured = wg.capture(step)
    with pytest.warns(RuntimeWarning, match="may change 'seen'"):
        captured(wg.ones(2, requires_grad=True))
