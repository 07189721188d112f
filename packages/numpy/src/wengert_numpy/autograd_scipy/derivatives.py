"""Derivatives in the form in which SciPy calls for them: NumPy's arrays in double precision, in and out.

Note [Inputs of a function]
    ``inputs="arrays"``: the function is written with NumPy's functions, ``wengert.numpy`` or plain NumPy, and arrays
    have NumPy's methods. Where no derivative is taken it gets NumPy's own arrays.
    ``inputs="tensors"``: it is written with ``wengert``; x is a tensor in double precision.
    Further arguments are handed over as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy import constructors
from wengert_numpy.autograd_numpy import differential_operators as operators
from wengert_numpy.autograd_numpy.arrays.faces import as_array
from wengert_numpy.autograd_numpy.containers import call_plain, to_numpy, to_plain
from wengert_numpy.autograd_numpy.jacobians import jacobian_rows
from wengert_numpy.autograd_numpy.nested import holds_tensor
from wengert_numpy.autograd_numpy.tracing import Point, is_real_scalar, push

F = Callable[..., Any]
INPUTS = ("arrays", "tensors")


def require_inputs(inputs: Any) -> None:
    """Raise ValueError for another value of ``inputs``."""
    if inputs not in INPUTS:
        raise ValueError(f"argument 'inputs' = {inputs!r}: expected one of {INPUTS}: what the function is called with")


def as_point(x: Any) -> Any:
    """Return a point as an array of its own in double precision, of complex numbers in complex."""
    values = numpy.array(to_numpy(x))
    return values if values.dtype.kind == "c" else values.astype(numpy.float64, copy=False)


def to_scipy(value: Any) -> Any:
    """Return a result of a function, or of one of its derivatives, as SciPy takes it."""
    if not holds_tensor(value):
        return value
    array = numpy.asarray(to_numpy(one_array(value)))
    return array if array.dtype.kind == "c" else array.astype(numpy.float64, copy=False)


def one_array(value: Any) -> Any:
    """Return a function's value as one array, also where it is a list or tuple of numbers."""
    if isinstance(value, (list, tuple)):
        return constructors.array(value)
    return value


def adapt(fun: F, inputs: str, args: tuple[Any, ...] = (), kwargs: Any = None) -> F:
    """Return a function of one array that calls a function with what it takes, and gives one array."""
    keywords = kwargs or {}
    if inputs == "tensors":
        return lambda x: one_array(fun(plain_tensor(x), *args, **keywords))
    return lambda x: one_array(fun(x, *args, **keywords))


def plain_tensor(x: Any) -> Any:
    """Return an array as a tensor that is no array, with its history."""
    return to_plain(x) if isinstance(x, Tensor) else wg.from_numpy(x)


def outputs(fun: F, inputs: str = "arrays") -> F:
    """Return a function whose values SciPy takes: ``outputs(fun)(x, *args)`` is an array or a number of NumPy."""
    require_inputs(inputs)

    def values(x: Any, *args: Any, **kwargs: Any) -> Any:
        if inputs == "tensors":
            x = wg.from_numpy(as_point(x))
        return to_scipy(fun(x, *args, **kwargs))

    return update_wrapper(values, fun)


def scalar_function(fun: F, inputs: str, args: tuple[Any, ...] = ()) -> F:
    """Return a function of one array with a value without axes. TypeError where the value is no real number."""
    adapted = adapt(fun, inputs, args)

    def scalar(x: Any) -> Any:
        y = adapted(x)
        if not is_real_scalar(y):
            raise TypeError(f"{getattr(fun, '__name__', 'fun')}() must return a real number, not {describe(y)}")
        if isinstance(y, Tensor) and call_plain(getattr, y, "ndim"):
            return as_array(call_plain(lambda: y.reshape(())))
        return y

    return scalar


def describe(y: Any) -> str:
    """Return a value's type, and its shape if it has one."""
    shape = getattr(y, "shape", None)
    return type(y).__name__ if shape is None else f"an array of shape {tuple(shape)}"


