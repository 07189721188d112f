"""Items of an index: what the parts of x[...] mean. Note [How an index is read] in getitem.pyx."""

from reprlib import repr as shown      # short, however long or deep a list is

import numpy as np

from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject

from wengert_core.dispatch.arguments cimport MOST_DIMS, PyIndex_Check, PyLong_CheckExact, PyTuple_CheckExact
from wengert_core.dispatch.exact_values cimport all_items, items_of
from wengert_core.dtypes.dtypes cimport BOOL, CAT_INT, INT32, INT64, UINT8, DTypeFacts, dtype_facts
from wengert_core.dtypes.scalars cimport load_number
from wengert_core.exchange.arrays cimport tensor_of_array
from wengert_core.exchange.device_memory cimport number_on_device
from wengert_core.runtime.launches cimport count_recorders, tell_read
from wengert_core.runtime.state cimport WG_BATCHED, WG_TELL, thread_state
from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor cimport Tensor, shape_tuple

cdef extern from "Python.h":
    bint PySlice_Check(PyObject* o) noexcept
    int PySlice_Unpack(PyObject* s, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) except -1
    bint PyBool_Check(PyObject* o) noexcept
    bint PyUnicode_Check(PyObject* o) noexcept
    bint PySequence_Check(PyObject* o) noexcept
    bint PyList_CheckExact(PyObject* o) noexcept
    Py_ssize_t PyNumber_AsSsize_t(PyObject* o, PyObject* error) except? -1
    PyObject* PyExc_IndexError
    PyObject* Py_True
    PyObject* PyTuple_GET_ITEM(PyObject* t, Py_ssize_t i) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept

cdef DTypeFacts* FACTS = dtype_facts()
cdef const int* RECORDERS = count_recorders()
cdef object ARRAY = np.ndarray
cdef object NUMPY_BOOL = np.bool_


cdef int read_item(Index* index, PyObject* o) except -1:
    """Append what ``o`` means."""
    cdef Item* item = &index.items[index.n]
    if index.n == MOST_DIMS:
        raise IndexError(f"too many indices: at most {MOST_DIMS} can be given")
    index.n += 1
    item.object = o
    if PyLong_CheckExact(o):
        item.kind, item.value = I_INT, PyNumber_AsSsize_t(o, PyExc_IndexError)
    elif PySlice_Check(o):
        item.kind = I_SLICE
        PySlice_Unpack(o, &item.value, &item.stop, &item.step)
    elif o == <PyObject*> None:
        item.kind = I_NONE
    elif o == <PyObject*> Ellipsis:
        item.kind = I_ELLIPSIS
    elif PyBool_Check(o):
        item.kind, item.value = I_BOOL, o == Py_True
    elif isinstance(<object> o, Tensor):
        read_tensor(index, item, <Tensor> o)
    else:
        read_other(index, item, o)
    return 0


cdef int read_tensor(Index* index, Item* item, Tensor t) except -1:
    if t.code != BOOL and t.code != UINT8 and t.code != INT64 and t.code != INT32 \
            and (t.rank or FACTS.category[t.code] != CAT_INT):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if t.rank == 0 and not t.flags & WG_BATCHED:
        if RECORDERS[0] and thread_state().modes & WG_TELL and not t.device:
            tell_read(t.data, FACTS.itemsize[t.code])
        item.value = number_on_device(t) if t.device else load_number(t.data, t.code)
        item.kind = I_BOOL if t.code == BOOL or t.code == UINT8 else I_INT
    else:
        item.kind = I_TENSOR
        item.object = <PyObject*> t
    return 0


cdef int read_other(Index* index, Item* item, PyObject* o) except -1:
    """Arrays, lists, numbers that are no int."""
    value = <object> o
    if isinstance(value, ARRAY):
        read_tensor(index, item,
                    <Tensor> keep_alive(index, tensor_of_array(np.ascontiguousarray(value).reshape(value.shape))))
    elif PyIndex_Check(o) and not isinstance(value, NUMPY_BOOL):
        item.kind, item.value = I_INT, PyNumber_AsSsize_t(o, PyExc_IndexError)
    elif PySequence_Check(o):
        item.kind = I_TENSOR
        item.object = keep_alive(index, tensor_of_sequence(value))
    else:
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                         f"indices (got {qualified_name(value)})")
    return 0


