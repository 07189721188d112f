"""HIPS autograd's differential operators: functions in, functions out."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.containers import call_plain, is_inexact, to_plain
from wengert_numpy.autograd_numpy.jacobians import jacobian_rows
from wengert_numpy.autograd_numpy.nested import leaves_of, map_leaves
from wengert_numpy.autograd_numpy.tracing import Point, finish, is_real_scalar, ones_like, push
from wengert_numpy.autograd_numpy.wrap_util import unary_to_nary

NOT_SCALAR = "Grad only applies to real scalar-output functions. Try jacobian, elementwise_grad or holomorphic_grad."


def scalar_point(fun: Callable[[Any], Any], x: Any) -> Point:
    """Return a function at a point. TypeError where its value is not a real number."""
    point = Point(fun, x)
    if not is_real_scalar(point.y):
        raise TypeError(NOT_SCALAR)
    return point


@unary_to_nary
def grad(fun: Any, x: Any) -> Any:
    """Return a function that gives the gradient of a real scalar-valued function by its argument ``argnum``.

    The gradient has the type of the argument: an array, a number, or nested tuples, lists and dicts of them.
    """
    point = scalar_point(fun, x)
    return point.finish(point.gradient())


@unary_to_nary
def value_and_grad(fun: Any, x: Any) -> Any:
    """Return a function that gives the value and the gradient, as scipy.optimize takes them (``jac=True``)."""
    point = scalar_point(fun, x)
    gradient = point.finish(point.gradient())
    return point.finish(point.y), gradient


@unary_to_nary
def grad_and_aux(fun: Any, x: Any) -> Any:
    """Return a function that gives the gradient of the first output, and the second output."""
    aux: list[Any] = []

    def first(value: Any) -> Any:
        y, second = fun(value)
        aux.append(second)
        return y

    point = scalar_point(first, x)
    return point.finish(point.gradient()), point.finish(aux[0])


@unary_to_nary
def elementwise_grad(fun: Any, x: Any) -> Any:
    """Return a function that gives the sum of each column of the Jacobian: its diagonal, where it is diagonal."""
    point = Point(fun, x)
    if any(isinstance(y, Tensor) and call_plain(Tensor.is_complex, y) for y in leaves_of(point.y)):
        raise TypeError("Elementwise_grad only applies to real-output functions.")
    return point.finish(point.vjp(map_leaves(ones_like, point.y), retain=False))


@unary_to_nary
def holomorphic_grad(fun: Any, x: Any) -> Any:
    """Return a function that gives the derivative of a holomorphic function with a complex scalar value."""
    if not all(call_plain(lambda leaf=leaf: to_plain(leaf).is_complex()) for leaf in leaves_of(x)):
        warnings.warn("Input to holomorphic_grad is not complex", UserWarning, stacklevel=3)
    point = Point(fun, x)
    return point.finish(point.vjp(ones_like(point.y), retain=False))


@unary_to_nary
def make_vjp(fun: Any, x: Any) -> Any:
    """Return a function that gives ``(vjp, value)``: ``vjp(g)`` is the product of g with the Jacobian."""
    point = Point(fun, x)

    def vjp(g: Any) -> Any:
        return point.finish(point.vjp(g))

    return vjp, point.finish(point.y)


@unary_to_nary
def make_jvp(fun: Any, x: Any) -> Any:
    """Return a function that gives ``jvp``: ``jvp(v)`` is the value and the product of the Jacobian with v."""

    def jvp(v: Any) -> Any:
        return push(fun, x, v)

    return jvp


@unary_to_nary
def make_jvp_reversemode(fun: Any, x: Any) -> Any:
    """Return a function that gives ``jvp``: ``jvp(v)`` is the product of the Jacobian with v, by reverse mode twice."""
    point = Point(fun, x)
    point.nested = True
    zeros = map_leaves(lambda y: call_plain(wg.zeros_like, to_plain(y)), finish(point.y))
    linear = Point(lambda u: point.vjp(u), zeros)

    def jvp(v: Any) -> Any:
        return finish(linear.vjp(v))

    return jvp


@unary_to_nary
def deriv(fun: Any, x: Any) -> Any:
    """Return a function that gives the derivative along ones, by forward mode."""
    return push(fun, x, map_leaves(numpy.ones_like, x))[1]


@unary_to_nary
def jacobian(fun: Any, x: Any) -> Any:
    """Return a function that gives the Jacobian of an array by an array: its shape is that of the value, then that of
    the argument. By several arguments, or nested ones, the Jacobians by each.
    """
    point = Point(fun, x)
    rows = jacobian_rows(point)
    return point.finish(rows)


@unary_to_nary
def hessian(fun: Any, x: Any) -> Any:
    """Return a function that gives the Hessian."""
    return jacobian(jacobian(fun))(x)


@unary_to_nary
def make_hvp(fun: Any, x: Any) -> Any:
    """Return a function that gives ``(hvp, gradient)``: ``hvp(v)`` is the product of the Hessian with v."""
    return make_vjp(grad(fun))(x)


def hessian_tensor_product(fun: Any, argnum: int = 0) -> Any:
    """Return a function of ``(*args, tensor)`` that gives the product of the Hessian with a tensor."""
    gradient = grad(fun, argnum)

    def product(*args: Any, **kwargs: Any) -> Any:
        *rest, tensor = args
        return make_vjp(gradient, argnum)(*rest, **kwargs)[0](tensor)

    return product


def tensor_jacobian_product(fun: Any, argnum: int = 0) -> Any:
    """Return a function of ``(*args, tensor)`` that gives the product of a tensor with the Jacobian, over the axes of
    the tensor.
    """

    def product(*args: Any, **kwargs: Any) -> Any:
        *rest, tensor = args
        vjp, value = make_vjp(fun, argnum)(*rest, **kwargs)
        if numpy.ndim(tensor) < numpy.ndim(value):
            return numpy.tensordot(tensor, jacobian(fun, argnum)(*rest, **kwargs), numpy.ndim(tensor))
        return vjp(tensor)

    return product


hessian_vector_product = hessian_tensor_product
vector_jacobian_product = tensor_jacobian_product


def half_square(x: Any) -> Any:
    """Return half the sum of the squares, over the last axis."""
    return 0.5 * (x**2).sum(axis=-1)


def make_ggnvp(f: Any, g: Any = half_square, f_argnum: int = 0) -> Any:
    """Return a function that gives ``ggnvp``: the product of the generalized Gauss-Newton matrix of g(f(x)) with v,
    which is J.T H J v with the Jacobian J of f and the Hessian H of g.
    """

    @unary_to_nary
    def make_product(f: Any, x: Any) -> Any:
        f_vjp, f_x = make_vjp(f)(x)
        g_hvp, _ = make_hvp(g)(f_x)
        f_jvp = make_jvp_reversemode(f)(x)

        def ggnvp(v: Any) -> Any:
            return f_vjp(g_hvp(f_jvp(v)))

        return ggnvp

    return make_product(f, f_argnum)


def grad_named(fun: Any, argname: str) -> Any:
    """Return a function that gives the gradient by the argument of a name."""
    return grad(fun, list(inspect.signature(fun).parameters).index(argname))


def multigrad_dict(fun: Any) -> Any:
    """Return a function that gives the gradients by all arguments, in a dict by their names."""
    signature = inspect.signature(fun)

    def gradients(*args: Any, **kwargs: Any) -> dict[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        names = [name for name, value in bound.arguments.items() if all(map(is_inexact, leaves_of(value)))]

        def of_dict(chosen: dict[str, Any]) -> Any:
            again = signature.bind(*args, **kwargs)
            again.apply_defaults()
            again.arguments.update(chosen)
            return fun(*again.args, **again.kwargs)

        return grad(of_dict)({name: bound.arguments[name] for name in names})  # type: ignore[no-any-return]

    return gradients


def checkpoint(fun: Any) -> Any:
    """Return a function whose intermediate values are computed again for the derivative, not kept."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return wg.utils.checkpoint.checkpoint(fun, *args, use_reentrant=False, **kwargs)

    wrapper.__name__, wrapper.__doc__ = getattr(fun, "__name__", "checkpoint"), fun.__doc__
    return wrapper
