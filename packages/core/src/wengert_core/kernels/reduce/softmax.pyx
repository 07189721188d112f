"""softmax, log_softmax, their gradients and logsumexp along contiguous rows. The loops are in softmax_rows.h."""

cdef extern from "wengert_core/kernels/reduce/softmax.h" nogil:
    rows_fn wg_find_softmax(const char *name, int dtype)


cdef rows_fn find_softmax(const char *name, int dtype) noexcept nogil:
    return wg_find_softmax(name, dtype)
