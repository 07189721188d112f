"""Conversion to other dtypes and devices: the op ``_to_copy``, and ``to`` and its shorthands, which call it where they
must.

>>> from wengert_core import float64, tensor
>>> tensor([1, 2]).to(float64).dtype
torch.float64
"""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.dispatcher cimport dispatch, intercept
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.drivers.steps cimport record
from wengert_core.dtypes.dtypes cimport (BFLOAT16, BOOL, CAT_COMPLEX, CAT_FLOAT, COMPLEX64, COMPLEX128, FLOAT16,
                                         FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8, DTypeFacts,
                                         dtype_facts, dtype_of)
from wengert_core.dtypes.dtypes cimport dtype as DType
from wengert_core.exchange.from_data cimport copy_as, dtype_code
from wengert_core.messages.short_repr import short_repr
from wengert_core.runtime.launches cimport tell_complete
from wengert_core.runtime.state cimport WG_FOREIGN, WG_TELL
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.memory_format cimport FORMAT_PRESERVE, Format, format_of, has_format
from wengert_core.tensors.memory_format import contiguous_format
from wengert_core.tensors.tensor cimport Tensor, home_device

from wengert_core.devices import device as _device
from wengert_core.dtypes.dtypes import SCALAR_NAMES as _SCALAR_NAMES
from wengert_core.exchange.device_memory import set_non_blocking as _set_non_blocking

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op TO_COPY = None
cdef object CPU = _device.CPU


# ---- the op

cdef object to_copy_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0], out
    cdef int code
    if slots[2] != <PyObject*> None and _device.device_number(<object> slots[2], "to") != 0:
        return intercept(op, slots, WG_FOREIGN)
    code = dtype_code(<object> slots[1])
    if FACTS.category[t.code] == CAT_COMPLEX and FACTS.category[code] != CAT_COMPLEX and code != BOOL:
        warn_user("Casting complex values to real discards the imaginary part")
    out = copy_as(t, code)
    if live:
        if live & WG_TELL:
            tell_complete(<void*> op)
        if FACTS.category[code] >= CAT_FLOAT:
            record(op, slots, out, live)
    return out


def configure(Op op):
    """Make ``op`` the one that converts: its slots are the tensor, the dtype and the device."""
    op.run = to_copy_run


cdef object convert_to(Tensor t, int code, object device):
    global TO_COPY
    cdef PyObject* slots[3]
    if TO_COPY is None:
        TO_COPY = find_op("_to_copy")      # core's own, whose family is loaded with the first use
    kind = dtype_of(code)
    slots[0], slots[1], slots[2] = <PyObject*> t, <PyObject*> kind, <PyObject*> device
    cdef Op op = TO_COPY
    return dispatch(op, slots)


cdef object convert(Tensor t, int code, bint copy):
    if code == t.code and not copy:
        return t
    return convert_to(t, code, None)


# ---- to

cdef bint is_dtype(object value):
    return isinstance(value, DType) or value is float or value is int or value is bool or value is complex


cdef list to_arguments(tuple args):
    """to's positional arguments as [device, dtype, non_blocking, copy]; what was not given is None."""
    cdef Tensor other
    first = args[0] if args else None
    if isinstance(first, Tensor):
        other = <Tensor> first
        values = [_device.DEVICES[other.device], dtype_of(other.code), *args[1:]]
    elif is_dtype(first):
        values = [None, *args]
    else:
        values = list(args)
    if len(values) > 4:
        raise wrong_call(args, {})
    return values + [None] * (4 - len(values))


cdef object wrong_call(tuple args, dict kwargs):
    got = [type(value).__name__ for value in args] + [f"{key}={type(value).__name__}" for key, value in kwargs.items()]
    return TypeError(f"to() received an invalid combination of arguments - got ({', '.join(got)}), but expected one "
                     "of: (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, "
                     "bool copy = False), (torch.dtype dtype, bool non_blocking = False, bool copy = False), "
                     "(Tensor tensor, bool non_blocking = False, bool copy = False)")


cdef object to_with_keywords(Tensor self, tuple args, dict kwargs):
    cdef list values = to_arguments((kwargs.pop("other"), *args) if "other" in kwargs else args)
    cdef Format form
    cdef dict rest = dict(kwargs)
    memory_format = rest.pop("memory_format", None)
    for i, name in enumerate(("device", "dtype", "non_blocking", "copy")):
        if name in rest:
            if values[i] is not None:
                raise wrong_call(args, kwargs)
            values[i] = rest.pop(name)
    if rest:
        raise wrong_call(args, kwargs)
    result = copy_as_requested(self, values)
    form = format_of(<PyObject*> memory_format, FORMAT_PRESERVE)
    return result if form == FORMAT_PRESERVE or has_format(<Tensor> result, form) \
        else result.contiguous(memory_format=memory_format)


cdef object copy_as_requested(Tensor self, list values):
    """``self`` as [device, dtype, non_blocking, copy] ask for it."""
    cdef int code = self.code if values[1] is None else dtype_code(values[1])
    if values[0] is None or (values[0] is CPU and home_device(self.device) == 0):
        return convert(self, code, bool(values[3]))
    if _device.device_number(values[0], "to") == home_device(self.device):
        return convert(self, code, bool(values[3]))
    if not values[2]:
        return convert_to(self, code, values[0])
    before = _set_non_blocking(True)
    try:
        return convert_to(self, code, values[0])
    finally:
        _set_non_blocking(before)


