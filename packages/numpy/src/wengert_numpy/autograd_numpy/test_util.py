"""Checks of derivatives by differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy

from wengert_numpy.autograd_numpy.containers import to_numpy
from wengert_numpy.autograd_numpy.differential_operators import make_jvp, make_vjp
from wengert_numpy.autograd_numpy.nested import leaves_of, map_leaves
from wengert_numpy.autograd_numpy.vector_spaces import vspace
from wengert_numpy.autograd_numpy.wrap_util import unary_to_nary

TOL, RTOL, EPS = 1e-6, 1e-6, 1e-6


def scalar_close(a: Any, b: Any) -> bool:
    """Return whether two numbers are equal up to 1e-6, absolute or relative."""
    return bool(abs(a - b) < TOL or abs(a - b) / abs(a + b) < RTOL)


def make_numerical_jvp(f: Callable[[Any], Any], x: Any) -> Callable[[Any], Any]:
    """Return a function that gives central differences of f along a vector."""

    def jvp(v: Any) -> Any:
        ahead, behind = (f(map_leaves(lambda a, b, s=s: a + b * s, x, v)) for s in (EPS / 2, -EPS / 2))
        return map_leaves(lambda a, b: (to_numpy(a) - to_numpy(b)) / EPS, ahead, behind)

    return jvp


def check_vjp(f: Callable[[Any], Any], x: Any) -> None:
    """Raise AssertionError if reverse mode disagrees with differences along a random direction."""
    vjp, y = make_vjp(f)(x)
    x_space, y_space = vspace(x), vspace(y)
    direction, cotangent = x_space.randn(), y_space.randn()
    gradient = vjp(cotangent)
    if not vspace(gradient) == x_space:
        raise AssertionError(f"VJP of {name(f)} gave {vspace(gradient)}, expected the form of the input, {x_space}")
    found = x_space.inner_prod(direction, x_space.covector(gradient))
    difference = y_space.inner_prod(make_numerical_jvp(f, x)(direction), y_space.covector(cotangent))
    if not scalar_close(found, difference):
        raise AssertionError(
            f"Derivative (VJP) check of {name(f)} failed with arg {x}:\nanalytic: {found}\nnumeric:  {difference}"
        )


def check_jvp(f: Callable[[Any], Any], x: Any) -> None:
    """Raise AssertionError if forward mode disagrees with differences along a random direction."""
    direction = vspace(x).randn()
    y, found = make_jvp(f)(x)(direction)
    check_equivalent(y, map_leaves(to_numpy, f(x)))
    difference = make_numerical_jvp(f, x)(direction)
    for one, other in zip(leaves_of(found), leaves_of(difference), strict=True):
        if not numpy.allclose(to_numpy(one), other, rtol=RTOL * 10, atol=TOL * 10):
            raise AssertionError(f"JVP check of {name(f)} failed with arg {x}:\nanalytic: {one}\nnumeric:  {other}")


def check_equivalent(x: Any, y: Any) -> None:
    """Raise AssertionError unless two values have the same form and dtypes, and agree along a random direction."""
    space = vspace(x)
    if not space == vspace(y):
        raise AssertionError(f"VSpace mismatch:\nx: {space}\ny: {vspace(y)}")
    v = space.randn()
    if not scalar_close(space.inner_prod(x, v), space.inner_prod(y, v)):
        raise AssertionError(f"values differ:\nx: {x}\ny: {y}")


def name(f: Any) -> str:
    """Return a function's name."""
    return getattr(f, "__name__", "[unknown name]")


@unary_to_nary
def check_grads(f: Any, x: Any, modes: Sequence[str] = ("fwd", "rev"), order: int = 2) -> None:
    """Raise AssertionError if derivatives up to an order disagree with differences: ``check_grads(f)(*args)``.

    modes: "fwd", "rev" or both.
    """
    if not modes or any(mode not in ("fwd", "rev") for mode in modes):
        raise ValueError(f'check_grads: modes must be of "fwd" and "rev", got {list(modes)}')
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Output seems independent of input", UserWarning)  # as of a linear function
        for mode in modes:
            (check_jvp if mode == "fwd" else check_vjp)(f, x)
            if order > 1:
                check_grads(derivative(f, x, mode), 0, modes, order - 1)(x)


def derivative(f: Callable[[Any], Any], x: Any, mode: str) -> Callable[[Any], Any]:
    """Return the derivative of a function along a random direction, as a function of the point."""
    if mode == "fwd":
        direction = vspace(x).randn()
        return lambda value: make_jvp(f)(value)(direction)[1]
    cotangent = vspace(make_vjp(f)(x)[1]).randn()
    return lambda value: make_vjp(f)(value)[0](cotangent)


def combo_check(
    fun: Callable[..., Any], argnums: Any = (0,), modes: Sequence[str] = ("fwd", "rev"), order: int = 2
) -> Callable[..., None]:
    """Return a function that checks derivatives for all combinations of arguments, of which lists are given."""

    def check(*args: Any, **kwargs: Any) -> None:
        for chosen in product(*args, *kwargs.values()):
            keywords = dict(zip(kwargs, chosen[len(args) :], strict=True))
            check_grads(fun, argnums, modes=modes, order=order)(*chosen[: len(args)], **keywords)

    return check
