"""Python values made exact. Note [Values first, memory after] in exact_values.pxd."""
from cpython.ref cimport PyObject

import numpy as np

from wengert_core.tensors.tensor cimport Tensor

cdef extern from "Python.h":
    bint PyFloat_CheckExact(PyObject* o) noexcept
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyLong_Check(PyObject* o) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PyComplex_CheckExact(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept
    bint PyTuple_CheckExact(PyObject* o) noexcept
    bint PyTuple_Check(PyObject* o) noexcept
    bint PyList_Check(PyObject* o) noexcept
    PyObject* PyList_GET_ITEM(PyObject* l, Py_ssize_t i) noexcept
    Py_ssize_t PyList_GET_SIZE(PyObject* l) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject* t, Py_ssize_t i) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept
    object PyTuple_GetSlice(object t, Py_ssize_t start, Py_ssize_t end)
    object PyList_AsTuple(object l)
    object PyNumber_Index(object o)

cdef object ARRAY = np.ndarray
cdef object GENERIC = np.generic
# of the types themselves, whatever a subclass overrides
cdef object EXACT_INT = int.__pos__
cdef object EXACT_FLOAT = float.__pos__
cdef object EXACT_COMPLEX = complex.__pos__

cdef enum:
    MOST_NUMBERS = 0x10000             # of a sequence that is no list, tuple or array


cdef bint is_plain_number(PyObject* value) noexcept:
    return PyLong_CheckExact(value) or PyFloat_CheckExact(value) or PyBool_Check(value) or PyComplex_CheckExact(value)


cdef bint is_plain_ints(PyObject* value) noexcept:
    cdef Py_ssize_t i
    if not PyTuple_CheckExact(value):
        return PyLong_CheckExact(value)
    for i in range(PyTuple_GET_SIZE(value)):
        if not PyLong_CheckExact(PyTuple_GET_ITEM(value, i)):
            return False
    return True


cdef bint begins_with_bool(PyObject* value) noexcept:
    cdef PyObject* first = NULL
    if PyTuple_Check(value) and PyTuple_GET_SIZE(value):
        first = PyTuple_GET_ITEM(value, 0)
    elif PyList_Check(value) and PyList_GET_SIZE(value):
        first = PyList_GET_ITEM(value, 0)
    return first != NULL and PyBool_Check(first)


cdef tuple items_of(object value, Py_ssize_t most):
    """Return the items that lists and tuples have in memory, whatever a subclass says; of others at most ``most``."""
    cdef Py_ssize_t i, n
    if isinstance(value, list):
        return PyList_AsTuple(value)
    if isinstance(value, tuple):
        return PyTuple_GetSlice(value, 0, PyTuple_GET_SIZE(<PyObject*> value))
    if type(value) is ARRAY:
        return tuple(value.tolist()) if value.ndim == 1 else tuple(value)
    n = len(value)
    items = []
    for i in range(n if n < most else most):
        try:
            items.append(value[i])
        except IndexError:
            break
    return tuple(items)


cdef Py_ssize_t length_of(object value) except -1:
    cdef Py_ssize_t n = len(value)
    if n > MOST_ITEMS and not isinstance(value, (list, tuple)):
        raise ValueError(f"a sequence of type {type(value).__name__} says that it has {n} items: at most {MOST_ITEMS} "
                         "are read one by one; give a list, a tuple or an array")
    return n


cdef tuple all_items(object value):
    return items_of(value, length_of(value))


def every_item(value):
    """Return all items as a tuple. ValueError for no list, tuple or array that says it has more than 2**28 items."""
    return all_items(value)


cdef object plain_int(object value):
    if not PyIndex_Check(<PyObject*> value) or PyBool_Check(<PyObject*> value):
        return None
    try:
        found = PyNumber_Index(value)
    except TypeError:                  # an array, or a tensor, of several elements has the method and is no integer
        return None
    return EXACT_INT(found)


cdef object plain_ints(object value):
    cdef list items
    cdef Py_ssize_t i
    if PyIndex_Check(<PyObject*> value) and not isinstance(value, ARRAY):
        return EXACT_INT(PyNumber_Index(value))
    items = list(items_of(value, MOST_NUMBERS))
    for i in range(len(items)):
        item = items[i]
        if PyIndex_Check(<PyObject*> item) and not PyLong_CheckExact(<PyObject*> item) \
                and not PyBool_Check(<PyObject*> item):
            try:
                items[i] = EXACT_INT(PyNumber_Index(item))
            except TypeError:          # stays: the driver's message names it and its position
                pass
    return tuple(items)


cdef object plain_number(object value):
    cdef PyObject* o = <PyObject*> value
    if is_plain_number(o) or isinstance(value, (Tensor, ARRAY, GENERIC)):
        return value
    if PyFloat_Check(o):
        return EXACT_FLOAT(value)
    if PyLong_Check(o):
        return EXACT_INT(value)
    if PyComplex_Check(o):
        return EXACT_COMPLEX(value)
    if PyIndex_Check(o):
        return EXACT_INT(PyNumber_Index(value))
    return value


cdef object plain_float(object value):
    value = plain_number(value)
    if is_plain_number(<PyObject*> value) or type(value) is Tensor or isinstance(value, (ARRAY, GENERIC)):
        return value
    return float(value)
