"""Custom Functions in captured functions: what they give, mark and save, and what they change beside that."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import wengert as wg

from ..differential.scenarios import compare_runs


class Reversal(wg.autograd.Function):
    """The argument itself, with the gradient's sign changed."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return -grads[0]


class Pass(wg.autograd.Function):
    """One argument itself, and something else."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x, y * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return -grads[0], grads[1]


def without_gradients(x: Any) -> Any:
    with wg.no_grad():
        return Reversal.apply(x)


USES = {
    "argument": lambda x, w: Reversal.apply(x) * w,
    "leaf": lambda x, w: Reversal.apply(w) * x,
    "value": lambda x, w: Reversal.apply(x * 2) * w,
    "no gradient": lambda x, w: without_gradients(x) * w,
    "detached": lambda x, w: Reversal.apply(x.detach()) * w,
    "gradient": lambda x, w: wg.autograd.grad((Reversal.apply(x) * w).sum(), [x, w]),
    "one of two": lambda x, w: sum(Pass.apply(x, x * w)),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_function_that_gives_its_argument_is_replayed(use: Any) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.ones(3, requires_grad=True)
        function = capture(lambda x: use(x, w))
        for number in range(7):
            x = wg.tensor([1.0, 2.0, 3.0 + number], requires_grad=True)
            w.grad = None
            result = function(x)
            if isinstance(result, wg.Tensor):
                result.sum().backward()
            yield result, x.grad, w.grad

    assert compare_runs(generate).replays >= 5


class Largest(wg.autograd.Function):
    """The largest number, and where it is, which is saved."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        value, index = x.max(0)
        ctx.mark_non_differentiable(index)
        ctx.save_for_backward(index, x)
        return value, index

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        index, x = ctx.saved_tensors
        return wg.zeros_like(x).index_fill_(0, index, 1) * grads[0]


@pytest.mark.parametrize("gives_gradient", [False, True])
def test_a_result_that_is_not_differentiable_may_be_saved(gives_gradient: bool) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        w = wg.ones(3, requires_grad=True)

        def step(x: Any) -> Any:
            value, index = Largest.apply(x * w)
            return (wg.autograd.grad(value, w)[0], index) if gives_gradient else (value, index)

        function = capture(step)
        for number in range(7):
            w.grad = None
            value, index = function(wg.tensor([1.0, 2.0, 3.0 - number]))
            if not gives_gradient:
                value.backward()
            yield value, index, w.grad

    assert compare_runs(generate).replays >= 5


class Square(wg.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x * x

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2 * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return tangents[0] * 2 * ctx.saved_tensors[0]


TRANSFORMS = {
    "save_for_forward, grad": lambda x: wg.func.grad(lambda a: Square.apply(a).sum())(x),
    "save_for_forward, jvp": lambda x: wg.func.jvp(Square.apply, (x,), (x * 0 + 1,)),
    "save_for_forward, hessian": lambda x: wg.func.hessian(lambda a: Square.apply(a).sum())(x),
    "aux of jvp": lambda x: wg.func.jvp(lambda a: (a.sin(), a * 2), (x,), (x * 0 + 1,), has_aux=True),
    "aux of jacfwd": lambda x: wg.func.jacfwd(lambda a: (a.sin(), a * 2), has_aux=True)(x),
    "aux of jacrev": lambda x: wg.func.jacrev(lambda a: (a.sin(), a * 2), has_aux=True)(x),
}


@pytest.mark.parametrize("use", TRANSFORMS.values(), ids=TRANSFORMS)
def test_what_transforms_leave_behind_is_stored_by_nobody(use: Any) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        function = capture(use)
        for number in range(6):
            yield function(wg.tensor([0.5, 1.0 + number]))

    assert compare_runs(generate).replays >= 4


VERSIONS = {
    "before": lambda b, x: (raise_versions(b), x * b)[1],
    "behind": lambda b, x: (x * b, raise_versions(b))[0],
    "alone": lambda b, x: (raise_versions(b), x * 2)[1],
    "in a list": lambda b, x: (raise_versions([b, b]), x * 2)[1],
    "argument": lambda b, x: (raise_versions(x), x * 2)[1],
    "view": lambda b, x: (raise_versions(b[1:]), x * 2)[1],
    "beside a write": lambda b, x: (raise_versions(b), b.add_(1), raise_versions(b), x * b)[3],
    "value": lambda b, x: (lambda y: (raise_versions(y), y)[1])(x * 2),
}
raise_versions = wg.autograd.graph.increment_version


@pytest.mark.parametrize("has_graph", [False, True])
@pytest.mark.parametrize("use", VERSIONS.values(), ids=VERSIONS)
def test_versions_that_the_function_raises_rise_in_replays(use: Any, has_graph: bool) -> None:
    def generate(capture: Any) -> Iterator[Any]:
        b, w = wg.zeros(3), wg.ones(3, requires_grad=has_graph)
        function = capture(lambda x: use(b, x) * w)
        for _ in range(6):
            x = wg.ones(3)
            result = function(x)
            yield result, b._version, x._version

    outcome = compare_runs(generate)
    assert outcome.replays >= 4 or "an argument is written to, and a result has a graph" in outcome.reasons[0]


class Counter(wg.autograd.Function):
    """The gradient depends on how often the graph was run."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.n = 0
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        ctx.n += 1
        return grads[0] * ctx.n


class Release(Counter):
    """What the context has is dropped in backward, which is no effect."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        factor = ctx.n
        ctx.n = None
        return grads[0] * (factor + 1)


def test_a_backward_that_counts_in_its_context_gives_a_warning() -> None:
    w = wg.ones(2, requires_grad=True)

    def gradient(kind: Any) -> None:
        wg.capture(lambda x: wg.autograd.grad(kind.apply(x * w).sum(), w)[0])(wg.ones(2))

    with pytest.warns(RuntimeWarning, match=r"Counter.backward .* changes 'n' of an object, and reads it"):
        gradient(Counter)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(Release)
