"""Tensors as NumPy arrays and back without copying; copies with conversion."""
import numpy as np
cimport numpy as cnp
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.string cimport memcpy, memset

from wengert_core.dispatch.keep_alive cimport hold
from wengert_core.dtypes.dtypes cimport BFLOAT16, FLOAT32, DTypeFacts, code_of, dtype_facts
from wengert_core.dtypes.scalars cimport store_number
from wengert_core.exchange.copy_launch cimport tell_copy, tell_fill
from wengert_core.exchange.device_memory cimport (array_at, copy_on_device, runs_on_device, fill_on_device, host_value,
                                                  put_array)
from wengert_core.geometry.size_math cimport bytes_between
from wengert_core.kernels.pointwise.strided cimport cast_strided, copy_large, copy_strided, fill_strided
from wengert_core.runtime.launches cimport count_recorders, tell_move, tell_opaque
from wengert_core.runtime.state cimport WG_BATCHED, WG_TELL, thread_state
from wengert_core.runtime.thread_pool cimport LARGE
from wengert_core.tensors.overlap cimport APART, overlap_of
from wengert_core.tensors.tensor cimport (TF_CONTIGUOUS, is_strided, new_empty, new_like, new_on_memory, shape_tuple,
                                          storage_of)

cdef extern from "Python.h":
    Py_ssize_t references "Py_REFCNT"(PyObject* o) noexcept

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(
        PyObject* subtype, PyObject* descr, int nd, Py_ssize_t* dims, Py_ssize_t* strides, void* data, int flags,
        PyObject* obj
    )

cnp.import_array()

cdef enum:
    TAKE_OVER = 4096                   # bytes of a result up to which copying costs less than keeping its array alive

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()

cdef Py_ssize_t NO_STEPS[64]           # an array without elements has strides 0, as torch's
memset(NO_STEPS, 0, sizeof(NO_STEPS))


cdef object array_of(Tensor t):
    """A writable ndarray on t's memory, which it keeps alive. bfloat16, which NumPy lacks, becomes a float32 copy."""
    if t.flags & WG_BATCHED:
        from wengert_core.tensors.vmap_hooks import no_pointer
        raise no_pointer()
    if t.device:
        return array_at(convert_copy(t, FLOAT32) if t.code == BFLOAT16 else t)
    if runs_on_device():
        return host_value(t)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_opaque()                  # whoever has the array reads and writes what no launch tells
    if t.code == BFLOAT16:
        return array_of(convert_copy(t, FLOAT32))
    cdef object descr = cnp.PyArray_DescrFromType(FACTS.numpy_type[t.code])
    Py_INCREF(descr)
    cdef object array = PyArray_NewFromDescr(<PyObject*> cnp.ndarray, <PyObject*> descr, t.rank, t.dims,
                                             t.dims + t.rank if t.count else NO_STEPS, t.data, cnp.NPY_ARRAY_WRITEABLE,
                                             NULL)
    owner = storage_of(t)
    Py_INCREF(owner)
    cnp.PyArray_SetBaseObject(array, owner)
    return array


cdef Tensor tensor_of_array(object array):
    """A tensor on the array's memory (it keeps the array alive). TypeError for a dtype we do not have."""
    cdef cnp.ndarray a = array
    cdef int code
    if not a.dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion between "
                         "byte orders is currently not supported: use array.astype(array.dtype.newbyteorder('='))")
    try:
        code = code_of(a.dtype)
    except TypeError:
        raise TypeError(f"can't convert np.ndarray of type {a.dtype.type.__module__}.{a.dtype.type.__name__}. The only "
                        "supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, "
                        "int8, uint64, uint32, uint16, uint8, and bool.") from None
    cdef int i
    cdef char* low = <char*> cnp.PyArray_DATA(a)
    cdef char* high = low + FACTS.itemsize[code]
    for i in range(cnp.PyArray_NDIM(a)):
        if cnp.PyArray_STRIDE(a, i) < 0 and cnp.PyArray_DIM(a, i) > 1:
            raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                             "strides are not currently supported. (You can probably work around this by making a copy "
                             "of your array with array.copy().)")
        if cnp.PyArray_DIM(a, i):
            high += (cnp.PyArray_DIM(a, i) - 1) * cnp.PyArray_STRIDE(a, i)
    return new_on_memory(code, cnp.PyArray_NDIM(a), <Py_ssize_t*> cnp.PyArray_DIMS(a),
                         <Py_ssize_t*> cnp.PyArray_STRIDES(a), low, low,
                         bytes_between(low, high) if cnp.PyArray_SIZE(a) else 0, array)


cdef Tensor tensor_of_result(object array, int code):
    """A contiguous tensor of dtype ``code`` with a computation's result; takes over an array that the caller's variable
    alone knows.
    """
    if runs_on_device():
        return result_on_device(array, code)
    cdef cnp.ndarray a = array if type(array) is cnp.ndarray else np.asarray(array)
    cdef bint plain = FACTS.numpy_type[code] == cnp.PyArray_TYPE(a) and cnp.PyArray_ISCARRAY_RO(a)
    cdef bint known = references(<PyObject*> a) > 2    # by others than the caller and ``a``: it may be written to later
    cdef Tensor out
    if plain and not known and cnp.PyArray_CHKFLAGS(a, cnp.NPY_ARRAY_OWNDATA | cnp.NPY_ARRAY_WRITEABLE) \
            and cnp.PyArray_NBYTES(a) > TAKE_OVER:
        return tensor_on_array(a)
    out = new_empty(code, cnp.PyArray_NDIM(a), <Py_ssize_t*> cnp.PyArray_DIMS(a))
    if plain and cnp.PyArray_NBYTES(a) <= TAKE_OVER:
        memcpy(out.data, cnp.PyArray_DATA(a), cnp.PyArray_NBYTES(a))
    else:
        array_into(a, out)
    return out


