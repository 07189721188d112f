"""What the rows of the factory family with a function of their own make; see ops/create/factories.py for the rows.

Each function gets its row's arguments that are not options, then the dtype asked for, or None.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from wengert_core.drivers.create import ramps
from wengert_core.dtypes.cpp_names import CPP_NAMES, not_implemented_for
from wengert_core.dtypes.dtypes import ALL, FILL_NAMES, dtype, get_default_dtype
from wengert_core.exchange import from_data as _from_data
from wengert_core.geometry.size_math import checked_numel
from wengert_core.messages.signatures import invalid_combination
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

INT32, INT64, COMPLEX64 = ALL["int32"], ALL["int64"], ALL["complex64"]
LEFT_OUT: Any = ...
"""The default of an argument for which None says something else."""


def as_number(name: str, argument: str, position: int, value: Any) -> Any:
    """A Python number out of a number or a tensor of one element; TypeError for anything else."""
    if isinstance(value, (bool, int, float, complex)):
        return value
    if isinstance(value, Tensor) and value.ndim == 0:
        return value.item()
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        number = value.item()
        if isinstance(number, np.generic):  # a long double: Python has no number of that precision
            number = complex(number) if value.dtype.kind == "c" else float(number)
        return number
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Number, not {type(value).__name__}")


# ---- from data


def as_tensor(data: Any, dtype: dtype | None) -> Tensor:
    """Data as a tensor on the same memory where that can be."""
    if isinstance(data, Tensor):
        return data if dtype is None or data.dtype is dtype else data.to(dtype)
    if isinstance(data, np.ndarray):
        return _from_data.of_array(data, dtype)
    if on_device(data):
        return as_tensor(of_device(data), dtype)
    return _from_data.of_data(data, dtype)


def on_device(data: Any) -> bool:
    """Whether data are an array of another library on a device."""
    return hasattr(data, "__dlpack_device__") and data.__dlpack_device__()[0] != 1


def of_device(data: Any) -> Tensor:
    """A tensor on the memory of such an array."""
    from wengert_core.exchange.dlpack import from_dlpack

    return from_dlpack(data)


def asarray(obj: Any, copy: bool | None, dtype: dtype | None) -> Tensor:
    """An array, tensor, buffer, sequence or number as a tensor; copy=False: ValueError where it cannot share."""
    shared = _alias_memory(obj, dtype)
    if shared is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return _from_data.of_data(obj, dtype)
    if dtype is None or shared.dtype is dtype:
        return shared.clone() if copy else shared
    if copy is False:
        raise ValueError(
            f"can't alias tensor with dtype '{CPP_NAMES[shared.dtype.name]}' into dtype '{CPP_NAMES[dtype.name]}'."
        )
    return shared.to(dtype)


def _alias_memory(obj: Any, dtype: dtype | None) -> Tensor | None:
    """A tensor on the memory of obj; None when it has none that could be shared."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, (np.ndarray, np.generic)):
        return _from_data.of_array(np.asarray(obj), None)
    if hasattr(obj, "__dlpack__"):
        from wengert_core.exchange.dlpack import from_dlpack

        return from_dlpack(obj)
    try:
        memoryview(obj)
    except TypeError:
        return None
    return frombuffer(obj, -1, 0, dtype or get_default_dtype())  # as torch: the buffer's own format does not count


def scalar_tensor(value: Any, dtype: dtype | None) -> Tensor:
    """A number as a tensor of the default dtype."""
    return _from_data.store(_from_data.blank(dtype or get_default_dtype()), value)


def frombuffer(buffer: Any, count: int, offset: int, dtype: dtype | None) -> Tensor:
    """A tensor on the memory of a buffer, from ``offset`` bytes on; count: elements, -1 for all."""
    assert dtype is not None
    try:
        view = memoryview(buffer).cast("B")
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    except ValueError:  # a format with a byte order, as those of ctypes
        view = np.frombuffer(buffer, np.uint8).data
    length, itemsize = view.nbytes, dtype.itemsize
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0 and (length - offset) % itemsize:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({itemsize})"
        )
    if count > 0 and offset + count * itemsize > length:
        raise ValueError(
            f"requested buffer length ({count} * {itemsize} bytes) after offset ({offset} bytes) must not be greater "
            "than "
            f"actual buffer length ({length} bytes)"
        )
    of_numpy = "int16" if dtype.name == "bfloat16" else dtype.name  # NumPy has no bfloat16: the same bits
    shared = _from_data.of_array(np.frombuffer(buffer, of_numpy, count if count > 0 else -1, offset), None, "buffer")
    return shared.view(dtype) if dtype.name == "bfloat16" else shared


# ---- strides


