"""Where the inner loops of pointwise operations come from."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t

from wengert_core.kernels.types cimport loop_t

cdef enum LoopState:
    LOOP_UNKNOWN = 0                   # not asked for yet
    LOOP_NATIVE = 1                    # fn is there
    LOOP_REFERENCE = 2                 # only the row's reference, called on NumPy arrays
    LOOP_REFUSED = 3                   # the op does not take this dtype

cdef struct Loop:
    loop_t fn                          # NumPy's signature; NULL unless LOOP_NATIVE
    void* data                         # handed to fn
    uint8_t state                      # LoopState
    uint8_t compute                    # DTypeCode of fn's inputs
    uint8_t first                      # DTypeCode of fn's first input: compute, but for masks
    uint8_t out                        # DTypeCode of fn's output
    uint8_t n_params                   # of the inputs, the last ones which fn gets as doubles behind data
    uint8_t result                     # DTypeCode of the tensor: out, but for types computed in a wider one
    uint8_t slow                       # computing takes longer than moving the elements

cdef int resolve(Loop* loop, object kernels, int code, int n_in, int out, int first) except -1
