"""The transforms of wengert.func inside of each other, beside the user's own graphs, and what they leave behind."""

import gc
import sys
import threading
import weakref
from collections import OrderedDict, defaultdict, deque, namedtuple
from itertools import product
from typing import Any

import pytest
import wengert as wg
from wengert.autograd import forward_ad
from wengert.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from wengert_functional import trees
from wengert_functional.levels import STATE

ONE = wg.tensor(1.0, dtype=wg.float64)


def by_jvp(function: Any) -> Any:
    return lambda x: jvp(function, (x,), (wg.ones_like(x),))[1]


def by_vjp(function: Any) -> Any:
    return lambda x: vjp(function, x)[1](wg.ones_like(x))[0]


def by_linearize(function: Any) -> Any:
    return lambda x: linearize(function, x)[1](wg.ones_like(x))


DERIVATIVES = {"grad": grad, "jacrev": jacrev, "jacfwd": jacfwd, "jvp": by_jvp, "vjp": by_vjp,
               "linearize": by_linearize}


@pytest.mark.parametrize("names", [pytest.param(names, id=" of ".join(names))
                                   for count in (1, 2, 3) for names in product(DERIVATIVES, repeat=count)])
def test_transforms_of_transforms(names: tuple[str, ...]) -> None:
    """x^5 differentiated up to three times, in every order of the transforms."""
    function, factor = lambda x: x**5, 1.0
    for power, name in zip((5, 4, 3), reversed(names), strict=False):
        function, factor = DERIVATIVES[name](function), factor * power
    x = wg.tensor(1.5, dtype=wg.float64)
    result = function(x)
    assert result.item() == pytest.approx(factor * 1.5 ** (5 - len(names)))
    assert not result.requires_grad
    assert STATE.depth == 0
    assert not STATE.leaves


@pytest.mark.parametrize(("outer", "inner"), list(product(DERIVATIVES, repeat=2)))
def test_levels_are_told_apart(outer: str, inner: str) -> None:
    """d/dx (x * d/dy (x * y * y) at y = x) = d/dx (2 x^3) = 6 x^2: the inner one sees the outer x as a constant."""
    def function(x: Any) -> Any:
        return x * DERIVATIVES[inner](lambda y: x * y * y)(x)

    assert DERIVATIVES[outer](function)(wg.tensor(2.0, dtype=wg.float64)).item() == pytest.approx(24.0)


@pytest.mark.parametrize(("outer", "inner"), list(product(DERIVATIVES, repeat=2)))
def test_the_inner_one_does_not_see_the_outer_ones_input(outer: str, inner: str) -> None:
    """d/dx (d/dy (x + y) at y = 1) = 0."""
    def function(x: Any) -> Any:
        return DERIVATIVES[inner](lambda y: x + y)(wg.ones_like(ONE))

    assert DERIVATIVES[outer](function)(wg.tensor(2.0, dtype=wg.float64)).item() == 0


@pytest.mark.parametrize("name", DERIVATIVES)
def test_results_are_connected_to_the_users_own_graph(name: str) -> None:
    x = wg.tensor(2.0, requires_grad=True)
    w = wg.tensor(3.0, requires_grad=True)
    result = DERIVATIVES[name](lambda x: w * x**3)(x)
    by_x, by_w = wg.autograd.grad(result, (x, w))
    assert (by_x.item(), by_w.item()) == (36.0, 12.0)
    assert x.grad is None
    assert w.grad is None


@pytest.mark.parametrize("name", DERIVATIVES)
def test_no_graph_without_grad_mode(name: str) -> None:
    x = wg.tensor(2.0, requires_grad=True)
    with wg.no_grad():
        result = DERIVATIVES[name](lambda x: x**3)(x)
    assert result.item() == 12.0
    assert not result.requires_grad


@pytest.mark.parametrize("name", DERIVATIVES)
def test_inside_a_level_of_forward_mode(name: str) -> None:
    with forward_ad.dual_level():
        x = forward_ad.make_dual(wg.tensor(2.0), wg.tensor(1.0))
        result = DERIVATIVES[name](lambda x: x**3)(x)
        primal, tangent = forward_ad.unpack_dual(result)
        assert (primal.item(), tangent.item()) == (12.0, 12.0)


