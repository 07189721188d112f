"""Tensors and NumPy: sharing memory both ways, and tensors as nested lists.

>>> import numpy as np
>>> from wengert_core import from_numpy
>>> a = np.zeros(2)
>>> t = from_numpy(a)
>>> a[0] = 5
>>> t.tolist()
[5.0, 0.0]
"""
import warnings

import numpy as np
cimport numpy as cnp

from wengert_core.arrays cimport array_of, tensor_of_array
from wengert_core.dtypes cimport BFLOAT16, DTypeFacts, code_of, dtype_facts
from wengert_core.scalars cimport load_number
from wengert_core.state cimport WG_GRAD
from wengert_core.tensor cimport Tensor, storage_of

cnp.import_array()

cdef DTypeFacts* FACTS = dtype_facts()
cdef object NDARRAY = np.ndarray


# ---- arrays in

cdef int array_code(object array) except -1:
    try:
        return code_of(array.dtype)
    except TypeError:
        pass
    name = array.dtype.type.__name__
    raise TypeError(f"can't convert np.ndarray of type numpy.{name}. The only supported types are: float64, float32, float16, "
                    "complex64, complex128, int64, int32, int16, int8, uint8, and bool (and ml_dtypes.bfloat16).")


cdef object checked_array(object array, bint may_copy):
    """``array`` if its elements lie where a tensor's may: aligned, on strides that are multiples of their size."""
    cdef Py_ssize_t stride, itemsize = array.itemsize
    array_code(array)
    if not array.flags.aligned and may_copy:
        return array.copy()
    for stride in array.strides:
        if stride % itemsize:
            if may_copy:
                return array.copy()
            raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
                             f"reallocate the memory: its strides are {array.strides} bytes, an element has {itemsize}")
    if not array.flags.aligned:
        raise ValueError(f"given numpy array is not aligned: its elements of {itemsize} bytes lie at odd addresses. Copy it first")
    return array


cdef Tensor tensor_sharing(object array):
    cdef Tensor t = tensor_of_array(checked_array(array, False))
    if not array.flags.writeable:
        storage_of(t).readonly = 1
        warnings.warn("The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
                      "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
                      "data or make it writable before converting it to a tensor.", UserWarning, stacklevel=2)
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
    return tensor_sharing(ndarray)


# ---- arrays out

cdef int refuse_grad(Tensor t, str what) except -1:
    if t.flags & WG_GRAD:
        raise RuntimeError(f"Can't call {what} on Tensor that requires grad. Use tensor.detach().{what} instead.")
    return 0


cdef object array_sharing(Tensor t):
    if t.code == BFLOAT16:
        raise TypeError("Got unsupported ScalarType BFloat16: NumPy has no bfloat16; use .float() first")
    array = array_of(t)
    if storage_of(t).readonly:
        array.flags.writeable = False
    return array


def numpy(Tensor self, *, bint force=False):
    """The tensor as a NumPy array on the same memory.

    force: for a tensor that requires grad, give the array of ``self.detach()`` instead of a RuntimeError.
    TypeError for bfloat16.

    >>> from wengert_core import ones
    >>> ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    if not force:
        refuse_grad(self, "numpy()")
    return array_sharing(self)


def array_interface(Tensor self, dtype=None, *, copy=None):
    """What NumPy asks for: the tensor as an array, without a copy where ``dtype`` and ``copy`` allow that."""
    refuse_grad(self, "numpy()")
    array = array_sharing(self)
    if dtype is None or array.dtype == dtype:
        return array.copy() if copy else array
    if copy is False:
        raise ValueError(f"Unable to avoid copy while creating an array as requested: the tensor is {array.dtype}, {dtype} "
                         "was asked for")
    return array.astype(dtype)


def array_wrap(Tensor self, array, context=None, return_scalar=False):
    """What NumPy makes of a function's result on tensors: a tensor again."""
    return tensor_of_array(checked_array(np.asarray(array), True))


# ---- lists out

cdef object list_level(const char* data, const Py_ssize_t* shape, const Py_ssize_t* strides, int ndim, int code):
    cdef Py_ssize_t i
    cdef list items = []
    for i in range(shape[0]):
        if ndim == 1:
            items.append(load_number(data, code))
        else:
            items.append(list_level(data, shape + 1, strides + 1, ndim - 1, code))
        data += strides[0]
    return items


cdef object list_of(Tensor t):
    if t.rank == 0:
        return load_number(t.data, t.code)
    return list_level(t.data, t.dims, t.dims + t.rank, t.rank, t.code)


def tolist(Tensor self):
    """Nested lists of Python numbers; a number for a tensor without dimensions.

    >>> from wengert_core import tensor
    >>> tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    return list_of(self)
