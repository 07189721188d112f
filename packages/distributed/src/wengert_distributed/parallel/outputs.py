"""The values that a module returns and takes: the tensors in them, the parameters that they depend on, their device."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wengert import Tensor


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Return the tensors in a value: in lists, tuples, dicts and dataclasses, however deep."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors_in(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from tensors_in(one)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from tensors_in(getattr(value, field.name, None))


def map_tensors(function: Callable[[Tensor], Tensor], value: Any) -> Any:
    """Return a value with every tensor in its lists, tuples and dicts replaced by the function's result."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, dict):
        return type(value)((key, map_tensors(function, one)) for key, one in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(function, one) for one in value))
    if isinstance(value, list | tuple):
        return type(value)(map_tensors(function, one) for one in value)
    return value


def leaves_of(value: Any) -> set[int]:
    """Return the ids of the leaves that get a gradient in a backward from the tensors in a value."""
    found: set[int] = set()
    waiting: list[Any] = []
    for tensor in tensors_in(value):
        if tensor.grad_fn is not None:
            waiting.append(tensor.grad_fn)
        elif tensor.requires_grad:
            found.add(id(tensor))
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.add(id(leaf))
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return found


def numbers_outside(parameters: Iterable[Tensor], used: set[int]) -> list[int]:
    """Return the numbers of the parameters whose ids are not in a set."""
    return [number for number, parameter in enumerate(parameters) if id(parameter) not in used]
