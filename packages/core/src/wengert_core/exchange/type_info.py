"""Questions about dtypes and tensors: limits of number types, what promotes to what.

>>> from wengert_core import float32, finfo, iinfo, int8
>>> finfo(float32).max
3.4028234663852886e+38
>>> iinfo(int8)
iinfo(min=-128, max=127, dtype=int8)
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from wengert_core.binding.checked_methods import checked
from wengert_core.dtypes.dtypes import as_dtype, dtype, get_default_dtype
from wengert_core.dtypes.dtypes import promote_types as _promoted
from wengert_core.exchange import from_data as _from_data
from wengert_core.tensors.tensor import Tensor

UNSAID: Any = object()
"""The default of what may be left out and must not be None."""
_DECIMALS = {"float16": 3, "bfloat16": 2, "float32": 6, "float64": 15}
RESULT_TYPE_FORMS = (("tensor", "other"), ("scalar", "tensor"), ("scalar1", "scalar2"))
"""The names that result_type's operands may be given by."""


@checked
class finfo:
    """Limits of a floating dtype: bits, eps, max, min, tiny = smallest_normal, resolution, dtype (its name).

    type: a floating or complex dtype (then that of its parts); the default dtype if left out. TypeError for another.

    >>> from wengert_core import finfo, float64
    >>> finfo(float64).eps
    2.220446049250313e-16
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")
    bits: int
    dtype: str
    eps: float
    max: float
    min: float
    resolution: float
    smallest_normal: float
    tiny: float

    def __new__(cls, type: Any = UNSAID) -> Self:
        kind = get_default_dtype() if type is UNSAID else as_dtype(type, "finfo", "type").to_real()
        self = object.__new__(cls)
        if not kind.is_floating_point:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{kind!r}'")
        self.dtype, self.bits = kind.name, 8 * kind.itemsize
        if kind.name == "bfloat16":
            self.eps, self.max, self.smallest_normal = 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126
        else:
            info = np.finfo(kind.name)
            self.eps, self.max, self.smallest_normal = float(info.eps), float(info.max), float(info.smallest_normal)
        self.min, self.tiny, self.resolution = -self.max, self.smallest_normal, 10.0 ** -_DECIMALS[kind.name]
        return self

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in names)}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


@checked
class iinfo:
    """Limits of an integer dtype: bits, min, max, dtype (its name). TypeError for another dtype.

    >>> from wengert_core import iinfo, uint8
    >>> iinfo(uint8).max
    255
    """

    __slots__ = ("bits", "dtype", "max", "min")
    bits: int
    dtype: str
    max: int
    min: int

    def __new__(cls, type: Any) -> Self:
        type = as_dtype(type, "iinfo", "type")
        if type.is_floating_point or type.is_complex:
            from wengert_core.messages.short_repr import short_repr

            raise TypeError(
                f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{short_repr(type)}'"
            )
        if type.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        self = object.__new__(cls)
        self.dtype, self.bits = type.name, 8 * type.itemsize
        self.max = (1 << (self.bits - type.is_signed)) - 1
        self.min = -self.max - 1 if type.is_signed else 0
        return self

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of one dtype may be stored in another: not if a category (bool, integer, real, complex) is lost.

    >>> from wengert_core import can_cast, float32, float64, int64
    >>> can_cast(float64, float32), can_cast(float32, int64)
    (True, False)
    """
    from_, to = as_dtype(from_, "can_cast", "from_"), as_dtype(to, "can_cast", "to")
    return from_.category <= to.category


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The dtype that holds both: promote_types(int64, float16) is float16.

    >>> from wengert_core import float16, int64, promote_types
    >>> promote_types(int64, float16)
    torch.float16
    """
    return _promoted(as_dtype(type1, "promote_types", "type1"), as_dtype(type2, "promote_types", "type2"))


def result_type(*values: Any, **named: Any) -> dtype:
    """The dtype that arithmetic on two tensors or numbers has.

    values: the two; by name they are tensor and other, scalar and tensor, or scalar1 and scalar2.
    TypeError for anything else.

    >>> from wengert_core import int8, ones, result_type
    >>> result_type(ones(2, dtype=int8), 1.5)
    torch.float32
    """
    given = values
    if named:
        forms = [form for form in RESULT_TYPE_FORMS if set(named) == set(form[len(values) :])]
        values = (*values, *(named[name] for name in forms[0][len(values) :])) if forms else ()
    if len(values) != 2 or not all(map(is_operand, values)):
        got = [type(value).__name__ for value in given]
        got += [f"{name}={type(value).__name__}" for name, value in named.items()]
        raise TypeError(f"result_type() received an invalid combination of arguments - got ({', '.join(got)}), but "
                        "expected one of: (Tensor tensor, Tensor other), (Number scalar, Tensor tensor), "
                        "(Tensor tensor, Number other), (Number scalar1, Number scalar2)")
    return _combine(*values)


def is_operand(value: Any) -> bool:
    """Whether a value is a tensor or a number, also one of NumPy's."""
    numbers = (bool, int, float, complex, np.generic)
    return isinstance(value, (Tensor, *numbers)) or (isinstance(value, np.ndarray) and value.ndim == 0)


