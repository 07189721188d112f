"""Samples from distributions as arrays: what the random ops draw.

A sampler gets NumPy's generator, a shape, the dtype of the tensor to fill, and the distribution's parameters; it
checks these and returns an array that is then converted. Where core/rng/pcg64.pyx can, it draws the numbers instead.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from wengert_core.dtypes.cpp_names import CPP_NAMES, not_implemented_for
from wengert_core.dtypes.dtypes import ALL, C_NAMES
from wengert_core.rng import pcg64
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

Array = Any
"""An array of the namespace at hand."""
Shape = tuple[int, ...]
DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
"""Bits of a floating dtype's significand: all integers up to 2**digits are exact."""
LIMITS = {"bool": (0, 1), "uint8": (0, 255), "int8": (-128, 127), "int16": (-(1 << 15), (1 << 15) - 1),
          "int32": (-(1 << 31), (1 << 31) - 1), "int64": (-(1 << 63), (1 << 63) - 1), "uint16": (0, (1 << 16) - 1),
          "uint32": (0, (1 << 32) - 1), "uint64": (0, (1 << 64) - 1)}  # fmt: skip


def _precision(kind: Any) -> type:
    """What samples of a dtype are drawn in."""
    return np.float64 if kind.name in ("float64", "complex128") else np.float32


def _float_only(name: str, kind: Any) -> None:
    if not kind.is_floating_point:
        raise not_implemented_for(name, kind)


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
    largest = LARGEST.get(kind.name, sys.float_info.max)
    for name, bound in (("from", low), ("to", high)):
        if not abs(bound) <= largest:
            raise RuntimeError(f"{name} is out of bounds for {C_NAMES[kind.code]}: {bound}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{CPP_NAMES[kind.name]}>::max(), but found "
                           f"to={high:g} and from={low:g} which result in to-from to exceed the limit")
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
    if 0 in shape:
        return np.zeros(shape, np.float32)
    _float_only("normal_kernel_cpu", kind)
    found = pcg64.normals(rng, shape, _precision(kind), mean, std)
    return box_muller(rng, shape, _precision(kind), mean, std) if found is None else found


BLOCK = 256
"""Of normal numbers: the first half of a block is r * cos(a), the second r * sin(a), of pairs as they are drawn."""