@pytest.mark.parametrize("name", DERIVATIVES)
def test_an_error_closes_the_level(name: str) -> None:
    def fail(x: Any) -> Any:
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        DERIVATIVES[name](fail)(ONE)
    assert STATE.depth == 0
    assert DERIVATIVES[name](lambda x: x * x)(ONE).item() == 2


@pytest.mark.parametrize("name", DERIVATIVES)
def test_what_was_recorded_is_freed(name: str) -> None:
    kept = []

    def watch(x: Any) -> Any:
        y = x * x
        kept.append(weakref.ref(y))
        return y * 1

    gc.disable()
    try:
        DERIVATIVES[name](watch)(ONE)
        assert [reference() for reference in kept] == [None] * len(kept)
    finally:
        gc.enable()


def test_a_vjp_is_called_again_and_again() -> None:
    x = wg.tensor([1.0, 2.0])
    value, pull = vjp(lambda x: x * x * x, x)
    assert not value.requires_grad
    for weight in (1.0, 2.0):
        (result,) = pull(wg.full((2,), weight))
        assert result.tolist() == [3 * weight, 12 * weight]
        assert not result.requires_grad


def test_arguments_are_not_changed_in_place_in_reverse_mode() -> None:
    x = wg.tensor([1.0, 2.0])
    for transform in (grad, jacrev):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
            transform(lambda x: x.mul_(2).sum())(x)
    assert x.tolist() == [1.0, 2.0]
    output, tangent = jvp(lambda x: x.mul_(2).sum(), (x,), (wg.ones(2),))
    assert (output.item(), tangent.item(), x.tolist()) == (6.0, 4.0, [2.0, 4.0])


def test_products_with_a_vector_that_another_transform_differentiates() -> None:
    x = wg.tensor([1.0, 2.0])
    _, pull = vjp(lambda x: x * x * x, x)
    _, push = linearize(lambda x: x * x * x, x)
    for function in (lambda v: pull(v)[0].sum(), lambda v: push(v).sum()):
        result = grad(function)(wg.ones(2))
        assert result.tolist() == [3.0, 12.0]
        assert not result.requires_grad
        assert jvp(function, (wg.ones(2),), (wg.ones(2),))[1].item() == 15.0


def test_linearize_calls_its_function_once() -> None:
    calls = []
    _, push = linearize(lambda x: (calls.append(1), x * x)[1], wg.tensor([1.0, 2.0]))
    assert push(wg.tensor([1.0, 0.0])).tolist() == [2.0, 0.0]
    assert push(wg.tensor([0.0, 1.0])).tolist() == [0.0, 4.0]
    assert len(calls) == 1
    assert linearize(lambda x: wg.ones(3), wg.ones(2))[1](wg.ones(2)).tolist() == [0.0, 0.0, 0.0]


def test_the_derivative_of_a_linearized_function() -> None:
    """PyTorch 2.13 gives uninitialized memory here."""
    x = wg.tensor([1.0, 2.0], dtype=wg.float64)
    result = grad(lambda x: linearize(lambda x: (x**3).sum(), x)[1](wg.ones_like(x)))(x)
    assert result.tolist() == [6.0, 12.0]


Pair = namedtuple("Pair", "first second")  # noqa: PYI024


@pytest.mark.parametrize("build", [
    lambda x, y: (x, y), lambda x, y: [x, y], lambda x, y: {"b": x, "a": y}, lambda x, y: Pair(x, y),
    lambda x, y: OrderedDict(b=x, a=y), lambda x, y: defaultdict(list, b=x, a=y), lambda x, y: deque([x, y], maxlen=3),
    lambda x, y: {"deep": [(x,), {"er": y}]},
])
def test_nests_go_in_and_come_out(build: Any) -> None:
    x, y = wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0])

    def first_squared(tree: Any) -> Any:
        first, second = trees.flatten(tree)[0]
        return (first * first).sum() + second.sum()

    result = grad(first_squared)(build(x, y))
    assert type(result) is type(build(x, y))
    assert [leaf.tolist() for leaf in trees.flatten(result)[0]] == [[2.0, 4.0], [1.0, 1.0]]
    output = jacrev(lambda x: build(x * x, x + 1))(x)
    assert str(trees.flatten(output)[1]) == str(trees.flatten(build(1, 2))[1])
    forward = jacfwd(lambda x: build(x * x, x + 1))(x)
    assert [leaf.tolist() for leaf in trees.flatten(forward)[0]] == [leaf.tolist() for leaf in trees.flatten(output)[0]]


