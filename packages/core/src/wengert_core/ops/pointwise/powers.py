"""Powers of two, powers in double precision, and common divisors: ldexp, frexp, float_power, logaddexp2, gcd, lcm."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.dtypes.dtypes import SCALAR_NAMES
from wengert_core.exchange.type_info import result_type
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, INTEGRAL
from wengert_core.tensors.named_tuple import result_type as named_type
from wengert_core.tensors.tensor import Tensor

ops, composite = TABLE.ops, TABLE.composite

# ---- common divisors and multiples
for name, ufunc, words in (
    ("gcd", np.gcd, "The greatest common divisor, never negative."),
    ("lcm", np.lcm, "The least common multiple, never negative."),
):
    TABLE.pointwise_binary(
        f"{name}(Tensor self, Tensor other) -> Tensor", kernels=[ufunc], dtypes=INTEGRAL, no_record=True, doc=words
    )

# ---- powers of two
TABLE.pointwise_binary(
    "logaddexp2(Tensor self, Tensor other) -> Tensor",
    kernels=[np.logaddexp2],
    dtypes=FLOATING,
    inplace=False,
    doc="log2(2 ** self + 2 ** other) without overflow.",
)


def check_frexp(xp: Any, x: Any) -> Any:
    """The reference of frexp."""
    if x.dtype.kind != "f" and x.dtype.name != "bfloat16":
        raise RuntimeError(f"torch.frexp() only supports floating-point dtypes, got {x.dtype}")
    mantissa, exponent = xp.frexp(x)
    return mantissa, xp.where(xp.isfinite(x), exponent, 0).astype(xp.int32)


frexp_op = TABLE.array(
    "frexp(Tensor self, *, object? out=None) -> (Tensor mantissa, Tensor exponent)",
    reference=check_frexp,
    results=("same", "int32"),
    order="dims",
    doc="mantissa (from 0.5 to 1 in size) and exponent, with self == mantissa * 2 ** exponent.",
)
frexp_op.options["named"] = named_type("frexp", ("mantissa", "exponent"))


def check_operand(position: str, x: Any) -> None:
    """TypeError for what is no tensor."""
    if not isinstance(x, Tensor):
        number = 1 if position == "input" else 2
        raise TypeError(f"ldexp(): argument '{position}' (position {number}) must be Tensor, not {type(x).__name__}")


def power_of_two(self: Any, other: Any) -> Tensor:
    """2 ** other, in the dtype of the product with self."""
    for position, x in (("input", self), ("other", other)):
        check_operand(position, x)
    kind = result_type(self, other)
    kind = kind if kind.category > 1 else DTYPES["float32"]
    return ops["pow"](2.0, other.to(kind))


@composite
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * 2 ** other."""
    for position, x in (("input", input), ("other", other)):
        check_operand(position, x)
    return ldexp_op(input, other, out=out)


ldexp_op = TABLE.staged(
    "_ldexp(Tensor self, Tensor other) -> Tensor",
    stages=lambda self, other: ops["mul"](self, power_of_two(self, other)),
    reference=lambda xp, x, other: x * 2.0**other,
    method=False,
    doc="self * 2 ** other.",
)


def ldexp_(self: Tensor, other: Tensor) -> Tensor:
    """In-place version of ldexp."""
    factor = power_of_two(self, other)
    if self.dtype.category < 2:
        raise RuntimeError(f"ldexp can't be cast to the desired output type {SCALAR_NAMES[self.dtype.code]}")
    return ops["mul_"](self, factor)


# ---- powers in double precision
def wide_of(*operands: Any) -> Any:
    """float64, or complex128 when one operand is complex."""
    kinds = [x.dtype.is_complex if isinstance(x, Tensor) else isinstance(x, complex) for x in operands]
    return DTYPES["complex128" if any(kinds) else "float64"]


def widened(x: Any, kind: Any) -> Any:
    """A tensor in that dtype; a number as it is."""
    return x.to(kind) if isinstance(x, Tensor) else x


def check_precision(given: Tensor, kind: Any, name: str, part: str) -> None:
    """RuntimeError when the result does not fit into a tensor."""
    if given.dtype is not kind:
        raise RuntimeError(
            f"the {part} given to {name} has dtype {SCALAR_NAMES[given.dtype.code]} but the operation's result "
            f"requires dtype {SCALAR_NAMES[kind.code]}"
        )


@composite
def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """input ** exponent, computed in float64 or complex128."""
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise TypeError(
            "float_power() received an invalid combination of arguments: one of input and exponent must be a Tensor"
        )
    kind = wide_of(input, exponent)
    if out is not None:
        check_precision(out, kind, "float_power", "output")
    return ops["pow"](widened(input, kind), widened(exponent, kind), out=out)


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """In-place version of float_power."""
    kind = wide_of(self, exponent)
    check_precision(self, kind, "float_power_", "base")
    return ops["pow_"](self, widened(exponent, kind))


TABLE.composite(ldexp_)
TABLE.methods |= {"ldexp": ldexp, "ldexp_": ldexp_, "float_power": float_power, "float_power_": float_power_}
