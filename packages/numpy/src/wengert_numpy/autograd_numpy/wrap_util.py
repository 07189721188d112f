"""Operators on functions of one argument, made operators on functions of any arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from wengert_numpy.autograd_numpy.arrays.array import ndarray
from wengert_numpy.autograd_numpy.containers import to_plain
from wengert_numpy.autograd_numpy.depth import STATE, AtDepth
from wengert_numpy.autograd_numpy.nested import holds_tensor, leaves_of, map_leaves


def name_of(function: Any) -> str:
    """Return a function's name."""
    return getattr(function, "__name__", "[unknown name]")


def replace_argument(args: tuple[Any, ...], argnum: Any, x: Any) -> tuple[Any, ...]:
    """Return arguments of which one, or several, are others."""
    new = list(args)
    if isinstance(argnum, int):
        new[argnum] = x
    else:
        for i, one in zip(argnum, x, strict=True):
            new[i] = one
    return tuple(new)


def unary_to_nary(unary_operator: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator with arguments (fun, argnum, ...) from one with arguments (fun of one argument, x, ...).

    argnum: the argument that takes part, counted from 0; a tuple or list of several, which take part as a tuple.
    """

    @wraps(unary_operator)
    def nary_operator(fun: Any, argnum: Any = 0, *nary_op_args: Any, **nary_op_kwargs: Any) -> Any:
        if not isinstance(argnum, (int, tuple, list)):
            raise TypeError(
                f"{unary_operator.__name__}: argnum must be an int or a tuple or list of ints, not "
                f"{type(argnum).__name__}"
            )

        def nary_f(*args: Any, **kwargs: Any) -> Any:
            x = args[argnum] if isinstance(argnum, int) else tuple(args[i] for i in argnum)

            def unary_f(value: Any) -> Any:
                return fun(*replace_argument(args, argnum, value), **kwargs)

            if STATE.depth or not holds_tensor((args, kwargs)):
                return unary_operator(unary_f, x, *nary_op_args, **nary_op_kwargs)
            with AtDepth(1):  # Note [Arrays in, arrays out]
                result = unary_operator(unary_f, x, *nary_op_args, **nary_op_kwargs)
            if any(leaf.__class__ is ndarray for leaf in leaves_of((args, kwargs))):
                return result
            return map_leaves(lambda leaf: to_plain(leaf) if leaf.__class__ is ndarray else leaf, result)

        nary_f.__name__ = f"{unary_operator.__name__}_of_{name_of(fun)}_wrt_argnum_{argnum}"
        nary_f.__doc__ = (
            f"    {unary_operator.__name__} of function {name_of(fun)} with respect to argument number "
            f"{argnum}. Has the same arguments as {name_of(fun)}, whose docstring is:\n{fun.__doc__}"
        )
        return nary_f

    del nary_operator.__wrapped__  # whose signature is another one
    return nary_operator
