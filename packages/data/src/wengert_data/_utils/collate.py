"""Batches of samples: tensors are stacked, containers are batched element by element."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np
import wengert

__all__ = [
    "collate", "collate_float_fn", "collate_int_fn", "collate_numpy_array_fn", "collate_numpy_scalar_fn",
    "collate_str_fn", "collate_tensor_fn", "default_collate", "default_collate_err_msg_format",
    "default_collate_fn_map", "default_convert",
]  # fmt: skip

CollateMap = dict[Any, Callable[..., Any]]
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data: Any) -> Any:
    """Return the data with tensors in place of NumPy arrays and numbers, also inside mappings and sequences.

    Tuples become lists. Anything else is returned as it is, also arrays of text and of objects. Loaders do this to
    each sample if they make no batches.

    >>> import numpy as np
    >>> default_convert({"x": np.array([1, 2]), "name": "a"})
    {'x': tensor([1, 2]), 'name': 'a'}
    """
    kind = type(data)
    if isinstance(data, wengert.Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        return data if kind is np.ndarray and is_text(data.dtype) else wengert.as_tensor(data)
    if isinstance(data, Mapping):
        return mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*[default_convert(one) for one in data])
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return sequence_like(data, [default_convert(one) for one in data])
    return data


def collate(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Return the batch of a list of samples of equal structure.

    collate_fn_map: functions ``f(batch, *, collate_fn_map)`` by the types, or tuples of types, of the samples that they
    batch. A sample's own type comes first, then the first entry that it is an instance of. Samples that have none are
    batched by structure: mappings by key, sequences by position.
    Raises TypeError for samples that are neither, RuntimeError for sequences of different lengths.

    >>> import wengert as wg
    >>> collate([1j, 2j], collate_fn_map={complex: lambda batch, *, collate_fn_map: wg.tensor(batch)})
    tensor([0.+1.j, 0.+2.j])
    """
    first = batch[0]
    if collate_fn_map is not None:
        function = collate_fn_map.get(type(first)) or next(
            (function for kind, function in collate_fn_map.items() if isinstance(first, kind)), None
        )
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        columns = {key: collate([one[key] for one in batch], collate_fn_map=collate_fn_map) for key in first}
        return mapping_like(first, columns)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=False)])
    if isinstance(first, Sequence):
        if any(len(one) != len(first) for one in batch):
            lengths = sorted({len(one) for one in batch})
            raise RuntimeError(f"each element in list of batch should be of equal size, got the sizes {lengths}")
        return sequence_like(
            first, [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=True)]
        )
    raise TypeError(default_collate_err_msg_format.format(type(first)))


def mapping_like(original: Any, items: dict[Any, Any]) -> Any:
    """Return the items as a mapping of the original's type; as a dict, if that type cannot be made from them."""
    if type(original) is dict:
        return items
    try:
        if not isinstance(original, MutableMapping):
            return type(original)(items)
        clone = copy.copy(original)  # which keeps what a subclass has besides its items
        clone.update(items)
    except TypeError:
        return items
    return clone


def sequence_like(original: Any, items: list[Any]) -> Any:
    """Return the items as a sequence of the original's type; as a list for a tuple and where that fails."""
    if isinstance(original, tuple) or type(original) is list:
        return items
    try:
        if not isinstance(original, MutableSequence):
            return type(original)(items)
        clone = copy.copy(original)  # which keeps what a subclass has besides its items
        for position, item in enumerate(items):
            clone[position] = item
    except TypeError:
        return items
    return clone


def is_text(dtype: Any) -> bool:
    """Return whether arrays of a dtype hold text or objects, which no tensor holds."""
    return dtype.kind in "SUO"


def collate_tensor_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Stack tensors along a new first dim. Raises RuntimeError for sparse tensors."""
    if batch[0].layout is not wengert.strided:
        raise RuntimeError(
            "Batches of sparse tensors are not currently supported by the default collate_fn; "
            "please provide a custom collate_fn to handle them appropriately."
        )
    return wengert.stack(batch, 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Stack NumPy arrays to a tensor. Raises TypeError for arrays of text and of objects."""
    if is_text(batch[0].dtype):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([wengert.as_tensor(one) for one in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Return a tensor of NumPy numbers, of their dtype."""
    return wengert.as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Return a float64 tensor of floats."""
    return wengert.tensor(batch, dtype=wengert.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Return a tensor of ints or bools."""
    return wengert.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Return the batch of texts as it is."""
    return batch


default_collate_fn_map: CollateMap = {
    wengert.Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
"""The functions of ``default_collate`` by the types of samples. A program may add and replace entries."""
ORIGINAL_MAP = dict(default_collate_fn_map)


def default_collate(batch: Any) -> Any:
    """Return the batch of a list of samples: tensors with a new first dim.

    ======================  ==================================================
    samples                 batch
    ======================  ==================================================
    tensors, NumPy arrays   a tensor: the samples stacked
    floats                  a float64 tensor
    ints, bools             a tensor
    str, bytes              the list of them
    mappings                a mapping of batches
    named tuples            a named tuple of batches
    tuples, lists           a list of batches
    ======================  ==================================================

    Raises TypeError for samples of other types, RuntimeError for sequences of different lengths.
    ``default_collate_fn_map`` holds the functions of the first four rows.

    >>> default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    >>> default_collate([{"x": 0.5}, {"x": 1.5}])
    {'x': tensor([0.5000, 1.5000], dtype=torch.float64)}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def is_default(function: Any) -> bool:
    """Return whether a function is ``default_collate`` with the functions that it comes with."""
    return function is default_collate and default_collate_fn_map == ORIGINAL_MAP
