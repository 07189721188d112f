"""Writes to tensors that the function of a transform captures: refused, as in torch.

A transform calls its function once or in another order than the program says, so a write to what is neither an input
nor made inside would be seen outside. Memory remembers the transform in which it was made (``Storage.birth``), and the
engine asks here before a write to memory that is older than the innermost transform.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import count
from typing import Any

from wengert_core.extend import Tensor
from wengert_engine.modes.transforms import birth, guard
from wengert_engine.record.record import set_captured

_NUMBERS = count(1)
TENSOR_OR_NUMBER = frozenset({"add_", "sub_", "mul_", "div_", "floor_divide_"})
"""In-place operations whose operand is a tensor in PyTorch's schemas, also where a number is given."""
BY_OPERAND = frozenset({"bitwise_and_", "bitwise_or_", "bitwise_xor_", "eq_", "fill_", "fmod_", "ge_", "gt_", "le_",
                        "lerp_", "lt_", "masked_fill_", "ne_", "pow_", "remainder_"})
"""Those that have a variant for each."""


class State(threading.local):
    """The guards of the transforms that run in this thread, the innermost last."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []


class Guard:
    """The memory that one transform lets its function write to. inputs: the leaves of all arguments."""

    def __init__(self, inputs: Iterable[Any]) -> None:
        self.number = next(_NUMBERS)
        self.storages = {id(storage): storage for value in inputs if isinstance(value, Tensor)
                         for storage in (storage_of(value),)}
        self.before = 0

    def begin(self) -> None:
        self.before = guard(self.number)
        STATE.guards.append(self)

    def end(self) -> None:
        STATE.guards.remove(self)
        guard(self.before)

    def allows(self, tensor: Any) -> bool:
        """Whether a tensor's memory was made inside, or is an input's."""
        return birth(tensor) >= self.number or id(storage_of(tensor)) in self.storages


STATE = State()


def storage_of(tensor: Any) -> Any:
    """The storage of a tensor, or of what lies below a batched one."""
    from wengert_functional import levels

    batching = levels.batching
    while batching is not None and batching.is_batched(tensor):
        tensor = batching.physical_of(tensor)
    return tensor.untyped_storage()


def refuse(tensor: Any, name: str, other: Any) -> None:
    """RuntimeError unless each transform that runs allows a write to a tensor. other: the second operand."""
    if all(one.allows(tensor) for one in STATE.guards):
        return
    raise RuntimeError(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
        f"(aten::{overload(name, other)}) that would mutate a captured Tensor. This is not supported; please rewrite "
        "the function being transformed to explicitly accept the mutated Tensor(s) as inputs.")


def overload(name: str, other: Any) -> str:
    """PyTorch's name of an in-place operation with this operand."""
    if name == "set_":
        return "set_.source_Tensor" if isinstance(other, Tensor) else "set_"
    if name in TENSOR_OR_NUMBER:
        return f"{name}.Tensor"
    if name in BY_OPERAND:
        return f"{name}.{'Tensor' if isinstance(other, Tensor) else 'Scalar'}"
    return name


set_captured(refuse)
