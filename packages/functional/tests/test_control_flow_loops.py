"""while_loop and fori_loop: values, derivatives, elements of a batch that end at different times, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert.func import fori_loop, grad, hessian, jacfwd, jacrev, vmap, while_loop

F64 = wg.float64
STARTS = wg.tensor([0.5, 1.5, 3.0, 9.0, 100.0], dtype=F64)


def roots(x: Any, shift: Any = 1.0) -> Any:
    """A loop whose body has no finite value for an element that is done."""
    return while_loop(lambda y: y > 1, lambda y: (y - shift).sqrt(), x)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found.detach().cpu().numpy(), expected.detach().cpu().numpy(), rtol=1e-10, atol=1e-12)


def test_a_loop_runs_while_its_test_holds() -> None:
    assert while_loop(lambda x: x < 100, lambda x: x * x, wg.tensor([3.0])).tolist() == [6561.0]
    start = wg.tensor(200.0)
    assert while_loop(lambda x: x < 100, lambda x: x * x, start) is start


def test_a_carry_may_be_nested_and_a_test_a_bool() -> None:
    found = while_loop(lambda s: bool(s["n"] < 3), lambda s: {"x": [s["x"][0] * 2, None], "n": s["n"] + 1},
                       {"n": 0, "x": [wg.ones(2), None]})
    assert list(found) == ["n", "x"]
    assert (found["n"].item(), found["x"][0].tolist(), found["x"][1]) == (3, [8.0, 8.0], None)
    assert while_loop(lambda x: np.bool_(x.item() < 3), lambda x: x + 1, 0).item() == 3


@pytest.mark.parametrize("loop", [
    lambda x: while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, (s[1] * x).sin()), (0, x))[1],
    lambda x: fori_loop(1, 4, lambda i, y: (y * x + i).sin(), x),
])
def test_gradients_pass_gradcheck_to_the_second_order(loop: Any) -> None:
    x = wg.tensor([0.3, -1.2], dtype=F64, requires_grad=True)
    assert wg.autograd.gradcheck(loop, (x,), check_forward_ad=True, check_batched_grad=True)
    assert wg.autograd.gradgradcheck(loop, (x,))
    close(jacfwd(loop)(x.detach()), jacrev(loop)(x.detach()))


# ---- vmap

def test_each_element_of_a_batch_ends_when_its_own_test_fails() -> None:
    close(vmap(roots)(STARTS), wg.stack([roots(x) for x in STARTS]))
    close(vmap(vmap(roots))(STARTS[1:].reshape(2, 2)), vmap(roots)(STARTS[1:]).reshape(2, 2))
    rows = vmap(lambda a: vmap(lambda b: while_loop(lambda c: c < a * b, lambda c: c + b, 0.0))(wg.tensor([1.0, 2.0])))
    assert rows(wg.tensor([1.0, 5.0])).tolist() == [[1.0, 2.0], [5.0, 10.0]]


def test_a_test_with_one_element_may_have_dims() -> None:
    found = vmap(lambda x: while_loop(lambda y: y < 4, lambda y: y * 2, x))(wg.tensor([[1.0], [3.0], [5.0]]))
    assert found.tolist() == [[4.0], [6.0], [5.0]]


@pytest.mark.parametrize("transform", [grad, jacfwd, hessian])
def test_derivatives_of_finished_elements_stay_finite(transform: Any) -> None:
    close(vmap(transform(roots))(STARTS), wg.stack([transform(roots)(x) for x in STARTS]))


def test_gradients_of_a_whole_batch_are_those_of_its_elements() -> None:
    close(grad(lambda x: vmap(roots)(x).sum())(STARTS), vmap(grad(roots))(STARTS))
    shift = wg.tensor(1.0, dtype=F64)
    found = grad(lambda s: vmap(lambda x: roots(x, s))(STARTS[1:]).sum())(shift)
    close(found, sum(grad(lambda s, x=x: roots(x, s))(shift) for x in STARTS[1:]))


def test_bounds_may_differ_between_elements() -> None:
    counts = wg.tensor([0, 2, 4])
    factorial = vmap(lambda n: fori_loop(0, n, lambda i, x: x * (i + 1), 1))
    assert factorial(counts).tolist() == [1, 2, 24]
    assert vmap(lambda n: fori_loop(n, 5, lambda i, x: x + i, 0))(counts).tolist() == [10, 9, 4]
    powers = vmap(grad(lambda x, n: fori_loop(0, n, lambda i, y: y * x, 1.0)), in_dims=(None, 0))
    assert powers(wg.tensor(2.0), counts).tolist() == [0.0, 4.0, 32.0]


def test_an_index_is_a_tensor_that_selects() -> None:
    x = wg.tensor([1.0, 10.0, 100.0], requires_grad=True)
    total = fori_loop(wg.tensor(0), np.int64(2), lambda i, s: s + x[i] * i, 0.0)
    total.backward()
    assert (total.item(), x.grad.tolist()) == (10.0, [0.0, 1.0, 0.0])
    assert fori_loop(3, 1, lambda i, s: s + i, 7, unroll=2).item() == 7


# ---- refusals

@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: while_loop(lambda x: x < 3, lambda x: x.double(), 1.0), RuntimeError, "same metadata.*float32.*float64"),
    (lambda: while_loop(lambda x: x < 3, lambda x: (x, x), 1.0), RuntimeError, "same number of outputs"),
    (lambda: while_loop(lambda x: x < 3, lambda x: x, wg.ones(2)), TypeError, r"scalar tensor or a bool.*\[2\]"),
    (lambda: while_loop(lambda x: "yes", lambda x: x, 1.0), TypeError, "scalar tensor or a bool.*yes"),
    (lambda: while_loop(lambda x: x < 3, lambda x: None, 1.0), RuntimeError, "structure None: does it lack a return"),
    (lambda: while_loop(1, lambda x: x, 1.0), TypeError, "cond_fun.*callable"),
    (lambda: while_loop(lambda x: False, None, 1.0), TypeError, "body_fun.*callable"),
    (lambda: while_loop(lambda x: False, lambda x: x, object()), TypeError, "leaves of init_val"),
    (lambda: fori_loop(0, 2, lambda i, x: x.long(), 1.0), RuntimeError, "same metadata"),
    (lambda: fori_loop(0, 2, lambda i, x: (x[0], None, x[2] * 1.5), (1.0, None, 1)), RuntimeError,
     r"carry\[2\] is shape.*int64.*or begin with a carry of torch\.float32"),
    (lambda: fori_loop(0, 1.5, lambda i, x: x, 1.0), TypeError, "upper.*1.5"),
    (lambda: fori_loop(wg.ones(2).int(), 2, lambda i, x: x, 1.0), TypeError, r"lower.*\[2\]"),
    (lambda: fori_loop(0, wg.tensor(2.0), lambda i, x: x, 1.0), TypeError, "upper.*float32"),
])
def test_bad_arguments_and_results_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
