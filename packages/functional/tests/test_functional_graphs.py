"""What autograd.functional leaves behind: no graph unless one is wanted, and one that differentiates if it is."""

import gc
import weakref
from typing import Any

import pytest
import wengert as wg
from wengert.autograd import forward_ad, functional

X = [0.3, -1.2, 0.7]
ONES = [1.0, 1.0, 1.0]


def cubes(x: Any) -> Any:
    return (x * x * x).sum()


CALLS = {
    "jacobian": lambda x, **keywords: functional.jacobian(lambda x: x * x * x, x, **keywords),
    "hessian": lambda x, **keywords: functional.hessian(lambda x: (x**4).sum(), x, **keywords),
    "vjp": lambda x, **keywords: functional.vjp(lambda x: x * x * x, x, wg.tensor(ONES), **keywords)[1],
    "jvp": lambda x, **keywords: functional.jvp(lambda x: x * x * x, x, wg.tensor(ONES), **keywords)[1],
    "vhp": lambda x, **keywords: functional.vhp(lambda x: (x**4).sum(), x, wg.tensor(ONES), **keywords)[1],
    "hvp": lambda x, **keywords: functional.hvp(lambda x: (x**4).sum(), x, wg.tensor(ONES), **keywords)[1],
}


@pytest.mark.parametrize("name", CALLS)
def test_without_create_graph_there_is_none(name: str) -> None:
    x = wg.tensor(X, requires_grad=True)
    result = CALLS[name](x)
    assert not result.requires_grad
    assert result.grad_fn is None
    assert x.grad is None


@pytest.mark.parametrize("name", CALLS)
def test_with_create_graph_it_is_connected_to_the_inputs(name: str) -> None:
    x = wg.tensor(X, requires_grad=True, dtype=wg.float64)
    (gradient,) = wg.autograd.grad(CALLS[name](x, create_graph=True).sum(), x)
    factor = 24.0 if name in ("hessian", "vhp", "hvp") else 6.0  # of the derivative of 12 x^2, or of 3 x^2
    expected = [factor * value for value in [0.3, -1.2, 0.7]]
    assert gradient.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", CALLS)
def test_what_was_recorded_is_freed(name: str) -> None:
    kept = []

    def watch(x: Any) -> Any:
        y = x * x
        kept.append(weakref.ref(y))
        return y if name in ("jacobian", "vjp", "jvp") else y.sum()

    x = wg.tensor(X)
    function = getattr(functional, name)
    gc.disable()
    try:
        result = function(watch, x) if name in ("jacobian", "hessian") else function(watch, x, wg.tensor(ONES))
        assert [reference() for reference in kept] == [None] * len(kept)
    finally:
        gc.enable()
    assert result is not None


def test_inputs_are_not_changed() -> None:
    x = wg.tensor(X)
    functional.hessian(cubes, x, create_graph=True)
    assert not x.requires_grad
    assert x.is_leaf


@pytest.mark.parametrize("vectorize", [False, True])
def test_a_jacobian_of_no_elements_is_empty(vectorize: bool) -> None:
    """PyTorch raises here, and so do its loops over rows; the answer is an empty tensor."""
    x = wg.tensor(X)
    assert functional.jacobian(lambda x: x[:0], x, vectorize=vectorize).shape == (0, 3)
    assert functional.jacobian(lambda x: x, x[:0], vectorize=vectorize).shape == (0, 0)
    assert functional.jacobian(lambda x: x[:0], x, vectorize=True, strategy="forward-mode").shape == (0, 3)


def test_forward_mode_nests_tuples_as_reverse_mode_does() -> None:
    inputs = (wg.tensor(X), wg.tensor(ONES))

    def function(x: Any, y: Any) -> Any:
        return x * y, x.sum()

    by_rows = functional.jacobian(function, inputs)
    by_columns = functional.jacobian(function, inputs, vectorize=True, strategy="forward-mode")
    assert isinstance(by_columns, tuple)
    assert isinstance(by_columns[0], tuple)
    for row, column in zip(by_rows, by_columns, strict=True):
        for one, other in zip(row, column, strict=True):
            assert one.tolist() == other.tolist()
    hessians = functional.hessian(lambda x, y: (x * x * y).sum(), inputs, vectorize=True,
                                  outer_jacobian_strategy="forward-mode")
    expected = functional.hessian(lambda x, y: (x * x * y).sum(), inputs)
    for row, column in zip(hessians, expected, strict=True):
        for one, other in zip(row, column, strict=True):
            assert one.tolist() == pytest.approx(other.tolist()) if one.ndim == 1 else (one - other).abs().max() < 1e-6
            assert not one.requires_grad


def test_many_outputs_are_done_in_blocks() -> None:
    """Unit vectors are made for some rows at a time."""
    x = wg.linspace(0, 1, 700, dtype=wg.float64)
    result = functional.jacobian(lambda x: x * x, x)
    assert (result - (2 * x).diag()).abs().max() == 0


def test_a_function_that_changes_its_result_in_place() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        y[0] = x[1] * x[2]
        return y.mul_(x)

    x = wg.tensor(X, dtype=wg.float64)
    by_rows = functional.jacobian(function, x)
    by_columns = functional.jacobian(function, x, vectorize=True, strategy="forward-mode")
    assert (by_rows - by_columns).abs().max() < 1e-12


def test_a_custom_function() -> None:
    class Square(wg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * grad

    x = wg.tensor(X)
    assert functional.jacobian(Square.apply, x).diag().tolist() == (2 * x).tolist()
    assert functional.jvp(Square.apply, x, wg.tensor(ONES))[1].tolist() == (2 * x).tolist()


def test_inside_a_level_of_forward_mode() -> None:
    """A Jacobian with a graph carries the tangents of its input: its derivative in that direction."""
    with forward_ad.dual_level():
        x = forward_ad.make_dual(wg.tensor(X), wg.tensor(ONES))
        jacobian = functional.jacobian(lambda x: x * x * x, x, create_graph=True)
        tangent = forward_ad.unpack_dual(jacobian).tangent
        assert tangent.diag().tolist() == pytest.approx([6 * value for value in X])
