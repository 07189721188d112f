"""The array API standard, version 2025.12, on tensors: the namespace ``wengert.array_api``.

Functions have the standard's names, parameters and rules, also where those of ``wengert`` differ: arrays without dims
count as any other array in promotion, sort, max and std give what the standard says. All of them are recorded, so that
derivatives of every order are taken through them. Arrays are tensors, dtypes and devices are wengert's.

>>> import wengert as wg
>>> x = wg.tensor([3.0, 1.0, 2.0], requires_grad=True)
>>> xp = x.__array_namespace__()
>>> xp.std(xp.sort(x), correction=1).backward()
>>> xp.__array_api_version__, x.grad
('2025.12', tensor([ 0.5000, -0.5000,  0.0000]))
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import wengert as wg
from wengert import bfloat16, bool, complex64, complex128, float16, float32, float64, int8, int16, int32, int64, uint8

from wengert_numpy.array_api import fft, linalg
from wengert_numpy.array_api.constants import e, inf, nan, newaxis, pi
from wengert_numpy.array_api.creation import (  # fmt: skip
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from wengert_numpy.array_api.data_types import astype, can_cast, finfo, iinfo, isdtype, result_type
from wengert_numpy.array_api.elementwise import (  # fmt: skip
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)
from wengert_numpy.array_api.indexing import take, take_along_axis
from wengert_numpy.array_api.inspection import VERSION, namespace_info
from wengert_numpy.array_api.linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from wengert_numpy.array_api.manipulation import (  # fmt: skip
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from wengert_numpy.array_api.searching import argmax, argmin, count_nonzero, nonzero, searchsorted, where
from wengert_numpy.array_api.sets import isin, unique_all, unique_counts, unique_inverse, unique_values
from wengert_numpy.array_api.sorting import argsort, sort
from wengert_numpy.array_api.statistical import cumulative_prod, cumulative_sum, max, mean, min, prod, std, sum, var
from wengert_numpy.array_api.utility import all, any, diff

__array_api_version__ = VERSION
__array_namespace_info__ = namespace_info
__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bfloat16",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "ceil",
    "clip",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "divide",
    "e",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "trunc",
    "uint8",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]  # fmt: skip

for _name in ("uint16", "uint32", "uint64"):
    if hasattr(wg, _name):
        globals()[_name] = getattr(wg, _name)
        __all__ += [_name]

# Users import this very module as wengert.array_api: a plain module, whose names are found fastest, and one object for
# all, since namespaces are told apart by identity.
__name__ = "wengert.array_api"
sys.modules[__name__] = vars(wg)["array_api"] = sys.modules["wengert_numpy.array_api"]


NUMPY_FUNCTIONS = ("cross", "einsum", "gradient", "pad", "transpose")
"""Functions that the standard does not have, but xarray calls in every namespace: NumPy's, by its protocol."""


def __getattr__(name: str) -> Any:
    """Load the extension ``special`` when it is asked for, and functions of NumPy for xarray."""
    if name in NUMPY_FUNCTIONS:
        return getattr(import_module("numpy"), name)
    if name != "special":
        raise AttributeError(f"module 'wengert.array_api' has no attribute '{name}'", name=name)
    try:
        return import_module("wengert_numpy.array_api.special")
    except ImportError as error:
        raise AttributeError(f"module 'wengert.array_api' has no attribute 'special': {error}", name=name) from error
