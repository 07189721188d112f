"""Pointwise loops which NumPy lacks, or has only slowly, in NumPy's ufunc loop signature.

The mathematics is in activations.h, piecewise.h, hyperbolic.h, logarithms.h, trigonometric.h and kernels/vecmath.h, the
frame in pointwise.h, the list in pointwise_table.h.
"""
from wengert_core.kernels.types cimport loop_t

cdef extern from "wengert_core/kernels/pointwise/pointwise_table.h" nogil:
    ctypedef struct Entry "wg_pointwise_entry":
        int nin
        int nparams
        int out
        loop_t loop
    const Entry *wg_find_pointwise(const char *name, int dtype)


cdef loop_t find_pointwise(const char *name, int dtype) noexcept nogil:
    cdef const Entry *entry = wg_find_pointwise(name, dtype)
    return entry.loop if entry != NULL else NULL


cdef bint describe_pointwise(const char *name, int dtype, Pointwise *into) noexcept nogil:
    cdef const Entry *entry = wg_find_pointwise(name, dtype)
    if entry == NULL:
        return False
    into.nin, into.nparams, into.out, into.loop = entry.nin, entry.nparams, entry.out, entry.loop
    return True
