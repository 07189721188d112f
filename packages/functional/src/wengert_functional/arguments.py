"""What the transforms of ``wengert.func`` ask of argnums, and of what a function returns.

The texts of the errors are PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core.extend import Tensor

from wengert_functional import trees

Argnums = int | tuple[int, ...]


def argnum_positions(argnums: Argnums, count: int) -> tuple[int, ...]:
    """The positions that argnums names, not negative."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    several = argnums if isinstance(argnums, tuple) else (argnums,)
    if not several:
        raise RuntimeError("argnums must be non-empty")
    for position in several:
        if not isinstance(position, int):
            raise RuntimeError(f"argnum must be int, got: {type(position)}")
        if not -count <= position < count:
            raise RuntimeError(f"Got argnum={position}, but only {count} positional inputs")
    found = tuple(position % count for position in several)
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return found


def choose_arguments(argnums: Argnums, args: tuple[Any, ...]) -> Any:
    """The arguments that argnums names: one, or a tuple."""
    found = tuple(args[position] for position in argnum_positions(argnums, len(args)))
    return found if isinstance(argnums, tuple) else found[0]


def replace_arguments(argnums: Argnums, args: tuple[Any, ...], values: Any,
             passed: Callable[[Any], Any] | None = None) -> list[Any]:
    """The arguments with others in the places that argnums names; passed: what becomes of those that stay."""
    chosen_positions = argnum_positions(argnums, len(args))
    found = list(args) if passed is None else [arg if position in chosen_positions else passed(arg)
                                               for position, arg in enumerate(args)]
    for position, value in zip(chosen_positions, values if isinstance(argnums, tuple) else (values,), strict=True):
        found[position] = value
    return found


def with_aux(result: Any, has_aux: bool, where: str) -> tuple[Any, Any]:
    """The output and the auxiliary output (None without has_aux)."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{where}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in trees.flatten(result[1])[0]:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
    output, aux = result
    return output, aux


def output_leaves(output: Any, where: str) -> tuple[list[Any], trees.Spec]:
    """The tensors of an output, and how they are nested."""
    leaves, spec = trees.flatten(output)
    if all(leaf is None for leaf in leaves):
        raise RuntimeError(f"{where}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{where}: expected f(*primals) to return only tensors, got unsupported type "
                               f"{type(leaf)}")
    return leaves, spec


def function_of(func: Callable[..., Any], argnums: Argnums, args: tuple[Any, ...],
                keywords: dict[str, Any]) -> Callable[..., Any]:
    """The function of those arguments alone that argnums names; the others stay as they are."""
    def call(*values: Any) -> Any:
        return func(*replace_arguments(argnums, args, values if isinstance(argnums, tuple) else values[0]), **keywords)

    return call


def check_differentiable(outputs: list[Any]) -> None:
    """RuntimeError for outputs of integers or truth values, where cotangents are to come."""
    for leaf in outputs:
        if not (leaf.is_floating_point() or leaf.is_complex()):
            raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor "
                               f"with dtype {leaf.dtype}")
