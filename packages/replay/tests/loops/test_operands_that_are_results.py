"""Operands of constructs that are their results: the same tensor as in an eager call, also where one is written to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.loops.unrolled import UNROLLED

func = wg.func


def fori(body: Callable[[Any, Any], Any], init: Any, count: Any = 3) -> Any:
    return func.fori_loop(0, count, lambda _, c: body(*c), init)


def scale(a: Any, b: Any) -> Any:
    return a * b, b


def twice(a: Any, b: Any) -> Any:
    found = a * b
    return found, found


def while_loop(x: Any, m: Any, n: Any) -> Any:
    return func.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, *scale(*c[1:])), (n * 0, x, m))


CASES: dict[str, Callable[..., Any]] = {
    "handed on": lambda x, m, n, o: fori(scale, (x, m)),
    "handed on, written": lambda x, m, n, o: (fori(scale, (x, m))[1].add_(1) * 1.0,),
    "written behind": lambda x, m, n, o: (fori(scale, (x, m))[1], m.add_(1))[0] * 1.0,
    "of the function, written": lambda x, m, n, o: (lambda t: (fori(scale, (x, t))[1].add_(1) * 1.0, t * 1.0))(m * 2),
    "from outside": lambda x, m, n, o: fori(scale, (x, o)),
    "from outside, written": lambda x, m, n, o: (fori(scale, (x, o))[1].add_(1) * 1.0,),
    "all": lambda x, m, n, o: fori(lambda a, b: (a, b), (x, m)),
    "places change": lambda x, m, n, o: fori(lambda a, b: (b, a), (x, m)),
    "places change twice": lambda x, m, n, o: fori(lambda a, b: (b, a), (x, m), 2),
    "one iteration": lambda x, m, n, o: fori(lambda a, b: (b, a + b), (x, m), 1),
    "range of any length, written": lambda x, m, n, o: (fori(scale, (x, m), n)[1].add_(1) * 1.0,),
    "while_loop": lambda x, m, n, o: while_loop(x, m, n)[1:],
    "while_loop, written": lambda x, m, n, o: (while_loop(x, m, n)[2].add_(1) * 1.0,),
    "scan": lambda x, m, n, o: func.scan(lambda c, row: ((c[0] * row, c[1]), c[1]), (x, m), wg.ones(3, 2))[0],
    "no iteration": lambda x, m, n, o: fori(scale, (x, m), 0),
    "one result twice": lambda x, m, n, o: [one * 1.0 for one in (lambda r: (r[0].add_(1), r[1]))(fori(twice, (x, m)))],
    "cond": lambda x, m, n, o: func.cond(n > 2, lambda a, b: (a, b * 2), lambda a, b: (a, b * 3), x, m),
    "cond, written": lambda x, m, n, o: (
        func.cond(n > 2, lambda a, b: (a, b * 2), lambda a, b: (a, b * 3), x, m)[0].add_(1) * 1.0,
    ),
    "cond, from outside": lambda x, m, n, o: (
        func.cond(n > 2, lambda a: (a * 2, o), lambda a: (a, o), x)[1].add_(1) * 1.0,
    ),
    "cond in a loop": lambda x, m, n, o: fori(
        lambda a, b: func.cond(a.sum() > 9, lambda a, b: (a * 0.5, b), lambda a, b: (a * b, b), a, b), (x, m)
    ),
}  # fmt: skip


def facts(function: Callable[..., Any], k: int) -> list[Any]:
    """Return what a call gives and what it leaves, tensors by what they are."""
    x, m, n = wg.tensor([1.0, 2.0]) + k, wg.tensor([3.0, 4.0]) + k, wg.tensor(1 + k % 3)
    found = function(x, m, n)
    results = list(found) if isinstance(found, (tuple, list)) else [found]
    names = {id(x): "x", id(m): "m", id(n): "n"}
    memory = {one.untyped_storage().data_ptr(): name for one, name in ((x, "x"), (m, "m"), (n, "n"))}
    return [
        *((one.tolist(), one._version, names.get(id(one)), memory.get(one.untyped_storage().data_ptr()))
          for one in results),
        *((one.tolist(), one._version) for one in (x, m, n)),
    ]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("grad", [False, True])
def test_results_are_those_of_an_eager_call(case: str, grad: bool) -> None:
    UNROLLED.clear()
    outside = [wg.tensor([7.0, 8.0]) for _ in range(2)]
    with wg.set_grad_enabled(grad):
        functions = [lambda x, m, n, one=one: CASES[case](x, m, n, one) for one in outside]
        captured = wg.capture(functions[0], quiet=True)
        for k in range(7):
            assert facts(captured, k) == facts(functions[1], k)
            assert [outside[0].tolist(), outside[0]._version] == [outside[1].tolist(), outside[1]._version]
    assert wg.replay.explain(captured).replays > 0


def test_a_parameter_under_no_grad_is_the_parameter() -> None:
    weight = wg.tensor([7.0, 8.0], requires_grad=True)

    def function(x: Any) -> Any:
        with wg.no_grad():
            same = fori(scale, (x, weight))[1]
            other = func.cond(x.sum() > 4, lambda a: (a * 2, weight), lambda a: (a, weight), x)[1]
        return (same * x + other).sum() * 1.0

    captured = wg.capture(function, quiet=True)
    for k in range(5):
        x = wg.tensor([1.0, 2.0]) + k
        gradients = [wg.autograd.grad(one(x), weight)[0].tolist() for one in (captured, function)]
        assert gradients[0] == gradients[1]
    assert wg.replay.explain(captured).replays > 0
