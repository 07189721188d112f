from builtins import bool as _bool
from builtins import int as _int
from typing import Any

from wengert_core.tensor import Tensor

# ---- from here on written by tools/tensor_stub.py from the op table: do not edit
def cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Any: ...
def matmul(input: Any, other: Any) -> Any: ...
def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Any: ...
def multi_dot(tensors: Any, *, out: Tensor | None = None) -> Any: ...
def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Any: ...
def vector_norm(
    x: Any,
    ord: Any = 2,
    dim: Any = None,
    keepdim: _bool = False,
    *,
    dtype: Any = None,
    out: Any = None,
) -> Any: ...
