"""Tensors and NumPy: sharing memory both ways, and tensors as nested lists.

>>> import numpy as np
>>> from wengert_core import from_numpy
>>> a = np.zeros(2)
>>> t = from_numpy(a)
>>> a[0] = 5
>>> t.tolist()
[5.0, 0.0]
"""
from types import NoneType

import numpy as np
cimport numpy as cnp

from wengert_core.dispatch.hooks cimport hooks
from wengert_core.dispatch.op cimport find_op
from wengert_core.dtypes.dtypes cimport BFLOAT16, N_DTYPES, DTypeFacts, code_of, dtype_facts
from wengert_core.dtypes.scalars cimport load_number
from wengert_core.exchange.arrays cimport array_of
from wengert_core.exchange.device_memory cimport on_host
from wengert_core.messages.short_repr import short_repr
from wengert_core.runtime.launches cimport count_recorders, tell_opaque, tell_read
from wengert_core.runtime.state cimport WG_BATCHED, WG_DUAL, WG_GRAD, WG_TELL, dual_is_open, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor, is_strided, new_on_memory, set_array_operand, storage_of

cnp.import_array()

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef object NDARRAY = np.ndarray

from wengert_core.devices.device import DEVICES as _DEVICES
from wengert_core.devices.layout import LAYOUTS as _LAYOUTS


# ---- arrays in

cdef int array_code(object array) except -1:
    cdef int number = cnp.PyArray_TYPE(array), code
    for code in range(N_DTYPES):
        if FACTS.numpy_type[code] == number:
            return code
    try:                               # ml_dtypes' bfloat16, and the second of two C types of one size
        return code_of(array.dtype)
    except TypeError:
        pass
    name = array.dtype.type.__name__
    raise TypeError(f"can't convert np.ndarray of type numpy.{name}. The only supported types are: float64, float32, "
                    "float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
                    "and bool (and ml_dtypes.bfloat16).")


cdef object placement_problem(cnp.ndarray a):
    """Why a tensor cannot share this array's memory, as the error to raise; None when it can."""
    cdef int i
    cdef Py_ssize_t itemsize = cnp.PyArray_ITEMSIZE(a)
    if not cnp.PyArray_ISNOTSWAPPED(a):
        return ValueError("given numpy array has byte order different from the native byte order. Conversion between "
                          "byte orders is currently not supported: use array.astype(array.dtype.newbyteorder('='))")
    for i in range(cnp.PyArray_NDIM(a)):
        if cnp.PyArray_STRIDE(a, i) < 0 and cnp.PyArray_DIM(a, i) > 1:
            return ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                              "strides are not currently supported. (You can probably work around this by making a "
                              "copy of your array with array.copy().)")
        if cnp.PyArray_STRIDE(a, i) % itemsize:
            return ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array "
                              f"to reallocate the memory: its strides are {(<object> a).strides} bytes, "
                              f"an element has {itemsize}")
    if not cnp.PyArray_ISALIGNED(a):
        return ValueError("given numpy array is not aligned: "
                          f"its elements of {itemsize} bytes lie at odd addresses. Copy it first")
    return None


cdef Tensor tensor_at(object array, bint may_copy):
    """A tensor on the array's memory; where it cannot be, on that of a copy or, unless that is allowed, an error."""
    cdef cnp.ndarray a = array
    cdef int code = array_code(a), i
    cdef char* low
    cdef Py_ssize_t span = FACTS.itemsize[code]
    problem = placement_problem(a)
    if problem is not None:
        if not may_copy:
            raise problem
        a = np.array(a, (<object> a).dtype.newbyteorder("="), order="C")
    low = <char*> cnp.PyArray_DATA(a)
    for i in range(cnp.PyArray_NDIM(a)):
        span += (cnp.PyArray_DIM(a, i) - 1) * cnp.PyArray_STRIDE(a, i)
    return new_on_memory(code, cnp.PyArray_NDIM(a), <Py_ssize_t*> cnp.PyArray_DIMS(a),
                         <Py_ssize_t*> cnp.PyArray_STRIDES(a), low, low, span if cnp.PyArray_SIZE(a) else 0, a)


set_array_operand(tensor_at)


cdef Tensor tensor_sharing(object array, str what="NumPy array"):
    cdef Tensor t = tensor_at(array, False)
    if not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> array):
        storage_of(t).readonly = 1
        warn_user(f"The given {what} is not writable, and PyTorch does not support non-writable tensors. This means "
                  "writing to this tensor will result in undefined behavior. You may want to copy it to protect its "
                  "data or make it writable before converting it to a tensor.")
    return t


def from_numpy(ndarray):
    """A tensor on the memory of a NumPy array: a change of either is seen in both.

    The dtype is the array's; ml_dtypes.bfloat16 gives bfloat16. TypeError for a dtype there is no tensor of,
    ValueError for negative strides; a read-only array gives a UserWarning.

    >>> import numpy as np
    >>> from wengert_core import from_numpy
    >>> from_numpy(np.arange(3, dtype=np.int32)).dtype
    torch.int32
    """
    if not isinstance(ndarray, NDARRAY):
        kind = type(ndarray)
        name = f"numpy.{kind.__name__}" if isinstance(ndarray, np.generic) else kind.__name__
        raise TypeError(f"expected np.ndarray (got {name})")
    t = tensor_sharing(ndarray)
    if RECORDERS[0] and thread_state().modes & WG_TELL and not storage_of(<Tensor> t).readonly:
        return find_op("as_tensor")(ndarray, device="cpu")     # whoever records hears of that
    return t


