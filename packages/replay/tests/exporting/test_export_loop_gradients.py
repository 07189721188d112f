"""Training steps whose loops are differentiated, in files: their backward is a loop, too."""

from __future__ import annotations

import io

import pytest
import wengert as wg
from wengert import func
from wengert_replay.exporting import ProgramGuardError, load

from .exported import bits, last_program


def lengths(xs):
    """A number of iterations that differs from call to call: 1 to 4."""
    return (xs.sum().abs() * 10 % 4).long() + 1


def rnn(xs, w, b, reverse=False):
    last, outputs = func.scan(lambda h, x: ((h @ w + x + b).tanh(),) * 2, wg.zeros(4), xs, reverse=reverse)
    return (outputs**2).mean() + last.sum()


def two_outputs(xs, w, b):
    def step(h, row):
        x, y = row
        h = (h * x + b).sin()
        return h, (h * y, x.sum() * b)

    last, (first, second) = func.scan(step, wg.ones(4), (xs @ w, xs * b))
    return (first * second).tanh().mean() + last.mean()


def steps(xs, w, b):
    return (func.fori_loop(0, 5, lambda i, h: (h @ w + xs[i] * (i + 1) + b).tanh(), wg.zeros(4)) ** 2).sum()


def some_steps(xs, w, b):
    return (func.fori_loop(0, lengths(xs), lambda i, h: (h @ w + xs[i] + b).tanh(), wg.zeros(4)) ** 2).sum()


def while_steps(xs, w, b):
    n = lengths(xs)
    body = lambda c: (c[0] + 1, (c[1] @ w + xs[c[0]] + b).tanh())  # noqa: E731
    return func.while_loop(lambda c: c[0] < n, body, (wg.tensor(0), wg.zeros(4)))[1].sum()


def choice(xs, w, b):
    return (func.cond(xs.sum() > 0, lambda x: (x @ w + b).tanh(), lambda x: (x @ w - b).sin(), xs) ** 2).sum()


def loops_in_a_loop(xs, w, b):
    def outer(h, x):
        h = func.fori_loop(0, 3, lambda i, h: (h @ w + x + b).tanh() * 0.9 + i * 0.1, h)
        return h, h

    return (func.scan(outer, wg.zeros(4), xs)[1] ** 2).mean()


def choices_in_a_loop(xs, w, b):
    def step(h, x):
        return func.cond(x.sum() > 0, lambda h: (h @ w + b).tanh(), lambda h: (h @ w) * b, h), h

    return (func.scan(step, wg.ones(4), xs)[1] ** 2).mean()


def second_derivative(xs, w, b):
    h = func.fori_loop(0, 3, lambda i, h: (h @ w + b).tanh(), xs)
    (grad,) = wg.autograd.grad((h**2).sum(), w, create_graph=True)
    return (grad * grad).sum() + b.sum()


LOSSES = {
    "scan": rnn, "scan reverse": lambda *arguments: rnn(*arguments, reverse=True), "two outputs": two_outputs,
    "fori_loop": steps, "fori_loop of any length": some_steps, "while_loop": while_steps, "cond": choice,
    "loops in a loop": loops_in_a_loop, "choices in a loop": choices_in_a_loop, "second derivative": second_derivative,
}  # fmt: skip


class Training:
    """A captured training step, its parameters, and the program that was loaded from its file."""

    def __init__(self, loss, sets_none=True, capturing=True):
        generator = wg.Generator().manual_seed(3)
        self.w = wg.randn(4, 4, generator=generator).requires_grad_()
        self.b = wg.randn(4, generator=generator).requires_grad_()
        self.batches = [wg.randn(5, 4, generator=generator) for _ in range(10)]
        self.loss, self.sets_none = loss, sets_none
        self.captured = wg.capture(self.step) if capturing else self.step

    def step(self, xs):
        if self.sets_none:
            self.w.grad = self.b.grad = None
        loss = self.loss(xs, self.w, self.b)
        loss.backward()
        with wg.no_grad():
            for one in (self.w, self.b):
                one.sub_(0.01 * one.grad)
        return loss.detach()

    def state(self):
        return bits([self.w, self.b, self.w.grad, self.b.grad])

    def reload(self):
        file = io.BytesIO()
        last_program(self.captured).save(file, names={"w": self.w, "b": self.b})
        file.seek(0)
        return load(file)


