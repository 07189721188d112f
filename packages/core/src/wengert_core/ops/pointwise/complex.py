"""The parts of complex numbers; of a real tensor they are trivial."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.messages.tensor_attribute_error import TensorAttributeError
from wengert_core.ops.pointwise import complex_pairs
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING_COMPLEX
from wengert_core.tensors.tensor import Tensor

TABLE.pointwise_unary(
    "conj(Tensor self) -> Tensor",
    kernels=[np.conjugate],
    reference=lambda xp, x: xp.conjugate(x),
    identity="real",
    inplace=False,
)
TABLE.pointwise_unary(
    "conj_physical(Tensor self) -> Tensor",
    kernels=[np.conjugate],
    reference=lambda xp, x: xp.conjugate(x),
    identity="real",
)


def angle(xp: Any, x: Any) -> Any:
    """The angle in the complex plane: 0 or pi for real numbers, NaN for NaN."""
    if x.dtype.kind == "c":
        return xp.angle(x)
    return xp.where(xp.isnan(x), x, xp.where(x < 0, xp.pi, 0)).astype(x.dtype)


TABLE.pointwise_unary(
    "angle(Tensor self) -> Tensor",
    kernels=["angle"],
    reference=angle,
    promotion="float_real",
    dtypes=FLOATING_COMPLEX,
    inplace=False,
)


def itself(name: str, input: Any) -> Any:
    """The tensor itself; TypeError for anything else."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input


TABLE.composite(
    lambda input: itself("resolve_conj", input),
    name="resolve_conj",
    method=True,
)
TABLE.composite(
    lambda input: itself("resolve_neg", input),
    name="resolve_neg",
    method=True,
)


def real(input: Any) -> Any:
    """The real parts, as a view; a real tensor itself."""
    return TABLE.ops["view_as_real"](input).select(-1, 0) if input.dtype.category == 3 else input


def imag(input: Any) -> Any:
    """The imaginary parts, as a view; TensorAttributeError for a real tensor."""
    if input.dtype.category != 3:
        raise TensorAttributeError("imag is not implemented for tensors with non-complex dtypes.")
    return TABLE.ops["view_as_real"](input).select(-1, 1)


def set_real(self: Any, value: Any) -> None:
    """x.real = value: into a complex tensor's real parts, or a real tensor itself."""
    part = real(self)
    part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)


def set_imag(self: Any, value: Any) -> None:
    """x.imag = value: into the imaginary parts; RuntimeError for a real tensor."""
    part = imag(self)
    part.copy_(value) if isinstance(value, Tensor) else part.fill_(value)


for function, setter in ((real, set_real), (imag, set_imag)):
    TABLE.composite(function)
    TABLE.methods[function.__name__] = property(function, setter)


def isreal(input: Any) -> Any:
    ones = TABLE.ops["ones_like"]
    return imag(input) == 0 if input.dtype.category == 3 else ones(input, dtype=DTYPES["bool"])


TABLE.composite(isreal, method=True)

for name, parts, join in (
    ("complex", "Tensor real, Tensor imag", complex_pairs.join_parts),
    ("polar", "Tensor abs, Tensor angle", complex_pairs.join_polar),
):
    TABLE.array(f"{name}({parts}, *, Tensor? out=None) -> Tensor", reference=join, results=("array",),
                widen="float16", order="dims", method=False)
