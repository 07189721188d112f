"""capture(validate=True): replays that are checked against eager runs."""

from __future__ import annotations

import itertools

import pytest
import wengert as wg

from .hidden_count import hidden_count

explain = wg.replay.explain
Differs = wg.replay.ReplayDiffersError


def test_what_is_right_is_replayed_and_written_once():
    w, velocity = wg.ones(3, requires_grad=True), wg.zeros(3)
    calls = []

    def step(x):
        calls.append(1)
        w.grad = None
        loss = (w * x + wg.rand(3)).pow(2).sum()
        loss.backward()
        with wg.no_grad():
            velocity.mul_(0.9).add_(w.grad)
            w.sub_(0.1 * velocity)
        return {"loss": loss.detach(), "numbers": [1, None]}

    def run(function):
        wg.manual_seed(5)
        with wg.no_grad():
            w.fill_(1), velocity.zero_()
        w.grad = None
        results = [function(wg.full((3,), 0.1 * k)) for k in range(5)]
        losses = [one["loss"].item() for one in results]
        assert results[-1]["numbers"] == [1, None]
        return losses, w.tolist(), w.grad.tolist(), velocity.tolist(), wg.rand(1).item()

    expected = run(step)
    f = wg.capture(step, validate=True)
    assert run(f) == expected
    assert len(calls) == 10
    assert explain(f).replays >= 3


def test_versions_and_identity_are_those_of_an_eager_run():
    f = wg.capture(lambda x, y: (x.add_(1), y * 2), validate=True)
    for _ in range(3):
        x, y = wg.ones(2), wg.ones(2)
        got = f(x, y)
        assert got[0] is x
        assert (x._version, y._version) == (1, 0)
    assert explain(f).replays == 2


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda numbers: lambda x: x * numbers(),
            r"result 0 has 2 of 2 numbers that differ; the first, number 0, is",
        ),
        (lambda numbers: lambda x: (x * 2, numbers()), "the result is"),
        (lambda numbers: lambda x: x.mul_(numbers()).sum() * 0, "argument 0 has 2 of 2 numbers"),
        (lambda numbers: lambda x: x.add_(1) if numbers() < 3 else x.add_(0).add_(1), "version"),
        (lambda numbers: lambda x: wg.rand(2) if numbers() < 3 else wg.rand(2) + 0 * wg.rand(1), "generator 0"),
        (lambda numbers: lambda x: x.double() if numbers() >= 3 else x * 1, "dtype"),
    ],
    ids=["value", "python", "argument", "version", "generator", "dtype"],
)
def test_hidden_python_state_is_noticed(function, words):
    f = wg.capture(function(hidden_count(2)), validate=True)
    f(wg.ones(2))
    with pytest.raises(Differs, match=words) as raised:
        f(wg.ones(2))
    assert "test_validation" in str(raised.value) or "<lambda>" in str(raised.value)


def test_gradients_that_differ_are_noticed():
    w, numbers = wg.ones(2, requires_grad=True), hidden_count(2)

    def step(x):
        (w * x * numbers()).sum().backward()

    f = wg.capture(step, validate=True)
    f(wg.ones(2)), f(wg.ones(2))
    with pytest.raises(Differs, match=r"gradient of .* 2 of 2 numbers"):
        f(wg.ones(2))
    assert w.grad.tolist() == [9, 9]  # 2 + 3 + 4: the eager run's


def test_a_gradient_that_is_only_sometimes_there_is_noticed():
    w, numbers = wg.ones(2, requires_grad=True), hidden_count()

    def step(x):
        w.grad = None
        if numbers() < 2:
            (w * x).sum().backward()

    f = wg.capture(step, validate=True)
    f(wg.ones(2)), f(wg.ones(2))
    with pytest.raises(Differs, match=r"gradient of .* is another tensor in a replay, none in an eager run"):
        f(wg.ones(2))
    assert w.grad is None


def test_errors_are_compared():
    f = wg.capture(lambda x, i: x.gather(0, i), validate=True)
    for _ in range(2):
        assert f(wg.ones(3), wg.tensor([0, 1])).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="out of bounds") as raised:
        f(wg.ones(3), wg.tensor([3, 0]))
    assert not isinstance(raised.value, Differs)
    fail = itertools.chain([False, False], itertools.repeat(True))

    def step(x):
        if next(fail):
            raise KeyError("hidden")
        return x * 2

    g = wg.capture(step, validate=True)
    g(wg.ones(1)), g(wg.ones(1))
    with pytest.raises(Differs, match="there is no error in a replay, KeyError in an eager run") as differs:
        g(wg.ones(1))
    assert differs.value.__cause__.args == ("hidden",)


def test_guards_that_differ_are_no_errors():
    f = wg.capture(lambda x: x * 2 if x.sum() > 0 else x * 3, validate=True)
    assert [f(wg.full((1,), v)).item() for v in (1.0, 1.0, -1.0, -1.0, 1.0)] == [2, 2, -3, -3, 2]


def test_functions_that_are_not_replayed_are_not_validated():
    f = wg.capture(lambda x, s: x * len(s), validate=True, quiet=True)
    assert [f(wg.ones(1), {1, 2}).item() for _ in range(3)] == [2, 2, 2]


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="validate"):
        wg.capture(lambda: 1, validate="yes")


WRITES_TO_DATA = {
    "in place": lambda w: w.data.mul_(0.5),
    "twice": lambda w: w.data.mul_(0.5).add_(1),
    "a view": lambda w: w.data[1:].mul_(0.5),
    "twice by data": lambda w: (w.data.mul_(0.5), w.data.add_(1)),
    "beside the tensor": lambda w: (w.data.mul_(0.5), w.detach().add_(1)),
    "a copy": lambda w: w.data.copy_(w * 2),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES_TO_DATA)
@pytest.mark.parametrize("differentiates", [False, True])
def test_writes_by_data_are_those_of_an_eager_run(name, differentiates):
    seen = []
    for options in (None, {}, {"validate": True}):
        w = wg.nn.Parameter(wg.ones(3))

        def function(x, w=w):
            WRITES_TO_DATA[name](w)
            return (x * w if differentiates else x * w.detach()) * 2

        called = function if options is None else wg.capture(function, quiet=True, **options)
        results = [called(wg.ones(3) * k).tolist() for k in range(5)]
        seen.append((results, w.tolist(), w._version))
    assert seen[1] == seen[2] == seen[0]