cdef str qualified_name(object value):
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


cdef Tensor tensor_of_sequence(object value):
    """An index tensor from a list: bool, or int64."""
    if PyUnicode_Check(<PyObject*> value):
        raise TypeError("new(): invalid data type 'str'")
    if not PyList_CheckExact(<PyObject*> value) and not hasattr(value, "__array__"):
        value = all_items(value)     # NumPy would ask a sequence without an end for all of its items
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"expected sequences of one length in the index {shown(value)}") from None
    if array.dtype == object or array.dtype.kind in "US":
        raise IndexError("only integers, bools and tensors of them can stand in a list that is an index, "
                         f"got {shown(value)}")
    if array.dtype != bool:
        array = array.astype(np.int64)
    return tensor_of_array(np.ascontiguousarray(array))


cdef bint means_tuple(object value):
    """Whether a sequence that is no tuple is read as one: torch's old rule, it holds tensors, slices or sequences."""
    if isinstance(value, (Tensor, ARRAY, str)) or not PySequence_Check(<PyObject*> value):
        return False
    cdef tuple items = items_of(value, 32)
    if len(items) >= 32:
        return False
    for item in items:
        if isinstance(item, (Tensor, ARRAY, list, tuple, range, slice)) or item is None or item is Ellipsis:
            warn_user("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                      "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
                      "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result")
            return True
    return False


cdef int read_index(Index* index, PyObject* key) except -1:
    cdef Py_ssize_t i
    index.n = index.covered = index.n_flips = 0
    index.is_tuple = False
    index.keep = index.tensors = NULL
    if not PyTuple_CheckExact(key) and (isinstance(<object> key, tuple) or means_tuple(<object> key)):
        key = keep_alive(index, items_of(<object> key, MOST_DIMS + 1))
    if PyTuple_CheckExact(key):
        index.is_tuple = True
        for i in range(PyTuple_GET_SIZE(key)):
            read_item(index, PyTuple_GET_ITEM(key, i))
    else:
        read_item(index, key)
    return 0


cdef PyObject* keep_alive(Index* index, object made) except NULL:
    """Own an object for as long as the index lives."""
    if index.keep == NULL:
        fresh = []
        Py_INCREF(fresh)
        index.keep = <PyObject*> fresh
    (<list> index.keep).append(made)
    return <PyObject*> made


cdef void release(Index* index) noexcept:
    Py_XDECREF(index.keep)
    Py_XDECREF(index.tensors)


cdef int count_consumed(Index* index, Tensor t) except -1:
    """Return the number of dims of t that the items speak of; IndexError when t has fewer."""
    cdef int i, n = 0
    cdef Tensor mask
    for i in range(index.n):
        if index.items[i].kind == I_TENSOR:
            mask = <Tensor> index.items[i].object
            n += mask.rank if mask.code == BOOL or mask.code == UINT8 else 1
        elif index.items[i].kind == I_INT or index.items[i].kind == I_SLICE:
            n += 1
    if n > t.rank:
        raise IndexError(too_many_message(index, t))
    return n


cdef str too_many_message(Index* index, Tensor t):
    if t.rank == 0 and not index.is_tuple:
        if index.items[0].kind == I_INT and not isinstance(<object> index.items[0].object, Tensor):
            if index.items[0].value:
                return f"index {index.items[0].value} is out of bounds for dimension 0 with size 0"
            return ("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                    "convert a 0-dim tensor to a number")
        if index.items[0].kind == I_SLICE:
            return "slice() cannot be applied to a 0-dim tensor."
    return f"too many indices for tensor of dimension {t.rank}: its shape is {list(shape_tuple(t))}"
