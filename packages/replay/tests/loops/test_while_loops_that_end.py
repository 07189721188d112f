"""While loops that end, in the recording, with a carry that no iteration begins with."""

from __future__ import annotations

import pytest
import wengert as wg
from wengert_replay.exporting import ProgramGuardError

from ..exporting.exported import bits, last_program, reload_program

func = wg.func


def transpose(n, x):
    """Strides change with each iteration."""
    return func.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1].t()), (n * 0, x * 2))


def copy(n, x):
    """Strides change with the first iteration, and the test needs memory of its own."""
    return func.while_loop(lambda c: (c[1].sin().cumsum(0) * 0 + c[0]).sum() < 9 * n,
                           lambda c: (c[0] + 1, (c[1] + c[0]).contiguous() * 0.5), (n * 0, x.t()))  # fmt: skip


def numbers(k):
    return wg.arange(9.0).reshape(3, 3) * 0.1 + k


@pytest.mark.parametrize("function", [transpose, copy])
@pytest.mark.parametrize("counts", [(1, 1, 1, 1), (1, 1, 2, 2, 2, 1, 1), (0, 1, 1, 3, 3, 4), (2, 2, 1, 1, 0, 0)])
def test_loops_that_end_behind_the_first_iterations(function, counts):
    captured = wg.capture(function)
    for k, n in enumerate(counts):
        assert bits(captured(wg.tensor(n), numbers(k))) == bits(function(wg.tensor(n), numbers(k)))
    explanation = wg.replay.explain(captured)
    assert explanation.replays
    assert [step.name for step in explanation.programs[-1].steps].count("while_loop") == 1


@pytest.mark.parametrize("function", [transpose, copy])
@pytest.mark.parametrize("recorded", [1, 2, 3])
def test_such_loops_from_files(function, recorded):
    captured = wg.capture(function)
    for _ in range(2):
        _, before = captured(wg.tensor(recorded), numbers(0))
    for order in ((1, 1, 1), (3, 3, 1, 1, 2), (recorded, recorded, 0, 0)):
        program = reload_program(last_program(captured))
        for k, n in enumerate(order):
            try:
                found = bits(program(wg.tensor(n), numbers(k)))
            except ProgramGuardError:  # no body goes on, or the result would have other strides
                _, expected = function(wg.tensor(n), numbers(k))
                assert n > recorded == 1 or expected.stride() != before.stride()
            else:
                assert found == bits(function(wg.tensor(n), numbers(k)))


def test_its_gradient():
    def differentiate(n, x):
        x = x.detach().requires_grad_()
        _, y = func.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, (c[1] * c[1]).contiguous()), (n * 0, x.t()))
        return wg.autograd.grad((y * y).sum(), x)

    captured = wg.capture(differentiate, quiet=True)
    for k, n in enumerate((1, 1, 1, 2, 1, 3, 0, 1, 1)):
        assert bits(captured(wg.tensor(n), numbers(k))) == bits(differentiate(wg.tensor(n), numbers(k)))
    assert wg.replay.explain(captured).replays
