"""Functions of NumPy arrays with derivatives of the program's own: ``primitive``, ``defvjp``, ``defjvp``.

>>> import numpy as np
>>> from wengert_numpy.autograd_numpy.differential_operators import grad
>>> @primitive
... def logsumexp(x):
...     return np.log(np.sum(np.exp(x)))
>>> defvjp(logsumexp, lambda ans, x: lambda g: g * np.exp(x - ans))
>>> grad(logsumexp)(np.zeros(2))
array([0.5, 0.5])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from wengert import Tensor

from wengert_numpy.autograd_numpy.containers import to_numpy
from wengert_numpy.autograd_numpy.custom_function import Rules, call_primitive
from wengert_numpy.autograd_numpy.nested import holds_tensor, map_leaves
from wengert_numpy.autograd_numpy.vector_spaces import VSpace, vspace
from wengert_numpy.autograd_numpy.wrap_util import replace_argument


def primitive(f_raw: Callable[..., Any]) -> Any:
    """Return a function that is called with NumPy's arrays also in differentiated code, and whose derivatives are given
    by ``defvjp`` (reverse mode) and ``defjvp`` (forward mode).

    Derivatives are taken by positional arguments.
    """
    rules = Rules(getattr(f_raw, "__name__", "primitive"), f_raw)

    @wraps(f_raw)
    def f_wrapped(*args: Any, **kwargs: Any) -> Any:
        if holds_tensor(args) or (kwargs and holds_tensor(kwargs)):
            return call_primitive(rules, args, kwargs)
        return f_raw(*args, **kwargs)

    f_wrapped.fun = f_raw  # type: ignore[attr-defined]
    f_wrapped._rules = rules  # type: ignore[attr-defined]
    return f_wrapped


def notrace_primitive(f_raw: Callable[..., Any]) -> Any:
    """Return a function that is called with NumPy's arrays also in differentiated code, and has no derivative."""

    @wraps(f_raw)
    def f_wrapped(*args: Any, **kwargs: Any) -> Any:
        return f_raw(*map_leaves(to_numpy, args), **map_leaves(to_numpy, kwargs))

    return f_wrapped


def rules_of(fun: Any) -> Rules:
    """Return the derivatives of a primitive. TypeError for another function."""
    rules = getattr(fun, "_rules", None)
    if rules is None:
        raise TypeError(
            f"{getattr(fun, '__name__', fun)!s} is no primitive: decorate it with "
            "wengert.numpy.extend.primitive before its derivatives are defined"
        )
    return rules  # type: ignore[no-any-return]


def positions(makers: Sequence[Any], argnums: Any) -> Any:
    """Return the arguments that derivatives belong to."""
    return range(len(makers)) if argnums is None else argnums


def zero_vjp(argnum: int) -> Callable[..., Any]:
    """Return the maker of the vector-Jacobian product of what does not depend on an argument: zeros like it."""
    return lambda ans, *args, **kwargs: lambda g: vspace(args[argnum]).zeros()


# ---- reverse mode


def defvjp(fun: Any, *vjpmakers: Any, argnums: Sequence[int] | None = None) -> None:
    """Define vector-Jacobian products: ``vjpmaker(ans, *args, **kwargs)`` for each argument, None for a derivative of
    zero, gives a function of the cotangent.

    argnums: the arguments that they belong to; the first ones by default.
    """
    rules = rules_of(fun)
    for argnum, maker in zip(positions(vjpmakers, argnums), vjpmakers, strict=True):
        rules.vjps[argnum] = zero_vjp(argnum) if maker is None else maker
    rules.vjp_of_argnums = None


def defvjp_argnum(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Define vector-Jacobian products by ``vjpmaker(argnum, ans, args, kwargs)``."""

    def of_argnums(argnums: Sequence[int], ans: Any, args: Any, kwargs: Any) -> Any:
        vjps = [vjpmaker(argnum, ans, args, kwargs) for argnum in argnums]
        return lambda g: tuple(vjp(g) for vjp in vjps)

    rules_of(fun).vjp_of_argnums = of_argnums


def defvjp_argnums(fun: Any, vjpmaker: Callable[..., Any]) -> None:
    """Define vector-Jacobian products by ``vjpmaker(argnums, ans, args, kwargs)``, whose function gives a tuple."""
    rules_of(fun).vjp_of_argnums = vjpmaker


# ---- forward mode


def defjvp(fun: Any, *jvpfuns: Any, argnums: Sequence[int] | None = None) -> None:
    """Define Jacobian-vector products: ``jvpfun(g, ans, *args, **kwargs)`` for each argument, None for a derivative of
    zero, "same" where the function is linear in the argument.
    """
    rules = rules_of(fun)
    for argnum, jvp in zip(positions(jvpfuns, argnums), jvpfuns, strict=True):
        rules.jvps[argnum] = linear_jvp(fun, argnum) if isinstance(jvp, str) and jvp == "same" else jvp
    rules.jvp_of_argnums = None


def linear_jvp(fun: Any, argnum: int) -> Callable[..., Any]:
    """Return the Jacobian-vector product of a function that is linear in an argument."""
    return lambda g, ans, *args, **kwargs: fun(*replace_argument(args, argnum, g), **kwargs)


def defjvp_argnum(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Define Jacobian-vector products by ``jvpmaker(argnum, g, ans, args, kwargs)``."""

    def of_argnums(argnums: Sequence[int], gs: Sequence[Any], ans: Any, args: Any, kwargs: Any) -> Any:
        total: Any = None
        for argnum, g in zip(argnums, gs, strict=True):
            part = jvpmaker(argnum, g, ans, args, kwargs)
            total = part if total is None else map_leaves(lambda a, b: a + b, total, part)
        return total

    rules_of(fun).jvp_of_argnums = of_argnums


def defjvp_argnums(fun: Any, jvpmaker: Callable[..., Any]) -> None:
    """Define Jacobian-vector products by ``jvpmaker(argnums, gs, ans, args, kwargs)``."""
    rules_of(fun).jvp_of_argnums = jvpmaker


def def_linear(fun: Any) -> None:
    """Define Jacobian-vector products of a function that is linear in each of its arguments."""
    defjvp_argnum(fun, lambda argnum, g, ans, args, kwargs: fun(*replace_argument(args, argnum, g), **kwargs))


def register_notrace(trace_type: Any, primitive_fun: Any) -> None:
    """Let a primitive have the derivative zero by all its arguments, in reverse mode and in forward mode.

    trace_type: kept for HIPS autograd's signature.
    """
    rules = rules_of(primitive_fun)
    rules.vjp_of_argnums = lambda argnums, ans, args, kwargs: lambda g: (None,) * len(argnums)
    rules.jvp_of_argnums = lambda argnums, gs, ans, args, kwargs: None


def getval(value: Any) -> Any:
    """Return a value, or nested values, as arrays and numbers of NumPy, without their derivatives."""
    return map_leaves(to_numpy, value)


def isbox(value: Any) -> bool:
    """Return whether a value is followed by a derivative."""
    return isinstance(value, Tensor)


class BoxType(type):
    """The type of ``Box``, which has instances of other classes."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isbox(value)


class Box(metaclass=BoxType):
    """The class of what is followed by a derivative, for ``isinstance``: arrays in differentiated code, and tensors."""

__all__ = [
    "Box", "VSpace", "def_linear", "defjvp", "defjvp_argnum", "defjvp_argnums", "defvjp", "defvjp_argnum",
    "defvjp_argnums", "getval", "isbox", "notrace_primitive", "primitive", "register_notrace",
    "vspace",
]  # fmt: skip
