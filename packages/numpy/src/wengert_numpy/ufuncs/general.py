"""Ufuncs whose call is not simply that of an op: dtypes by NumPy's rules, out=, where=, axes, and their methods."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import wengert as wg
from wengert import Tensor

from wengert_numpy import errors
from wengert_numpy.operands import FROM_NUMPY, NUMBERS, TO_NUMPY, numpy_dtype, to_tensor, weak, write_out
from wengert_numpy.ufuncs import rows as ufuncs

KNOWN = (Tensor, np.ndarray, np.generic, *NUMBERS, list, tuple)


def general_ufunc(self: Tensor, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
    """Return the result of a method of a ufunc, of which an input or an output is a tensor.

    Raises TypeError for what is no ufunc, and for a method that ufuncs do not have.
    """
    if not isinstance(getattr(ufunc, "__name__", None), str):
        raise TypeError(f"__array_ufunc__(): argument 'ufunc' must be a ufunc, got {type(ufunc).__name__}")
    outputs = kwargs.get("out") or ()
    for value in (*inputs, *(outputs if isinstance(outputs, tuple) else (outputs,))):
        protocol = getattr(type(value), "__array_ufunc__", self)
        if not isinstance(value, KNOWN) and protocol is not self:
            return NotImplemented
    row = ufuncs.row_of(ufunc)
    if row is None:
        raise errors.unsupported_function(name_of(ufunc), ufuncs.ABSENT.get(ufunc.__name__, ""))
    if method == "__call__":
        return call(row, ufunc, inputs, **kwargs)
    from wengert_numpy.ufuncs import methods

    run: Any = methods.METHODS.get(method) if isinstance(method, str) else None
    if run is None:
        raise TypeError(f"__array_ufunc__(): argument 'method' must name a method of ufuncs, got {method!r:.60}")
    return run(row, ufunc, *inputs, **kwargs)


def name_of(ufunc: Any) -> str:
    """Return a ufunc's name for messages."""
    name: str = ufunc.__name__
    return f"numpy.{name}" if getattr(np, name, None) is ufunc else name


def call(
    row: ufuncs.Row,
    ufunc: Any,
    inputs: tuple[Any, ...],
    *,
    out: Any = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
    sig: Any = None,
    **gufunc: Any,
) -> Any:
    """Return what a ufunc gives for inputs that are tensors, arrays and numbers.

    gufunc: axis, axes and keepdims, which only ufuncs of vectors and matrices have.
    """
    name = ufunc.__name__
    if len(inputs) > ufunc.nin:
        out = (*inputs[ufunc.nin :], *(None,) * (ufunc.nin + ufunc.nout - len(inputs))) if out is None else out
        inputs = inputs[: ufunc.nin]
    outs = out if isinstance(out, tuple) else (out,) if out is not None else (None,) * ufunc.nout
    inputs = tuple(operand(x, name) for x in inputs)
    loop = loop_dtypes(ufunc, inputs, outs, casting, dtype, signature if sig is None else sig)
    if ufunc in COMPARISONS and any(map(out_of_bounds, inputs, loop)):
        return write_out(outs[0], comparison_with_any(ufunc, inputs, loop), name, casting, where)
    tensors = [constant_or_tensor(x, kind, name) for x, kind in zip(inputs, loop[: ufunc.nin], strict=True)]
    if ufunc.signature is not None:
        results = row.run_core(tensors, **gufunc)
    elif gufunc:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(gufunc))}'")
    else:
        results = run_elementwise(row, tensors)
    results = results if isinstance(results, tuple) else (results,)
    finished = []
    for result, kind, target in zip(results, loop[ufunc.nin :], outs, strict=True):
        wanted = FROM_NUMPY.get(kind)
        result = result if wanted is None or result.dtype is wanted else result.to(wanted)
        if target is None and where is not True:
            # NumPy leaves these elements uninitialized; zeros are what a result can be without a surprise
            mask = to_tensor(where, name, "where").to(wg.bool)
            np.broadcast_shapes(tuple(mask.shape), tuple(result.shape))  # NumPy's error
            result = wg.where(mask, result, wg.zeros((), dtype=result.dtype, device=result.device))
        finished.append(write_out(target, result, name, casting, where))
    return finished[0] if ufunc.nout == 1 else tuple(finished)


def operand(x: Any, name: str) -> Any:
    """Return an input as a tensor, numbers as they are. TypeError for what tensors have no dtype for."""
    if isinstance(x, (Tensor, *NUMBERS, np.generic)):
        return x
    try:
        return to_tensor(x, name)
    except TypeError as error:
        if isinstance(x, np.ndarray):
            raise TypeError(f"{name}(): an operand is an array of {x.dtype}, which tensors do not have") from error
        raise


