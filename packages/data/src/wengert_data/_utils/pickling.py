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
        if type(obj) is wengert.Tensor and obj.layout is wengert.strided and obj.grad is None and not vars(obj):
            span = 1 + sum((size - 1) * step for size, step in zip(obj.shape, obj.stride(), strict=True))
            if obj.numel() and obj.untyped_storage().nbytes() > span * obj.element_size():
                part = obj.detach().as_strided((span,), (1,)).clone()
                return part.as_strided(obj.shape, obj.stride()).detach().requires_grad_(obj.requires_grad).__reduce_ex__(5)
        return NotImplemented


def dumps(obj: Any, stays_inside: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    """Return the pickle of an object, without the buffers for which ``stays_inside`` returns False."""
    file = io.BytesIO()
    TensorPickler(file, pickle.HIGHEST_PROTOCOL, True, stays_inside).dump(obj)
    return file.getvalue()
