"""Discrete Fourier transforms: three primitives over any dims, and torch's functions made of them.

NumPy computes them, in the precision of the input. A primitive's ``normalization`` is torch's number: 0 for none, 1 for
1 / sqrt(n), 2 for 1 / n. ``forward`` is the sign of the exponent, so the adjoint of each is one of the three with the
other sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

from wengert_core.dtypes.cpp_names import CPP_NAMES
from wengert_core.dtypes.dtypes import as_dtype, get_default_dtype
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops
FORWARD_NORMS = ("backward", "ortho", "forward")
"""NumPy's names for the normalizations of a forward transform, by torch's numbers."""
INVERSE_NORMS = FORWARD_NORMS[::-1]


# ---- primitives
def along_last(xp: Any, x: Any, dims: Any, run: Any, is_last: bool) -> Any:
    """run(x, dims), with the result in memory as PyTorch's: the dims that are transformed come last, each kind in the
    input's order; is_last: the last of dims is the last of all.
    """
    rank = x.ndim
    in_rows = x.flags.c_contiguous
    if in_rows and (dims[0] == rank - 1 if len(dims) == 1 else list(dims) == list(range(rank - len(dims), rank))):
        return run(x, dims)
    first, last = (list(dims[:-1]), [dims[-1]]) if is_last else (list(dims), [])
    others = [d for d in range(rank) if d not in dims]
    if in_rows:
        first.sort()
    else:
        steps = x.strides.__getitem__
        others.sort(key=steps, reverse=True)
        first.sort(key=steps, reverse=True)
    order = [*others, *first, *last]
    places = [0] * rank
    for place, d in enumerate(order):
        places[d] = place
    result = xp.ascontiguousarray(run(x.transpose(order), [places[d] for d in dims]))
    return result.transpose(places)


def c2c(xp: Any, x: Any, dim: Any, normalization: int, forward: bool) -> Any:
    """From complex to complex."""
    if forward:
        return along_last(xp, x, dim, lambda a, d: xp.fft.fftn(a, axes=d, norm=FORWARD_NORMS[normalization]), False)
    return along_last(xp, x, dim, lambda a, d: xp.fft.ifftn(a, axes=d, norm=INVERSE_NORMS[normalization]), False)


def r2c(xp: Any, x: Any, dim: Any, normalization: int, onesided: bool, forward: bool) -> Any:
    """From real to complex; onesided: only half of the last dim, the rest being its conjugate."""
    transform = xp.fft.rfftn if onesided else xp.fft.fftn
    result = along_last(xp, x, dim, lambda a, d: transform(a, axes=d, norm=FORWARD_NORMS[normalization]), True)
    return result if forward else xp.conj(result)


def c2r(xp: Any, x: Any, dim: Any, normalization: int, last_dim_size: int, forward: bool) -> Any:
    """From half of a spectrum to real; the last dim becomes last_dim_size long."""
    sizes = [x.shape[d] for d in dim[:-1]] + [last_dim_size]
    if not x.shape[dim[-1]]:  # NumPy writes nothing
        shape = [last_dim_size if d == dim[-1] else n for d, n in enumerate(x.shape)]
        return xp.zeros(shape, x.real.dtype)
    return along_last(
        xp,
        xp.conj(x) if forward else x,
        dim,
        lambda a, d: xp.fft.irfftn(a, s=sizes, axes=d, norm=INVERSE_NORMS[normalization]),
        True,
    )


c2c_op = TABLE.array(
    "_fft_c2c(Tensor self, int[] dim, int normalization, bool forward, *, Tensor? out=None) -> Tensor",
    reference=c2c, results=("array",), order="own", method=False,
    doc="The Fourier transform of complex numbers over some dims.",
)
r2c_op = TABLE.array(
    "_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided, bool forward=True, *, Tensor? out=None) "
    "-> Tensor",
    reference=r2c, results=("array",), order="own", method=False,
    doc="The Fourier transform of real numbers over some dims.",
)
c2r_op = TABLE.array(
    "_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size, bool forward=False, *, Tensor? out=None) "
    "-> Tensor",
    reference=c2r, results=("array",), order="own", method=False, doc="Real numbers out of half of their spectrum.",
)


# ---- arguments
def check_input(name: str, input: Any, out: Any, *, real: bool = False, gives: str = "complex") -> Tensor:
    """input in a floating dtype; real: it must not be complex.   gives: the kind of dtype that out must have."""
    if not isinstance(input, Tensor):
        raise TypeError(f"fft_{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    cpp = CPP_NAMES[input.dtype.name]
    if real and input.dtype.is_complex:
        words = "Only supports floating-point dtypes, but found:" if name in ("ihfft2", "ihfftn") else (
            f"{name if name == 'ihfft' else name.replace('2', 'n')} expects a real"
            f"{'-valued' if name[-1] in '2n' else ''} input tensor, but got")
        raise RuntimeError(f"{words} {cpp}")
    if input.dtype.name in ("float16", "bfloat16"):
        raise RuntimeError(f"Unsupported dtype {cpp}: {name} takes float32, float64, complex64 and complex128")
    if isinstance(out, Tensor) and (not out.dtype.is_complex if gives == "complex"
                                    else not out.dtype.is_floating_point):
        raise RuntimeError(f"{name} expects a {gives} output tensor, but got {CPP_NAMES[out.dtype.name]}")
    if input.dtype.is_complex or input.dtype.is_floating_point:
        return input
    return ops["mul"](input, 1.0)


def as_complex(x: Tensor) -> Tensor:
    """x in the complex dtype of its precision."""
    return x if x.dtype.is_complex else x.to(x.dtype.to_complex())


def number_of(norm: str | None, forward: bool) -> int:
    """torch's number of a normalization, for one direction."""
    names = FORWARD_NORMS if forward else INVERSE_NORMS
    if norm is not None and norm not in names:
        raise RuntimeError(f"Invalid normalization mode: \"{norm}\": it is one of {', '.join(FORWARD_NORMS)}")
    return names.index(norm or "backward")


