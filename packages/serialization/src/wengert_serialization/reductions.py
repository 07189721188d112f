"""Reductions of objects of wengert for a pickle, in the form of PyTorch's."""

from __future__ import annotations

import copyreg
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import wengert
from wengert import Tensor, TypedStorage

from wengert_serialization import _utils
from wengert_serialization.names import get_layout

__all__ = ["REDUCERS", "own_reducer"]

NEW_DTYPES = (wengert.uint16, wengert.uint32, wengert.uint64)
"""The dtypes that no legacy class of storages is for: their storages are written without a dtype."""


# ---- tensors
def reduce_tensor(tensor: Any) -> tuple[Any, ...]:
    """Return the function that rebuilds a tensor, and its arguments; with those of a subclass or of attributes."""
    state = _utils._get_obj_state(tensor)
    if type(tensor) is Tensor and not state:
        return reduce_parts(tensor)
    return _utils._rebuild_from_type_v2, (*reduce_type(tensor), state)


def reduce_type(tensor: Any) -> tuple[Any, ...]:
    """Return the function that rebuilds a tensor, its class, and the function's arguments."""
    function, arguments = reduce_parts(tensor)
    return function, type(tensor), arguments


def reduce_parts(tensor: Any) -> tuple[Any, ...]:
    """Return the function that rebuilds a tensor of no subclass, and its arguments."""
    if tensor.requires_grad and tensor._backward_hooks:
        wengert.utils.hooks.warn_if_has_hooks(tensor)
    if tensor.layout is not wengert.strided:
        return _utils._rebuild_sparse_tensor, (tensor.layout, components(tensor))
    untyped, kind = tensor.untyped_storage(), tensor.dtype
    is_new = kind in NEW_DTYPES
    storage = untyped if is_new else TypedStorage(wrap_storage=untyped, dtype=kind, _internal=True)
    arguments: tuple[Any, ...] = (storage, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(),
                                  tensor.requires_grad, OrderedDict())
    if is_new:
        return _utils._rebuild_tensor_v3, (*arguments, kind)
    return _utils._rebuild_tensor_v2, arguments


def components(tensor: Any) -> tuple[Any, ...]:
    """Return the tensors that a sparse one consists of, its size, and whether it is coalesced."""
    if tensor.layout is wengert.sparse_coo:
        return tensor._indices(), tensor._values(), tensor.shape, tensor.is_coalesced()
    by_rows = tensor.layout in (wengert.sparse_csr, wengert.sparse_bsr)
    pair = (tensor.crow_indices(), tensor.col_indices()) if by_rows else (tensor.ccol_indices(), tensor.row_indices())
    return (*pair, tensor.values(), tensor.shape)


def reduce_parameter(parameter: Any) -> tuple[Any, ...]:
    """Return the function that rebuilds a parameter, and its arguments."""
    arguments: tuple[Any, ...] = (parameter.data, parameter.requires_grad, OrderedDict())
    state = _utils._get_obj_state(parameter)
    if state:
        return _utils._rebuild_parameter_with_state, (*arguments, state)
    return _utils._rebuild_parameter, arguments


# ---- other objects
def reduce_device(device: Any) -> tuple[Any, ...]:
    return wengert.device, (device.type,) if device.index is None else (device.type, device.index)


TABLE: dict[Any, Callable[[Any], Any]] = {
    Tensor: reduce_tensor,
    wengert.Size: lambda size: (wengert.Size, (tuple(size),)),
    wengert.device: reduce_device,
    wengert.dtype: lambda dtype: str(dtype).removeprefix("torch."),
    wengert.layout: lambda layout: (get_layout, (str(layout),)),
    wengert.memory_format: lambda one: str(one).removeprefix("torch."),
    type(wengert.relu): lambda function: function.__name__,
    type(wengert.nn.functional.relu): lambda function: function.__name__,
}
"""Reductions of objects of wengert, by their type: into a function and arguments, or into a name."""


def own_reducer(kind: Any) -> Any:
    """Return the function that takes apart objects of a type of wengert's; None for another type."""
    found = TABLE.get(kind)
    if found is None and issubclass(kind, Tensor):
        return subclass_reducer(kind)
    return reduce_result if found is None and kind.__module__ == "torch.return_types" else found


def subclass_reducer(kind: Any) -> Any:
    """Return the function for a subclass of Tensor; None for one that says itself how it is pickled."""
    if kind.__reduce_ex__ is Tensor.__reduce_ex__:
        return reduce_tensor
    parameter = getattr(_utils.NN, "Parameter", None)
    return reduce_parameter if parameter is not None and kind.__reduce_ex__ is parameter.__reduce_ex__ else None


def reduce_result(result: Any) -> tuple[Any, ...]:
    """Return class and items of a result with names, such as ``max(dim)`` gives."""
    return type(result), (tuple(result), {})


class Reducers:
    """The ``dispatch_table`` of picklers: types of wengert, then copyreg's."""

    def get(self, kind: Any, default: Any = None) -> Any:
        """Return the function that takes apart objects of a type."""
        return own_reducer(kind) or copyreg.dispatch_table.get(kind, default)

    def __getitem__(self, kind: Any) -> Any:
        found = self.get(kind)
        if found is None:
            raise KeyError(kind)
        return found


REDUCERS = Reducers()
