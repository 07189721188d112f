"""Conversion of n elements between any two dtypes, with torch's semantics.

Float to integer truncates and goes through int32 (int64 for an int64 target), so what does not fit wraps from there;
NaN and what does not fit the first step become its smallest value. uint32 and uint64 take all numbers that they hold.
Complex to real takes the real part; to bool, either part counts. float64 to a 16-bit float rounds through float32.
Equal types are copied.
"""
from wengert_core.kernels.types cimport N_DTYPES, cast_fn

cdef extern from "wengert_core/kernels/pointwise/casts_table.h" nogil:
    cast_fn wg_find_cast(int src, int dst)
    cast_fn wg_find_copy(int itemsize)
    int wg_itemsize(int code)


cdef cast_fn cast(int src, int dst) noexcept nogil:
    return wg_find_cast(src, dst)


cdef cast_fn find_copy(int itemsize) noexcept nogil:
    return wg_find_copy(itemsize)


cdef int itemsize_of(int dtype) noexcept nogil:
    return wg_itemsize(dtype) if 0 <= dtype < N_DTYPES else 0
