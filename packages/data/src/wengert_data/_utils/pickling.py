"""Pickles of what goes from one process to another."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import wengert


class TensorPickler(ForkingPickler):
    """The pickler of multiprocessing. It refuses tensors whose history would be lost, and sends of a tensor's memory
    what its elements span: a pickle has all of it, which for a row of the data is all data.
    """

    def reducer_override(self, obj: Any) -> Any:
        """Raise RuntimeError for a tensor with a history; leave all to the pickler but views of larger memory."""
        if isinstance(obj, wengert.Tensor) and obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                f"crossing process boundaries: got a tensor of shape {tuple(obj.shape)}. Let the dataset return "
                "tensor.detach()"
            )
        return part_of_memory(obj) if type(obj) is wengert.Tensor else NotImplemented


def part_of_memory(tensor: wengert.Tensor) -> Any:
    """Return the pickle's parts of a view of larger memory, with what its elements span of that; else NotImplemented.

    A tensor with a gradient or attributes is left to the pickler, too.
    """
    if tensor.layout is not wengert.strided or tensor.grad is not None or getattr(tensor, "__dict__", None):
        return NotImplemented
    span = 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
    if not tensor.numel() or tensor.untyped_storage().nbytes() <= span * tensor.element_size():
        return NotImplemented
    part = tensor.detach().as_strided((span,), (1,)).clone().as_strided(tensor.shape, tensor.stride())
    return part.detach().requires_grad_(tensor.requires_grad).__reduce_ex__(pickle.HIGHEST_PROTOCOL)


def dumps(obj: Any, stays_inside: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    """Return the pickle of an object, without the buffers for which ``stays_inside`` returns False."""
    file = io.BytesIO()
    TensorPickler(file, pickle.HIGHEST_PROTOCOL, True, stays_inside).dump(obj)
    return file.getvalue()
