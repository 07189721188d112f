"""Launches of copies and fills. Note [Launches] in runtime/launches.pxd"""
from wengert_core.runtime.launches cimport Launch
from wengert_core.tensors.tensor cimport Tensor

cdef enum:
    MOST_COPY_DIMS = 8

cdef struct CopyLaunch:                # plan of LAUNCH_COPY
    int ndim
    int target_dtype                   # DTypeCode
    int source_dtype
    bint large                         # by several threads
    Py_ssize_t shape[MOST_COPY_DIMS]
    Py_ssize_t target[MOST_COPY_DIMS]  # bytes
    Py_ssize_t source[MOST_COPY_DIMS]  # bytes, 0 where broadcast

cdef struct FillPlan:                  # plan of LAUNCH_FILL
    int ndim
    int dtype                          # DTypeCode
    bint large                         # by several threads
    Py_ssize_t shape[MOST_COPY_DIMS]
    Py_ssize_t strides[MOST_COPY_DIMS]
    char number[16]

# Tell a copy that has been made, or a fill; what has more dims is opaque.
cdef int tell_copy(
    char* target, const Py_ssize_t* target_strides, int target_dtype, char* source, const Py_ssize_t* source_strides,
    int source_dtype, const Py_ssize_t* shape, int ndim, bint large
) except -1
cdef int tell_fill(
    char* target, const Py_ssize_t* strides, const Py_ssize_t* shape, int ndim, int dtype, const char* number
) except -1
cdef int tell_zeros(Tensor t) except -1            # of a tensor whose memory has no gaps
