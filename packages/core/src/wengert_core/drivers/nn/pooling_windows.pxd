"""The windows of pooling ops, and what is read from their arguments. Note [Windows] in pooling_windows.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef enum Kind:
    AVERAGE = 0
    LARGEST = 1
    ADAPTIVE_AVERAGE = 2
    ADAPTIVE_LARGEST = 3
    SPREAD_AVERAGE = 4                 # gradients of the two means
    SPREAD_ADAPTIVE = 5
    SCATTER = 6                        # of the two extremes: elements at their places
    GATHER = 7                         # and the other way

cdef struct Pool:
    int ndim
    Py_ssize_t planes
    Py_ssize_t inside[3]
    Py_ssize_t outside[3]
    Py_ssize_t in_plane, out_plane     # elements
    Py_ssize_t step[3]                 # from an element of a window to the next
    Py_ssize_t* begin[3]
    Py_ssize_t* end[3]
    Py_ssize_t* size[3]
    Py_ssize_t divisor                 # of all windows; 0: each has its own
    char* source
    char* target
    int64_t* indices

cdef str function(Op op)                             # its name as users know it
cdef int fixed_windows(Op op, PyObject** slots, Pool* p, int first, bint extremes, Py_ssize_t channels) except -1
cdef int adaptive_windows(Pool* p) except -1
cdef int set_planes(Pool* p, int ndim, int rank, const Py_ssize_t* shape) except -1
cdef int check_input(Op op, Tensor t, int n, bint adaptive) except -1
