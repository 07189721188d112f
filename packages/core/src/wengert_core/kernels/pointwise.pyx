# distutils: extra_compile_args = -O3 -fno-math-errno -fno-trapping-math
"""Pointwise loops which NumPy lacks, or has only slowly, in NumPy's ufunc loop signature.

The mathematics is in activations.h and vecmath.h, the frame in pointwise.h, the list in pointwise_table.h.
"""
from wengert_core.kernels.types cimport loop_t

cdef extern from "pointwise_table.h" nogil:
    const PointwiseEntry *wg_find_pointwise(const char *name, int dtype)


cdef loop_t find_pointwise(const char *name, int dtype) noexcept nogil:
    cdef const PointwiseEntry *entry = wg_find_pointwise(name, dtype)
    return entry.loop if entry != NULL else NULL


cdef const PointwiseEntry *find_pointwise_entry(const char *name, int dtype) noexcept nogil:
    return wg_find_pointwise(name, dtype)
