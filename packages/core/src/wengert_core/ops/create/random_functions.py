"""What the rows of ops/create/random.py make: random factories, and samples with tensors of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_core.dispatch.op import find
from wengert_core.drivers.create import factory as _factory
from wengert_core.dtypes.cpp_names import CPP_NAMES, not_implemented_for
from wengert_core.dtypes.dtypes import ALL, dtype, get_default_dtype
from wengert_core.exchange import from_data as _from_data
from wengert_core.messages.mismatches import broadcast_error
from wengert_core.messages.signatures import invalid_combination
from wengert_core.rng import pcg64, samplers
from wengert_core.rng.draws import draw
from wengert_core.rng.generator import numpy_generator
from wengert_core.tensors.tensor import Tensor
from wengert_core.tensors.vmap_hooks import empty_for_fill, randomness_here

Array = Any
"""An array of the namespace at hand."""
INT64 = ALL["int64"]


def _sizes(name: str, size: Any) -> tuple[int, ...]:
    """A size argument as a tuple of ints."""
    sizes = (size,) if hasattr(type(size), "__index__") else tuple(size)
    if {type(n) for n in sizes} <= {int}:
        return sizes
    for i, n in enumerate(sizes):
        if (i == 0 and isinstance(n, bool)) or not hasattr(type(n), "__index__"):
            raise TypeError(
                f"{name}(): argument 'size' must be tuple of ints, but found element of type {type(n).__name__}"
            )
    return tuple(int(n) for n in sizes)


def _fill_random(name: str, fill: Any, sampler: Any, tensor: Tensor, generator: Any, *parameters: Any) -> Tensor:
    """fill: draws into the tensor; where it cannot, or is None, the sampler makes an array."""
    if fill is not None and fill(numpy_generator(generator, name), tensor):
        return tensor
    return _from_data.put(tensor, draw(generator, name, sampler, tuple(tensor.shape), tensor.dtype, *parameters))


def _new(name: str, fill: Any, sampler: Any, size: Any, generator: Any, kind: Any) -> Tensor:
    """fill: draws into the tensor; where it cannot, the sampler makes an array."""
    sizes = _sizes(name, size)
    tensor = _from_data.blank(kind, *sizes)  # first: it refuses sizes that cannot be
    if fill(numpy_generator(generator, name), tensor):
        return tensor
    return _from_data.put(tensor, draw(generator, name, sampler, sizes, kind))


def rand(size: Any, generator: Any, dtype: dtype | None) -> Tensor:
    """Uniform in [0, 1)."""
    return _new("rand", pcg64.unit, samplers.unit, size, generator, dtype or get_default_dtype())


def randn(size: Any, generator: Any, dtype: dtype | None) -> Tensor:
    """Normal with mean 0 and variance 1."""
    return _new("randn", pcg64.normal, samplers.normal, size, generator, dtype or get_default_dtype())


def randint(low: Any, high: Any, size: Any, generator: Any, dtype: dtype | None) -> Tensor:
    """Whole numbers from low to high - 1; randint(high, size) starts at 0."""
    if size is None and high is not None and low is not None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    elif low is None:
        low = 0
    bounds = (low, high)
    if high is None or size is None or not all(hasattr(type(v), "__index__") for v in bounds):
        raise invalid_combination(
            "randint", (low, high, size), "(int high, tuple of ints size), (int low, int high, tuple of ints size)"
        )
    if hasattr(type(size), "__index__"):
        raise TypeError("randint(): argument 'size' (position 2) must be tuple of ints, not int")
    return _fill_whole("randint", _from_data.blank(dtype or INT64, *_sizes("randint", size)), generator, low, high)


def _fill_whole(name: str, tensor: Tensor, generator: Any, low: Any, high: Any) -> Tensor:
    if tensor.dtype is INT64 and type(low) is int and type(high) is int and -(1 << 63) <= low < high < 1 << 63:
        rng = numpy_generator(generator, name)
        if pcg64.whole(rng, tensor, low, high - 1):
            return tensor
    return _fill_random(name, None, samplers.integers, tensor, generator, low, high)


MOST_PERMUTED = {"float16": (2049, "2049"), "float32": (2**24 + 1, "2^24+1"), "float64": (2**53 + 1, "2^53+1")}
"""How many whole numbers from 0 on a dtype holds, and how torch writes it; bfloat16 is not refused: they round."""


def randperm(n: int, generator: Any, dtype: dtype | None) -> Tensor:
    """The numbers from 0 to n - 1 in random order."""
    kind = dtype or INT64
    if kind.name == "bool" or kind.is_complex:
        raise not_implemented_for("randperm", kind)
    tensor = _from_data.blank(kind, n)
    if kind.name in MOST_PERMUTED and n > MOST_PERMUTED[kind.name][0]:
        raise RuntimeError(
            f"n cannot be greater than {MOST_PERMUTED[kind.name][1]} for {CPP_NAMES[kind.name]} type.: randperm({n}) "
            "needs a larger dtype"
        )
    if kind.name in samplers.LIMITS and n - 1 > samplers.LIMITS[kind.name][1]:
        raise RuntimeError(
            f"value cannot be converted to type {kind.name} without overflow: randperm({n}) needs a larger dtype"
        )
    if pcg64.order(numpy_generator(generator, "randperm"), tensor):
        return tensor
    return _from_data.put(tensor, draw(generator, "randperm", samplers.shuffle, n))


def _like(tensor: Tensor, memory_format: Any, dtype: dtype | None) -> Tensor:
    return find("empty_like")(tensor, dtype=dtype, memory_format=memory_format)


def rand_like(tensor: Tensor, generator: Any, memory_format: Any, dtype: dtype | None) -> Tensor:
    """rand with a tensor's shape, dtype and order in memory."""
    return _fill_random("rand_like", pcg64.unit, samplers.unit, _like(tensor, memory_format, dtype), generator)


