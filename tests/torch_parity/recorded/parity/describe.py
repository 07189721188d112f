"""Describes a result as plain data: what is recorded from PyTorch, and what ours is compared with.

None, bool, int and str stand for themselves; everything else is a dict with one key that says what it is:
{"float": 0.5}, {"tuple": [...]}, {"tensor": {"dtype": "float32", "shape": [2], ...}}. Numbers JSON cannot hold are
text: "nan", "inf", "-inf", and complex ones as Python writes them, "(1+2j)".
"""

import math
from types import ModuleType
from typing import Any

import numpy as np

Description = Any
SHORTEST = {"float16": np.float16, "float32": np.float32}  # dtypes whose values are written with their own precision


def describe(value: object, module: ModuleType) -> Description:
    """The description of `value`, whose tensors and dtypes are `module`'s."""
    if isinstance(value, str):
        return as_torch_text(value)
    if value is None or type(value) in (bool, int):
        return value
    if type(value) in (float, complex):
        return {type(value).__name__: number(value)}
    return describe_torch(value, module) or describe_numpy(value) or describe_container(value, module)


def describe_torch(value: object, module: ModuleType) -> Description | None:
    """The description of one of the module's own objects, None for anything else."""
    if isinstance(value, module.Tensor):
        return {"tensor": describe_tensor(value)}
    if isinstance(value, module.dtype):
        return {"dtype": short(value)}
    if isinstance(value, module.device):
        return {"device": str(value)}
    if isinstance(value, module.Size):
        return {"size": list(value)}
    return None


def describe_tensor(tensor: Any) -> Description:
    """Dtype, shape, strides, place in the graph and values of a tensor."""
    dtype = short(tensor.dtype)
    grad_fn = tensor.grad_fn
    return {
        "dtype": dtype,
        "shape": list(tensor.shape),
        "stride": list(tensor.stride()),
        "requires_grad": tensor.requires_grad,
        "grad_fn": None if grad_fn is None else grad_fn.name(),
        "values": json_numbers(tensor.detach().resolve_conj().resolve_neg().tolist(), dtype),
    }


def describe_numpy(value: object) -> Description | None:
    """The description of an array or a NumPy scalar, None for anything else."""
    if isinstance(value, np.ndarray):
        dtype = value.dtype.name
        return {"ndarray": {"dtype": dtype, "shape": list(value.shape), "values": json_numbers(value.tolist(), dtype)}}
    if isinstance(value, np.generic):
        return {"numpy": {"dtype": value.dtype.name, "values": json_numbers(value.item(), value.dtype.name)}}
    return None


def describe_container(value: object, module: ModuleType) -> Description:
    """The description of a tuple, list, dict, set or type; of any other object its type's name."""
    if isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": [describe(item, module) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[describe(key, module), describe(item, module)] for key, item in value.items()]}
    if isinstance(value, (set, frozenset)):
        return {"set": sorted((describe(item, module) for item in value), key=str)}
    if isinstance(value, type):
        return {"type": value.__name__}
    return {"object": type(value).__name__}


def json_numbers(values: Any, dtype: str) -> Any:
    """The numbers of a (nested) list, each as JSON can hold it."""
    if isinstance(values, list):
        return [json_numbers(item, dtype) for item in values]
    if dtype in SHORTEST and isinstance(values, float) and math.isfinite(values):
        return float(str(SHORTEST[dtype](values)))
    return number(values)


def number(value: Any) -> Any:
    """A number as JSON can hold it.

    >>> number(2.5), number(float("inf")), number(1 + 2j)
    (2.5, 'inf', '(1+2j)')
    """
    if isinstance(value, complex):
        return str(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def short(dtype: object) -> str:
    """The name of a dtype without its module: float32."""
    return str(dtype).rpartition(".")[2]


def as_torch_text(text: str) -> str:
    """Text with our module's name replaced by PyTorch's: dtype=wengert.int8 says the same as dtype=torch.int8."""
    return text.replace("wengert.", "torch.")
