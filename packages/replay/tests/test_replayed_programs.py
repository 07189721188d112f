"""Random programs of views, writes, hooks and backward passes, captured beside eager."""

from __future__ import annotations

import random

import pytest
import wengert as wg
from wengert_testing.programs import Record, kind_of, random_program

PROGRAMS = 60
VALUES = [[0.1 * k - 0.45 for k in range(start, start + 12)] for start in (0, 3, -2)]


class Inputs(Record):
    """A record on tensors that the program gets, whose hooks read no numbers."""

    def __init__(self, numbers):
        self.engine, self.wide, self.retained, self.seen, self.errors = wg, set(), [], [], []
        self.leaves = [numbers[:6].reshape(2, 3).clone().requires_grad_(), numbers[6:9].clone().requires_grad_()]
        self.scalar = numbers[11].clone()
        self.make = [*self.leaves, numbers[6:].reshape(2, 3).clone()]

    def hook(self, doubling):
        return lambda grad: grad * 2 if doubling and grad is not None else None


def program_of(steps, errors):
    def program(numbers):
        record = Inputs(numbers)
        for step in steps:
            try:
                record.step(*step)
            except RuntimeError as error:
                errors.append(kind_of(error))
                if step[0] == "backward":
                    break
        grads = [one.grad for one in [*record.leaves, *record.retained] if one.grad is not None]
        return [one.detach().clone() for one in record.make], [grad.clone() for grad in grads]

    return program


def numbers_of(value):
    return [numbers_of(one) for one in value] if isinstance(value, (list, tuple)) else (value.tolist(), value._version)


@pytest.mark.filterwarnings("ignore:wengert.capture:RuntimeWarning")
def test_random_programs_are_replayed_to_the_same_bits():
    replayed = 0
    for seed in range(PROGRAMS):
        steps = random_program(random.Random(seed))
        errors, captured_errors = [], []
        program, captured = program_of(steps, errors), wg.capture(program_of(steps, captured_errors))
        for values in VALUES:
            numbers = wg.tensor(values, dtype=wg.float64)
            expected, got = numbers_of(program(numbers)), numbers_of(captured(numbers))
            assert got == expected, (seed, steps, str(wg.replay.explain(captured).programs))
        replayed += wg.replay.explain(captured).replays
    assert replayed > PROGRAMS
