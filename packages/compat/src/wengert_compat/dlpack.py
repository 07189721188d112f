"""wengert.utils.dlpack: tensors to and from other libraries, in the same memory.

>>> import wengert as wg
>>> x = wg.zeros(2)
>>> y = wg.utils.dlpack.from_dlpack(wg.utils.dlpack.to_dlpack(x))
>>> y[0] = 1
>>> x
tensor([1., 0.])
"""
# ruff: noqa: N815 - the specification's names of devices

from __future__ import annotations

import enum
from typing import Any

from wengert_core import Tensor, from_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """DLPack's numbers of types of devices: the first of what ``Tensor.__dlpack_device__`` gives.

    >>> import wengert as wg
    >>> wg.ones(1).__dlpack_device__()[0] == wg.utils.dlpack.DLDeviceType.kDLCPU
    True
    """

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def to_dlpack(data: Tensor, /) -> Any:
    """Return a DLPack capsule of a tensor, which shares its memory and can be read once.

    The capsule knows nothing of gradients: of a tensor that requires a gradient it has the numbers. ``from_dlpack``
    takes the tensor itself as well, and so do other libraries.

    >>> import numpy as np
    >>> import wengert as wg
    >>> wg.from_dlpack(wg.to_dlpack(wg.ones(2, requires_grad=True)))
    tensor([1., 1.])
    >>> np.from_dlpack(wg.ones(2))
    array([1., 1.], dtype=float32)
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"to_dlpack(): argument 'data' (position 1) must be Tensor, not {type(data).__name__}")
    return data.detach().__dlpack__()
