"""grad and grad_and_value of ``wengert.func``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Literal, overload

from wengert_core.extend import Tensor
from wengert_engine import enable_grad, is_grad_enabled
from wengert_engine.extend import implicit_grad_error

from wengert_functional import trees
from wengert_functional.arguments import Argnums, choose_arguments, replace_arguments, with_aux
from wengert_functional.func_products import pull_back
from wengert_functional.levels import (
    Level,
    is_nested,
    leave_level,
    pass_constant,
    reaches_out,
    track_input,
    without_graph,
)
from wengert_functional.signatures import A, B, P, R, X

WHERE = "grad_and_value(f)(*args)"


@overload
def grad(
    func: Callable[Concatenate[Tensor, P], Any], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[Tensor, P], Tensor]: ...
@overload
def grad(
    func: Callable[Concatenate[A, P], Any], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[A, P], A]: ...
@overload
def grad(
    func: Callable[Concatenate[A, P], tuple[Any, X]], argnums: Literal[0] = 0, *, has_aux: Literal[True]
) -> Callable[Concatenate[A, P], tuple[A, X]]: ...
@overload
def grad(
    func: Callable[Concatenate[A, B, P], Any], argnums: Literal[1], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], B]: ...
@overload
def grad(
    func: Callable[Concatenate[A, B, P], Any], argnums: tuple[Literal[0], Literal[1]], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[A, B]]: ...
@overload
def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any: ...
def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives the gradient of ``func``, whose output is a scalar tensor.

    argnums: the position of the argument to differentiate, or a tuple of positions, which gives a tuple; an argument
    may be nested in tuples, lists and dicts.   has_aux: func returns (output, aux), and (gradient, aux) is given.
    grad(grad(func)) and other transforms inside of each other differentiate again.

    >>> import wengert as wg
    >>> wg.func.grad(wg.func.grad(lambda x: x**3))(wg.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def gradient(*args: Any, **keywords: Any) -> Any:
        found, value = both(*args, **keywords)
        return (found, value[1]) if has_aux else found

    return gradient


@overload
def grad_and_value(
    func: Callable[Concatenate[Tensor, P], R], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[Tensor, P], tuple[Tensor, R]]: ...
@overload
def grad_and_value(
    func: Callable[Concatenate[A, P], R], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[A, P], tuple[A, R]]: ...
@overload
def grad_and_value(
    func: Callable[Concatenate[A, P], tuple[R, X]], argnums: Literal[0] = 0, *, has_aux: Literal[True]
) -> Callable[Concatenate[A, P], tuple[A, tuple[R, X]]]: ...
@overload
def grad_and_value(
    func: Callable[Concatenate[A, B, P], R], argnums: Literal[1], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[B, R]]: ...
@overload
def grad_and_value(
    func: Callable[Concatenate[A, B, P], R], argnums: tuple[Literal[0], Literal[1]], has_aux: Literal[False] = False
) -> Callable[Concatenate[A, B, P], tuple[tuple[A, B], R]]: ...
@overload
def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any: ...
def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """As grad; the function gives (gradient, value), or with has_aux (gradient, (value, aux)).

    >>> import wengert as wg
    >>> wg.func.grad_and_value(lambda x: (x * x).sum())(wg.ones(2))
    (tensor([2., 2.]), tensor(2.))
    """
    @wraps(func)
    def both(*args: Any, **keywords: Any) -> Any:
        again = is_grad_enabled()
        with Level(inputs=(args, keywords)), enable_grad():
            leaves, spec = trees.flatten(choose_arguments(argnums, args))
            inputs = [track_input(leaf) for leaf in leaves]
            result = func(*replace_arguments(argnums, args, trees.unflatten(spec, inputs), pass_constant),
                          **{name: pass_constant(value) for name, value in keywords.items()})
            output, aux = with_aux(result, has_aux, WHERE)
            check_scalar(output)
            nested = is_nested()
            recorded = again and (nested or reaches_out((output,)))
            found = pull_back([output], inputs, [None], recorded, keep=nested or recorded)
            results = leave_level(trees.unflatten(spec, found)), leave_level(output), leave_level(aux)
        if not again:
            results = trees.tree_map(lambda leaf: leaf if leaf is None else without_graph(leaf, without_graph), results)
        return (results[0], (results[1], results[2])) if has_aux else (results[0], results[1])

    return both


def check_scalar(output: Any) -> None:
    """RuntimeError unless an output is a tensor without dimensions."""
    if not isinstance(output, Tensor):
        raise RuntimeError(f"{WHERE}: Expected f(*args) to return a Tensor, got {type(output)}")
    if output.ndim:
        raise RuntimeError(f"{WHERE}: Expected f(*args) to return a scalar Tensor, got tensor with {output.ndim} dims. "
                           "Maybe you wanted to use the vjp or jacrev APIs instead?")
    if output.dtype.is_complex and output.requires_grad:
        raise implicit_grad_error(output.dtype)
