"""Functions that files call to rebuild tensors: ``wengert._utils``, with the names of ``torch._utils``.

All of them check their arguments, because they come from files: a tensor never reaches beyond its storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import wengert
from wengert import Tensor

__all__ = [
    "_element_size", "_flatten_dense_tensors", "_get_obj_state", "_import_dotted_name",
    "_rebuild_device_tensor_from_cpu_tensor", "_rebuild_device_tensor_from_numpy", "_rebuild_from_type_v2",
    "_rebuild_meta_tensor_no_storage", "_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_qtensor",
    "_rebuild_sparse_tensor", "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_set_obj_state",
    "_unflatten_dense_tensors", "get_tensor_metadata", "set_tensor_metadata",
]  # fmt: skip

ALTERED: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
"""Copies of storages, conjugated or negated, by what was done and the dtype: one for all tensors with the same bits."""
NN: Any = wengert.nn  # whose classes are those of an optional part
COMPRESSED = ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")


# ---- strided tensors
def _rebuild_tensor(storage: Any, storage_offset: int, size: Sequence[int], stride: Sequence[int]) -> Tensor:
    """Return a tensor of a TypedStorage's dtype on its memory."""
    return tensor_on(storage.untyped(), storage.dtype, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any, storage_offset: int, size: Sequence[int], stride: Sequence[int], requires_grad: bool,
    backward_hooks: Any, metadata: dict[str, bool] | None = None,
) -> Tensor:  # fmt: skip
    """Return a tensor of a TypedStorage's dtype on its memory; see _rebuild_tensor_v3 for metadata.

    backward_hooks: not used, as no file has hooks.
    """
    return _rebuild_tensor_v3(
        storage, storage_offset, size, stride, requires_grad, backward_hooks, storage.dtype, metadata
    )


def _rebuild_tensor_v3(
    storage: Any, storage_offset: int, size: Sequence[int], stride: Sequence[int], requires_grad: bool,
    backward_hooks: Any, dtype: Any, metadata: dict[str, bool] | None = None,
) -> Tensor:  # fmt: skip
    """Return a tensor on a storage's memory.

    metadata: PyTorch's lazy bits "conj" and "neg". There are none here, so that the tensor then lies in a copy of the
    storage with the numbers conjugated or negated.
    """
    untyped = storage.untyped()
    if metadata:
        untyped = alter_storage(untyped, dtype, metadata)
    tensor = tensor_on(untyped, dtype, storage_offset, size, stride)
    return tensor.requires_grad_() if requires_grad else tensor


def tensor_on(untyped: Any, kind: Any, offset: int, size: Sequence[int], stride: Sequence[int]) -> Tensor:
    """Return a tensor on the memory of a storage. RuntimeError where it would reach beyond it."""
    check_extent(untyped.nbytes(), kind.itemsize, offset, size, stride)
    tensor: Tensor = wengert.empty(0, dtype=kind, device=untyped.device)
    return tensor.set_(untyped, offset, size, stride)


def check_extent(nbytes: int, itemsize: int, offset: int, size: Sequence[int], stride: Sequence[int]) -> None:
    """Raise RuntimeError where a tensor of these sizes and strides does not lie in a storage of ``nbytes``."""
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: sizes {list(size)}, strides {list(stride)}")
    last = offset
    for extent, step in zip(size, stride, strict=True):
        if extent < 0 or step < 0:
            raise RuntimeError(f"a tensor's sizes and strides must not be negative: {list(size)}, {list(stride)}")
        last += (extent - 1) * step
    needed = 0 if 0 in size else (last + 1) * itemsize
    if offset < 0 or needed > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {itemsize} "
            f"requiring a storage size of {needed} are out of bounds for storage of size {nbytes}"
        )