def empty_strided(size: Any, stride: Any, dtype: dtype | None) -> Tensor:
    """A tensor with the given strides (in elements) whose values are not set."""
    sizes, strides = _ints(size), _ints(stride)
    if len(sizes) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(sizes)}) must match dimensionality of strides ({len(strides)})"
        )
    if min(strides, default=0) < 0 or sum(max(n - 1, 0) * s for n, s in zip(sizes, strides, strict=True)) >= 1 << 58:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(sizes)} and strides={list(strides)}")
    return _from_data.blank_strided(dtype or get_default_dtype(), sizes, strides)


def new_empty_strided(like: Tensor, size: Any, stride: Any, dtype: dtype | None) -> Tensor:
    """empty_strided with the dtype of a tensor."""
    return empty_strided(size, stride, dtype or like.dtype)


def _ints(value: Any) -> tuple[int, ...]:
    return (int(value),) if hasattr(type(value), "__index__") else tuple(int(item) for item in value)


# ---- ranges


def arange(start: Any, end: Any, step: Any, dtype: dtype | None) -> Tensor:
    """Numbers from start to end, without the end."""
    if type(start) is int and end is LEFT_OUT and step is LEFT_OUT and dtype is None and 0 <= start < 1 << 40:
        return ramps.ramp(_from_data.blank(INT64, start), 0, 1)
    if type(start) is float and type(end) is float and step is LEFT_OUT and dtype is None and 0.0 <= end - start < 1e12:
        return ramps.ramp(_from_data.blank(get_default_dtype(), math.ceil(end - start)), start, 1.0)
    given = [v for v in (start, end, step) if v is not LEFT_OUT]
    if not given or any(v is None for v in given) or (step is not LEFT_OUT and len(given) < 3):
        raise invalid_combination("arange", tuple(given), "(Number end), (Number start, Number end, Number step = 1)")
    if end is LEFT_OUT or start is LEFT_OUT:
        bounds = [0, as_number("arange", "end", 1, start if end is LEFT_OUT else end), 1]
    else:
        values = (start, end, 1 if step is LEFT_OUT else step)
        bounds = [as_number("arange", name, i + 1, v) for i, (name, v) in enumerate(zip(_ARANGE, values, strict=True))]
    return _arange("arange", bounds, dtype, 0)


_ARANGE = ("start", "end", "step")


def inclusive_range(start: Any, end: Any, step: Any, dtype: dtype | None) -> Tensor:
    """Numbers from start to end, with the end."""
    warn_user(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's "
        "range builtin. Instead, use torch.arange, which produces values in [start, end).")
    bounds = [start, end, step] if end is not None else [0, start, step]
    return _arange("range", [as_number("range", "end", 1, v) for v in bounds], dtype or get_default_dtype(), 1)


def _arange(name: str, bounds: list[Any], dtype: dtype | None, extra: int) -> Tensor:
    """The values of a range; extra: 1 when its end belongs to it."""
    kind = dtype or (get_default_dtype() if any(isinstance(v, float) for v in bounds) else INT64)
    if any(isinstance(v, complex) for v in bounds):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if kind.name == "bool" or kind.is_complex:
        raise not_implemented_for(f"{name}_cpu", kind)
    start, end, step = bounds
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if not kind.is_floating_point:
        start, step = int(start), int(step) if step else 0
        end = int(end) if kind is INT64 else end
        if kind is INT64 and not all(-1 << 63 <= v < 1 << 63 for v in (start, end, step)):
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
    size = _arange_size(bounds if not kind.is_floating_point and kind is not INT64 else [start, end, step], extra)
    tensor = _from_data.blank(kind, size)
    return ramps.ramp(tensor, start, step)


def _arange_size(bounds: list[Any], extra: int) -> int:
    start, end, step = bounds
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError(
            f"upper bound and lower bound inconsistent with step sign: start {start}, end {end}, step {step}"
        )
    if all(isinstance(v, int) for v in bounds):
        return int(-((start - end) // step) if not extra else (end - start) // step + 1)
    return math.ceil((end - start) / step) if not extra else math.floor((end - start) / step) + 1


def linspace(start: Any, end: Any, steps: Any, dtype: dtype | None) -> Tensor:
    """Numbers from start to end, both included, at equal distances."""
    first, last, count, kind = _spacing("linspace", start, end, steps, dtype)
    tensor = _from_data.blank(kind, count)
    if kind.is_complex:
        return _from_data.put(tensor, _line(first, last, count))
    return ramps.line(tensor, first, last)


def logspace(start: Any, end: Any, steps: Any, base: Any, dtype: dtype | None) -> Tensor:
    """Powers of base, their exponents from start to end."""
    first, last, count, kind = _spacing("logspace", start, end, steps, dtype)
    with np.errstate(all="ignore"):
        powers = np.power(complex(base) if kind.is_complex else float(base), _line(first, last, count))
    return _from_data.put(_from_data.blank(kind, count), powers)


def _spacing(name: str, start: Any, end: Any, steps: Any, kind: dtype | None) -> tuple[Any, Any, int, dtype]:
    """Bounds, number of values and dtype of linspace and logspace; torch's errors."""
    if start is None or end is None or isinstance(steps, (bool, float)) or not hasattr(type(steps), "__index__"):
        raise invalid_combination(name, (start, end, steps), "(Number start, Number end, int steps)")
    for what, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor) and value.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {what} with {value.ndim} "
                "dimension(s)."
            )
    first, last = as_number(name, "start", 1, start), as_number(name, "end", 2, end)
    count = int(steps)
    if count < 0:
        raise RuntimeError(f"number of steps must be non-negative, got {count}")
    is_complex = isinstance(first, complex) or isinstance(last, complex)
    if kind is None:
        kind = COMPLEX64 if is_complex else get_default_dtype()
        if is_complex:
            kind = get_default_dtype().to_complex()
    elif is_complex and not kind.is_complex:
        raise RuntimeError(
            f"torch.{name}(): inferred dtype c10::complex<float> can't be safely cast to passed dtype "
            f"{CPP_NAMES[kind.name]}"
        )
    if kind.name == "bool":
        raise not_implemented_for(f"{name}_cpu", kind)
    if kind.category == 1:
        first, last = (_wrap_bound(kind, value) for value in (first, last))
    return first, last, count, kind


