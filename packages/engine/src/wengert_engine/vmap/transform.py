"""Transforms of functions that run in a thread, and writes to what their functions capture: refused, as in torch.

A transform calls its function once or in another order than the program says, so a write to what is neither an input
nor made inside would be seen outside. Memory remembers the transform in which it was made (``Storage.birth``), and the
recorder asks here before a write to memory that is older than the innermost transform.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import count
from typing import Any

from wengert_core.tensors.tensor import Tensor

from wengert_engine.modes import transforms
from wengert_engine.record.write_rules import set_captured
from wengert_engine.vmap import level_stack
from wengert_engine.vmap.levels import unwrap_batched

_NUMBERS = count(1)
TENSOR_OR_NUMBER = frozenset({"add_", "sub_", "mul_", "div_", "floor_divide_"})
"""In-place operations whose operand is a tensor in PyTorch's schemas, also where a number is given."""
BY_OPERAND = frozenset({"bitwise_and_", "bitwise_or_", "bitwise_xor_", "eq_", "fill_", "fmod_", "ge_", "gt_", "le_",
                        "lerp_", "lt_", "masked_fill_", "ne_", "pow_", "remainder_"})
"""Those that have a variant for each."""


class State(threading.local):
    """The transforms of this thread that refuse writes, the innermost last."""

    def __init__(self) -> None:
        self.refusing: list[Transform] = []


STATE = State()


class Transform:
    """A context in which the function of a transform runs, as those of ``wengert.func.grad`` and ``jvp``.

    writable: values that the function may write to, beside the tensors that it makes; a write to another tensor raises
    RuntimeError. None: it may write to any tensor.   computes_gradients: inside of vmap, batched tensors say whether
    they require grad.

    >>> import wengert as wg
    >>> x, y = wg.ones(2), wg.ones(2)
    >>> with Transform(writable=[x]):
    ...     x.add_(1)
    ...     y.add_(1)
    Traceback (most recent call last):
    RuntimeError: During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place ...
    """

    def __init__(self, computes_gradients: bool = True, writable: Iterable[Any] | None = None) -> None:
        self.computes_gradients = computes_gradients
        self.number, self.before = 0, 0
        if writable is not None:
            self.number = next(_NUMBERS)
            storages = (storage_of(value) for value in writable if isinstance(value, Tensor))
            self.storages = {id(storage): storage for storage in storages}

    def __enter__(self) -> None:
        if self.number:
            self.before = transforms.guard(self.number)
            STATE.refusing.append(self)
        transforms.count_transforms(1)
        if self.computes_gradients:
            level_stack.count_transforms(1)

    def __exit__(self, *error: object) -> None:
        if self.number:
            STATE.refusing.remove(self)
            transforms.guard(self.before)
        transforms.count_transforms(-1)
        if self.computes_gradients:
            level_stack.count_transforms(-1)

    def allows(self, tensor: Any) -> bool:
        """Return whether a tensor's memory was made inside, or is that of a writable one."""
        return transforms.birth(tensor) >= self.number or id(storage_of(tensor)) in self.storages


def storage_of(tensor: Any) -> Any:
    """The storage of a tensor, or of what lies below a batched one."""
    return unwrap_batched(tensor).untyped_storage()


def refuse(tensor: Any, name: str, other: Any) -> None:
    """RuntimeError unless each transform that runs allows a write to a tensor. other: the second operand."""
    if all(one.allows(tensor) for one in STATE.refusing):
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