def randn_like(tensor: Tensor, generator: Any, memory_format: Any, dtype: dtype | None) -> Tensor:
    """randn with a tensor's shape, dtype and order in memory."""
    return _fill_random("randn_like", pcg64.normal, samplers.normal, _like(tensor, memory_format, dtype), generator)


def randint_like(
    tensor: Tensor, low: Any, high: Any, generator: Any, memory_format: Any, dtype: dtype | None
) -> Tensor:
    """randint with a tensor's shape, dtype and order in memory; randint_like(x, high) starts at 0."""
    bounds = (low, high) if low is not None and high is not None else (0, high if low is None else low)
    if not all(hasattr(type(v), "__index__") for v in bounds):
        raise invalid_combination(
            "randint_like", (tensor, low, high), "(Tensor input, int high), (Tensor input, int low, int high)"
        )
    return _fill_whole("randint_like", _like(tensor, memory_format, dtype), generator, *bounds)


# ---- with tensors of parameters


def host(array: Array) -> Array:
    """An array in the host's memory, where random numbers are drawn."""
    return array if isinstance(array, (np.ndarray, np.generic)) else array.get()


def bernoulli(xp: Any, given: Array, p: float | None, generator: Any) -> Array:
    """1 with the probability that an element gives, else 0."""
    if p is not None:
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        if given.dtype.kind == "c":
            raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{CPP_NAMES[given.dtype.name]}'")
        return xp.asarray(draw(generator, "bernoulli", _chance, given.shape, p)).astype(given.dtype)
    rng = numpy_generator(generator, "bernoulli")
    if given.dtype.kind != "f" and not given.size:
        return given
    if given.dtype.kind != "f":
        name = "bernoulli_tensor_cpu_self_" if given.dtype.kind == "c" else "bernoulli_tensor_cpu_p_"
        raise NotImplementedError(f"\"{name}\" not implemented for '{CPP_NAMES[given.dtype.name]}'")
    if not xp.all((given >= 0) & (given <= 1)):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false: bernoulli got probabilities outside [0, 1]"
        )
    return (xp.asarray(rng.random(given.shape)) < given).astype(given.dtype)


def _chance(rng: np.random.Generator, shape: tuple[int, ...], p: float) -> Array:
    """True with probability p."""
    found = pcg64.chance(rng, shape, p)
    return rng.random(shape) < p if found is None else found


def poisson(xp: Any, rate: Array, generator: Any) -> Array:
    """Poisson numbers with these means."""
    rng = numpy_generator(generator, "poisson")
    if rate.dtype.kind != "f":
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{CPP_NAMES[rate.dtype.name]}'")
    if not xp.all(rate >= 0):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return xp.asarray(rng.poisson(host(rate))).astype(rate.dtype)


def binomial(xp: Any, count: Array, prob: Array, generator: Any) -> Array:
    """Binomial numbers of these trials and probabilities."""
    rng = numpy_generator(generator, "binomial")
    for name, array in (("count", count), ("prob", prob)):
        if array.dtype.kind != "f":
            kind = CPP_NAMES[array.dtype.name]
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {kind}")
    if count.dtype != prob.dtype:
        raise RuntimeError(
            f"Found dtype {CPP_NAMES[prob.dtype.name]} but expected {CPP_NAMES[count.dtype.name]}: binomial takes a "
            "count and a prob of one dtype"
        )
    if not (xp.all(count >= 0) and xp.all((prob >= 0) & (prob <= 1))):
        raise RuntimeError("binomial: count must not be negative, and prob must be in [0, 1]")
    return xp.asarray(rng.binomial(host(count).astype(np.int64), host(prob))).astype(count.dtype)


