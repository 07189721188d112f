"""Samples from distributions as arrays: what the random ops draw.

A sampler gets NumPy's generator, a shape, the dtype of the tensor to fill, and the distribution's parameters; it
checks these and returns an array that is then converted.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from wengert_core.caution import warn_user
from wengert_core.dtypes import C_NAMES
from wengert_core.factories import CPP_NAMES, not_for
from wengert_core.tensor import Tensor

Array = Any
"""An array of the namespace at hand."""
Shape = tuple[int, ...]
DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
"""Bits of a floating dtype's significand: all integers up to 2**digits are exact."""
LIMITS = {"bool": (0, 1), "uint8": (0, 255), "int8": (-128, 127), "int16": (-(1 << 15), (1 << 15) - 1),
          "int32": (-(1 << 31), (1 << 31) - 1), "int64": (-(1 << 63), (1 << 63) - 1)}  # fmt: skip


def _precision(kind: Any) -> type:
    """What samples of a dtype are drawn in."""
    return np.float64 if kind.name in ("float64", "complex128") else np.float32


def _float_only(name: str, kind: Any) -> None:
    if not kind.is_floating_point:
        raise not_for(name, kind)


def unit(rng: np.random.Generator, shape: Shape, kind: Any) -> Array:
    """Uniform in [0, 1), also after rounding to ``kind``; complex numbers: both parts are."""
    if kind.is_complex:
        return unit(rng, shape, kind.to_real()) + 1j * unit(rng, shape, kind.to_real())
    _float_only("check_uniform_bounds", kind)
    digits = DIGITS[kind.name]
    if digits < 24:
        return rng.integers(0, 1 << digits, shape).astype(np.float32) * np.float32(2.0**-digits)
    return rng.random(shape, _precision(kind))


LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
"""The largest finite number of each dtype but float64."""


def uniform(rng: np.random.Generator, shape: Shape, kind: Any, low: Any, high: Any) -> Array:
    """Uniform in [low, high)."""
    low, high = float(low), float(high)
    if kind.is_complex:
        return uniform(rng, shape, kind.to_real(), low, high) + 1j * uniform(rng, shape, kind.to_real(), low, high)
    _float_only("check_uniform_bounds", kind)
    largest, cpp = LARGEST.get(kind.name, sys.float_info.max), CPP_NAMES[kind.name]
    for name, bound in (("from", low), ("to", high)):
        if not abs(bound) <= largest:
            raise RuntimeError(f"{name} is out of bounds for {cpp.lower()}: {bound}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{cpp}>::max(), but found to={high:g} and "
                           f"from={low:g} which result in to-from to exceed the limit")
    sample = unit(rng, shape, kind)
    if low == 0 and high == 1:
        return sample
    exact = _precision(kind)
    sample = sample * exact(high - low) + exact(low)
    return np.where(sample < exact(high), sample, exact(low))  # rounding may have reached the end


def normal(rng: np.random.Generator, shape: Shape, kind: Any, mean: Any = 0, std: Any = 1) -> Array:
    """Normal; complex numbers have the variance in both parts together, and the mean in each, as in torch."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {float(std):g}")
    if kind.is_complex:
        real = kind.to_real()
        parts = normal(rng, shape, real) + 1j * normal(rng, shape, real)
        return parts * (_precision(kind)(math.sqrt(0.5)) * std) + mean * (1 + 1j)
    _float_only("normal_kernel_cpu", kind)
    sample = rng.standard_normal(shape, _precision(kind))
    return sample if mean == 0 and std == 1 else sample * _precision(kind)(std) + _precision(kind)(mean)


def _continuous(name: str, kind: Any) -> None:
    if not kind.is_floating_point:
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. dtype must be a floating point but you "
            "specified "
            f"{CPP_NAMES[kind.name]}"
        )


def exponential(rng: np.random.Generator, shape: Shape, kind: Any, lambd: Any) -> Array:
    """Exponential with rate lambd."""
    _continuous("Exponential", kind)
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={float(lambd):g}")
    return rng.standard_exponential(shape, _precision(kind)) / _precision(kind)(lambd)


def cauchy(rng: np.random.Generator, shape: Shape, kind: Any, median: Any, sigma: Any) -> Array:
    """Cauchy around the median."""
    _continuous("Cauchy", kind)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={float(sigma):g}")
    return rng.standard_cauchy(shape) * float(sigma) + float(median)


def log_normal(rng: np.random.Generator, shape: Shape, kind: Any, mean: Any, std: Any) -> Array:
    """exp of a normal number."""
    _float_only("log_normal_cpu", kind)
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={float(std):g}")
    return rng.lognormal(float(mean), float(std), shape)


def geometric(rng: np.random.Generator, shape: Shape, kind: Any, p: Any) -> Array:
    """Trials up to the first success, from 1 on."""
    if kind.is_complex or kind.name == "bool":
        raise not_for("geometric_cpu", kind)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={float(p):g}")
    return rng.geometric(float(p), shape)


def bernoulli(rng: np.random.Generator, shape: Shape, kind: Any, p: Any) -> Array:
    """1 with probability p, which is a number or a tensor that broadcasts."""
    if not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={float(p):g}")
    if kind.is_complex:
        raise not_for("bernoulli_tensor_cpu_self_" if isinstance(p, Tensor) else "bernoulli_scalar_cpu_", kind)
    if isinstance(p, Tensor):
        if p.dtype.category != 2:
            raise not_for("bernoulli_tensor_cpu_p_", p.dtype)
        p = np.asarray(p.expand(shape).tolist())
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false: bernoulli_ got probabilities outside [0, 1]"
            )
    return rng.random(shape) < p


def whole(bound: Any) -> int:
    """A bound of whole numbers. TypeError for another number, ValueError for one beyond 64 bits."""
    if not hasattr(type(bound), "__index__"):
        raise TypeError(f"random_() received an invalid combination of arguments - got ({type(bound).__name__}), but "
                        "expected one of: (), (int to), (int from, int to)")
    number = int(bound)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"Overflow when unpacking long long: {number} does not fit into 64 bits")
    return number


def integers(rng: np.random.Generator, shape: Shape, kind: Any, low: Any, high: Any) -> Array:
    """Whole numbers from low to high - 1. random_'s bounds: none, (high), or (low, high).

    A floating dtype holds some of them only where they are many: a warning.
    """
    if kind.is_complex and low is None and high is None:
        raise not_for("random_kernel_cpu", kind)
    if kind.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    least, most = LIMITS.get(kind.name) or (-(1 << DIGITS[kind.name]), 1 << DIGITS[kind.name])
    if low is None and high is None:
        return rng.integers(0, most, shape, np.int64, endpoint=True)
    low, high = (0, low) if high is None else (0 if low is None else low, high)
    low, high = whole(low), whole(high)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not least <= bound <= most:
            cpp = C_NAMES[kind.code]
            if kind.name in LIMITS or abs(bound) > LARGEST.get(kind.name, math.inf):
                raise RuntimeError(f"{name} is out of bounds for {cpp}: {bound} is not in [{least}, {most}]")
            digits = DIGITS[kind.name]
            warn_user(f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {cpp} can "
                      "support discrete uniform distribution only within this range.")
    return rng.integers(low, high - 1, shape, np.int64, endpoint=True)
