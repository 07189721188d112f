"""Reading dimensions, sizes and indices from an op's slots, with torch's errors."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "Python.h":
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyTuple_CheckExact(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept

cdef enum:
    MOST_DIMS = 64

cdef object dim_error(Py_ssize_t dim, int rank)
cdef object rank_error(str op, int ndim)
cdef Py_ssize_t int_slot(Op op, PyObject** slots, int slot) except? -1
cdef int ints_slot(Op op, PyObject** slots, int slot, Py_ssize_t* out) except -1     # how many; at most MOST_DIMS
cdef int dims_slot(Op op, PyObject** slots, int slot, int rank, int* out) except -1  # wrapped, distinct; how many
cdef str scalar_name(int code)
cdef str tensor_name(int code)
cdef list sizes_list(int n, const Py_ssize_t* sizes)

# dim counted from the front; a 0-d tensor takes 0 and -1, as one of rank 1 does
cdef inline int wrap_dim(Py_ssize_t dim, int rank) except -1:
    cdef int n = rank if rank else 1
    if 0 <= dim < n:
        return <int> dim
    if -n <= dim < 0:
        return <int> dim + n
    raise dim_error(dim, n)

# arrays of sizes on the C stack have room for MOST_DIMS
cdef inline int check_rank(str op, int ndim) except -1:
    if ndim > MOST_DIMS:
        raise rank_error(op, ndim)
    return 0

cdef inline int dim_slot(Op op, PyObject** slots, int slot, int rank) except -1:
    return wrap_dim(int_slot(op, slots, slot), rank)
