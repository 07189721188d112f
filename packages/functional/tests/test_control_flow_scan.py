"""scan: values, derivatives, vmap, structure, and what it refuses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import wengert as wg
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, scan, vmap

F64 = wg.float64
XS = wg.arange(6.0, dtype=F64).mul(0.7).sin().reshape(3, 2)
W = wg.arange(4.0, dtype=F64).mul(1.3).cos().reshape(2, 2)


class Pair(NamedTuple):
    first: Any
    second: Any


def add(total: Any, x: Any) -> tuple[Any, Any]:
    return total + x, total * x


def cell(h: Any, x: Any) -> tuple[Any, Any]:
    """A step of a recurrent network."""
    h = (W @ h + x).tanh()
    return h, h * x.sum()


def loop(f: Any, carry: Any, xs: Any) -> tuple[Any, Any]:
    """A scan written out."""
    ys = []
    for x in xs:
        carry, y = f(carry, x)
        ys.append(y)
    return carry, wg.stack(ys)


def objective(xs: Any, run: Any = scan) -> Any:
    h, ys = run(cell, wg.ones(2, dtype=F64), xs)
    return (h * ys).sum()


def close(found: Any, expected: Any) -> None:
    assert tuple(found.shape) == tuple(expected.shape)
    np.testing.assert_allclose(found.detach().cpu().numpy(), expected.detach().cpu().numpy(), rtol=1e-10, atol=1e-12)


def test_values_are_those_of_the_loop() -> None:
    carry, ys = scan(cell, wg.ones(2, dtype=F64), XS)
    wanted = loop(cell, wg.ones(2, dtype=F64), XS)
    close(carry, wanted[0])
    close(ys, wanted[1])


def test_reverse_goes_from_the_last_row_and_keeps_the_order_of_outputs() -> None:
    carry, ys = scan(add, wg.tensor(1.0), wg.tensor([1.0, 2.0, 3.0]), reverse=True)
    assert (carry.tolist(), ys.tolist()) == (7.0, [6.0, 8.0, 3.0])
    x = wg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    recorded = scan(add, wg.tensor(1.0), x, None, True)[1]
    assert recorded.tolist() == [6.0, 8.0, 3.0]
    assert wg.autograd.grad(recorded.sum(), x)[0].tolist() == [6.0, 5.0, 4.0]


def test_dim_is_that_of_rows_and_outputs() -> None:
    carry, ys = scan(add, wg.zeros(2), wg.arange(6.0).reshape(2, 3), dim=-1)
    assert carry.tolist() == [3.0, 12.0]
    assert ys.tolist() == [[0.0, 0.0, 2.0], [0.0, 12.0, 35.0]]
    assert scan(lambda c, x: (c, x.sum()), 0.0, wg.ones(2, 3), dim=1)[1].tolist() == [2.0, 2.0, 2.0]


def test_keys_of_dicts_may_change_their_order() -> None:
    def step(c: Any, x: Any) -> Any:
        y = {"x": x, "c": c["c"]}
        return {"x": x, "c": c["c"] + x}, y if x < 1 else dict(reversed(y.items()))

    carry, ys = scan(step, {"c": 0.0, "x": 0.0}, wg.arange(3.0))
    assert list(carry) == ["c", "x"]
    assert (carry["c"].item(), ys["c"].tolist(), ys["x"].tolist()) == (3.0, [0.0, 0.0, 1.0], [0.0, 1.0, 2.0])


def test_length_takes_the_place_of_rows() -> None:
    carry, ys = scan(lambda c, x: (c * 2, (c, x)), 1, None, length=4)
    assert carry.item() == 16
    assert ys[0].tolist() == [1, 2, 4, 8]
    assert ys[1] is None
    assert scan(add, 0.0, wg.ones(3), 3, unroll=True)[0].item() == 3


def test_carry_rows_and_outputs_may_be_nested() -> None:
    def step(state: Any, row: Any) -> Any:
        total = state["total"] + row[0] * row[1]["y"]
        return {"count": state["count"] + 1, "total": total, "none": None}, Pair(total, [None, row[0]])

    init = {"total": wg.tensor(0.0), "count": 0, "none": None}
    state, ys = scan(step, init, (wg.arange(3.0), {"y": np.ones(3, "float32")}))
    assert list(state) == ["total", "count", "none"]
    assert (state["total"].item(), state["count"].item(), state["none"]) == (3.0, 3, None)
    assert isinstance(ys, Pair)
    assert ys.first.tolist() == [0.0, 1.0, 3.0]
    assert ys.second[0] is None
    assert ys.second[1].tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("shape", [(0, 2), (0, 2, 3)])
def test_no_rows_give_the_first_carry_and_outputs_without_rows(shape: tuple[int, ...]) -> None:
    state = wg.get_rng_state()
    init = wg.zeros(2, requires_grad=True)
    carry, ys = scan(lambda c, x: (c * wg.rand(2), {"y": x.double(), "n": x.sum().long()}), init, wg.ones(shape))
    assert carry is init
    assert (ys["y"].shape, ys["y"].dtype) == (shape, F64)
    assert (ys["n"].shape, ys["n"].dtype) == ((0,), wg.int64)
    assert wg.equal(state, wg.get_rng_state())


def test_outputs_without_a_graph_are_written_into_one_tensor() -> None:
    seen = []

    def step(c: Any, x: Any) -> Any:
        seen.append(c)
        return c + x, c

    with wg.no_grad():
        ys = scan(step, wg.zeros((), requires_grad=True), wg.arange(4.0))[1]
    assert ys.tolist() == [0.0, 0.0, 1.0, 3.0]
    assert ys.data_ptr() not in [c.data_ptr() for c in seen]
    assert ys.untyped_storage().nbytes() == 16


@pytest.mark.parametrize("reverse", [False, True])
def test_outputs_may_begin_to_require_grad_later(reverse: bool) -> None:
    p = wg.tensor(2.0, requires_grad=True)
    ys = scan(lambda c, x: (c * p, c * x), wg.tensor(1.0), wg.ones(3), reverse=reverse)[1]
    ys.backward(wg.ones(3))
    assert ys.tolist() == ([1.0, 2.0, 4.0][::-1] if reverse else [1.0, 2.0, 4.0])
    assert p.grad.item() == 5.0


# ---- derivatives and vmap

def test_gradients_pass_gradcheck_to_the_second_order() -> None:
    def f(h: Any, xs: Any) -> Any:
        return scan(cell, h, xs, reverse=True)

    inputs = wg.ones(2, dtype=F64, requires_grad=True), XS.clone().requires_grad_()
    assert wg.autograd.gradcheck(f, inputs, check_forward_ad=True, check_batched_grad=True)
    assert wg.autograd.gradgradcheck(f, inputs)


def test_derivatives_are_those_of_the_loop() -> None:
    for transform in (grad, jacrev, jacfwd, hessian, lambda f: jacfwd(jacfwd(f))):
        close(transform(objective)(XS), transform(lambda xs: objective(xs, loop))(XS))
    close(jvp(objective, (XS,), (XS,))[1], (grad(objective)(XS) * XS).sum())


def test_tensors_from_outside_get_gradients() -> None:
    w = wg.tensor(0.5, dtype=F64, requires_grad=True)
    scan(lambda c, x: (c * w + x, None), wg.ones(2, dtype=F64), XS)[0].sum().backward()
    close(w.grad, grad(lambda w: loop(lambda c, x: (c * w + x, c), wg.ones(2, dtype=F64), XS)[0].sum())(w.detach()))


def test_vmap_is_the_loop_over_the_batch() -> None:
    batch = wg.stack([XS, XS * 2, XS - 1])
    close(vmap(objective)(batch), wg.stack([objective(xs) for xs in batch]))
    close(vmap(grad(objective))(batch), wg.stack([grad(objective)(xs) for xs in batch]))
    close(grad(lambda b: vmap(objective)(b).sum())(batch), vmap(grad(objective))(batch))
    nested = vmap(vmap(lambda h, x: scan(add, h, x), in_dims=(0, None)), in_dims=(None, 0))
    carry, ys = nested(wg.arange(2.0), wg.arange(6.0).reshape(2, 3))
    assert carry.tolist() == [[3.0, 4.0], [12.0, 13.0]]
    assert ys.shape == (2, 2, 3)
    assert vmap(lambda x: scan(add, 0.0, x))(wg.zeros(2, 0))[1].shape == (2, 0)


def test_a_batch_may_begin_in_a_later_row() -> None:
    ys = vmap(lambda a: scan(lambda c, x: (c + a, c), 0.0, length=3)[1])(wg.tensor([1.0, 2.0]))
    assert ys.tolist() == [[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]


# ---- refusals

@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: scan(lambda c, x: (c.double(), x), 0.0, wg.ones(2)), RuntimeError, "float32.*float64.*cast it"),
    (lambda: scan(lambda c, x: (x, x), 0.0, wg.ones(2, 3)), RuntimeError, r"same metadata.*\[\].*\[3\]"),
    (lambda: scan(lambda c, x: ((c, c), x), 0.0, wg.ones(2)), RuntimeError, r"same number of outputs.*\(\*, \*\)"),
    (lambda: scan(lambda c, x: ({"b": c["a"]}, x), {"a": 0.0}, wg.ones(2)), RuntimeError, "'a'.*'b'"),
    (lambda: scan(lambda c, x: (None, x), 0.0, wg.ones(2)), RuntimeError, "structure None"),
    (lambda: scan(lambda c, x: (c, x if x < 1 else (x,)), 0.0, wg.arange(2.0)), RuntimeError, "structure for each row"),
    (lambda: scan(lambda c, x: (c, x if x < 1 else x.int()), 0.0, wg.arange(2.0)), RuntimeError, "same metadata.*row"),
    (lambda: scan(lambda c, x: ((c[0], {"{k}": x.double()}), x), (0.0, {"{k}": 0.0}), wg.ones(2)), RuntimeError,
     r"carry\[1\]\['{k}'\] is shape: \[\], dtype: .*or begin with a carry of torch.float64"),
    (lambda: scan(lambda c, x: (c, "text"), 0.0, wg.ones(2)), TypeError, "got 'text' of type str"),
    (lambda: scan(lambda c, x: c, 0.0, wg.ones(2)), TypeError, "pair"),
    (lambda: scan(add, "text", wg.ones(2)), TypeError, "leaves of init.*text"),
    (lambda: scan(3, 0.0, wg.ones(2)), TypeError, "callable.*3"),
    (lambda: scan(add, 0.0), ValueError, "length"),
    (lambda: scan(add, 0.0, wg.ones(2), 3), ValueError, r"\[2\] and length=3"),
    (lambda: scan(add, 0.0, None, -1), ValueError, "not negative"),
    (lambda: scan(add, 0.0, (wg.ones(2), wg.ones(3))), ValueError, r"\[2, 3\]"),
    (lambda: scan(add, 0.0, wg.tensor(1.0)), ValueError, "number of dimensions"),
    (lambda: scan(add, 0.0, (wg.ones(2, 2), wg.ones(2)), dim=-1), ValueError, "number of dimensions"),
    (lambda: scan(add, 0.0, wg.ones(2), dim="a"), TypeError, "Dim must be an int"),
    (lambda: scan(add, 0.0, wg.ones(2), unroll=-1), ValueError, "unroll"),
])
def test_bad_arguments_and_results_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"scan: .*{words}"):
        call()


def test_an_error_of_the_function_comes_through() -> None:
    def fail(c: Any, x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        scan(fail, 0.0, wg.ones(2))
