"""Generators of the user's own in functions whose results have a graph: numbers are those of the call in backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg

DRAWS: dict[str, Callable[[Any, Any], Any]] = {
    "rand": lambda x, rng: wg.rand(2, generator=rng),
    "randn": lambda x, rng: wg.randn(2, generator=rng) + wg.randn(2),
    "rand, twice": lambda x, rng: wg.rand(2, generator=rng) * wg.rand(2, generator=rng),
    "bernoulli": lambda x, rng: wg.bernoulli(wg.full((2,), 0.5), generator=rng),
    "poisson, which is called": lambda x, rng: wg.poisson(wg.full((2,), 3.0), generator=rng),
    "in place": lambda x, rng: wg.empty(2).exponential_(generator=rng),
    "a loop": lambda x, rng: wg.func.fori_loop(0, 3, lambda i, c: c + wg.rand(2, generator=rng), wg.zeros(2)),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("n_calls", [1, 2, 3])
@pytest.mark.parametrize("is_argument", [False, True])
@pytest.mark.parametrize("validate", [False, True])
def test_calls_and_backwards_draw_as_in_an_eager_run(
    name: str, create_graph: bool, n_calls: int, is_argument: bool, validate: bool
) -> None:
    def run(capture: Any) -> Any:
        wg.manual_seed(1)
        own = wg.Generator().manual_seed(2)
        function = capture(lambda x, rng: (x * x).sin() * DRAWS[name](x, rng if is_argument else own))
        for k in range(5):
            xs = [wg.tensor([0.5, 1.0 + k], requires_grad=True) for _ in range(n_calls)]
            results = [function(x, own if is_argument else None) for x in xs]
            for x, y in zip(xs, results, strict=True):
                (slope,) = wg.autograd.grad(y.sum(), x, create_graph=create_graph)
                yield y.tolist(), slope.tolist(), wg.rand(1, generator=own).item(), wg.rand(1).item()
                if create_graph:
                    yield wg.autograd.grad(slope.sum(), x)[0].tolist()
            if k == 2:
                own.manual_seed(7)

    found = list(run(lambda function: wg.capture(function, quiet=True, validate=validate)))
    assert found == list(run(lambda function: function))


def test_calls_with_a_generator_are_replayed() -> None:
    own = wg.Generator()
    captured = wg.capture(lambda x: (x * wg.rand(2, generator=own)).sum())
    for _ in range(6):
        x = wg.ones(2, requires_grad=True)
        captured(x).backward()
    assert wg.replay.explain(captured).replays >= 3
    assert wg.replay.explain(captured).reasons == []


@pytest.mark.parametrize("n_calls", [1, 2])
def test_gradients_of_dropout_are_replayed(n_calls: int) -> None:
    captured = wg.capture(lambda x: wg.nn.functional.dropout(x * x, 0.5).sum())
    for _ in range(5):
        xs = [wg.ones(20, requires_grad=True) for _ in range(n_calls)]
        for result in [captured(x) for x in xs]:
            result.backward()
    assert wg.replay.explain(captured).reasons == []
    assert [one.reruns for one in wg.replay.explain(captured).programs] == [n_calls - 1]


@pytest.mark.parametrize("draws_first", [False, True])
def test_a_loop_that_draws_from_a_generator_of_its_own(draws_first: bool) -> None:
    def run(capture: Any) -> Any:
        own = wg.Generator().manual_seed(3)

        def body(i: Any, c: Any) -> Any:
            return c * wg.rand(2, generator=own) + wg.rand(2)

        def function(x: Any) -> Any:
            x = x * wg.rand(2, generator=own) if draws_first else x
            return wg.func.cond(x.sum() > -9, lambda x: x + wg.rand(2, generator=own), lambda x: x * 2,
                                wg.func.fori_loop(0, 3, body, x))  # fmt: skip

        wg.manual_seed(4)
        called = capture(function)
        for k in range(4):
            yield called(wg.full((2,), float(k))).tolist(), wg.rand(1, generator=own).item(), wg.rand(1).item()

    assert list(run(lambda function: wg.capture(function, quiet=True))) == list(run(lambda function: function))
