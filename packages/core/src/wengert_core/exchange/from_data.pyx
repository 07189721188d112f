"""Tensors from Python data: nested sequences, numbers, arrays.

A sequence is read three times: for its shape (that of its first elements, as torch), for its dtype unless it is given,
and for its values, when every length is checked.
"""
from cpython.list cimport PyList_CheckExact
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact
from libc.stdint cimport int64_t
from libc.string cimport memcpy

import numpy as np
cimport numpy as cnp

from wengert_core.dispatch.arguments cimport check_rank
from wengert_core.dispatch.exact_values cimport MOST_ITEMS, all_items, items_of, length_of
from wengert_core.dtypes.dtypes cimport (BOOL, CAT_COMPLEX, CAT_FLOAT, COMPLEX128, FLOAT32, FLOAT64, INT64, DTypeFacts,
                                         code_of, dtype_facts)
from wengert_core.dtypes.scalars cimport number_code, store_number
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.exchange.elements cimport store_checked, store_leaf
from wengert_core.exchange.numpy_bridge cimport array_code, tensor_at, tensor_sharing
from wengert_core.geometry.size_math cimport extent
from wengert_core.tensors.memory_format cimport new_preserved
from wengert_core.tensors.tensor cimport (Tensor, check_numel, new_empty, new_on_memory, set_contiguity, strides_of)

cdef extern from "Python.h":
    bint PyFloat_CheckExact(PyObject* o) noexcept
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyLong_Check(PyObject* o) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    bint PySequence_Check(PyObject* o) noexcept
    double PyFloat_AS_DOUBLE(PyObject* o) noexcept
    long long PyLong_AsLongLongAndOverflow(PyObject* o, int* overflow) except? -1
    Py_ssize_t PySequence_Fast_GET_SIZE(PyObject* o) noexcept
    PyObject* PySequence_Fast_GET_ITEM(PyObject* o, Py_ssize_t i) noexcept

cdef extern from *:
    """
    /* Cython gives a class a short way to make instances, which would pass by the tp_new that tensors/tensor.pyx
       sets. */
    static void wengert_call_new(PyTypeObject *t) { t->tp_vectorcall = NULL; PyType_Modified(t); }
    """
    void wengert_call_new(PyTypeObject* t) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef object NDARRAY = np.ndarray
cdef object GENERIC = np.generic
cdef enum:
    MAX_DEPTH = 64


# ---- dtypes

cdef int dtype_code(object spec) except -2:
    """The code that a dtype= argument asks for; Python's float and complex mean double precision there, as in torch."""
    if spec is None:
        return -1
    if spec is float:
        return FLOAT64
    if spec is complex:
        return COMPLEX128
    return code_of(spec)


cdef int scalar_code(PyObject* value) except -2:
    """Return the dtype of a fill value, that of its kind of Python number, also for 0-d tensors; -1: not a number."""
    cdef int category
    if not isinstance(<object> value, Tensor):
        return number_code(value)
    if (<Tensor> value).rank:
        return -1
    category = FACTS.category[(<Tensor> value).code]
    if category == CAT_FLOAT:
        return FACTS.default_float
    return FACTS.default_complex if category == CAT_COMPLEX else INT64 if category else BOOL


cdef inline bint is_leaf(object data):
    """True for what is one element; arrays with dimensions and other sequences are not."""
    if isinstance(data, NDARRAY):
        return (<cnp.ndarray> data).ndim == 0
    return isinstance(data, Tensor) or not PySequence_Check(<PyObject*> data) or isinstance(data, (bytes, GENERIC))


cdef int infer_code(object data, int depth=0) except -1:
    """Return the dtype of data: its numbers and tensors promoted together; the default dtype where there are none."""
    cdef int code = -1, own
    cdef PyObject* o = <PyObject*> data
    if PyFloat_CheckExact(o):
        return FACTS.default_float
    if PyLong_CheckExact(o):
        return INT64
    if isinstance(data, Tensor):
        return (<Tensor> data).code
    if isinstance(data, (NDARRAY, GENERIC)):
        return array_code(np.asarray(data))
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if PySequence_Check(o):
        if depth == MAX_DEPTH:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        for item in all_items(data):
            if item is data:
                raise TypeError("new(): self-referential lists are incompatible")
            own = infer_code(item, depth + 1)
            code = own if code < 0 else FACTS.promote[code][own]
        return FACTS.default_float if code < 0 else code
    if PyBool_Check(o):
        return BOOL
    if PyFloat_Check(o) or PyLong_Check(o) or PyComplex_Check(o):
        return number_code(o)
    raise RuntimeError(f"Could not infer dtype of {type(data).__name__}: expected numbers, arrays, "
                       "tensors or nested sequences of them")


# ---- shapes

