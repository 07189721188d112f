"""FloatTensor and its kin of ``wengert.sparse``: older constructors of sparse tensors.

>>> import warnings
>>> import wengert as wg
>>> with warnings.catch_warnings():
...     warnings.simplefilter("ignore")
...     matrix = wg.sparse.FloatTensor(wg.tensor([[0, 1], [1, 0]]), wg.ones(2), (2, 2))
>>> matrix.to_dense()
tensor([[0., 1.],
        [1., 0.]])
>>> isinstance(matrix, wg.sparse.FloatTensor), isinstance(matrix, wg.sparse.LongTensor)
(True, False)
"""

from __future__ import annotations

from typing import Any

import wengert_core
from wengert_core.extend import Size, Tensor, dtype, warn_user

from wengert_sparse.layouts import SPARSE_COO
from wengert_sparse.ops.construct import sparse_coo_tensor


class sparse_tensortype(type):
    """The type of these classes: a sparse tensor is an instance when it has the dtype."""

    dtype: dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.layout is SPARSE_COO and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        """Return a tensor from a size, or from indices and values with or without a size."""
        warn_user(f"torch.sparse.{cls.__name__}(...) is deprecated.  Please use torch.sparse_coo_tensor(...)")
        if args and isinstance(args[0], Tensor):
            indices, values, *size = args
            if values.dtype is not cls.dtype:
                raise TypeError(
                    f"sparse.{cls.__name__}: expected values of dtype {cls.dtype}, got {values.dtype}; "
                    "convert them, or use sparse_coo_tensor"
                )
            return sparse_coo_tensor(indices, values, *size, device=device)
        sizes = args[0] if len(args) == 1 and isinstance(args[0], (Size, tuple, list)) else args or (0,)
        return sparse_coo_tensor(sizes, dtype=cls.dtype, device=device)

    def __repr__(cls) -> str:
        return f"<class 'torch.sparse.{cls.__name__}'>"


def make_type(name: str, kind: dtype) -> sparse_tensortype:
    """Return one of the classes."""
    return sparse_tensortype(name, (), {"dtype": kind})


ByteTensor = make_type("ByteTensor", wengert_core.uint8)
CharTensor = make_type("CharTensor", wengert_core.int8)
ShortTensor = make_type("ShortTensor", wengert_core.int16)
IntTensor = make_type("IntTensor", wengert_core.int32)
LongTensor = make_type("LongTensor", wengert_core.int64)
HalfTensor = make_type("HalfTensor", wengert_core.float16)
BFloat16Tensor = make_type("BFloat16Tensor", wengert_core.bfloat16)
FloatTensor = make_type("FloatTensor", wengert_core.float32)
DoubleTensor = make_type("DoubleTensor", wengert_core.float64)