def to(Tensor self, *args, **kwargs):
    """The tensor with another dtype or on another device; itself when it is that already.

    to(dtype), to(device), to(device, dtype), to(other): as a dtype, a device, or both as another tensor has them; all
    take non_blocking=False, copy=False (True: a new tensor in any case), memory_format. Differentiable.

    >>> from wengert_core import int32, ones
    >>> x = ones(2)
    >>> x.to("cpu") is x, x.to(int32).dtype
    (True, torch.int32)
    """
    if not kwargs and len(args) == 1 and isinstance(args[0], DType):
        return convert(self, (<DType> args[0]).code, False)
    if not kwargs:
        return copy_as_requested(self, to_arguments(args))
    return to_with_keywords(self, args, kwargs)


# ---- shorthands

cdef object shorthand(Tensor self, int code, object memory_format):
    if code == self.code and (memory_format is None or memory_format is contiguous_format):
        return self
    if memory_format is None:
        return convert_to(self, code, None)
    return to_with_keywords(self, (dtype_of(code),), {"memory_format": memory_format})


def to_float(Tensor self, memory_format=None):
    """The tensor as float32."""
    return shorthand(self, FLOAT32, memory_format)


def to_double(Tensor self, memory_format=None):
    """The tensor as float64."""
    return shorthand(self, FLOAT64, memory_format)


def to_half(Tensor self, memory_format=None):
    """The tensor as float16."""
    return shorthand(self, FLOAT16, memory_format)


def to_bfloat16(Tensor self, memory_format=None):
    """The tensor as bfloat16."""
    return shorthand(self, BFLOAT16, memory_format)


def to_int(Tensor self, memory_format=None):
    """The tensor as int32; what follows the point is cut off."""
    return shorthand(self, INT32, memory_format)


def to_long(Tensor self, memory_format=None):
    """The tensor as int64; what follows the point is cut off."""
    return shorthand(self, INT64, memory_format)


def to_short(Tensor self, memory_format=None):
    """The tensor as int16; what follows the point is cut off."""
    return shorthand(self, INT16, memory_format)


def to_char(Tensor self, memory_format=None):
    """The tensor as int8; what follows the point is cut off."""
    return shorthand(self, INT8, memory_format)


def to_byte(Tensor self, memory_format=None):
    """The tensor as uint8; what follows the point is cut off."""
    return shorthand(self, UINT8, memory_format)


def to_bool(Tensor self, memory_format=None):
    """The tensor as bool: True where it is not zero."""
    return shorthand(self, BOOL, memory_format)


def to_cfloat(Tensor self, memory_format=None):
    """The tensor as complex64."""
    return shorthand(self, COMPLEX64, memory_format)


def to_cdouble(Tensor self, memory_format=None):
    """The tensor as complex128."""
    return shorthand(self, COMPLEX128, memory_format)


def cpu(Tensor self, memory_format=None):
    """The tensor in the host's memory; itself when it is there already."""
    return copy_as_requested(self, [CPU, None, None, None])


def cuda(Tensor self, device=None, non_blocking=False, memory_format=None):
    """The tensor on a CUDA device: the current one unless ``device`` names another."""
    if device is None or isinstance(device, int):
        device = _device.device("cuda", device)
    elif _device.device(device).type != "cuda":
        raise RuntimeError(f"Invalid device, must be cuda device: cuda() got '{device}'")
    return copy_as_requested(self, [device, None, non_blocking, None])


def type_as(Tensor self, other):
    """The tensor with another one's dtype, on its device."""
    if not isinstance(other, Tensor):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    return copy_as_requested(self, [_device.DEVICES[(<Tensor> other).device], other.dtype, None, None])


def type_(Tensor self, dtype=None, non_blocking=False):
    """Without arguments torch's name of the tensor's type, such as "torch.FloatTensor"; else the tensor as that type.

    dtype: a dtype, such a name, or a class like wengert.FloatTensor. ValueError for another name.

    >>> from wengert_core import ones
    >>> ones(1).type()
    'torch.FloatTensor'
    """
    if dtype is None:
        return f"torch.{_SCALAR_NAMES[self.code]}Tensor"
    kind = dtype if is_dtype(dtype) else getattr(dtype, "dtype", dtype)
    if isinstance(kind, str):
        name = kind.removeprefix("torch.").removesuffix("Tensor")
        if name not in _SCALAR_NAMES:
            raise ValueError(f"invalid type: '{kind}'")
        return convert(self, _SCALAR_NAMES.index(name), False)
    if is_dtype(kind) and not isinstance(kind, type):
        return convert(self, dtype_code(kind), False)
    if not isinstance(dtype, type):
        raise TypeError(f"dtype must be a type, str, or dtype object, not {type(dtype).__name__}")
    raise ValueError(f"invalid type: '{short_repr(getattr(kind, '__name__', kind), str)}'")


def device_of(Tensor self):
    """Where the tensor's memory is: a device."""
    return _device.DEVICES[self.device]


def is_cuda(Tensor self):
    """True when the tensor is on a CUDA device."""
    return self.device != 0 and _device.DEVICES[self.device].type == "cuda"


def get_device(Tensor self):
    """The number of the tensor's device among those of its type; -1 for the CPU."""
    return -1 if home_device(self.device) == 0 else _device.DEVICES[self.device].index
