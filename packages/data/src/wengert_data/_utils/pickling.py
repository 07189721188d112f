"""Pickles of what goes from one process to another."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler
from typing import Any

import wengert


class TensorPickler(ForkingPickler):
    """The pickler of multiprocessing. It refuses tensors whose history would be lost."""

    def reducer_override(self, obj: Any) -> Any:
        """Raise RuntimeError for a tensor with a history; leave all else to the pickler."""
        if isinstance(obj, wengert.Tensor) and obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                f"crossing process boundaries: got a tensor of shape {tuple(obj.shape)}. Let the dataset return "
                "tensor.detach()"
            )
        return NotImplemented


def dumps(obj: Any, stays_inside: Callable[[pickle.PickleBuffer], bool] | None = None) -> bytes:
    """Return the pickle of an object, without the buffers for which ``stays_inside`` returns False."""
    file = io.BytesIO()
    TensorPickler(file, pickle.HIGHEST_PROTOCOL, True, stays_inside).dump(obj)
    return file.getvalue()
