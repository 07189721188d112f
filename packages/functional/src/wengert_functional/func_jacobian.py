"""jacrev, jacfwd and hessian of ``wengert.func``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Literal, overload

from wengert_core.extend import Tensor
from wengert_engine import enable_grad, is_grad_enabled
from wengert_engine.extend import TransformDualLevel
from wengert_engine.namespaces.forward_ad import set_fwd_grad_enabled

from wengert_functional import trees
from wengert_functional.arguments import (
    Argnums,
    check_differentiable,
    choose_arguments,
    output_leaves,
    replace_arguments,
    with_aux,
)
from wengert_functional.func_products import JVP, VJP, linear
from wengert_functional.levels import (
    Level,
    by_either,
    check_tensor,
    is_nested,
    leave_level,
    pass_constant,
    reaches_out,
    track_input,
)
from wengert_functional.rows import forward_columns, join_columns, primal_of, reverse_jacobian, units
from wengert_functional.signatures import P, R, X

RANDOMNESS = ("error", "different", "same")


@overload
def jacrev(
    func: Callable[Concatenate[Tensor, P], R], argnums: Literal[0] = 0, *, has_aux: Literal[False] = False,
    chunk_size: int | None = None, _preallocate_and_copy: bool = False,
) -> Callable[Concatenate[Tensor, P], R]: ...
@overload
def jacrev(
    func: Callable[Concatenate[Tensor, P], tuple[R, X]], argnums: Literal[0] = 0, *, has_aux: Literal[True],
    chunk_size: int | None = None, _preallocate_and_copy: bool = False,
) -> Callable[Concatenate[Tensor, P], tuple[R, X]]: ...
@overload
def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Any: ...
def jacrev(func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None,
           _preallocate_and_copy: bool = False) -> Callable[..., Any]:
    """The function that gives the Jacobian of ``func``, by a backward pass for all elements of an output together.

    Arguments as for grad. The Jacobian is nested as the output, and in it as the arguments that argnums names.
    chunk_size: how many rows to compute at a time, as by vmap (default: as many as unit vectors of 65,536 numbers
    together); 1: one after the other, without vmap.

    >>> import wengert as wg
    >>> wg.func.jacrev(lambda x: x * x)(wg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @wraps(func)
    def jacobian(*args: Any, **keywords: Any) -> Any:
        again = is_grad_enabled()
        with Level(inputs=(args, keywords)), enable_grad():
            check_real(trees.flatten(args)[0], "inputs", "jacrev")
            leaves, spec = trees.flatten(choose_arguments(argnums, args))
            inputs = [track_input(leaf) for leaf in leaves]
            result = func(*replace_arguments(argnums, args, trees.unflatten(spec, inputs), pass_constant),
                          **{name: pass_constant(value) for name, value in keywords.items()})
            output, aux = with_aux(result, has_aux, VJP)
            outputs, out_spec = output_leaves(output, VJP)
            check_differentiable(outputs)
            check_real(outputs, "outputs", "jacrev")
            again = again and (is_nested() or reaches_out(outputs))
            rows = [trees.unflatten(spec, reverse_jacobian(leaf, inputs, again, chunk_size)) for leaf in outputs]
            found, aux = leave_level(trees.unflatten(out_spec, rows)), leave_level(aux)
        return (found, aux) if has_aux else found

    return jacobian


@overload
def jacfwd(
    func: Callable[Concatenate[Tensor, P], R], argnums: Literal[0] = 0, has_aux: Literal[False] = False, *,
    randomness: str = "error",
) -> Callable[Concatenate[Tensor, P], R]: ...
@overload
def jacfwd(
    func: Callable[Concatenate[Tensor, P], tuple[R, X]], argnums: Literal[0] = 0, *, has_aux: Literal[True],
    randomness: str = "error",
) -> Callable[Concatenate[Tensor, P], tuple[R, X]]: ...
@overload
def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Any: ...
def jacfwd(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *,
           randomness: str = "error") -> Callable[..., Any]:
    """The function that gives the Jacobian of ``func`` in forward mode: func is called once for each argument, with
    tangents for all of its elements.

    Arguments and result as for jacrev. randomness: "error", "different" or "same", as of vmap. Inside another
    forward-mode transform func is called once, and each column costs a backward pass through its backward pass.

    >>> import wengert as wg
    >>> wg.func.jacfwd(lambda x: x * x)(wg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    @wraps(func)
    def jacobian(*args: Any, **keywords: Any) -> Any:
        if randomness not in RANDOMNESS:
            raise RuntimeError("Only allowed values for randomness are 'error', 'different', or 'same'. Got "
                               f"{randomness}")
        check_real(trees.flatten(args)[0], "inputs", "jacfwd")
        values, spec = trees.flatten(choose_arguments(argnums, args))
        check_primals(values)

        def results(is_taken: bool) -> tuple[Any, Any]:
            with Level(computes_gradients=is_taken, inputs=(args, keywords)):
                columns = columns_twice_back if is_taken else columns_by_duals
                out_spec, found, aux = columns(
                    lambda parts: with_aux(
                        func(*replace_arguments(argnums, args, trees.unflatten(spec, parts)), **keywords), has_aux, JVP
                    ),
                    values,
                    randomness,
                )
                rows = [trees.unflatten(spec, [leave_level(part) for part in row]) for row in found]
                return trees.unflatten(out_spec, rows), leave_level(aux)

        result, aux = by_either(results)
        return (result, aux) if has_aux else result

    return jacobian


Call = Callable[[list[Any]], tuple[Any, Any]]
Columns = tuple[trees.Spec, list[list[Any]], Any]


def columns_by_duals(call: Call, values: list[Any], randomness: str) -> Columns:
    """The output's spec, for each of its leaves the Jacobian for each value, and the auxiliary output."""
    kept: list[Any] = []

    def leaves_of(*parts: Any) -> list[Any]:
        output, aux = call(list(parts))
        leaves, out_spec = output_leaves(output, JVP)
        check_real(leaves, "outputs", "jacfwd")
        if not kept:
            kept[:] = [out_spec, trees.tree_map(lambda leaf: leaf if leaf is None else primal_of(leaf), aux)]
        return leaves

    with set_fwd_grad_enabled(True):
        _, found = forward_columns(leaves_of, values, randomness, TransformDualLevel)
    return kept[0], found, kept[1]


def columns_twice_back(call: Call, values: list[Any], randomness: str) -> Columns:
    """The same inside an open forward-mode level, whose tangents go along."""
    with enable_grad():
        kept: list[Any] = []

        def once(*parts: Any) -> Any:
            output, aux = call(list(parts))
            kept[:] = [trees.flatten(output)[1], aux]
            return output

        leaves, push = linear(once, values, trees.flatten(tuple(values))[1], False, JVP)[2:]
        check_real(leaves, "outputs", "jacfwd")
        columns: list[list[list[Any]]] = []
        for index, value in enumerate(values):
            columns.append([])
            for unit in units(value):
                directions = [unit if other == index else other_value.detach() * 0
                              for other, other_value in enumerate(values)]
                columns[-1].append(push(directions))
        found = [[join_columns([column[number] for column in columns[place]], leaf, value)
                  for place, value in enumerate(values)] for number, leaf in enumerate(leaves)]
    return kept[0], found, kept[1]


def check_real(tensors: list[Any], name: str, where: str) -> None:
    """RuntimeError for complex tensors: a Jacobian is real."""
    for index, tensor in enumerate(tensors):
        if isinstance(tensor, Tensor) and tensor.is_complex():
            raise RuntimeError(f"{where}: Expected all {name} to be real but received complex tensor at flattened "
                               f"input idx: {index}")


def check_primals(values: list[Any]) -> None:
    """What forward mode asks of the arguments; values: those to differentiate by."""
    for value in values:
        check_tensor(value)
        if not (value.is_floating_point() or value.is_complex()):
            raise ValueError(f"Expected primal to be floating point or complex, but got: {value.dtype}")


@overload
def hessian(
    func: Callable[Concatenate[Tensor, P], Tensor], argnums: Literal[0] = 0
) -> Callable[Concatenate[Tensor, P], Tensor]: ...
@overload
def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Any: ...
def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The function that gives the Hessian of ``func``: jacrev(jacrev(func)).

    func is called once, and the rows of its gradient's Jacobian are computed together by one backward pass; with jacfwd
    outside, as in PyTorch, func would be called with tangents as well.

    >>> import wengert as wg
    >>> wg.func.hessian(lambda x: (x**3).sum())(wg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    second: Callable[..., Any] = jacrev(jacrev(func, argnums), argnums)

    @wraps(func)
    def check_and_call(*args: Any, **keywords: Any) -> Any:
        check_real(trees.flatten(args)[0], "inputs", "jacfwd")
        check_primals(trees.flatten(choose_arguments(argnums, args))[0])
        return second(*args, **keywords)

    return check_and_call
