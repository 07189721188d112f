"""Objects that are saved by PyTorch and by wengert, and a description of objects that both give alike.

Imports neither: the recorder and the comparison call it with PyTorch, the tests with wengert.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from typing import Any

DTYPES = "bool uint8 int8 int16 int32 int64 bfloat16 float16 float32 float64 complex64 complex128".split()
NEW_DTYPES = "uint16 uint32 uint64".split()
"""The dtypes that no class of storages is for."""
COMPONENTS = {
    "torch.sparse_coo": ("_indices", "_values"), "torch.sparse_csr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_bsr": ("crow_indices", "col_indices", "values"),
    "torch.sparse_csc": ("ccol_indices", "row_indices", "values"),
    "torch.sparse_bsc": ("ccol_indices", "row_indices", "values"),
}  # fmt: skip


def weights(torch: Any) -> dict[str, Any]:
    """Return objects that are loaded with weights_only=True."""
    x = torch.arange(12.0).reshape(3, 4)
    state = OrderedDict([("weight", x), ("bias", x[1])])
    state._metadata = OrderedDict([("", {"version": 1})])  # type: ignore[attr-defined]  # as modules do
    tensor_with_attributes = torch.ones(2)
    tensor_with_attributes.note, tensor_with_attributes.mask = "kept", torch.zeros(1)
    z = torch.tensor([1 + 2j, 3j])
    return {
        "dtypes": [torch.tensor([0, 1, 1, 0]).to(getattr(torch, name)) for name in DTYPES],
        "new_dtypes": [torch.tensor([0, 1, 1, 0]).to(getattr(torch, name)) for name in NEW_DTYPES],
        "dtype_objects": [getattr(torch, name) for name in DTYPES + NEW_DTYPES],
        "views": [x, x.t(), x[1:, ::2], x[0].expand(3, 4), x[2, 3], x],
        "shapes": [torch.tensor(3.5), torch.empty(0), torch.empty(0, 3), torch.ones(1, 1, 1), torch.empty(0)[0:]],
        "leaf": torch.ones(2, requires_grad=True),
        "result": torch.ones(2, requires_grad=True) * 2,
        "attributes": tensor_with_attributes,
        "complex": [z, torch.view_as_real(torch.tensor([2j]))],
        "conjugates": [z.conj(), z.conj()[1:], (z * 2).conj().imag],
        "state_dict": state,
        "optimizer": {"state": {0: {"step": torch.tensor(3.0), "exp_avg": x * 0.5}},
                      "param_groups": [{"lr": 1e-3, "betas": (0.9, 0.999), "params": [0]}]},
        "small_objects": [torch.Size([2, 3]), torch.device("cpu"), torch.device("cuda:1"), torch.sparse_coo,
                          torch.Tensor],
        "python": [1, -1, 300, 70000, 2**40, -(2**70), 1.5, -math.inf, True, None, "text", "\u00fc\U0001f600", b"\xff",
                   bytearray(b"ab"), (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], {}, {1, 2}, 1j, Counter("aab")],
        "long": [list(range(1100)), {str(i): i for i in range(1100)}],
        "coo": [torch.eye(3).to_sparse(), torch.sparse_coo_tensor([[2, 0, 2]], [1.0, 2.0, 3.0], (4,))],
        "compressed": [torch.eye(4).to_sparse_csr(), torch.eye(4).to_sparse_csc()],
        "blocks": [torch.eye(4).to_sparse_bsr((2, 2)), torch.eye(4).to_sparse_bsc((2, 1))],
        "storages": [x.untyped_storage()[0:8], torch.ones(3).untyped_storage()],
        "nested": {"a": [({"b": x},)], "same": [state, state]},
    }  # fmt: skip


def parameters(torch: Any) -> dict[str, Any]:
    """Return objects with parameters, which are loaded with weights_only=True."""
    weight = torch.nn.Parameter(torch.ones(2, 3).t())
    tagged = torch.nn.Parameter(torch.ones(2))
    tagged.tag = 5
    frozen = torch.nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False)
    return {
        "parameters": [weight, frozen, weight],
        "parameter_with_state": tagged,
        "buffer": torch.nn.Buffer(torch.ones(2)),
    }


def objects(torch: Any) -> dict[str, Any]:
    """Return objects that are loaded with weights_only=False alone."""
    return {
        "python_objects": [slice(1, None, 2), frozenset([1]), range(3)],
        "functions": [torch.nn.functional.relu, torch.nn.functional.softmax],
        "named_result": torch.tensor([[1.0, 3.0], [2.0, 0.0]]).max(0),
    }


def all_cases(torch: Any) -> dict[str, Any]:
    """Return all objects by name."""
    return {**weights(torch), **parameters(torch), **objects(torch)}


def describe(value: Any, torch: Any, seen: dict[int, int] | None = None) -> Any:
    """Return what an object is, in lists and texts: types, values, strides, and which tensors share a storage."""
    seen = {} if seen is None else seen
    if isinstance(value, torch.Tensor):
        return describe_tensor(value, torch, seen)
    if torch.is_storage(value):
        return ["storage", str(getattr(value, "dtype", None)), value.tolist()]
    if isinstance(value, dict):
        pairs = [[describe(key, torch, seen), describe(item, torch, seen)] for key, item in value.items()]
        extra = [[name, describe(item, torch, seen)] for name, item in getattr(value, "__dict__", {}).items()]
        return [type(value).__name__, pairs, extra]
    if isinstance(value, (list, tuple)) and type(value).__name__ != "Size":
        return [type(value).__name__, [describe(item, torch, seen) for item in value]]
    if isinstance(value, (set, frozenset)):
        return [type(value).__name__, sorted(map(repr, value))]
    if callable(value):
        return ["callable", value.__name__]
    return [type(value).__name__, repr(value)]


def describe_tensor(tensor: Any, torch: Any, seen: dict[int, int]) -> Any:
    """Return what a tensor is."""
    facts = {"class": type(tensor).__name__, "dtype": str(tensor.dtype), "shape": list(tensor.shape),
             "requires_grad": tensor.requires_grad, "layout": str(tensor.layout), "is_leaf": tensor.is_leaf}
    attributes = {name: describe(item, torch, seen) for name, item in vars(tensor).items()}
    if attributes:
        facts["attributes"] = attributes
    if str(tensor.layout) in COMPONENTS:
        names = COMPONENTS[str(tensor.layout)]
        parts = [getattr(tensor, name)() for name in names]
        return {**facts, "components": [[str(part.dtype), list(part.shape), part.tolist()] for part in parts]}
    numbers = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype in (torch.uint16, torch.uint32, torch.uint64, torch.bfloat16):
        numbers = numbers.to(torch.float64)
    pointer = tensor.untyped_storage().data_ptr() if tensor.numel() else 0
    shared = seen.setdefault(pointer, len(seen)) if pointer else None
    return {**facts, "stride": list(tensor.stride()), "offset": tensor.storage_offset(), "storage": shared,
            "bytes": tensor.untyped_storage().nbytes(), "values": repr(numbers.tolist())}