def multinomial(xp: Any, given: Array, num_samples: int, replacement: bool, generator: Any) -> Array:
    """Places drawn by weights: by the inverse distribution, or (no replacement) the largest weight / exponential."""
    _check_sizes(given, num_samples, replacement)
    rng = numpy_generator(generator, "multinomial")
    if xp is np:
        weights: Array = np.array(given, np.float64, order="C", ndmin=2)
        is_good, ends = pcg64.are_weights(weights, replacement), weights
    else:
        weights = xp.atleast_2d(given).astype(xp.float64)
        ends = xp.cumsum(weights, -1) if replacement else weights
        totals = weights.sum(-1)
        is_good = bool(weights.size and weights.min() >= 0) and bool((xp.isfinite(totals) & (totals > 0)).all())
    if not is_good:
        _check_weights(xp, given)
    if replacement:
        found = pcg64.draw_positions(rng, ends, num_samples) if xp is np else None
        if found is not None:
            return found[0] if given.ndim == 1 else found
        draws = xp.asarray(rng.random((len(weights), num_samples))) * ends[:, -1:]
        draws = xp.minimum(draws, xp.nextafter(ends[:, -1:], 0))  # rounding may reach the end
        rows = [xp.searchsorted(row, at, side="right") for row, at in zip(ends, draws, strict=True)]
        places = xp.stack(rows) if rows else xp.zeros((0, num_samples), xp.int64)
    else:
        scores = weights / xp.asarray(rng.standard_exponential(weights.shape))
        places = _largest(xp, scores, num_samples)
    return places[0] if given.ndim == 1 else places


def _largest(xp: Any, scores: Array, n: int) -> Array:
    """The places of the n largest of each row, the largest first."""
    if n >= scores.shape[-1]:
        return xp.argsort(-scores, -1)[:, :n]
    some = xp.argpartition(-scores, n - 1, -1)[:, :n]
    order = xp.argsort(-xp.take_along_axis(scores, some, -1), -1)
    return xp.take_along_axis(some, order, -1)


def _check_sizes(given: Array, num_samples: int, replacement: bool) -> None:
    if given.dtype.kind != "f":
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {CPP_NAMES[given.dtype.name]}"
        )
    if given.ndim not in (1, 2):
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, got {given.ndim}")
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples, got {num_samples}")
    if not replacement and num_samples > given.shape[-1]:
        raise RuntimeError(
            f"cannot sample n_sample > prob_dist.size(-1) samples without replacement: {num_samples} of "
            f"{given.shape[-1]}"
        )


def _check_weights(xp: Any, given: Array) -> None:
    if not (xp.isfinite(given).all() and (given >= 0).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (given.sum(-1) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


FORMS_OF_NORMAL = ("(Tensor mean, Tensor std), (Tensor mean, float std = 1), (float mean, Tensor std), "
                   "(float mean, float std, tuple of ints size)")  # fmt: skip


def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Any = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise invalid_combination("normal", (mean, std), FORMS_OF_NORMAL)
        return _normal_of_size(mean, std, size, generator, out, dtype, device, requires_grad)
    if size is not None or dtype is not None or device is not None or requires_grad:
        options = {"size": size, "dtype": dtype, "device": device, "requires_grad": requires_grad or None}
        rest = [value for value in options.values() if value is not None]
        raise invalid_combination("normal", (mean, std, *rest), FORMS_OF_NORMAL)
    if out is not None:
        if randomness_here() is not None:
            raise RuntimeError("Batching rule not implemented for aten::normal.out: call normal() without out= inside "
                               "of vmap")  # fmt: skip
        if out.dtype.category < 2:
            raise not_implemented_for("normal_kernel_cpu", out.dtype)
    if isinstance(mean, Tensor):
        return find("_normal")(mean, std, generator=generator, out=out)
    return find("_normal_of_std")(std, mean, generator=generator, out=out)


def _normal_of_size(
    mean: Any, std: Any, size: Any, generator: Any, out: Tensor | None, kind: dtype | None, device: Any,
    requires_grad: bool,
) -> Tensor:
    """normal with numbers: a new tensor that normal_ fills."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {float(std):g}")
    where = "cpu" if device is None else device  # whatever the default device is, as in torch
    blank = find("empty")(_sizes("normal", size), dtype=kind or get_default_dtype(), device=where)
    sample: Tensor = empty_for_fill(blank).normal_(mean, std, generator=generator)
    return _factory.finish("normal", sample, out, requires_grad)


def normal_of_tensors(xp: Any, mean: Array, std: Any, generator: Any) -> Array:
    """Normal numbers around the means, with one or several standard deviations."""
    return _scale_normal(xp, mean, std, generator, mean.dtype)


def normal_of_std(xp: Any, std: Array, mean: Any, generator: Any) -> Array:
    """Normal numbers around one mean, with several standard deviations."""
    return _scale_normal(xp, mean, std, generator, std.dtype)


def _scale_normal(xp: Any, mean: Any, std: Any, generator: Any, kind: Any) -> Array:
    """Standard normal numbers in the dtype ``kind`` of arrays, times ``std``, plus ``mean``."""
    if np.ndim(std) or hasattr(std, "dtype"):
        if std.dtype.kind == "c":
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if not xp.all(std >= 0):
            raise RuntimeError("normal expects all elements of std >= 0.0")
    elif not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {float(std):g}")
    shape = _broadcast(np.shape(mean), np.shape(std))
    sample = xp.asarray(draw(generator, "normal", samplers.normal, shape, ALL[kind.name]))
    return (sample * std + mean).astype(kind)


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of two together; torch's error when they do not fit."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        dim = next(i for i in range(1, 65) if a[-i] != b[-i] and 1 not in (a[-i], b[-i]))
        raise broadcast_error("normal", a[-dim], b[-dim], max(len(a), len(b)) - dim, (a, b)) from None