def alter_storage(untyped: Any, kind: Any, metadata: dict[str, bool]) -> Any:
    """Return a copy of a storage with all its numbers conjugated or negated."""
    tasks = frozenset(name for name, value in metadata.items() if value)
    if not tasks <= {"conj", "neg"}:
        raise RuntimeError(f"a tensor's metadata has the keys {sorted(tasks)}; expected conj and neg")
    copies = ALTERED.setdefault(untyped, {})
    if (tasks, kind) not in copies:
        numbers = wengert.empty(0, dtype=kind, device=untyped.device)
        numbers = numbers.set_(untyped, 0, (untyped.nbytes() // kind.itemsize,), (1,)).clone()
        if "conj" in tasks:
            numbers.imag.neg_()
        if "neg" in tasks:
            numbers.neg_()
        copies[tasks, kind] = numbers.untyped_storage()
    return copies[tasks, kind]


def get_tensor_metadata(tensor: Any) -> dict[str, bool]:
    """Return the lazy bits that are set: none, as conjugates and negatives are computed here."""
    if not isinstance(tensor, Tensor):
        raise AssertionError(f"expected torch.Tensor, got {type(tensor).__name__}")
    return {}


def set_tensor_metadata(tensor: Any, metadata: Any) -> None:
    """Conjugate or negate a tensor in place as PyTorch's lazy bits say."""
    if not isinstance(metadata, dict):
        raise AssertionError(f"expected dict, got {type(metadata).__name__}")
    with wengert.no_grad():
        if metadata.get("conj"):
            tensor.copy_(tensor.conj())
        if metadata.get("neg"):
            tensor.neg_()


# ---- other layouts and devices
def _rebuild_sparse_tensor(layout: Any, data: Sequence[Any]) -> Tensor:
    """Return a sparse tensor of its components, which are always checked."""
    if layout is wengert.sparse_coo:
        indices, values, size, *coalesced = data
        return wengert.sparse_coo_tensor(
            indices, values, size, check_invariants=True, is_coalesced=coalesced[0] if coalesced else None
        )
    if any(layout is getattr(wengert, name) for name in COMPRESSED):
        compressed, plain, values, size = data
        return wengert.sparse_compressed_tensor(
            compressed, plain, values, size, layout=layout, check_invariants=True
        )
    raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    """Return a tensor without memory, on the device "meta"."""
    return wengert.empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)


def _rebuild_device_tensor_from_cpu_tensor(data: Tensor, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    """Return a tensor with the values of one on the CPU, on the device that ``map_location`` says."""
    from wengert_serialization.locations import target_device

    return data.to(dtype=dtype, device=target_device(device)).detach().requires_grad_(requires_grad)


def _rebuild_device_tensor_from_numpy(data: Any, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    """Return a tensor with the values of an array, on the device that ``map_location`` says."""
    return _rebuild_device_tensor_from_cpu_tensor(wengert.from_numpy(data), dtype, device, requires_grad)


def _rebuild_qtensor(*args: Any) -> Tensor:
    """Raise NotImplementedError: there are no quantized tensors."""
    raise NotImplementedError("the file has a quantized tensor; wengert has none. Save tensor.dequantize() instead")


# ---- parameters and subclasses
def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    """Return a parameter on the memory of a tensor."""
    return NN.Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Any:
    """Return a parameter on the memory of a tensor, with attributes."""
    return _set_obj_state(NN.Parameter(data, requires_grad), state)


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Sequence[Any], state: Any) -> Any:
    """Return the tensor that ``func`` makes, as one of a subclass, with attributes."""
    tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    if has_own_setstate(new_type):
        tensor.__setstate__(state)
        return tensor
    return _set_obj_state(tensor, state)


def has_own_setstate(kind: type) -> bool:
    """Return whether a subclass of Tensor defines ``__setstate__`` itself."""
    own = getattr(kind, "__setstate__", None)
    return own is not None and own is not getattr(Tensor, "__setstate__", None)


def _get_obj_state(obj: Any) -> Any:
    """Return an object's attributes, as pickle does; None when there are none."""
    return obj.__getstate__()


def _set_obj_state(obj: Any, state: Any) -> Any:
    """Give an object attributes: a dict, or a tuple of a dict and one for slots. Return the object."""
    if isinstance(state, tuple) and len(state) != 2:
        raise RuntimeError(f"Invalid serialized state: {state}")
    for attributes in state if isinstance(state, tuple) else (state,):
        for name, value in (attributes or {}).items():
            setattr(obj, name, value)
    return obj


# ---- names that other programs use
def _element_size(dtype: Any) -> int:
    """Return the bytes of an element."""
    return int(dtype.itemsize)


def _import_dotted_name(name: str) -> Any:
    """Return the object with a dotted name whose first part is a module.

    >>> import wengert as wg
    >>> wg._utils._import_dotted_name("math.tau")
    6.283185307179586
    """
    first, *rest = name.split(".")
    found: Any = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Return the elements of tensors one after another, in one dimension."""
    return wengert.cat([tensor.contiguous().view(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return views of a tensor's elements, in the shapes of other tensors: the inverse of _flatten_dense_tensors.

    >>> import wengert as wg
    >>> parts = [wg.zeros(2), wg.zeros(1, 2)]
    >>> wg._utils._unflatten_dense_tensors(wg.arange(4.), parts)
    (tensor([0., 1.]), tensor([[2., 3.]]))
    """
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True))
