"""Calls of clients of the array API for tests: tensors against arrays, both modes against differences of the arrays.

>>> problem(Call("sum", varying(2, 3), axis=0))
''
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import wengert as wg
from wengert.autograd import forward_ad

from .numpy_calls import Call, Varying, leaves

STEP = 1e-6


class Constant(Varying):
    """An array for which a tensor is put that has no history."""


def constant(values: Any) -> Constant:
    """Return values for which a tensor without a history is put."""
    return Constant(np.asarray(values))


class ClientCall(Call):
    """A call of a client's function.

    gradient: whether floating results have a derivative; a function, which chooses of the results those that have one.
    result: what is taken of the function's result, where that is an object.
    converts: whether the function, NumPy's only, gives arrays for tensors without a history.
    infinite: whether the client computes infinities or NaN that it does not select, whose derivatives need
        ``strong_zeros``.
    mutates: whether the client writes into what has been saved for backward, so that it needs
        ``allow_mutation_on_saved_tensors``.
    known: part of the text of a problem that is known, and expected.
    refused: part of the message of the error for tensors with a history, where the client converts to NumPy.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        *args: Any,
        gradient: bool | Callable[[Any], Any] = True,
        result: Callable[[Any], Any] | None = None,
        converts: bool = False,
        infinite: bool = False,
        mutates: bool = False,
        refused: str = "",
        known: str = "",
        rtol: float = 1e-7,
        atol: float = 1e-10,
        derivative_rtol: float = 1e-5,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, *args, function=function, **kwargs)
        self.select = gradient if callable(gradient) else (lambda result: result if gradient else ())
        self.result = result
        self.converts, self.infinite, self.mutates = converts, infinite, mutates
        self.refused, self.known = refused, known
        self.rtol, self.atol, self.derivative_rtol = rtol, atol, derivative_rtol

    def tensors(self, requires_grad: bool = True) -> list[Any]:
        """Return new tensors of what varies, with a history where derivatives are taken."""
        made = super().tensors(requires_grad)
        for one, source in zip(made, self.inputs(), strict=True):
            if isinstance(source, Constant):
                one.requires_grad_(False)
        return made

    def context(self) -> contextlib.ExitStack:
        """Return the modes that the call's derivatives need."""
        stack = contextlib.ExitStack()
        if self.mutates:
            stack.enter_context(wg.autograd.graph.allow_mutation_on_saved_tensors())
        if self.infinite:
            stack.enter_context(wg.autograd.strong_zeros())
        return stack

    def run(self, values: list[Any]) -> Any:
        """Return what is compared of the call's result."""
        result = super().run(values)
        return result if self.result is None else self.result(result)


def problem(call: ClientCall) -> str:
    """Return what is wrong with a call on tensors, with a history and without; the empty string for nothing."""
    text = ""
    try:
        with warnings_of() as expected_warnings:
            expected = leaves(call.on_arrays())
        with warnings_of() as seen:
            check(call, expected)
        assert call.refused or seen <= expected_warnings, f"warnings of tensors only: {seen - expected_warnings}"
    except Exception as error:
        text = f"{call}: {type(error).__name__}: {error}"
    if call.known:
        return "" if call.known in text else f"{call}: expected the known problem {call.known!r}, got {text!r}"
    return text


def check(call: ClientCall, expected: list[Any]) -> None:
    """Assert that a call on tensors gives the expected results, and their derivatives."""
    got = leaves(call.on_tensors(requires_grad=False))
    compare(call, expected, [wg.tensor(np.array(one)) for one in got] if call.converts else got)
    if call.refused:
        assert_refused(call)
    else:
        compare(call, expected, leaves(call.on_tensors()))
        compare_derivatives(call)


def assert_refused(call: ClientCall) -> None:
    """Assert that tensors with a history are refused, with the message that the call names."""
    try:
        call.on_tensors()
    except (RuntimeError, TypeError, ValueError) as error:
        text = str(error)
    else:
        text = "no error"
    assert call.refused in text, f"expected the error {call.refused!r}, got {text!r}"


@contextlib.contextmanager
def warnings_of() -> Iterator[set[str]]:
    """Collect the categories and texts of the warnings of a block."""
    seen: set[str] = set()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield seen
    seen.update(f"{one.category.__name__}: {str(one.message)[:80]}" for one in caught)


