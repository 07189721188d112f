"""Constants of composites: tensors on the device of the tensors they are combined with."""

from __future__ import annotations

from typing import Any

from wengert_core.devices.device import CPU
from wengert_core.exchange.numpy_bridge import from_numpy
from wengert_core.tensors.tensor import Tensor


def constant_like(x: Tensor, array: Any) -> Tensor:
    """A NumPy array as a tensor on x's device; on the host on the array's own memory."""
    constant = from_numpy(array)
    return constant if x.device is CPU else constant.to(x.device)
