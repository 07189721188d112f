"""Powers of two, powers in double precision, and common divisors: ldexp, frexp, float_power, logaddexp2, gcd, lcm."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.dtypes.dtypes import ALL as DTYPES
from wengert_core.dtypes.dtypes import SCALAR_NAMES, get_default_dtype
from wengert_core.exchange.type_info import result_type
from wengert_core.optable.core_table import TABLE
from wengert_core.optable.kinds.base import FLOATING, INTEGRAL
from wengert_core.tensors.named_tuple import result_type as named_type
from wengert_core.tensors.tensor import Tensor

ops, composite = TABLE.ops, TABLE.composite

# ---- common divisors and multiples
TABLE.pointwise_binary(
    "gcd(Tensor self, Tensor other) -> Tensor",
    kernels=[np.gcd],
    dtypes=INTEGRAL,
    no_record=True,
)


def least_multiple(xp: Any, x: Any, other: Any) -> Any:
    """The reference of lcm. A multiple that does not fit wraps around: below 32 bits as an int in C."""
    divisor = xp.gcd(x, other)
    quotient = x // xp.where(divisor == 0, 1, divisor).astype(x.dtype)
    wide = np.int64 if x.dtype.itemsize < 4 else x.dtype
    return xp.abs(quotient.astype(wide) * other.astype(wide)).astype(x.dtype)


TABLE.pointwise_binary(
    "lcm(Tensor self, Tensor other) -> Tensor",
    kernels=["lcm", np.lcm],
    reference=least_multiple,
    dtypes=INTEGRAL,
    no_record=True,
)

# ---- powers of two
TABLE.pointwise_binary(
    "logaddexp2(Tensor self, Tensor other) -> Tensor",
    kernels=[np.logaddexp2],
    dtypes=FLOATING,
    inplace=False,
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
)
frexp_op.options["named"] = named_type("frexp", ("mantissa", "exponent"))


def check_operand(position: str, x: Any) -> None:
    """TypeError for what is no tensor."""
    if not isinstance(x, Tensor):
        number = 1 if position == "input" else 2
        raise TypeError(f"ldexp(): argument '{position}' (position {number}) must be Tensor, not {type(x).__name__}")


def product_type(self: Tensor, other: Tensor) -> Any:
    """The dtype of self * 2 ** other."""
    kind = result_type(self, other)
    return kind if kind.category > 1 else get_default_dtype()


def ldexp_stages(self: Tensor, other: Tensor) -> Tensor:
    """The stages of ldexp.

    By an integer the product is rounded once, also where 2 ** other does not fit into its dtype: a float64 is brought
    near 1 first, a narrower dtype is computed in float64, whose exponents reach far enough for both factors.
    """
    kind = product_type(self, other)
    if other.dtype.category != 1 or kind.is_complex:
        return ops["mul"](self, power_of_two(other, kind))
    if kind.name != "float64":
        wide = ops["mul"](self.to(DTYPES["float64"]), power_of_two(clamp_exponents(other, 700), DTYPES["float64"]))
        return wide.to(kind)
    fraction, exponent = ops["frexp"](self.to(kind))
    exponent = clamp_exponents(ops["add"](clamp_exponents(other, 4500), exponent), 1150)
    last = ops["clamp"](exponent, -1022, 1000)
    exact = ops["mul"](fraction, power_of_two(ops["sub"](exponent, last), kind))
    return ops["mul"](exact, power_of_two(last, kind))


def clamp_exponents(exponent: Tensor, limit: int) -> Tensor:
    """Exponents in int64, those beyond a limit as the limit."""
    return ops["clamp"](exponent.to(DTYPES["int64"]), -limit, limit)


def power_of_two(exponent: Tensor, kind: Any) -> Tensor:
    """2 ** exponent in a dtype."""
    return ops["pow"](2.0, exponent.to(kind))


def numpy_ldexp(xp: Any, x: Any, other: Any) -> Any:
    """The reference of ldexp."""
    if x.dtype.kind != "f" or other.dtype.kind not in "iu":
        return x * 2.0**other
    return xp.ldexp(x, xp.clip(other.astype(xp.int64), -4500, 4500).astype(xp.int32))


@composite
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    for position, x in (("input", input), ("other", other)):
        check_operand(position, x)
    return ldexp_op(input, other, out=out)


LDEXP = "_ldexp(Tensor self, Tensor other) -> Tensor"
ldexp_op = TABLE.staged(
    LDEXP,
    stages=ldexp_stages,
    reference=numpy_ldexp,
    method=False,
    doc="self * 2 ** other.",
)


written_ldexp = TABLE.as_a_whole(ldexp_op, LDEXP, ldexp_stages)


def ldexp_(self: Tensor, other: Tensor) -> Tensor:
    """In-place version of ldexp."""
    for position, x in (("input", self), ("other", other)):
        check_operand(position, x)
    if self.dtype.category < 2:
        raise RuntimeError(f"ldexp can't be cast to the desired output type {SCALAR_NAMES[self.dtype.code]}")
    return written_ldexp(self, other)


# ---- powers in double precision
def wide_of(*operands: Any) -> Any:
    """float64, or complex128 when one operand is complex."""
    kinds = [x.dtype.is_complex if isinstance(x, Tensor) else isinstance(x, complex) for x in operands]
    return DTYPES["complex128" if any(kinds) else "float64"]


def convert_tensor(x: Any, kind: Any) -> Any:
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
    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        raise TypeError(
            "float_power() received an invalid combination of arguments: one of input and exponent must be a Tensor"
        )
    kind = wide_of(input, exponent)
    if out is not None:
        check_precision(out, kind, "float_power", "output")
    return ops["pow"](convert_tensor(input, kind), convert_tensor(exponent, kind), out=out)


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """In-place version of float_power."""
    kind = wide_of(self, exponent)
    check_precision(self, kind, "float_power_", "base")
    return ops["pow_"](self, convert_tensor(exponent, kind))


TABLE.composite(ldexp_)
TABLE.methods |= {"ldexp": ldexp, "ldexp_": ldexp_, "float_power": float_power, "float_power_": float_power_}