@contextmanager
def constants_allowed() -> Iterator[None]:
    """Do not warn of an output that is independent of the input: the derivative of a linear function is none."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Output seems independent of input", UserWarning)
        yield


# ---- the public functions


def value_and_grad(fun: F, inputs: str = "arrays") -> F:
    """Return a function that gives the value and the gradient in one pass, for ``jac=True``.

    >>> import numpy as np
    >>> value_and_grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    """
    require_inputs(inputs)

    def function(x: Any, *args: Any) -> Any:
        point = Point(scalar_function(fun, inputs, args), as_point(x))
        gradient = point.gradient()
        return float(to_numpy(point.y)), to_numpy(gradient)

    return update_wrapper(function, fun)


def grad(fun: F, inputs: str = "arrays") -> F:
    """Return a function that gives the gradient of a function with one number as its value."""
    both = value_and_grad(fun, inputs)

    def function(x: Any, *args: Any) -> Any:
        return both(x, *args)[1]

    return update_wrapper(function, fun)


def jac(fun: F, inputs: str = "arrays") -> F:
    """Return a function that gives the Jacobian, (values, variables); of one number the gradient.

    Forward mode where there are more values than variables, otherwise reverse mode.
    """
    require_inputs(inputs)

    def function(x: Any, *args: Any, **kwargs: Any) -> Any:
        return Recording(fun, inputs).jac(x, *args, **kwargs)

    return update_wrapper(function, fun)


def hess(fun: F, inputs: str = "arrays") -> F:
    """Return a function that gives the Hessian of a function with one number as its value."""
    require_inputs(inputs)

    def function(x: Any, *args: Any) -> Any:
        point = as_point(x)
        with constants_allowed():
            matrix = operators.jacobian(operators.grad(scalar_function(fun, inputs, args)))(point)
        return numpy.asarray(matrix)

    return update_wrapper(function, fun)


def hessp(fun: F, inputs: str = "arrays") -> F:
    """Return a function of (x, p, *args) that gives the product of the Hessian with a vector p."""
    require_inputs(inputs)

    def function(x: Any, p: Any, *args: Any) -> Any:
        return HessianProducts(fun, inputs)(x, p, *args)

    return update_wrapper(function, fun)


# ---- with the recorded function of the latest point


def same_call(latest: Any, x: Any, args: tuple[Any, ...]) -> bool:
    """Return whether a call has the point and the arguments of the latest one."""
    if latest is None or len(latest[1]) != len(args):
        return False
    return numpy.array_equal(latest[0], x) and all(a is b for a, b in zip(latest[1], args, strict=True))


class HessianProducts:
    """Products of the Hessian with vectors. The gradient is recorded once for all vectors at a point."""

    def __init__(self, fun: F, inputs: str) -> None:
        self.fun, self.inputs = fun, inputs
        self.latest: Any = None
        self.product: Any = None

    def __call__(self, x: Any, p: Any, *args: Any) -> Any:
        """Return the product."""
        point = as_point(x)
        with constants_allowed():
            if not same_call(self.latest, point, args):
                self.product = operators.make_hvp(scalar_function(self.fun, self.inputs, args))(point)[0]
                self.latest = (point, args)
            return numpy.asarray(self.product(as_point(p).reshape(point.shape)))


class Recording:
    """Values and Jacobians of a function, the latter of what was recorded for the value at the same point."""

    def __init__(self, fun: F, inputs: str) -> None:
        self.fun, self.inputs = fun, inputs
        self.latest: Any = None
        self.point: Any = None
        self.tall = False

    def value(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the value."""
        if self.tall:  # forward mode does not use what is recorded
            return to_scipy(self.evaluate(x, args, kwargs))
        x = as_point(x)
        self.point = Point(adapt(self.fun, self.inputs, args, kwargs), x)
        self.latest = (x, args)
        self.tall = numpy.size(self.point.y) > x.size
        return numpy.array(to_scipy(self.point.y))

    def evaluate(self, x: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
        """Return the function's value, not recorded."""
        return adapt(self.fun, self.inputs, args, kwargs)(as_point(x))

    def jac(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the Jacobian."""
        x = as_point(x)
        if not self.tall and not same_call(self.latest, x, args):
            self.value(x, *args, **kwargs)
        if self.tall:
            rows = forward_jacobian(adapt(self.fun, self.inputs, args, kwargs), x)
            if rows is not None:
                return rows
            self.tall = False
            return self.jac(x, *args, **kwargs)
        with constants_allowed():
            return numpy.asarray(to_numpy(jacobian_rows(self.point)))


def forward_jacobian(function: F, x: Any) -> Any:
    """Return the Jacobian by forward mode, of all variables at once if the function runs on batches; None where an
    operation has no forward mode.
    """
    units = numpy.eye(x.size).reshape(x.size, *x.shape)
    try:
        return batched_tangents(function, x, units)
    except (RuntimeError, TypeError, NotImplementedError):
        pass
    try:
        return numpy.stack([numpy.asarray(push(function, x, unit)[1]) for unit in units], axis=-1)
    except NotImplementedError:
        return None


def batched_tangents(function: F, x: Any, units: Any) -> Any:
    """Return the derivatives along unit vectors, along the last axis."""
    primal = wg.from_numpy(x)

    def tangent(unit: Any) -> Any:
        return call_plain(to_plain, push(function, primal, unit)[1])

    found = call_plain(wg.func.vmap(tangent), wg.from_numpy(units))
    return numpy.ascontiguousarray(numpy.moveaxis(to_numpy(found), 0, -1))