cdef int find_shape(object data, Py_ssize_t* shape) except -1:
    """The sizes that the first elements give, into ``shape``; returns how many there are."""
    cdef int ndim = 0, i
    while not is_leaf(data):
        if ndim == MAX_DEPTH or isinstance(data, str):
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if isinstance(data, NDARRAY):
            for i in range(data.ndim):
                if ndim == MAX_DEPTH:
                    raise ValueError("too many dimensions 'numpy.ndarray'")
                shape[ndim] = data.shape[i]
                ndim += 1
            return ndim
        shape[ndim] = length_of(data)
        ndim += 1
        if shape[ndim - 1] == 0:
            return ndim
        data = data[0]
    return ndim


# ---- values

cdef int fill_level(object data, int dim, int ndim, const Py_ssize_t* shape, const Py_ssize_t* steps, int code,
                    char* where) except -1:
    """Store a sequence at depth ``dim``. The value at depth ndim is an element."""
    cdef Py_ssize_t i
    cdef PyObject* item
    if isinstance(data, NDARRAY) and (<cnp.ndarray> data).ndim:
        return fill_array(data, dim, ndim, shape, steps, code, where)
    if isinstance(data, Tensor) or not PySequence_Check(<PyObject*> data):
        raise TypeError(f"not a sequence: expected one of length {shape[dim]} at dim {dim}, got {type(data).__name__}")
    items = data if PyList_CheckExact(data) or PyTuple_CheckExact(data) \
        else items_of(data, min(shape[dim] + 1, <Py_ssize_t> MOST_ITEMS))
    if PySequence_Fast_GET_SIZE(<PyObject*> items) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got "
                         f"{PySequence_Fast_GET_SIZE(<PyObject*> items)})")
    for i in range(shape[dim]):
        if i >= PySequence_Fast_GET_SIZE(<PyObject*> items):
            raise ValueError(f"the sequence at dim {dim} changed while it was read")
        item = PySequence_Fast_GET_ITEM(<PyObject*> items, i)
        if dim < ndim - 1:
            kept = <object> item       # what is read of it may run code that drops it from the list
            fill_level(kept, dim + 1, ndim, shape, steps, code, where)
        elif code == FLOAT32 and PyFloat_CheckExact(item):
            (<float*> where)[0] = <float> PyFloat_AS_DOUBLE(item)
        elif code == FLOAT64 and PyFloat_CheckExact(item):
            (<double*> where)[0] = PyFloat_AS_DOUBLE(item)
        else:
            kept = <object> item       # so may its conversion
            store_leaf(<PyObject*> kept, code, where)
        where += steps[dim]
    return 0


cdef int fill_array(object data, int dim, int ndim, const Py_ssize_t* shape, const Py_ssize_t* steps, int code,
                    char* where) except -1:
    """Store an array that stands inside a sequence."""
    cdef int i
    cdef Py_ssize_t count = 1
    if data.ndim != ndim - dim:
        raise TypeError(f"not a sequence: expected {ndim - dim} dimensions from dim {dim} on, "
                        f"got an array of {data.ndim}")
    for i in range(dim, ndim):
        if data.shape[i - dim] != shape[i]:
            raise ValueError(f"expected sequence of length {shape[i]} at dim {i} (got {data.shape[i - dim]})")
        count *= shape[i]
    target = new_on_memory(code, ndim - dim, shape + dim, steps + dim, where, where, count * FACTS.itemsize[code], None)
    return copy_into(target, tensor_at(data, True))


cdef Tensor tensor_of_sequence(object data, int code):
    cdef Py_ssize_t shape[64]
    cdef int ndim = find_shape(data, shape)
    check_numel(ndim, shape, 1)      # before all elements are looked at for their dtype
    cdef Tensor t = new_empty(infer_code(data) if code < 0 else code, ndim, shape)
    if t.count:
        if ndim:
            fill_level(data, 0, ndim, shape, t.dims + ndim, t.code, t.data)
        else:
            store_leaf(<PyObject*> data, t.code, t.data)
    return t


cdef Tensor tensor_of_list(object data, int code):
    """The everyday case, a flat list or tuple of floats or of ints, read once; None when it is not that."""
    cdef Py_ssize_t n = PySequence_Fast_GET_SIZE(<PyObject*> data), i
    cdef PyObject* item
    cdef Tensor t
    cdef int overflow = 0
    item = PySequence_Fast_GET_ITEM(<PyObject*> data, 0)
    if PyFloat_CheckExact(item) and (code < 0 or code == FLOAT32 or code == FLOAT64):
        t = new_empty(FACTS.default_float if code < 0 else code, 1, &n)
        if t.code != FLOAT32 and t.code != FLOAT64:
            return None
        for i in range(n):
            item = PySequence_Fast_GET_ITEM(<PyObject*> data, i)
            if not PyFloat_CheckExact(item):
                return None
            if t.code == FLOAT32:
                (<float*> t.data)[i] = <float> PyFloat_AS_DOUBLE(item)
            else:
                (<double*> t.data)[i] = PyFloat_AS_DOUBLE(item)
        return t
    if PyLong_CheckExact(item) and (code < 0 or code == INT64):
        t = new_empty(INT64, 1, &n)
        for i in range(n):
            item = PySequence_Fast_GET_ITEM(<PyObject*> data, i)
            if not PyLong_CheckExact(item):
                return None
            (<int64_t*> t.data)[i] = PyLong_AsLongLongAndOverflow(item, &overflow)
            if overflow:
                return None
        return t
    return None