def state_of(program):
    w, b = program.tensors["w"], program.tensors["b"]
    return bits([w, b, w.grad, b.grad])


@pytest.mark.parametrize("sets_none", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_training_steps_from_files_give_the_same_bits(name, sets_none):
    training = Training(LOSSES[name], sets_none)
    for xs in training.batches[:3]:
        training.captured(xs)
    recorded = last_program(training.captured)
    names = [step.name for step in recorded.steps if step.way == "python"]
    assert any(one.endswith("_backward") for one in names)
    program = training.reload()
    for xs in training.batches[3:]:
        expected = bits(training.captured(xs)), training.state()
        assert (bits(program(xs)), state_of(program)) == expected
    assert program.explanation.replays >= 5  # the first call may have fewer bodies than the others need
    there = program.explanation.programs[-1]
    assert [step.name for step in there.steps if step.way == "python"] == names


@pytest.mark.parametrize("name", ["scan", "fori_loop", "while_loop", "cond", "two outputs"])
def test_gradients_of_a_loaded_loop_are_those_of_an_eager_run(name):
    training, eager = Training(LOSSES[name]), Training(LOSSES[name], capturing=False)
    for xs in training.batches[:3]:
        training.captured(xs)
        eager.step(xs)
    program = training.reload()
    for xs in training.batches[3:]:
        assert bits(program(xs)) == bits(eager.step(xs))
        assert state_of(program) == eager.state()


def test_steps_run_one_by_one_where_nothing_is_recorded():
    for name, loss in LOSSES.items():
        training = Training(loss)
        for xs in training.batches[:3]:
            training.captured(xs)
        program = training.reload()
        for xs in training.batches[3:6]:
            expected = bits(training.captured(xs)), training.state()
            assert (bits(program._run(xs)), state_of(program)) == expected, name
        assert program.explanation.replays == 0


def test_more_iterations_than_there_is_room_for_leave_everything_as_it_was():
    def loss(xs, w, b):
        n = xs[0, 0].long()
        body = lambda c: (c[0] + 1, c[1] * w[0] + b)  # noqa: E731
        return func.while_loop(lambda c: c[0] < n, body, (wg.tensor(0), xs[0]))[1].sum()

    training = Training(loss)
    batches = [wg.full((5, 4), float(n)) for n in (3, 3, 3, 5, 12, 1)]
    for xs in batches[:3]:
        training.captured(xs)
    program = training.reload()
    for xs in batches[3:]:
        expected = bits(training.captured(xs)), training.state()
        assert (bits(program(xs)), state_of(program)) == expected
    before = state_of(program)
    for n in (0, 500, 0):
        with pytest.raises(ProgramGuardError, match=r"while_loop \(.*\) has no iteration, or more than there was room"):
            program(wg.full((5, 4), float(n)))
        assert state_of(program) == before
    assert bits(program(batches[3])) == bits(training.captured(batches[3]))


def test_a_choice_whose_gradients_go_elsewhere_is_a_guard():
    def loss(xs, w, b):
        return func.cond(xs.sum() > 0, lambda x: (x @ w).sum(), lambda x: (x * b).sum(), xs)

    training = Training(loss)
    training.step = lambda xs: step_of(training, xs)
    training.captured = wg.capture(training.step)
    for xs in (wg.ones(5, 4), wg.ones(5, 4), wg.ones(5, 4)):
        training.captured(xs)
    program = training.reload()
    assert bits(program(wg.ones(5, 4))) == bits(training.captured(wg.ones(5, 4)))
    with pytest.raises(ProgramGuardError, match="a number that Python read"):
        program(-wg.ones(5, 4))


def step_of(training, xs):
    training.w.grad = training.b.grad = None
    loss = training.loss(xs, training.w, training.b) + 0 * training.b.sum()
    loss.backward()
    return loss.detach()
