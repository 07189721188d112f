"""Running one inner loop over n dims."""
from wengert_core.drivers.pointwise.loop_lookup cimport Loop
from wengert_core.tensors.tensor cimport Tensor

cdef struct Operand:
    char* data                         # first element
    Py_ssize_t strides[64]             # bytes, along the dims of the output; 0 where broadcast
    int dtype                          # DTypeCode

cdef void lay(Operand* o, Tensor t, int ndim) noexcept
cdef void sort_dims(int ndim, const Py_ssize_t* strides, int* order) noexcept nogil    # by falling stride, stable
cdef int merge_dims(int n_op, Operand* operands, int ndim, Py_ssize_t* shape) noexcept nogil   # of n_op operands
# run_loop of dims that are merged
cdef void run_over(Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape, bint merged) noexcept nogil
cdef void run_loop(Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape) noexcept nogil
cdef void run_large_loop(Loop* loop, int n_in, Operand* operands, int ndim, Py_ssize_t* shape) noexcept nogil
