"""check_formula: a registered op's derivatives, in one line of a test.

>>> from wengert_gradcheck import check_formula
>>> import wengert as wg
>>> x = wg.randn(3, dtype=wg.float64, requires_grad=True)
>>> check_formula("mul", x, 2.0)
>>> check_formula(wg.nn.functional.softplus, x, beta=2.0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import Any, NamedTuple

import wengert_core as wc
from wengert_core.extend import Tensor, find_op, op_names

from wengert_gradcheck.gradcheck import gradcheck
from wengert_gradcheck.gradgradcheck import gradgradcheck
from wengert_gradcheck.subject import is_differentiable


def check_formula(op: str | Callable[..., Any], *inputs: Any, second: bool = True, forward: bool = True,
                  atol: float = 1e-5, rtol: float = 1e-3, **kwargs: Any) -> None:
    """Check the derivatives of an op: reverse and forward mode, and by ``second`` the derivatives of its gradient.

    op: the name of a row of an op table (core's, or that of a plugin that is loaded), or a function.
    inputs, kwargs: the arguments of one call, with tensors of float64 or complex128. All floating tensors among the
    inputs, also in lists, are checked, whether they require grad or not. Without inputs the op's samples of
    wengert-testing are used, in float64, and in complex128 where the op takes it; ImportError where that is not
    installed, LookupError when it has no samples of the op.

    Raises GradcheckError with the call it failed for, as gradcheck does; a test needs no assert.

    >>> check_formula("exp", wc.tensor([0.5, 1.0], dtype=wc.float64))
    """
    function = function_of(op) if isinstance(op, str) else op
    if inputs:
        check_call(function, inputs, kwargs, second, forward, atol, rtol)
        return
    if not isinstance(op, str):
        raise TypeError("check_formula: a function is checked for inputs: check_formula(func, x, ...); only a name of "
                        "an op can do without, by the samples of wengert-testing")
    for case, args, keywords in samples(op):
        twice = second and case.grad != "first"
        check_call(in_case(case, function), args, {**keywords, **kwargs}, twice, forward, atol, rtol)


def in_case(case: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with what a sample's row does before it (a Hermitian matrix of any) and after it (no phases)."""
    @wraps(function)
    def prepare_call(*args: Any, **kwargs: Any) -> Any:
        return case.results(function(*case.arguments(args), **kwargs))

    return prepare_call


def function_of(name: str) -> Callable[..., Any]:
    """The op, composite or method of Tensor with a name."""
    found: Any = wc.TABLE.ops.get(name)
    if found is None and name in op_names():
        found = find_op(name)
    found = found if found is not None else getattr(Tensor, name, None)
    if found is None:
        raise LookupError(f"check_formula: there is no op {name!r} in the tables that are loaded")
    return found  # type: ignore[no-any-return]


def check_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], second: bool,
               forward: bool, atol: float, rtol: float) -> None:
    """One call: its floating tensors become the variables of the check."""
    variables: list[Tensor] = []

    def take_values(value: Any) -> Any:
        if isinstance(value, Constant):
            return value.tensor
        if is_differentiable(value):
            variables.append(value.detach().clone().requires_grad_())
            return Slot(len(variables) - 1)
        return type(value)(map(take_values, value)) if isinstance(value, (list, tuple)) else value

    positions = take_values(tuple(args))
    keywords = {name: take_values(value) for name, value in kwargs.items()}

    def call(*given: Tensor) -> Any:
        results = function(
            *fill_variables(positions, given), **{name: fill_variables(v, given) for name, v in keywords.items()}
        )
        return tuple(results) if isinstance(results, (tuple, list)) else results

    if not variables:
        raise ValueError("check_formula: there is no floating or complex tensor among the arguments")
    try:
        gradcheck(call, variables, atol=atol, rtol=rtol, check_forward_ad=forward)
        if second:
            gradgradcheck(call, variables, atol=atol, rtol=rtol, check_fwd_over_rev=forward)
    except Exception as error:
        error.add_note(f"check_formula: {getattr(function, '__name__', function)} of {short_call(args, kwargs)}")
        raise


class Constant(NamedTuple):
    """A tensor that derivatives are not checked by."""

    tensor: Tensor


class Slot(int):
    """Stands for a variable, by its number."""


def fill_variables(value: Any, given: tuple[Tensor, ...]) -> Any:
    """An argument with the variables in their places."""
    if isinstance(value, Slot):
        return given[value]
    return type(value)(fill_variables(v, given) for v in value) if type(value) in (list, tuple) else value


def short_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A call's arguments, shortly."""
    def short(value: Any) -> str:
        return f"{value.dtype}{list(value.shape)}" if isinstance(value, Tensor) else repr(value)

    return f"({', '.join([*map(short, args), *(f'{k}={short(v)}' for k, v in kwargs.items())])})"


def samples(op: str) -> Iterator[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
    """(row, args, kwargs) of the sample table's rows for an op."""
    try:
        table: Any = import_module("wengert_testing.samples")
        calls: Any = import_module("wengert_testing.calls")
    except ImportError as error:
        raise ImportError("check_formula without inputs uses the samples of wengert-testing: pip install "
                          "'wengert-gradcheck[formulas]', or give it the inputs of a call") from error
    fixed: Any = import_module("wengert_testing.case").Fixed

    def tensor_of(array: Any) -> Any:
        tensor = calls.contiguous(array)
        return Constant(tensor) if isinstance(array, fixed) else tensor

    cases = [case for case in table.CASES if case.op == op and case.grad]
    if not cases:
        raise LookupError(f"check_formula: wengert-testing has no samples of {op!r} that are differentiable; give it "
                          "the inputs of a call")
    for case in cases:
        for dtype in ("float64", "complex128") if case.complex else ("float64",):
            for sample in case.samples(dtype):
                args, kwargs = calls.as_tensors(sample, tensor_of)
                if any(is_differentiable(value) for value in flatten_values((args, tuple(kwargs.values())))):
                    yield case, args, kwargs


def flatten_values(value: Any) -> Iterator[Any]:
    """The values in nested tuples and lists."""
    if isinstance(value, (list, tuple)) and not isinstance(value, Constant):
        for one in value:
            yield from flatten_values(one)
    else:
        yield value