cdef Tensor copy_as(Tensor t, int code):
    """A copy in dtype ``code`` without history; its strides are ordered as t's."""
    cdef Tensor new = new_preserved(t, code)
    copy_into(new, t)
    return new


cdef Tensor tensor_of_data(object data, int code):
    """A new tensor with a copy of data. Arrays and tensors keep the order of their dimensions in memory."""
    cdef Tensor t
    cdef PyObject* o = <PyObject*> data
    if PyFloat_CheckExact(o) and (code < 0 or code == FLOAT32):
        t = new_empty(FACTS.default_float if code < 0 else code, 0, NULL)
        store_number(o, t.code, t.data)
        return t
    if (PyList_CheckExact(data) or PyTuple_CheckExact(data)) and PySequence_Fast_GET_SIZE(o):
        t = tensor_of_list(data, code)
        return t if t is not None else tensor_of_sequence(data, code)
    if isinstance(data, Tensor):
        t = <Tensor> data
        return copy_as(t, t.code if code < 0 else code)
    if isinstance(data, (NDARRAY, GENERIC)):
        t = tensor_at(np.asarray(data), False)
        return copy_as(t, t.code if code < 0 else code)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not PySequence_Check(o) and hasattr(data, "__array__"):
        return tensor_of_data(np.asarray(data), code)
    return tensor_of_sequence(data, code)


# ---- for factories written in Python

def blank(dtype, *shape):
    """A contiguous tensor of a dtype whose values are not set; RuntimeError when it does not fit into memory."""
    cdef Py_ssize_t sizes[64]
    cdef int i, ndim = <int> len(shape)
    check_rank("blank", ndim)
    for i in range(ndim):
        sizes[i] = shape[i]
    return new_empty(code_of(dtype), ndim, sizes)


def blank_strided(dtype, tuple shape, tuple strides):
    """A tensor with strides in elements whose values are not set; neither strides nor sizes are negative."""
    cdef Py_ssize_t sizes[64]
    cdef Py_ssize_t steps[64]
    cdef Py_ssize_t whole[64]
    cdef Py_ssize_t span, count = 1
    cdef int i, ndim = <int> len(shape), code = code_of(dtype)
    check_rank("empty_strided", max(ndim, <int> len(strides)))
    if len(strides) != ndim:
        raise RuntimeError(f"mismatch in length of strides and shape: {list(shape)} and {list(strides)}")
    for i in range(ndim):
        sizes[i], steps[i] = shape[i], strides[i]
    check_numel(ndim, sizes, FACTS.itemsize[code])
    span = extent(ndim, sizes, steps, 0, FACTS.itemsize[code]) // FACTS.itemsize[code]
    cdef Tensor made
    for i in range(ndim):
        steps[i] *= FACTS.itemsize[code]
        whole[i] = 1 if i else span
        count *= sizes[i]
    if span == count:
        made = new_empty(code, ndim, sizes)
    else:                              # memory of its own, as any new tensor has
        made = new_empty(code, ndim, whole)
    memcpy(made.dims, sizes, ndim * sizeof(Py_ssize_t))
    memcpy(strides_of(made), steps, ndim * sizeof(Py_ssize_t))
    made.count = count
    set_contiguity(made)
    return made


def put(Tensor tensor, array):
    """Copy an array that broadcasts to the tensor's shape into it, with torch's conversions; returns the tensor."""
    copy_into(tensor, tensor_at(np.asarray(array), True))
    return tensor


def of_data(data, dtype):
    """tensor(data, dtype=dtype), without its warning for tensors."""
    return tensor_of_data(data, dtype_code(dtype))


def of_array(cnp.ndarray array, dtype, str what="NumPy array"):
    """A tensor on the memory of an array, or a converted copy when ``dtype`` is another one than the array's."""
    cdef Tensor t = tensor_sharing(array, what)
    cdef int code = dtype_code(dtype)
    return t if code < 0 or code == t.code else copy_as(t, code)


def store(Tensor tensor, value):
    """Set a tensor of one element; RuntimeError when the number does not fit."""
    store_checked(<PyObject*> value, tensor.code, tensor.data)
    return tensor


wengert_call_new(<PyTypeObject*> Tensor)
