"""wengert.utils._foreach_utils: tensors in groups of one device and dtype, as optimizers outside of PyTorch make them.

>>> import wengert as wg
>>> groups = wg.utils._foreach_utils._group_tensors_by_device_and_dtype([[wg.ones(1), wg.ones(1).double()]], True)
>>> [(str(dtype), numbers) for (_, dtype), (_, numbers) in groups.items()]
[('torch.float32', [0]), ('torch.float64', [1])]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core import Tensor

__all__ = ["Indices", "TensorListList"]

TensorListList = list[list[Tensor | None]]
Indices = list[int]
_foreach_supported_types = [Tensor]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The types of devices whose operations on lists are kernels of their own."""
    return ["cuda"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The types of devices on which an optimizer's step is one kernel."""
    return ["cuda", "cpu"]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[TensorListList, Indices]]:
    """Return the tensors of several lists in groups: by (device, dtype) of the first list's, the part of each list.

    tensorlistlist: lists of one length, or empty ones; those behind the first may have None.   with_indices: with the
    numbers in the lists, which are [] otherwise.
    RuntimeError for no list, an empty first one, lists of other lengths, and None in the first.

    >>> import wengert as wg
    >>> a, b = wg.ones(1), wg.zeros(2)
    >>> list(_group_tensors_by_device_and_dtype([[a, b], [None, a]]).values())
    [([[tensor([1.]), tensor([0., 0.])], [None, tensor([1.])]], [])]
    """
    name = "_group_tensors_by_device_and_dtype"
    lists = [list(one) for one in tensorlistlist]
    if not lists or not lists[0]:
        got = "an empty one" if lists else "no list"
        raise RuntimeError(f"{name}: Expected a first list with tensors, but got {got}")
    sizes = [len(one) for one in lists]
    if any(size not in (0, sizes[0]) for size in sizes):
        raise RuntimeError(f"{name}: Expected lists of {sizes[0]} tensors, or empty ones, but got lists of {sizes}")
    found: dict[tuple[Any, Any], tuple[TensorListList, Indices]] = {}
    for number, first in enumerate(lists[0]):
        if first is None:
            raise RuntimeError(f"Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                               f"{number}-th Tensor is not.")  # fmt: skip
        parts, numbers = found.setdefault((first.device, first.dtype), ([[] for _ in lists], []))
        for part, whole in zip(parts, lists, strict=True):
            if whole:
                part.append(whole[number])
        if with_indices:
            numbers.append(number)
    return found


def _device_has_foreach_support(device: Any) -> bool:
    """Return whether operations on lists take tensors of a device."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Tensor | None], device: Any) -> bool:
    """Return whether operations on lists take these tensors, which are plain ones of a device."""
    return _device_has_foreach_support(device) and all(
        one is None or type(one) in _foreach_supported_types for one in tensors
    )
