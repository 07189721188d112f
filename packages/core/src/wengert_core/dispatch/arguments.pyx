"""Reading dimensions, sizes and indices from an op's slots, with torch's errors."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.exact_values cimport items_of
from wengert_core.dispatch.op cimport Op
from wengert_core.dtypes.dtypes import SCALAR_NAMES as _SCALAR_NAMES

cdef extern from "Python.h":
    Py_ssize_t PyLong_AsSsize_t(PyObject* o) except? -1
    long long PyLong_AsLongLongAndOverflow(PyObject* o, int* overflow) noexcept
    Py_ssize_t PyNumber_AsSsize_t(PyObject* o, PyObject* error) except? -1
    PyObject* PyExc_OverflowError
    bint PyBool_Check(PyObject* o) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject* t, Py_ssize_t i) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept


cdef tuple NAMES = _SCALAR_NAMES


cdef object dim_error(Py_ssize_t dim, int rank):
    return IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")


cdef object rank_error(str op, int ndim):
    return RuntimeError(f"{op}: a tensor has at most {MOST_DIMS} dimensions, the result would have {ndim}")


cdef str scalar_name(int code):
    """torch's name of a dtype, which its messages use: Float, Long."""
    return <str> NAMES[code]


cdef str tensor_name(int code):
    """torch's old name of the type of a tensor, which its messages use: torch.FloatTensor."""
    return f"torch.{scalar_name(code)}Tensor"


cdef list sizes_list(int n, const Py_ssize_t* sizes):
    return [sizes[i] for i in range(n)]


cdef Py_ssize_t int_slot(Op op, PyObject** slots, int slot) except? -1:
    """The integer in a slot."""
    if PyLong_CheckExact(slots[slot]):
        return PyLong_AsSsize_t(slots[slot])
    if not PyIndex_Check(slots[slot]) or PyBool_Check(slots[slot]):
        raise TypeError(f"{op.name}(): argument '{op.params[slot]}' (position {slot}) must be int, not "
                        f"{type(<object> slots[slot]).__name__}")
    return PyNumber_AsSsize_t(slots[slot], PyExc_OverflowError)


cdef int ints_slot(Op op, PyObject** slots, int slot, Py_ssize_t* out) except -1:
    """The integers in a slot: of a sequence, or one number alone."""
    cdef Py_ssize_t i, n
    cdef PyObject* item
    cdef int overflow = 0
    if PyLong_CheckExact(slots[slot]):
        out[0] = int_element(op, slot, 0, slots[slot])
        return 1
    if not PyTuple_CheckExact(slots[slot]):
        return ints_of_sequence(op, slots, slot, out)
    n = PyTuple_GET_SIZE(slots[slot])
    if n > MOST_DIMS:
        raise too_many(op, slot, n)
    for i in range(n):
        item = PyTuple_GET_ITEM(slots[slot], i)
        out[i] = -1
        if PyLong_CheckExact(item):
            out[i] = PyLong_AsLongLongAndOverflow(item, &overflow)
        if out[i] == -1:
            out[i] = int_element(op, slot, i, item)
    return <int> n


cdef Py_ssize_t int_element(Op op, int slot, Py_ssize_t i, PyObject* item) except? -1:
    if not PyIndex_Check(item):
        raise TypeError(f"{op.name}(): argument '{op.params[slot]}' (position {slot}) must be tuple of ints, but found "
                        f"element of type {type(<object> item).__name__} at pos {i}")
    try:
        return PyNumber_AsSsize_t(item, PyExc_OverflowError)
    except OverflowError:
        raise TypeError(f"{op.name}(): argument '{op.params[slot]}' failed to unpack the object at pos {i + 1} with "
                        f"error \"Overflow when unpacking long long\": {<object> item}") from None


cdef int ints_of_sequence(Op op, PyObject** slots, int slot, Py_ssize_t* out) except -1:
    """Lists, torch.Size and whatever else has a length and items; a number with __index__."""
    value = <object> slots[slot]
    cdef Py_ssize_t i = 0
    if PyIndex_Check(slots[slot]):
        out[0] = int_element(op, slot, 0, slots[slot])
        return 1
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        raise TypeError(f"{op.name}(): argument '{op.params[slot]}' (position {slot}) must be tuple of ints, not "
                        f"{type(value).__name__}")
    cdef tuple items = items_of(value, MOST_DIMS + 1)
    if len(items) > MOST_DIMS:
        raise too_many(op, slot, len(items))
    for i in range(len(items)):
        out[i] = int_element(op, slot, i, <PyObject*> items[i])
    return <int> len(items)


cdef object too_many(Op op, int slot, Py_ssize_t n):
    return RuntimeError(f"{op.name}(): a tensor has at most {MOST_DIMS} dimensions, "
                        f"'{op.params[slot]}' has {n} elements")


cdef int dims_slot(Op op, PyObject** slots, int slot, int rank, int* out) except -1:
    """The dims in a slot, counted from the front; RuntimeError when one comes twice."""
    cdef Py_ssize_t raw[64]
    cdef int i, n = ints_slot(op, slots, slot, raw)
    cdef unsigned long long seen = 0
    for i in range(n):
        out[i] = wrap_dim(raw[i], rank)
        if seen >> out[i] & 1:
            raise RuntimeError(f"dim {out[i]} appears multiple times in the list of dims: {op.name} got "
                               f"{sizes_list(n, raw)}")
        seen |= 1ULL << out[i]
    return n