def test_the_cotangents_of_a_dict_come_in_the_outputs_order() -> None:
    x = wg.tensor([1.0, 2.0])
    _, pull = vjp(lambda x: {"a": x, "b": 2 * x}, x)
    assert pull({"a": wg.ones(2), "b": wg.zeros(2)})[0].tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="same as pytree structure of outputs"):
        pull({"b": wg.zeros(2), "a": wg.ones(2)})


def test_the_hessian_of_a_network_in_forward_and_reverse_mode() -> None:
    wg.manual_seed(0)
    x, w = wg.randn(4, dtype=wg.float64), wg.randn(3, 4, dtype=wg.float64)

    def loss(x: Any) -> Any:
        return (w @ x).tanh().square().sum().exp()

    results = [transform(loss)(x) for transform in (
        hessian, lambda f: jacrev(jacrev(f)), lambda f: jacfwd(jacfwd(f)), lambda f: jacrev(jacfwd(f)),
        lambda f: jacrev(grad(f)), lambda f: jacfwd(grad(f)),
    )]
    results.append(wg.autograd.functional.hessian(loss, x))
    results.append(wg.autograd.functional.hessian(loss, x, vectorize=True, outer_jacobian_strategy="forward-mode"))
    for result in results[1:]:
        assert (result - results[0]).abs().max() < 1e-12 * results[0].abs().max()


def test_keyword_arguments_and_aux_in_inner_transforms() -> None:
    def loss(x: Any, scale: float = 1.0) -> Any:
        return (x * x).sum() * scale, {"doubled": 2 * x}

    x = wg.tensor([1.0, 2.0])
    gradient, (value, aux) = grad_and_value(loss, has_aux=True)(x, scale=3.0)
    assert (gradient.tolist(), value.item(), aux["doubled"].tolist()) == ([6.0, 12.0], 15.0, [2.0, 4.0])
    assert not aux["doubled"].requires_grad
    jacobian, aux = jacfwd(grad(loss, has_aux=True), has_aux=True)(x)
    assert jacobian.tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert aux["doubled"].tolist() == [2.0, 4.0]
    assert forward_ad.unpack_dual(aux["doubled"]).tangent is None


@pytest.mark.parametrize("transform", [
    hessian, lambda f: jacrev(jacfwd(f)), lambda f: jacrev(jacrev(f)), lambda f: jacfwd(jacfwd(f)),
    lambda f: lambda x: wg.vmap(hessian(f))(x[None])[0],
])
def test_a_result_that_is_filled_part_by_part(transform: Any) -> None:
    def fill(x: Any) -> Any:
        out = wg.zeros_like(x)
        out[0] = x.sum()
        out[1] = (x * x).sum()
        out += x
        return out

    found = transform(fill)(wg.tensor([1.0, 2.0]))
    assert found.tolist() == [[[0.0, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]]]


def test_forward_mode_in_several_threads_at_once():
    """One thread has the dual level, the others take the other way; none finds that it was taken meanwhile."""
    x = wg.arange(3.0)
    tangent, jacobian = jvp(wg.sin, (x,), (x,))[1], jacfwd(wg.sin)(x)
    wrong = []

    def use():
        try:
            for _ in range(100):
                assert jvp(wg.sin, (x,), (x,))[1].allclose(tangent)
                assert jacfwd(wg.sin)(x).allclose(jacobian)
                assert hessian(lambda t: (t**3).sum())(x).allclose(wg.diag(6 * x))
        except BaseException as error:
            wrong.append(repr(error))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert wrong == []
