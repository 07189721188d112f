"""Functions of the namespace made from operations: their names and documentation, and what calls.pyx leaves over.

Numbers are taken in place of any array, as SciPy gives them, and arrays of NumPy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import wengert as wg
from wengert import Tensor

from wengert_numpy.array_api import calls
from wengert_numpy.array_api.axes import Op
from wengert_numpy.array_api.creation import asarray
from wengert_numpy.array_api.promotion import common_dtype, is_number

Function = TypeVar("Function", bound=Callable[..., Any])


def with_signature_of(standard: Callable[..., Any]) -> Callable[[Function], Function]:
    """Return a decorator that shows the standard's signature on a function that scikit-learn calls as NumPy's."""

    def decorate(function: Function) -> Function:
        function.__signature__ = inspect.signature(standard)  # type: ignore[attr-defined]
        return function

    return decorate


def set_name(function: Callable[..., Any], name: str, doc: str) -> Any:
    """Return a closure with the name and the documentation of a function of the namespace."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = "wengert.array_api"
    return function


def unary(op: Op, name: str, doc: str) -> Any:
    """Return the function of one array that is an operation."""
    return set_name(calls.unary(op, general_unary), name, doc)


def binary(op: Op, name: str, doc: str, *, numbers: str = "") -> Any:
    """Return the function of two arrays that is an operation on arrays of one dtype.

    numbers: which operand of the operation may be a number: "both" (one of them), "second", or none.
    """
    return set_name(calls.binary(op, general_binary, numbers == "both", numbers in ("both", "second")), name, doc)


def reduction(op: Op, general: Callable[..., Any], name: str, doc: str, dtypes: Iterable[Any]) -> Any:
    """Return the function that reduces axes, an operation where all elements of one of these dtypes are reduced."""
    return set_name(calls.reduction(op, general, code_bits(dtypes)), name, doc)


def typed_reduction(op: Op, general: Callable[..., Any], name: str, doc: str, dtypes: Iterable[Any]) -> Any:
    """Return the function that reduces axes and takes a dtype."""
    return set_name(calls.typed_reduction(op, general, code_bits(dtypes)), name, doc)


def code_bits(dtypes: Iterable[Any]) -> int:
    """Return a number with a bit for each dtype's code."""
    return sum(1 << dtype.code for dtype in dtypes)


def general_unary(op: Op, x: Any) -> Tensor:
    """Return an operation's result for what is not a tensor."""
    return op(asarray(x))


def general_binary(op: Op, x1: Any, x2: Any) -> Tensor:
    """Return an operation's result for operands of several dtypes, arrays and numbers."""
    return op(*promote_arrays(x1, x2))


def promote_arrays(*values: Any) -> list[Tensor]:
    """Return arrays and numbers as tensors of their common dtype, numbers on the arrays' device."""
    if have_one_dtype(values):
        return list(values)
    values = tuple(value if is_number(value) else asarray(value) for value in values)
    dtype = common_dtype(*values)
    device = next((value.device for value in values if isinstance(value, Tensor)), None)
    return [wg.tensor(value, dtype=dtype, device=device) if is_number(value) else value.to(dtype) for value in values]


def have_one_dtype(values: tuple[Any, ...]) -> bool:
    """Return whether all values are tensors of the same dtype."""
    dtype = None
    for value in values:
        if not isinstance(value, Tensor) or value.dtype is not (dtype or value.dtype):
            return False
        dtype = value.dtype
    return dtype is not None
