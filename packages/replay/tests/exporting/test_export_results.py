"""Results of programs from files: what they are and whose memory they have, as those of the captured function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg

from .exported import last_program, reload_program

RESULTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a parameter": lambda x, w, q: w,
    "a detached parameter": lambda x, w, q: w.detach(),
    "data of a parameter": lambda x, w, q: w.data,
    "both": lambda x, w, q: [w, w.detach(), w.data, w.detach()],
    "one detached tensor twice": lambda x, w, q: [w.detach()] * 2,
    "a detached part": lambda x, w, q: w[:1].detach(),
    "a part": lambda x, w, q: w[1:],
    "a buffer": lambda x, w, q: [q, q.detach(), q[1:]],
    "a buffer, written": lambda x, w, q: [q.add_(x).detach(), q],
    "data of a parameter, and a write": lambda x, w, q: [w.data, w.add_(1).detach()],
    "an argument": lambda x, w, q: [x, x * 2],
    "a new leaf": lambda x, w, q: [(x * 2).requires_grad_(), x * 3],
}


def facts(results: Any, tensors: dict[str, Any]) -> list[Any]:
    found = results if isinstance(results, list) else [results]
    numbers = {id(one): i for i, one in enumerate(found)}
    memory = {one.untyped_storage().data_ptr(): name for name, one in tensors.items()}
    names = {id(one): name for name, one in tensors.items()}
    return [
        (one.tolist(), one.requires_grad, one.is_leaf, one._version, names.get(id(one)), one._is_view(),
         memory.get(one.untyped_storage().data_ptr()), numbers[id(one)])
        for one in found
    ]  # fmt: skip


@pytest.mark.parametrize("case", RESULTS)
def test_results_are_those_of_the_function(case: str) -> None:
    w, q = wg.tensor([1.0, 2.0], requires_grad=True), wg.tensor([3.0, 4.0])

    def function(x: Any) -> Any:
        with wg.no_grad():
            found = RESULTS[case](x, w, q)
            return [*(found if isinstance(found, list) else [found]), w * x, q * x]

    captured = wg.capture(function, quiet=True)
    for _ in range(3):
        captured(wg.ones(2))
    program = reload_program(last_program(captured), names={"w": w, "q": q})
    for _ in range(4):
        x, y = wg.ones(2), wg.ones(2)
        versions = [w._version, q._version], [program.tensors[name]._version for name in "wq"]
        expected, found = facts(function(x), {"w": w, "q": q, "x": x}), facts(program(y), {**program.tensors, "x": y})
        own = [offset(one, *versions[0]) for one in expected], [offset(one, *versions[1]) for one in found]
        assert own[0] == own[1]
    assert program.explanation.replays > 0


def offset(facts: Any, w: int, q: int) -> Any:
    """Return facts with rises of versions: those of a file begin with 0."""
    numbers, requires_grad, is_leaf, version, name, is_view, memory, number = facts
    before = {"w": w, "q": q}.get(memory, 0)
    return numbers, requires_grad, is_leaf, max(version - before, 0), name, is_view, memory, number


@pytest.mark.parametrize("part", [lambda w: w.detach()[:1], lambda w: w.data[1:], lambda w: w.detach().view(2, 1)])
def test_parts_of_a_detached_parameter_require_no_gradient(part: Callable[[Any], Any]) -> None:
    w = wg.tensor([1.0, 2.0], requires_grad=True)

    def function(x: Any) -> Any:
        return [part(w), w.detach() * x]

    captured = wg.capture(function, quiet=True)
    for _ in range(3):
        captured(wg.ones(2))
    program = reload_program(last_program(captured), names={"w": w})
    for _ in range(3):
        expected, found = function(wg.ones(2)), program(wg.ones(2))
        assert [one.tolist() for one in found] == [one.tolist() for one in expected]
        assert [one.requires_grad for one in found] == [False, False]
        assert found[0].untyped_storage().data_ptr() == program.tensors["w"].untyped_storage().data_ptr()