cdef Tensor tensor_on_array(cnp.ndarray a):
    """Return a tensor on an array that nobody else will see: its owner is a tuple, which drivers/resize.pyx knows."""
    cdef Tensor t = tensor_of_array(a)
    cdef PyObject* array = storage_of(t).owner
    owner = (a,)
    Py_INCREF(owner)
    storage_of(t).owner = <PyObject*> owner
    Py_XDECREF(array)
    return t


cdef Tensor result_on_device(object array, int code):
    cdef Py_ssize_t shape[64]
    cdef int i
    for i in range(array.ndim):
        shape[i] = array.shape[i]
    cdef Tensor out = new_empty(code, array.ndim, shape)
    put_array(array, out)
    return out


cdef int array_into(object array, Tensor t) except -1:
    """Copy an array of t's shape, or one that broadcasts to it, into t; torch's conversions."""
    if t.device or runs_on_device():
        return put_array(array, t)
    cdef cnp.ndarray a = np.asarray(array)
    cdef int i
    if cnp.PyArray_TYPE(a) == cnp.NPY_LONGDOUBLE:
        a = a.astype(np.float64)
    if not cnp.PyArray_ISALIGNED(a):
        a = a.copy()
    for i in range(cnp.PyArray_NDIM(a)):
        if cnp.PyArray_STRIDE(a, i) < 0 and cnp.PyArray_SIZE(a):
            a = a.copy()
            break
    copy_into(t, without_alias(tensor_of_array(a), t))     # a reference may give a view of what it got
    return 0


cdef int copy_into(Tensor target, Tensor source) except -1:
    """target[...] = source, converted and broadcast; shapes are known to fit. The two do not overlap."""
    cdef Py_ssize_t strides[64]
    cdef int i, offset = target.rank - source.rank
    cdef bint fits = True
    if target.count == 0:
        return 0
    if target.device | source.device:
        return copy_on_device(target, source)
    if target.count < LARGE and target.code == source.code and target.flags & source.flags & TF_CONTIGUOUS \
            and target.count == source.count:
        memcpy(target.data, source.data, target.count * FACTS.itemsize[target.code])
        if RECORDERS[0] and thread_state().modes & WG_TELL:
            tell_move(target.data, source.data, target.count * FACTS.itemsize[target.code])
        return 0
    for i in range(offset, 0):
        fits = fits and source.dims[i - offset] == 1
    for i in range(target.rank):
        strides[i] = 0
        if i >= offset and source.dims[i - offset] != 1:
            strides[i] = source.dims[source.rank + i - offset]
            fits = fits and source.dims[i - offset] == target.dims[i]
    if not fits:
        raise check_unchanged_shape(target, source)
    if target.count >= LARGE:
        target, source = hold(target), hold(source)
        with nogil:
            copy_large(target.data, target.dims + target.rank, target.code, source.data, strides, source.code,
                       target.dims, target.rank)
    elif target.code == source.code:
        copy_strided(target.data, target.dims + target.rank, source.data, strides, target.dims, target.rank,
                     FACTS.itemsize[target.code])
    else:
        cast_strided(target.data, target.dims + target.rank, target.code, source.data, strides, source.code,
                     target.dims, target.rank)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_copy(target.data, target.dims + target.rank, target.code, source.data, strides, source.code, target.dims,
                  target.rank, target.count >= LARGE)
    return 0


cdef object check_unchanged_shape(Tensor target, Tensor source):
    """Callers have looked at the shapes; whatever gave the GIL up since then let another thread change one of them."""
    return RuntimeError(f"a tensor of shape {list(shape_tuple(source))} cannot be copied into one of shape "
                        f"{list(shape_tuple(target))}: another thread has changed one of them since the operation "
                        "began")


cdef Tensor without_alias(Tensor t, Tensor out):
    """``t``, or a copy where a write to ``out`` may change it."""
    return t if overlap_of(t, out) == APART else contiguous_copy(t)


cdef Tensor contiguous_copy(Tensor t):
    cdef Tensor out = new_like(t, t.code)
    copy_into(out, t)
    return out


cdef Tensor row_major(Tensor t):
    return t if t.flags & TF_CONTIGUOUS else contiguous_copy(t)


cdef Tensor row_major_as(Tensor t, int code):
    return convert_copy(t, code) if t.code != code else row_major(t)


cdef bint is_host_array(Tensor t, int code) noexcept:
    return t.code == code and not t.device and is_strided(t)


cdef Tensor convert_copy(Tensor t, int code):
    """A contiguous copy as another dtype."""
    cdef Tensor out = new_like(t, code)
    copy_into(out, t)
    return out


cdef int fill_number(Tensor t, object value) except -1:
    """t[...] = value, a Python number."""
    cdef char number[16]
    store_number(<PyObject*> value, t.code, number)
    if t.device:
        return fill_on_device(t, number)
    fill_strided(t.data, t.dims + t.rank, t.dims, t.rank, FACTS.itemsize[t.code], number)
    if RECORDERS[0] and thread_state().modes & WG_TELL:
        tell_fill(t.data, t.dims + t.rank, t.dims, t.rank, t.code, number)
    return 0


def to_array(Tensor t):
    """The tensor as an ndarray on the same memory (a float32 copy for bfloat16)."""
    return array_of(t)


def from_array(array):
    """A tensor on the array's memory; TypeError or ValueError when its dtype or strides are not ours."""
    return tensor_of_array(array)
