"""Programs with a planted mistake: scenarios that run beside eager ones notice each, and so does validate=True."""

from __future__ import annotations

import functools

import pytest
import wengert as wg
from wengert_replay import making

from .scenarios import compare_runs

Differs = wg.replay.ReplayDiffersError


def swap_results(program):
    """A wrong alias: two results change places."""
    program.results.reverse()


def give_argument(program):
    """A wrong alias: an argument is given in place of a result."""
    program.results[0] = 0


class Forgetful:
    """A program whose runs leave the versions of tensors from outside as they are."""

    def __init__(self, program):
        object.__setattr__(self, "program", program)

    def __getattr__(self, name):
        return getattr(self.program, name)

    def __setattr__(self, name, value):
        setattr(self.program, name, value)

    def replay(self, inputs):
        with wg.autograd._unsafe_preserve_version_counter(tuple(row[0] for row in self.program.outside)):
            return self.program.replay(inputs)


def forget_versions(program):
    """A missed version bump."""
    return Forgetful(program)


def forget_gradients(program):
    """Gradients of leaves are not set."""
    program.leaves.clear()


def forget_step(program):
    """A result of the recording is given again."""
    program.results[0] = wg.zeros(2)


def train(capture, stops=False):
    w, total = wg.ones(2, requires_grad=True), wg.zeros(2)

    def step(x):
        w.grad = None
        if stops and not (x > 0).all():
            raise ValueError
        loss = (w * x).pow(2)
        loss.sum().backward()
        total.add_(loss.detach())
        return loss.detach() * 1, x * 3

    f = capture(step)
    kept = []
    for k in range(4):
        kept.append(f(wg.full((2,), 1.0 + k)))
        yield kept, w, total


MISTAKES = [swap_results, give_argument, forget_versions, forget_gradients, forget_step]


def plant(monkeypatch, mistake):
    programs = []
    program_class = making.Program

    def make(*args, **kwargs):
        program = program_class(*args, **kwargs)
        programs.append(mistake(program) or program)
        return programs[-1]

    monkeypatch.setattr(making, "Program", make)
    return programs


def test_there_is_no_mistake_without_one(monkeypatch):
    programs = plant(monkeypatch, lambda program: None)
    assert compare_runs(train).replays == 2
    assert len(programs) == 2
    for _ in train(lambda function: wg.capture(function, validate=True)):
        pass


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.__name__)
def test_a_mistake_is_noticed_beside_an_eager_run(monkeypatch, mistake):
    programs = plant(monkeypatch, mistake)
    with pytest.raises(AssertionError, match="observation"):
        compare_runs(train)
    assert programs


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.__name__)
def test_a_mistake_is_noticed_by_validation(monkeypatch, mistake):
    plant(monkeypatch, mistake)
    with pytest.raises(Differs):
        for _ in train(lambda function: wg.capture(function, validate=True)):
            pass


def test_a_buffer_that_is_used_again_is_noticed(monkeypatch):
    """A program that stops on its way is told that nobody has its results: it runs on their memory."""
    program_class = making.Program
    monkeypatch.setattr(making, "Program", lambda recording, results, live, *rest, **options: program_class(
        recording, results, set(), *rest, **options))  # fmt: skip
    with pytest.raises(AssertionError, match="observation"):
        compare_runs(functools.partial(train, stops=True))
