"""Items of an index: what the parts of x[...] mean."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t

from wengert_core.tensors.tensor cimport Tensor

cdef enum ItemKind:
    I_INT
    I_SLICE
    I_NONE
    I_ELLIPSIS
    I_BOOL                             # True, False and 0-d masks
    I_TENSOR

cdef struct Item:
    int kind                           # ItemKind
    PyObject* object                   # borrowed: what was read, or the index tensor
    Py_ssize_t value                   # of an int or bool; where a slice starts
    Py_ssize_t stop, step              # of a slice

cdef struct Index:                     # an index that has been read
    Item items[64]
    int n
    int covered                        # dims of the view that ``tensors`` speaks of
    bint is_tuple
    int n_flips                        # negative steps: dims of the view whose order is turned afterwards
    uint8_t flips[64]
    PyObject* keep                     # list that owns what was made from lists and arrays, owned; or NULL
    PyObject* tensors                  # list: what is left for the op index after the views, owned; or NULL

cdef int read_index(Index* index, PyObject* key) except -1
cdef int count_consumed(Index* index, Tensor t) except -1       # dims of t that items speak of; IndexError: too many
cdef void release(Index* index) noexcept
