"""Results of functions of images, with their channels last where the image has its channels last."""

from __future__ import annotations

from typing import Any

from wengert_core.tensors.memory_format import channels_last, channels_last_3d
from wengert_core.tensors.tensor import Tensor


def keep_layout(input: Tensor, result: Any) -> Any:
    """The result in the memory layout of the image that it was made of."""
    form = {4: channels_last, 5: channels_last_3d}.get(input.dim())
    if form is None or input.is_contiguous() or not input.is_contiguous(memory_format=form):
        return result
    return result.contiguous(memory_format=form)
