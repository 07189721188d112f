"""A pass over memory that reduces one dim. See reduce_pass.pyx."""
from wengert_core.kernels.types cimport reduce_fn
from wengert_core.tensors.tensor cimport Tensor

cdef struct Axis:
    Py_ssize_t size
    Py_ssize_t source                  # stride in bytes of the input
    Py_ssize_t target                  # ... of the output; 0 when reduced

cdef enum:
    MOST_REDUCE_DIMS = 6

cdef struct ReducePlan:                # plan of LAUNCH_REDUCE: one reduced dim. Note [Launches] in runtime/launches.pxd
    reduce_fn fn
    Py_ssize_t n                       # elements to reduce
    Py_ssize_t stride                  # bytes between them
    int code                           # DTypeCode of the input
    bint large                         # by several threads
    Py_ssize_t section                 # elements of a section, which is reduced for itself; 0: none
    reduce_fn again                    # with sections: reduces their results, which are the third operand
    Py_ssize_t out_count               # ... results of each section
    Py_ssize_t item                    # ... bytes of a result
    int n_kept
    Axis kept[MOST_REDUCE_DIMS]

cdef inline Py_ssize_t magnitude(Py_ssize_t x) noexcept nogil:
    return -x if x < 0 else x


cdef void run_pass(
    reduce_fn fn, char* data, Axis* kept, int n_kept, int inner, Py_ssize_t n, Py_ssize_t stride, char* target
) noexcept nogil
# by several threads, with the kept elements shared out
cdef void run_large_pass(
    reduce_fn fn, char* data, Axis* kept, int n_kept, Py_ssize_t n, Py_ssize_t stride, char* target
) noexcept nogil
# work: elements of the input; code: its dtype
cdef int tell_pass(
    reduce_fn fn, char* data, int code, Axis* kept, int n_kept, Py_ssize_t n, Py_ssize_t stride, Tensor out,
    Py_ssize_t work
) except -1
# Whether a long dim with few kept elements is reduced in sections; again: reduces their results, of dtype ``target``
cdef bint is_long(Axis* kept, int n_kept, Py_ssize_t stride, Py_ssize_t n, Py_ssize_t work) noexcept nogil
cdef int in_sections(
    reduce_fn fn, reduce_fn again, char* data, int code, int target, Axis* kept, int n_kept, Py_ssize_t n,
    Py_ssize_t stride, Tensor out
) except -1