def compare(call: ClientCall, expected: list[Any], got: list[Any]) -> None:
    """Assert that results are tensors with the values, dtypes and shapes of arrays."""
    assert len(expected) == len(got), f"{len(got)} results, expected {len(expected)}"
    for wanted, found in zip(expected, got, strict=True):
        if isinstance(wanted, (np.ndarray, np.generic)) or (isinstance(wanted, float) and isinstance(found, wg.Tensor)):
            assert isinstance(found, wg.Tensor), f"{type(found).__name__} in place of a tensor"
            assert tuple(found.shape) == np.shape(wanted), f"shape {tuple(found.shape)}, expected {np.shape(wanted)}"
            assert np.dtype(found.dtype) == np.asarray(wanted).dtype, f"{found.dtype}, not {np.asarray(wanted).dtype}"
            np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=call.rtol, atol=call.atol)
        elif isinstance(wanted, float):
            np.testing.assert_allclose(found, wanted, rtol=call.rtol, atol=call.atol)
        else:
            assert found == wanted, f"{found!r}, expected {wanted!r}"


def is_inexact(value: Any) -> bool:
    """Return whether an array, a scalar or a tensor has a dtype that may have a derivative."""
    if isinstance(value, wg.Tensor):
        return bool(value.dtype.is_floating_point or value.dtype.is_complex)
    return isinstance(value, (float, complex)) or (hasattr(value, "dtype") and value.dtype.kind in "fc")


def inexact_leaves(tree: Any) -> list[Any]:
    """Return the floating and complex results."""
    return [one for one in leaves(tree) if is_inexact(one)]


def compare_derivatives(call: ClientCall) -> None:
    """Assert that both modes give the differences of the results for arrays, along a random direction."""
    inputs = [one.array for one in call.inputs()]
    places = [i for i, one in enumerate(call.inputs()) if is_inexact(one.array) and not isinstance(one, Constant)]
    results = [np.asarray(one) for one in inexact_leaves(call.select(call.run(list(inputs))))]
    if not places or not results:
        return
    rng = np.random.default_rng(0)
    directions = {i: random_like(rng, inputs[i]) for i in places}
    weights = [random_like(rng, one) for one in results]

    def at_step(step: float) -> Any:
        moved = [one + step * directions[i] if i in directions else one for i, one in enumerate(inputs)]
        return sum(
            float(np.real(np.vdot(weight, np.nan_to_num(one))))
            for weight, one in zip(weights, inexact_leaves(call.select(call.run(moved))), strict=True)
        )

    expected = (at_step(STEP) - at_step(-STEP)) / (2 * STEP)
    options = {"rtol": call.derivative_rtol, "atol": 1e-7 * max(1.0, abs(expected))}
    np.testing.assert_allclose(reverse(call, directions, weights), expected, err_msg="reverse mode", **options)
    np.testing.assert_allclose(forward(call, directions, weights), expected, err_msg="forward mode", **options)


def random_like(rng: np.random.Generator, array: Any) -> Any:
    """Return random numbers in the shape and of the kind of an array."""
    real = rng.standard_normal(np.shape(array))
    return real + 1j * rng.standard_normal(np.shape(array)) if np.iscomplexobj(array) else real


def reverse(call: ClientCall, directions: dict[int, Any], weights: list[Any]) -> float:
    """Return the derivative of the weighted results along the directions by backward."""
    tensors = call.tensors()
    with call.context():
        results = inexact_leaves(call.select(call.run(list(tensors))))
        for one in results:
            assert getattr(one, "requires_grad", False), "a result has no history"
        total = sum(
            wg.real((wg.nan_to_num(one) * wg.tensor(np.conj(weight))).sum())
            for one, weight in zip(results, weights, strict=True)
        )
        total.backward()  # type: ignore[union-attr]
    return sum(
        float(np.real(np.vdot(tensors[i].grad.numpy(), direction)))
        for i, direction in directions.items()
        if tensors[i].grad is not None
    )


def forward(call: ClientCall, directions: dict[int, Any], weights: list[Any]) -> float:
    """Return the derivative of the weighted results along the directions by tangents."""
    with call.context(), forward_ad.dual_level():
        values = list(call.tensors(requires_grad=False))
        for i, direction in directions.items():
            values[i] = forward_ad.make_dual(values[i], wg.tensor(direction))
        results = inexact_leaves(call.select(call.run(values)))
        tangents = [forward_ad.unpack_dual(one).tangent for one in results]
    return sum(
        float(np.real(np.vdot(weight, np.where(np.isnan(one.numpy()), 0, tangent.numpy()))))
        for weight, tangent, one in zip(weights, tangents, map(forward_free, results), strict=True)
        if tangent is not None
    )


def forward_free(result: Any) -> Any:
    """Return a result of forward mode without its tangent."""
    return forward_ad.unpack_dual(result).primal if isinstance(result, wg.Tensor) else result
