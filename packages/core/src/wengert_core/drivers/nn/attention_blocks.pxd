"""The kernels of attention and their launches. Note [Attention by blocks] in kernels/nn/attention.h."""
from wengert_core.kernels.linalg.register_tiles cimport wg_tiles
from wengert_core.runtime.launches cimport Launch

cdef extern from "wengert_core/kernels/nn/attention.h" nogil:
    ctypedef struct wg_operand:
        const char* data
        Py_ssize_t n, size
        char* rows
        char* columns
    ctypedef struct wg_attention:
        const wg_tiles* tiles
        Py_ssize_t batch, block
        wg_operand query, key, value, grad
        const char* mask
        const Py_ssize_t* mask_at
        Py_ssize_t mask_query, mask_key
        bint causal
        double scale
        char* out
        char* sums
        char* dots
        char* by_query
        char* by_key
        char* by_value
        int failed

cdef enum:
    BLOCK_TILES = 16                   # tiles of keys at a time: their scores stay in the first-level cache
    WITHOUT_GIL = 0x10000              # multiplications

ctypedef void (*compute_fn)(wg_attention* p, int code, bint held) noexcept nogil

cdef const wg_tiles* tiles() noexcept                # the registers to compute with
# The work takes memory of ``*_bytes``: first the places of masks (p.mask_at), then what ``lay_out_*`` places.
cdef Py_ssize_t forward_bytes(wg_attention* p, int code) noexcept
cdef void lay_out_forward(wg_attention* p, int code, char* space) noexcept nogil
cdef void compute_forward(wg_attention* p, int code, bint held) noexcept nogil
cdef Py_ssize_t backward_bytes(wg_attention* p, int code) noexcept
cdef void lay_out_backward(wg_attention* p, int code, char* space) noexcept nogil
cdef void compute_backward(wg_attention* p, int code, bint held) noexcept nogil
cdef int run(compute_fn compute, wg_attention* p, int code, bint held) except -1
cdef int tell_forward(wg_attention* p, int code, bint held, list tensors, char* space) except -1
cdef int tell_backward(
    wg_attention* p, int code, bint held, list inputs, list others, list outs, char* space
) except -1