# ---- arrays out

cdef int refuse_grad(Tensor t, str what) except -1:
    """RuntimeError for a tensor that requires grad."""
    if thread_state().modes & WG_GRAD and requires_grad(t):
        raise RuntimeError(f"Can't call {what} on Tensor that requires grad. Use tensor.detach().{what} instead. "
                           "(see docs/errors/numpy-of-requires-grad)")
    return 0


cdef bint has_tangent(Tensor t) except -1:
    return (dual_is_open() and thread_state().modes & WG_DUAL != 0 and hooks().has_tangent != NULL
            and hooks().has_tangent(t))


cdef int refuse_tangent(Tensor t, str what) except -1:
    if has_tangent(t):
        raise RuntimeError(f"Can't call {what} on Tensor that has a tangent of forward mode, which would be lost. Use "
                           f"tensor.detach().{what} instead. (see docs/errors/numpy-of-requires-grad)")
    return 0


cdef int refuse_batched(Tensor t) except -1:
    """RuntimeError for a tensor inside of vmap."""
    if t.flags & WG_BATCHED:
        from wengert_core.tensors.vmap_hooks import no_pointer
        raise no_pointer()
    return 0


cdef object array_sharing(Tensor t):
    if not is_strided(t):
        raise TypeError(f"can't convert {_LAYOUTS[t.device]._words} layout tensor to numpy. Use Tensor.to_dense() "
                        "first.")
    if t.device:
        raise TypeError(f"can't convert {_DEVICES[t.device]} device type tensor to numpy. Use Tensor.cpu() to copy the "
                        "tensor to host memory first.")
    if t.code == BFLOAT16:
        raise TypeError("Got unsupported ScalarType BFloat16: NumPy has no bfloat16; use .float() first")
    array = array_of(t)
    if storage_of(t).readonly:
        array.flags.writeable = False
    return array


def numpy(Tensor self, *, bint force=False):
    """The tensor as a NumPy array on the same memory.

    force: for a tensor that requires grad, has a tangent, or is on another device, give the array of
    ``self.detach().cpu()`` instead of an error. TypeError for bfloat16.

    >>> from wengert_core import ones
    >>> ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    refuse_batched(self)
    if not force:
        refuse_grad(self, "numpy()")
        refuse_tangent(self, "numpy()")
    return array_sharing(on_host(self) if force and self.device else self)


def array_interface(Tensor self, dtype=None, *, copy=None):
    """What NumPy asks for: the tensor as an array, without a copy where ``dtype`` and ``copy`` allow that."""
    refuse_batched(self)
    refuse_grad(self, "numpy()")
    refuse_tangent(self, "numpy()")
    if not isinstance(dtype, (np.dtype, type, str, NoneType)):
        raise TypeError(f"__array__(): argument 'dtype' must be a NumPy dtype, not {type(dtype).__name__}")
    array = array_sharing(self)
    if dtype is None or array.dtype == dtype:
        return array.copy() if copy else array
    if copy is False:
        raise ValueError(f"Unable to avoid copy while creating an array as requested: the tensor is {array.dtype}, "
                         f"{short_repr(dtype, str)} was asked for")
    return array.astype(dtype)


def array_wrap(Tensor self, array, context=None, return_scalar=False):
    """What NumPy makes of a function's result on tensors: a tensor again."""
    return tensor_at(np.asarray(array), True)


# ---- lists out

cdef object list_level(const char* data, const Py_ssize_t* shape, const Py_ssize_t* strides, int ndim, int code):
    cdef Py_ssize_t _i
    cdef list items = []
    for _i in range(shape[0]):
        if ndim == 1:
            items.append(load_number(data, code))
        else:
            items.append(list_level(data, shape + 1, strides + 1, ndim - 1, code))
        data += strides[0]
    return items


cdef Py_ssize_t MOST_NUMBERS = 1 << 36  # pointers alone take half a terabyte


cdef int tell_list(Tensor t) except -1:
    """The numbers of a tensor leave for Python."""
    if t.flags & TF_CONTIGUOUS:
        return tell_read(t.data, t.count * dtype_facts().itemsize[t.code])
    tell_opaque()
    return 0


cdef object list_of(Tensor t):
    if t.device:
        t = on_host(t)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_list(t)
    if t.rank == 0:
        return load_number(t.data, t.code)
    return list_level(t.data, t.dims, t.dims + t.rank, t.rank, t.code)


def tolist(Tensor self):
    """Nested lists of Python numbers; a number for a tensor without dimensions.

    >>> from wengert_core import tensor
    >>> tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    refuse_batched(self)
    if self.count > MOST_NUMBERS:
        raise MemoryError(f"tolist: {self.count} Python numbers do not fit into memory, expected at most "
                          f"{MOST_NUMBERS}")
    return list_of(self)
