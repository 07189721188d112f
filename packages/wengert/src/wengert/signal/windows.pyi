from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Sequence

from wengert_core.devices.layout import layout as _layout
from wengert_core.tensors.tensor import Tensor, _Device, _DType

# ---- from here on written by tools/generate/tensor_stub.py from the op table: do not edit
def bartlett(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def blackman(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def cosine(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def exponential(
    M: _int,
    *,
    center: _float | None = None,
    tau: _float = 1.0,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def gaussian(
    M: _int,
    *,
    std: _float = 1.0,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def general_cosine(
    M: _int,
    *,
    a: Sequence[_float],
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def general_hamming(
    M: _int,
    *,
    alpha: _float = 0.54,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def hamming(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def hann(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def kaiser(
    M: _int,
    *,
    beta: _float = 12.0,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def nuttall(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _DType | None = None,
    layout: _layout | None = ...,
    device: _Device | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