def constant_or_tensor(x: Any, kind: Any, name: str) -> Tensor:
    """Return an input as a tensor of the loop's dtype."""
    dtype = FROM_NUMPY.get(kind)
    if dtype is None:
        raise TypeError(f"{name}(): tensors do not have dtype {kind}, in which NumPy computes it for these inputs")
    if isinstance(x, Tensor):
        return x if x.dtype is dtype else x.to(dtype)
    if out_of_bounds(x, kind):
        raise OverflowError(f"Python integer {x} out of bounds for {kind}")
    return wg.tensor(complex(x) if dtype.is_complex else x, dtype=dtype)


def out_of_bounds(x: Any, kind: Any) -> bool:
    """Return whether an operand is an integer that a dtype of integers cannot hold."""
    if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, np.integer)) or kind.kind not in "iu":
        return False
    bounds = np.iinfo(kind)
    return not bounds.min <= int(x) <= bounds.max


COMPARISONS: dict[Any, Callable[[Any, Any], bool]] = {
    np.equal: operator.eq, np.not_equal: operator.ne, np.less: operator.lt, np.less_equal: operator.le,
    np.greater: operator.gt, np.greater_equal: operator.ge,
}  # fmt: skip
"""The comparisons, which NumPy makes with any integer, also with those that the other operand's dtype cannot hold."""


def comparison_with_any(ufunc: Any, inputs: tuple[Any, ...], loop: tuple[Any, ...]) -> Tensor:
    """Return a comparison with an integer out of bounds: its result is the same for all elements."""
    values = [int(x) if out_of_bounds(x, kind) else 0 for x, kind in zip(inputs, loop, strict=False)]
    like = next(x for x in inputs if isinstance(x, Tensor))
    return wg.full_like(like, COMPARISONS[ufunc](*values), dtype=wg.bool)


def run_elementwise(row: ufuncs.Row, tensors: list[Tensor]) -> Any:
    """Return a row's result. ValueError, as NumPy has it, for shapes that do not broadcast."""
    try:
        return row.run(*tensors)
    except RuntimeError as error:
        shapes = [tuple(t.shape) for t in tensors]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            words = " ".join(map(str, shapes))
            raise ValueError(f"operands could not be broadcast together with shapes {words}") from error
        raise


def loop_dtypes(
    ufunc: Any, inputs: tuple[Any, ...], outs: tuple[Any, ...], casting: str, dtype: Any, signature: Any
) -> tuple[Any, ...]:
    """Return the dtypes of inputs and outputs with which NumPy would compute, by its own rules.

    Raises NumPy's TypeError where it has no loop for these dtypes, or casting forbids it.
    """
    kinds = tuple(map(weak, inputs))
    if wg.bfloat16 in TO_NUMPY and any(kind is TO_NUMPY[wg.bfloat16] for kind in kinds):
        return bfloat16_loop(ufunc, kinds)
    if dtype is not None:
        if signature is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        signature = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    if signature is not None:
        signature = signature_dtypes(ufunc, signature)
    targets = tuple(None if one is None else numpy_dtype(one) for one in outs)
    asked = {} if signature is None else {"signature": signature}
    return tuple(ufunc.resolve_dtypes((*kinds, *targets), casting=casting, **asked))


def signature_dtypes(ufunc: Any, signature: Any) -> tuple[Any, ...]:
    """Return the dtypes that ``signature`` asks for, None for each one that is free; NumPy's errors for other forms."""
    if isinstance(signature, str) and len(signature) > 1:
        left, _, right = signature.partition("->")
        if (len(left), len(right)) != (ufunc.nin, ufunc.nout):
            raise ValueError(
                f"a type-string for {ufunc.__name__}, {ufunc.nin} typecode(s) before and {ufunc.nout} after the -> sign"
            )
        signature = (*left, *right)
    if not isinstance(signature, (tuple, str)):
        raise TypeError("the signature object to ufunc must be a string or a tuple.")
    if len(signature) == 1:
        raise TypeError("Use `dtype` or  fill the tuple with more than one 'None'.")
    if len(signature) != ufunc.nargs:
        raise ValueError(f"a type-tuple must be specified of length {ufunc.nargs} for ufunc '{ufunc.__name__}'")
    return tuple(None if one is None else numpy_dtype(one) for one in signature)


def bfloat16_loop(ufunc: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the dtypes for inputs of bfloat16, which NumPy has no loops for: as those of float32, results again
    bfloat16.
    """
    half, single = numpy_dtype(wg.bfloat16), np.dtype(np.float32)
    loop = ufunc.resolve_dtypes((*(single if kind is half else kind for kind in kinds), *(None,) * ufunc.nout))
    return tuple(half if kind == single else kind for kind in loop)