def _wrap_bound(kind: dtype, value: Any) -> Any:
    """A bound that an integer dtype holds; a negative one wraps in one without a sign, as torch converts it."""
    most = (1 << 8 * kind.itemsize - kind.is_signed) - 1
    least = -most - kind.is_signed
    if not least <= value <= most:
        raise RuntimeError(
            f"value cannot be converted to type {FILL_NAMES[kind.code]} without overflow: {kind.name} does not hold "
            f"{value}"
        )
    return value if kind.is_signed or value >= 0 else value % (most + 1)


def _line(first: Any, last: Any, count: int) -> Any:
    """Values at equal distances in double precision, counted from both ends."""
    if count == 1:
        return np.full(1, first)
    step = (last - first) / max(count - 1, 1)
    places, half = np.arange(count), count // 2
    return np.concatenate([first + step * places[:half], last - step * places[: count - half][::-1]])


# ---- matrices


def eye(n: int, m: int | None, dtype: dtype | None) -> Tensor:
    """Ones on the diagonal of an n by m matrix, zeros elsewhere."""
    m = n if m is None else m
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    return ramps.identity(dtype or get_default_dtype(), n, m)


def tril_indices(row: int, col: int, offset: int, dtype: dtype | None) -> Tensor:
    """Rows and columns of the elements on and below a diagonal."""
    _check_matrix("tril_indices", row, col, dtype)
    checked_numel((2, _count_below(row, col, offset)), 8)
    first = min(max(0, -offset), row)
    rows = np.arange(first, row if col else first)
    return _pair(*_elements_of_rows(rows, np.zeros_like(rows), np.minimum(rows + min(offset + 1, col), col)), dtype)


def triu_indices(row: int, col: int, offset: int, dtype: dtype | None) -> Tensor:
    """Rows and columns of the elements on and above a diagonal."""
    _check_matrix("triu_indices", row, col, dtype)
    checked_numel((2, row * col - _count_below(row, col, offset - 1)), 8)
    rows = np.arange(max(0, min(row, col - offset)) if col else 0)
    return _pair(*_elements_of_rows(rows, np.maximum(rows + max(offset, -row), 0), np.full_like(rows, col)), dtype)


def _count_below(row: int, col: int, offset: int) -> int:
    """The number of elements on and below a diagonal: row i has i + offset + 1 of them, at least 0 and at most col."""
    first = min(max(0, -offset), row)  # the first row that has one
    whole = min(max(col - offset - 1, first), row)  # the first that has all
    growing = whole - first
    return growing * (first + offset + 1) + growing * (growing - 1) // 2 + (row - whole) * col


def _elements_of_rows(rows: Any, starts: Any, ends: Any) -> tuple[Any, Any]:
    """Row and column of the elements [start, end) of each row, one row after the other."""
    counts = ends - starts
    before = np.cumsum(counts) - counts
    columns = np.arange(int(counts.sum())) - np.repeat(before - starts, counts)
    return np.repeat(rows, counts), columns


def _check_matrix(name: str, row: int, col: int, kind: dtype | None) -> None:
    if row < 0:
        raise RuntimeError(f"row must be non-negative, got{row}")
    if col < 0:
        raise RuntimeError(f"col must be non-negative, got{col}")
    if kind is not None and kind not in (INT32, INT64):
        raise not_implemented_for(name, kind)


def _pair(rows: Any, columns: Any, kind: dtype | None) -> Tensor:
    tensor = _from_data.blank(kind or INT64, 2, len(rows))
    return _from_data.put(tensor, np.stack([rows, columns]))
