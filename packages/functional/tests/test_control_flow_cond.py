"""cond: one function for one predicate, both for a batch of them; and hooks of all constructs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert.func import cond, fori_loop, grad, hessian, jvp, scan, vmap, while_loop
from wengert_functional.control_flow import constructs

F64 = wg.float64


def pick(x: Any) -> Any:
    """A root where there is one: its derivative elsewhere is not finite."""
    return cond(x > 0, lambda x: x.sqrt(), lambda x: x * x, x)


@pytest.mark.parametrize("true", [True, 1, np.True_, wg.tensor(True), wg.tensor([2.0])])
def test_the_predicate_chooses_and_the_other_function_is_not_called(true: Any) -> None:
    def fail(*operands: Any) -> Any:
        raise AssertionError("the other function was called")

    assert cond(true, lambda a, b: {"sum": a + b}, fail, 1, 2) == {"sum": 3}
    false = not true if not isinstance(true, wg.Tensor) else true == 0
    assert cond(false, fail, lambda: None) is None


def test_gradients_pass_gradcheck_to_the_second_order() -> None:
    for value in (0.7, -0.7):
        x = wg.tensor(value, dtype=F64, requires_grad=True)
        assert wg.autograd.gradcheck(pick, (x,), check_forward_ad=True)
        assert wg.autograd.gradgradcheck(pick, (x,))


def test_the_elements_of_a_batch_choose() -> None:
    x = wg.tensor([-4.0, 4.0, -2.0], dtype=F64)
    assert vmap(pick)(x).tolist() == [16.0, 2.0, 4.0]
    assert vmap(vmap(pick))(x.reshape(3, 1)).tolist() == [[16.0], [2.0], [4.0]]
    assert vmap(lambda p: cond(p, lambda: {"a": 1.0}, lambda: {"a": 2.0})["a"])(x > 0).tolist() == [2.0, 1.0, 2.0]
    rows = vmap(lambda p, row: cond(p, lambda r: r, lambda r: -r, row), in_dims=(0, None))(x > 0, wg.ones(2))
    assert rows.tolist() == [[-1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]]


def test_a_function_that_was_not_chosen_adds_nothing_to_gradients() -> None:
    x = wg.tensor([-4.0, 4.0, 0.0], dtype=F64)
    assert vmap(grad(pick))(x).tolist() == [-8.0, 0.25, 0.0]
    assert grad(lambda x: vmap(pick)(x).sum())(x).tolist() == [-8.0, 0.25, 0.0]
    assert vmap(hessian(pick))(x).tolist() == [2.0, -0.03125, 2.0]
    assert vmap(lambda x: jvp(pick, (x,), (x,))[1])(x[:2]).tolist() == [32.0, 1.0]


def test_none_stands_for_itself_in_results() -> None:
    found = vmap(lambda x: cond(x > 0, lambda x: (x, None), lambda x: (-x, None), x)[0])(wg.tensor([-1.0, 1.0]))
    assert found.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: cond("a", lambda: 1, lambda: 2), RuntimeError, "Expected pred to be bool or tensor, but got a"),
    (lambda: cond(None, lambda: 1, lambda: 2), RuntimeError, "Expected pred to be bool or tensor, but got None"),
    (lambda: cond(wg.ones(2), lambda: 1, lambda: 2), RuntimeError, r"single-element tensor.*\[2\]"),
    (lambda: cond(True, 1, lambda: 2), TypeError, "true_fun.*callable"),
    (lambda: vmap(lambda x: cond(x > 0, lambda: x, lambda: (x,)))(wg.ones(2)), RuntimeError, "same structure"),
    (lambda: vmap(lambda x: cond(x > 0, lambda: x, lambda: x.double()))(wg.ones(2)), RuntimeError, "float32.*float64"),
    (lambda: vmap(lambda x: cond(x > 0, lambda: x, lambda: wg.ones(3)))(wg.ones(2)), RuntimeError, r"\[\].*\[3\]"),
    (lambda: vmap(lambda x: cond(x > 0, lambda: x, lambda: "a"))(wg.ones(2)), TypeError, "the result.*a"),
])
def test_bad_arguments_and_results_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


# ---- hooks

@pytest.fixture
def operands_by_construct() -> Iterator[dict[str, tuple[Any, ...]]]:
    """The operands of constructs, which hooks note before they leave the work to the plain loop."""
    seen: dict[str, tuple[Any, ...]] = {}
    for name in constructs.CONSTRUCTS:
        assert constructs.set_hook(name, lambda *operands, name=name: seen.update({name: operands}) or NotImplemented) \
            is None
    yield seen
    for name in constructs.CONSTRUCTS:
        constructs.set_hook(name, None)


def test_hooks_get_flat_operands_and_may_decline(operands_by_construct: dict[str, tuple[Any, ...]]) -> None:
    x = wg.tensor(2.0)
    assert scan(lambda c, x: (c, {"y": x[0]}), (x,), [wg.ones(3, 2)], dim=1)[1]["y"].shape == (3, 2)
    assert while_loop(lambda c: c["a"] < 5, lambda c: {"a": c["a"] * 2}, {"a": x})["a"].item() == 8
    assert fori_loop(0, 2, lambda i, c: c + i, x).item() == 3
    assert cond(wg.tensor([True]), lambda a: (a,), lambda a: (-a,), x) == (x,)
    step, carry, xs, length, reverse = operands_by_construct["scan"]
    assert (carry, [tuple(t.shape) for t in xs], length, reverse) == ([x], [(2, 3)], 2, False)
    assert [len(part) for part in step(carry, [xs[0][0]])] == [1, 1]
    test, body, carry = operands_by_construct["while_loop"]
    assert (bool(test(carry)), body(carry)[0].item()) == (True, 4.0)
    lower, upper, body, carry = operands_by_construct["fori_loop"]
    assert (lower, upper, body(wg.tensor(5), carry)[0].item()) == (0, 2, 7.0)
    predicate, first, second, operands = operands_by_construct["cond"]
    assert (predicate.shape, first(operands), second(operands)[0].item()) == ((), [x], -2.0)


def test_a_hook_takes_a_construct_over() -> None:
    try:
        assert constructs.set_hook("fori_loop", lambda lower, upper, body, carry: body(wg.tensor(upper), carry)) is None
        assert fori_loop(0, 5, lambda i, c: [c[0] * i], [wg.tensor(2.0)])[0].item() == 10.0
    finally:
        assert constructs.set_hook("fori_loop", None) is not None
    with pytest.raises(ValueError, match="scan, while_loop, fori_loop, cond, got 'until'"):
        constructs.set_hook("until", None)