def _combine(*values: Any) -> dtype:
    """torch's rule: dimensions decide, then 0-d tensors, then numbers, unless the other is of a higher category."""
    ranks = [(2 if v.ndim else 1) if isinstance(v, Tensor) else 0 for v in values]
    types = [v.dtype if isinstance(v, Tensor) else _from_data.of_data(v, None).dtype for v in values]
    if ranks[0] == ranks[1]:
        return _promoted(*types)
    high, low = (types[0], types[1]) if ranks[0] > ranks[1] else (types[1], types[0])
    level_high, level_low = high.category, low.category
    if level_low <= level_high:
        return high
    if level_low == 3 and level_high == 2:
        return high.to_complex()
    return _promoted(high, low)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a Tensor.

    >>> from wengert_core import is_tensor, ones
    >>> is_tensor(ones(1)), is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


def _tensor_argument(name: str, input: Any) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input


def is_floating_point(input: Tensor) -> bool:
    """Whether a tensor's dtype is a real floating one.

    >>> from wengert_core import is_floating_point, tensor
    >>> is_floating_point(tensor([1.0])), is_floating_point(tensor([1]))
    (True, False)
    """
    return bool(_tensor_argument("is_floating_point", input).dtype.is_floating_point)


def is_complex(input: Tensor) -> bool:
    """Whether a tensor's dtype is complex.

    >>> from wengert_core import is_complex, tensor
    >>> is_complex(tensor(1j))
    True
    """
    return bool(_tensor_argument("is_complex", input).dtype.is_complex)


def is_conj(input: Tensor) -> bool:
    """False: a conjugate is computed here at once, never marked as one that is still to come.

    >>> from wengert_core import is_conj, tensor
    >>> is_conj(tensor(1j).conj())
    False
    """
    return bool(_tensor_argument("is_conj", input).is_conj())


def is_neg(input: Tensor) -> bool:
    """False: a negative is computed here at once, never marked as one that is still to come.

    >>> from wengert_core import is_neg, tensor
    >>> is_neg(tensor(1j).conj().imag)
    False
    """
    return bool(_tensor_argument("is_neg", input).is_neg())


def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made in inference mode: it has no version counter, and autograd does not record it.

    >>> from wengert_core import is_inference, ones
    >>> is_inference(ones(2))
    False
    """
    return bool(_tensor_argument("is_inference", input).is_inference())


def is_signed(input: Tensor) -> bool:
    """Whether a tensor's dtype has negative numbers.

    >>> from wengert_core import is_signed, tensor, uint8
    >>> is_signed(tensor([1])), is_signed(tensor([1], dtype=uint8))
    (True, False)
    """
    return bool(_tensor_argument("is_signed", input).dtype.is_signed)


def is_nonzero(input: Tensor) -> bool:
    """Whether a tensor of one element is not zero. RuntimeError when it has more or none.

    >>> from wengert_core import is_nonzero, tensor
    >>> is_nonzero(tensor([0.0]))
    False
    """
    return bool(_tensor_argument("is_nonzero", input))


def numel(input: Tensor) -> int:
    """How many elements a tensor has.

    >>> from wengert_core import numel, zeros
    >>> numel(zeros(2, 3))
    6
    """
    return int(_tensor_argument("numel", input).numel())


def get_device(input: Tensor) -> int:
    """The number of a tensor's device among those of its kind; -1 for the CPU.

    >>> from wengert_core import get_device, zeros
    >>> get_device(zeros(2))
    -1
    """
    return int(_tensor_argument("get_device", input).get_device())


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape.

    >>> from wengert_core import is_same_size, zeros
    >>> is_same_size(zeros(2, 3), zeros(3, 2))
    False
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"is_same_size(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return bool(_tensor_argument("is_same_size", input).is_same_size(other))
