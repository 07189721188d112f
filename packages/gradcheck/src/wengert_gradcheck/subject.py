"""The function under test with its inputs: called, and its outputs looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.extend import Tensor, as_list, is_strided

from wengert_gradcheck.errors import Array


def is_differentiable(value: Any) -> bool:
    """Whether a value is a tensor of floating or complex numbers."""
    return isinstance(value, Tensor) and (value.dtype.is_floating_point or value.dtype.is_complex)


def array_of(tensor: Tensor) -> Array:
    """The numbers of a tensor; a view where NumPy knows the dtype, and a copy of what is sparse or on a device."""
    tensor = tensor.detach().cpu()
    if not is_strided(tensor):
        tensor = tensor.to_dense()
    return tensor.to(wc.float32).numpy() if tensor.dtype is wc.bfloat16 else tensor.numpy()


def has_array(tensor: Tensor) -> bool:
    """Whether NumPy can read and write the tensor's memory."""
    return tensor.dtype is not wc.bfloat16 and tensor.device.type == "cpu"


def tensor_of(numbers: Array, like: Tensor) -> Tensor:
    """A tensor with these numbers, and the dtype and device of another."""
    return wc.tensor(np.ascontiguousarray(numbers).reshape(tuple(like.shape)), device=like.device).to(like.dtype)


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Inputs or outputs as a tuple."""
    return tuple(as_list(value)) if isinstance(value, (tuple, list)) else (value,)


@dataclass
class Subject:
    """A function and its inputs. ``inputs`` are those that derivatives are checked by, ``positions`` where they are
    among the arguments.
    """

    func: Callable[..., Any]
    args: tuple[Any, ...]
    inputs: list[Tensor]
    positions: list[int]

    def outputs(self) -> list[Tensor]:
        """All outputs. AttributeError when there is something else than tensors among them."""
        outputs = as_tuple(self.func(*self.args))
        for i, value in enumerate(outputs):
            if not isinstance(value, Tensor):
                kind = type(value).__name__
                raise AttributeError(
                    f"'{kind}' object has no attribute 'requires_grad': outputs must be tensors, but output {i} of "
                    f"func is a {kind}; return a Tensor, or a tuple or list of Tensors"
                )
        return list(outputs)

    def checked_outputs(self) -> tuple[list[Tensor], list[int]]:
        """The outputs that derivatives are checked of, and where they are among all."""
        outputs = self.outputs()
        positions = [i for i, y in enumerate(outputs) if is_differentiable(y) and y.requires_grad]
        return [outputs[i] for i in positions], positions


def subject_of(func: Callable[..., Any], args: Sequence[Any]) -> Subject:
    """The subject of a check; derivatives are taken by all floating and complex tensors that require grad."""
    positions = [i for i, x in enumerate(args) if is_differentiable(x) and x.requires_grad]
    return Subject(func, tuple(args), [args[i] for i in positions], positions)