def box_muller(rng: np.random.Generator, shape: Shape, precision: type, mean: Any, std: Any) -> Array:
    """Normal numbers (Box and Muller, 1958), as rng/pcg64.h computes them, but for their rounding."""
    n = math.prod(shape)
    whole, rest = divmod(n, BLOCK)
    pairs = whole * (BLOCK // 2) + (rest + 1) // 2
    raw: Array
    first: Array
    second: Array
    if precision is np.float32:
        raw = rng.bit_generator.random_raw(pairs)
        first, second = ((raw >> 24) + 1).astype(precision) * precision(2.0**-40), (raw & 0xFFFFFF) / precision(1 << 24)
    else:
        raw = rng.bit_generator.random_raw((pairs, 2)) >> 11
        first, second = (raw[:, 0] + 1) * 2.0**-53, raw[:, 1] * 2.0**-53
    radius = np.sqrt(-2 * np.log(first)) * precision(std)
    turn = second.astype(np.float64) * (2 * math.pi)
    halves = [(radius * part(turn)).astype(precision) + precision(mean) for part in (np.cos, np.sin)]
    at = whole * (BLOCK // 2)
    blocks = np.concatenate([half[:at].reshape(whole, BLOCK // 2) for half in halves], 1).reshape(-1)
    return np.concatenate([blocks, *(half[at:] for half in halves)])[:n].reshape(shape)


def _continuous(name: str, kind: Any) -> None:
    if not kind.is_floating_point:
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. dtype must be a floating point but you "
            "specified "
            f"{CPP_NAMES[kind.name]}"
        )


def shuffle(rng: np.random.Generator, n: int) -> Array:
    """The numbers from 0 to n - 1 in an order that is as likely as any other (Fisher and Yates)."""
    order = list(range(n))
    partners = rng.integers(0, np.arange(n - 1, 0, -1), endpoint=True).tolist()
    for i, k in zip(range(n - 1, 0, -1), partners, strict=True):
        order[i], order[k] = order[k], order[i]
    return np.array(order, np.int64)


def numbers(tensor: Any) -> Array:
    """A tensor's numbers as an array, in double precision where they are real."""
    if tensor.is_complex() or tensor.device.type != "cpu":
        return np.asarray(tensor.tolist()).reshape(tensor.shape)
    return tensor.detach().to(ALL["float64"]).numpy()


def exponential(rng: np.random.Generator, shape: Shape, kind: Any, lambd: Any) -> Array:
    """Exponential with rate lambd."""
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={float(lambd):g}")
    if 0 in shape:
        return np.zeros(shape, np.float32)
    _continuous("Exponential", kind)
    return rng.standard_exponential(shape, _precision(kind)) / _precision(kind)(lambd)


def cauchy(rng: np.random.Generator, shape: Shape, kind: Any, median: Any, sigma: Any) -> Array:
    """Cauchy around the median."""
    _continuous("Cauchy", kind)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={float(sigma):g}")
    return rng.standard_cauchy(shape) * float(sigma) + float(median)


def log_normal(rng: np.random.Generator, shape: Shape, kind: Any, mean: Any, std: Any) -> Array:
    """exp of a normal number."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={float(std):g}")
    if 0 not in shape:
        _float_only("log_normal_cpu", kind)
    return rng.lognormal(float(mean), float(std), shape)


def geometric(rng: np.random.Generator, shape: Shape, kind: Any, p: Any) -> Array:
    """Trials up to the first success, from 1 on."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={float(p):g}")
    if (kind.is_complex or kind.name == "bool") and 0 not in shape:
        raise not_implemented_for("geometric_cpu", kind)
    return rng.geometric(float(p), shape)


def bernoulli(rng: np.random.Generator, shape: Shape, kind: Any, p: Any) -> Array:
    """1 with probability p, which is a number or a tensor that broadcasts."""
    if not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={float(p):g}")
    if kind.is_complex and 0 not in shape:
        kernel = "bernoulli_tensor_cpu_self_" if isinstance(p, Tensor) else "bernoulli_scalar_cpu_"
        raise not_implemented_for(kernel, kind)
    if isinstance(p, Tensor):
        if p.dtype.category != 2:
            raise not_implemented_for("bernoulli_tensor_cpu_p_", p.dtype)
        p = numbers(p.expand(shape))
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false: bernoulli_ got probabilities outside [0, 1]"
            )
    found = None if isinstance(p, np.ndarray) else pcg64.chance(rng, shape, p)
    return rng.random(shape) < p if found is None else found


UNSET = "unset"
"""A bound of random_ that was left out; None is no bound above."""


def is_default_bound(bound: Any) -> bool:
    """Whether a bound is the default."""
    return isinstance(bound, str) and bound == UNSET


def refuse_bounds(*bounds: Any) -> None:
    """TypeError for bounds that random_ does not take."""
    kinds = ", ".join(type(bound).__name__ for bound in bounds)
    raise TypeError(f"random_() received an invalid combination of arguments - got ({kinds}), but expected one of: "
                    "(), (int to), (int from, int to)")


def whole(bound: Any) -> int:
    """A bound of whole numbers. TypeError for another number, ValueError for one beyond 64 bits."""
    if isinstance(bound, bool) or not hasattr(type(bound), "__index__"):
        refuse_bounds(bound)
    number = int(bound)
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"Overflow when unpacking long long: {number} does not fit into 64 bits")
    return number


def integers(rng: np.random.Generator, shape: Shape, kind: Any, low: Any, high: Any) -> Array:
    """Whole numbers from low to high - 1. random_'s bounds: none, (high), (low, high), or (low, None).

    A floating dtype holds not all of the large ones: a warning, and numbers that round to high are not drawn.
    """
    if kind.is_complex:
        return of_no_complex(shape, kind, is_default_bound(low) and is_default_bound(high))
    least, most = LIMITS.get(kind.name) or (-(1 << DIGITS[kind.name]), 1 << DIGITS[kind.name])
    low, high = resolve_bounds(low, high)
    if high is None:
        low = 0 if low is None else checked_low(kind, low, least, most)
        return rng.integers(low, most, shape, np.uint64 if most >= 1 << 63 else np.int64, endpoint=True)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for name, bound in (("from", low), ("to - 1", high - 1)):
        check_bound(name, kind, bound, least, most)
    if kind.name not in LIMITS:
        low, high = representable(kind, low, high)
        if low >= high:
            raise RuntimeError("random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                               f"from={low} >= to={high}")
    return rng.integers(low, high - 1, shape, np.int64, endpoint=True)


def of_no_complex(shape: Shape, kind: Any, unbounded: bool) -> Array:
    """Refuse complex whole numbers, unless there are none."""
    if unbounded and 0 in shape:
        return np.zeros(shape, np.float32)
    if unbounded:
        raise not_implemented_for("random_kernel_cpu", kind)
    raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")


def resolve_bounds(low: Any, high: Any) -> tuple[int | None, int | None]:
    """random_'s bounds as (from, to); None: there is none. TypeError for those it does not take."""
    if is_default_bound(low) and is_default_bound(high):
        return None, None
    if low is None or (high is None and is_default_bound(low)):
        refuse_bounds(*(bound for bound in (low, high) if not is_default_bound(bound)))
    if is_default_bound(high):
        low, high = 0, low
    return 0 if is_default_bound(low) else whole(low), None if high is None else whole(high)


def check_bound(name: str, kind: Any, bound: int, least: int, most: int) -> None:
    """RuntimeError for a bound that a dtype does not hold, a warning for one beyond which it has gaps."""
    if least <= bound <= most:
        return
    cpp = C_NAMES[kind.code]
    if kind.name in LIMITS or abs(bound) > LARGEST.get(kind.name, math.inf):
        raise RuntimeError(f"{name} is out of bounds for {cpp}: {bound} is not in [{least}, {most}]")
    digits = DIGITS[kind.name]
    warn_user(f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {cpp} can "
              "support discrete uniform distribution only within this range.")


def checked_low(kind: Any, low: int, least: int, most: int) -> int:
    """The least number of a range without a bound above."""
    if low == -(2**63) and kind.name in ("float32", "float64", "bfloat16"):
        return low  # all 64 bits: torch warns of no gaps then
    if not least <= low <= (LARGEST.get(kind.name, math.inf) if kind.name not in LIMITS else most):
        check_bound("from", kind, low, least, most)
    if kind.name in LIMITS:
        return low
    low = representable(kind, low, most)[0]
    if low >= most:
        raise RuntimeError("random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                           f"dtype, but got from={low} > to_inc={most}")
    return low


def representable(kind: Any, low: int, high: int) -> tuple[int, int]:
    """The bounds moved inwards where a number at the end would be rounded beyond it."""
    digits = DIGITS[kind.name]
    first, last = round_to_digits(low + 1, digits), round_to_digits(high - 1, digits)
    if first < low:
        low = first + (1 << max(abs(low + 1).bit_length() - digits, 0))
    if last >= high:
        high = last - (1 << max(abs(high - 1).bit_length() - digits, 0))
    return low, high


def round_to_digits(number: int, digits: int) -> int:
    """The nearest number of so many binary digits, of two the even one."""
    gap = max(abs(number).bit_length() - digits, 0)
    whole_gaps, rest = divmod(number, 1 << gap)
    return whole_gaps + (2 * rest > 1 << gap or (2 * rest == 1 << gap and whole_gaps & 1)) << gap
