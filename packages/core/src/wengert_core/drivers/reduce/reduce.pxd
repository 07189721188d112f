"""The driver of reductions."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.reduce.reduce_pass cimport ReducePlan
from wengert_core.kernels.types cimport N_DTYPES, reduce_fn
from wengert_core.tensors.tensor cimport Tensor

cdef enum ReductionKind:
    REDUCE_SUM = 0                     # integers become int64; dtype= converts first
    REDUCE_MEAN = 1                    # floats only; divided by the number of elements
    REDUCE_SAME = 2                    # the dtype stays; an empty stretch is an error
    REDUCE_TRUTH = 3                   # bool; uint8 stays uint8
    REDUCE_COUNT = 4                   # int64 of any dtype
    REDUCE_INDEX = 5                   # int64: where something is, along one dim or one stretch of memory

cdef enum RepeatKind:
    REPEATED_NOT = 0
    REPEATED_SUM = 1                   # n times the element
    REPEATED_PRODUCT = 2               # its n-th power

cdef struct DividePlan:                # plan of LAUNCH_DIVIDE: of a contiguous stretch
    Py_ssize_t count                   # elements
    Py_ssize_t n                       # the divisor
    int code                           # DTypeCode

cdef struct Reduction:                 # Op.data of the family
    reduce_fn fns[N_DTYPES]            # by the input's dtype; NULL: only the reference
    reduce_fn later[N_DTYPES]          # the same over partial results, which have accumulated
    int kind                           # ReductionKind
    uint32_t accepts                   # a bit for each dtype code
    int dim_slot                       # 1; -1: none
    int keepdim_slot
    int dtype_slot                     # -1: none
    int repeated                       # how the reduction of n copies of an element is one of its own: Repeated
    bint once                          # to meet an element again changes nothing: an expanded dim is read once

cdef int wrapped_dim(object dim, int rank) except -1               # IndexError with torch's words
cdef uint64_t dims_mask(object dims, int rank) except? 0           # None and (): all; refuses repeated ones
cdef Reduction* new_reduction(str kernel, int kind) except NULL