def one_dim(name: str, x: Tensor, n: Any, dim: Any) -> tuple[int, int]:
    """The dim counted from the front, and how long it shall be."""
    for label, position, value in (("n", 2, n), ("dim", 3, dim)):
        if value is not None and not hasattr(type(value), "__index__"):
            raise TypeError(
                f"fft_{name}(): argument '{label}' (position {position}) must be int, not {type(value).__name__}")
    dim = wrap_dim(x, dim)
    return dim, x.shape[dim] if n is None else index(n)


def wrap_dim(x: Tensor, dim: Any) -> int:
    """A dim counted from the front; IndexError outside the tensor."""
    dim, rank = index(dim), x.ndim
    if rank == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return dim % rank


def as_ints(name: str, label: str, position: int, value: Any) -> list[int] | None:
    """A number or a sequence of numbers as a list."""
    if value is None:
        return None
    if hasattr(type(value), "__index__") and not isinstance(value, bool):
        return [index(value)]
    if isinstance(value, (tuple, list)) and all(hasattr(type(v), "__index__") for v in value):
        return [index(v) for v in value]
    raise TypeError(
        f"fft_{name}(): argument '{label}' (position {position}) must be tuple of ints, not {type(value).__name__}")


def several(name: str, x: Tensor, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """The dims of a transform over several, and how long each shall be."""
    s, dim = as_ints(name, "s", 2, s), as_ints(name, "dim", 3, dim)
    if name[-1] == "2" and dim is None:
        raise TypeError(f"fft_{name}(): argument 'dim' (position 3) must be tuple of ints, not NoneType")
    if dim is None and s is not None and len(s) > x.ndim:
        raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {x.ndim} dimensions.")
    if dim is None:
        dims = list(range(x.ndim if s is None else len(s)))
        dims = dims if s is None else [d + x.ndim - len(s) for d in dims]
    else:
        dims = [wrap_dim(x, d) for d in dim]
    if len(set(dims)) < len(dims):
        raise RuntimeError(f"FFT dims must be unique, got {dim}")
    if s is not None and len(s) != len(dims):
        raise RuntimeError(
            f"When given, dim and shape arguments must have the same length, got {len(dims)} and {len(s)}")
    return dims, [x.shape[d] if s is None or s[i] == -1 else s[i] for i, d in enumerate(dims)]


def resize_dims(x: Tensor, dims: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """x cut, or filled up with zeros, to these sizes."""
    missing = [0] * (2 * x.dim())  # before and after each dim, the last dim first
    for dim, size in zip(dims, sizes, strict=True):
        if size < 1:
            raise RuntimeError(f"Invalid number of data points ({size}) specified")
        if size < x.shape[dim]:
            x = ops["narrow"](x, dim, 0, size)
        elif size > x.shape[dim]:
            missing[2 * (x.dim() - 1 - dim) + 1] = size - x.shape[dim]
    return ops["constant_pad_nd"](x, missing) if any(missing) else x


# ---- the transforms
def transform(name: str, x: Tensor, dims: list[int], sizes: list[int], norm: Any, forward: bool, out: Any) -> Tensor:
    """fft, ifft and those over several dims."""
    number = number_of(norm, forward)
    x = resize_dims(x, dims, sizes)
    if not x.dtype.is_complex and not name.endswith(("2", "n")):
        return r2c_op(x, dims, number, False, out=out) if forward else conjugate(r2c_op(x, dims, number, False), out)
    return c2c_op(as_complex(x), dims, number, forward, out=out)


def real_input_transform(
    name: str, x: Tensor, dims: list[int], sizes: list[int], norm: Any, forward: bool, out: Any
) -> Tensor:
    """rfft, ihfft and those over several dims."""
    if not dims:
        raise RuntimeError(f"{name.replace('2', 'n')} must transform at least one axis")
    x, number = resize_dims(x, dims, sizes), number_of(norm, forward)
    if forward:
        return r2c_op(x, dims, number, True, out=out)
    half = r2c_op(x, dims[-1:], number, True)
    return conjugate(half, out) if len(dims) == 1 else c2c_op(half.conj(), dims[:-1], number, False, out=out)


def conjugate(x: Tensor, out: Any) -> Tensor:
    """The conjugate, as a result."""
    result: Tensor = ops["conj"](x) if out is None else ops["conj_physical"](x, out=out)
    return result


def real_output_transform(
    name: str, x: Tensor, dims: list[int], sizes: list[int], norm: Any, forward: bool, out: Any
) -> Tensor:
    """irfft, hfft and those over several dims."""
    if not dims:
        raise RuntimeError(f"{name.replace('2', 'n')} must transform at least one axis")
    if sizes[-1] < 1:
        raise RuntimeError(f"Invalid number of data points ({sizes[-1]}) specified")
    x = resize_dims(x, dims, [*sizes[:-1], sizes[-1] // 2 + 1])
    return c2r_op(as_complex(x), dims, number_of(norm, forward), sizes[-1], forward, out=out)


KINDS = {
    # name of the transform of one dim: what computes it, whether it is forward
    "fft": (transform, True),
    "ifft": (transform, False),
    "rfft": (real_input_transform, True),
    "irfft": (real_output_transform, False),
    "hfft": (real_output_transform, True),
    "ihfft": (real_input_transform, False),
}


def add_transforms(kind: str) -> None:
    """The functions of one kind: over one dim, over two, over any."""
    compute, forward = KINDS[kind]
    real, gives = compute is real_input_transform, "floating point" if compute is real_output_transform else "complex"

    def last_size(x: Tensor, dim: int) -> int:
        return 2 * (x.shape[dim] - 1)

    def one(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None) -> Tensor:
        x = check_input(kind, input, out, real=real, gives=gives)
        place, size = one_dim(kind, x, n, dim)
        if compute is real_output_transform and n is None:
            size = last_size(x, place)
        return compute(kind, x, [place], [size], norm, forward, out)

    def over(name: str, input: Tensor, s: Any, dim: Any, norm: Any, out: Any) -> Tensor:
        x = check_input(name, input, out, real=real, gives=gives)
        dims, sizes = several(name, x, s, dim)
        if compute is real_output_transform and dims and (s is None or as_ints(name, "s", 2, s)[-1] == -1):  # type: ignore[index]
            sizes[-1] = last_size(x, dims[-1])
        return compute(name, x, dims, sizes, norm, forward, out)

    def two(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Any = None) -> Tensor:
        return over(f"{kind}2", input, s, dim, norm, out)

    def many(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Any = None) -> Tensor:
        return over(f"{kind}n", input, s, dim, norm, out)

    for name, function in ((kind, one), (f"{kind}2", two), (f"{kind}n", many)):
        TABLE.composite(function, name=name, namespace="fft")


for kind in KINDS:
    add_transforms(kind)


# ---- frequencies and shifts
def frequencies(name: str, n: int, d: float, half: bool, out: Any, dtype: Any, layout: Any, device: Any,
                pin_memory: bool, requires_grad: bool) -> Tensor:
    """The frequencies of the bins of a transform of n points that are d apart."""
    dtype = None if dtype is None else as_dtype(dtype, name)
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name} requires a floating point or complex dtype, got {dtype}")
    options = {} if layout is None else {"layout": layout}
    device = out.device if device is None and isinstance(out, Tensor) else device
    k = ops["arange"](n // 2 + 1 if half else n, dtype=dtype or get_default_dtype(), device=device,
                      pin_memory=pin_memory, **options)
    if not half:
        k = ops["where"](k > (n - 1) // 2, k - n, k)
    result = ops["mul"](k, 1.0 / (n * d) if n * d else math.inf, out=out)
    return result.requires_grad_() if requires_grad else result


def fftfreq(n: int, d: float = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
            pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    return frequencies("fftfreq", n, d, False, out, dtype, layout, device, pin_memory, requires_grad)


def rfftfreq(n: int, d: float = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
             pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    return frequencies("rfftfreq", n, d, True, out, dtype, layout, device, pin_memory, requires_grad)


def roll_by_half(name: str, input: Tensor, dim: Any, more: int) -> Tensor:
    """input rolled by half of each dim."""
    dims = as_ints(name, "dim", 2, dim)
    dims = list(range(input.ndim)) if dims is None else [wrap_dim(input, d) for d in dims]
    if not dims:
        raise RuntimeError(f"`shifts` required: {name} has no dim to shift")
    return ops["roll"](input, [(input.shape[d] + more) // 2 for d in dims], dims)


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    return roll_by_half("fftshift", input, dim, 0)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    return roll_by_half("ifftshift", input, dim, 1)


for function in (fftfreq, rfftfreq, fftshift, ifftshift):
    TABLE.composite(function, namespace="fft")
