"""PyTorch's spellings: wengert.cond, and while_loop, scan and associative_scan of wengert._higher_order_ops."""

from __future__ import annotations

from typing import Any

import pytest
import wengert as wg
from wengert import _higher_order_ops as ops
from wengert.func import grad, jacfwd, vmap


def test_cond_takes_its_operands_in_a_tuple() -> None:
    assert wg.cond is ops.cond
    assert wg.cond(wg.tensor(True), lambda a, b: a + b, lambda a, b: a - b, (wg.ones(1), wg.ones(1))).tolist() == [2.0]
    assert wg.cond(False, lambda x: x, lambda x: -x, [3]) == -3
    assert vmap(lambda x: wg.cond(x > 1, lambda x: x * x, lambda x: -x, (x,)))(wg.arange(4.0)).tolist() == [0, -1, 4, 9]


def test_while_loop_gives_its_functions_the_parts_of_the_carry() -> None:
    count, pair = ops.while_loop(lambda i, d: i < 3, lambda i, d: [i + 1, {"x": d["x"] * 2}], (0, {"x": wg.ones(2)}))
    assert type(count) is int
    assert (count, pair["x"].tolist()) == (3, [8.0, 8.0])
    assert isinstance(ops.while_loop(lambda x: False, lambda x: (x,), [wg.ones(1)]), list)
    steps, values = vmap(lambda x: ops.while_loop(lambda i, x: x < 9, lambda i, x: (i + 1, x * 2), (0, x)))(
        wg.tensor([1.0, 5.0, 9.0]))
    assert (steps.tolist(), values.tolist()) == ([4, 1, 0], [16.0, 10.0, 9.0])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", range(1, 10))
def test_associative_scan_is_the_loop(count: int, reverse: bool) -> None:
    def affine(first: Any, second: Any) -> Any:
        return first[0] * second[0], first[1] * second[0] + second[1]

    a, b = wg.arange(1.0, 1.0 + count), wg.arange(float(count)).sub(2)
    found = ops.associative_scan(affine, (a, b), 0, reverse, "generic")
    rows = list(zip(a.tolist(), b.tolist(), strict=True))[::-1 if reverse else 1]
    wanted = [rows[0]]
    for row in rows[1:]:
        wanted.append(affine(wanted[-1], row))
    assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == wanted[::-1 if reverse else 1]


def test_associative_scan_has_derivatives_and_vmap() -> None:
    x = wg.arange(1.0, 7.0, dtype=wg.float64).div(3).reshape(2, 3).requires_grad_()

    def product(x: Any) -> Any:
        return ops.associative_scan(lambda a, b: a * b, x, dim=-1)

    assert wg.allclose(product(x), x.cumprod(-1))
    assert wg.autograd.gradcheck(product, (x,), check_forward_ad=True)
    assert wg.autograd.gradgradcheck(product, (x,))
    y = x.detach()
    assert wg.allclose(vmap(grad(lambda r: product(r).sum()))(y), grad(lambda y: y.cumprod(-1).sum())(y))
    assert wg.allclose(jacfwd(product)(y), jacfwd(lambda y: y.cumprod(-1))(y))


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: ops.scan(lambda c, x: (c, x), wg.ones(()), wg.ones(2), reverse=1), RuntimeError, "Reverse must be a bool"),
    (lambda: ops.associative_scan(lambda a, b: (a, b), wg.ones(2), 0), RuntimeError, r"structure of xs, \*, got"),
    (lambda: ops.associative_scan(lambda a, b: (a + b).double(), wg.ones(2), 0), RuntimeError, "float32.*float64"),
    (lambda: ops.associative_scan(3, wg.ones(2), 0), ValueError, "callable"),
    (lambda: ops.associative_scan(lambda a, b: a, (wg.ones(2), wg.ones(3)), 0), ValueError, r"\[2, 3\]"),
    (lambda: ops.while_loop(lambda x: x < 3, lambda x: x * 2, (wg.ones(()),)), RuntimeError, "same number of outputs"),
    (lambda: ops.while_loop(lambda x: x < 3, lambda x: x, wg.ones(())), RuntimeError, "carried_inputs to be a tuple"),
])
def test_bad_arguments_and_results_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
