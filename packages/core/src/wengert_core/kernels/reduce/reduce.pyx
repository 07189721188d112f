"""Reductions along one dim of a 2-d strided buffer. See Note [How a reduction adds up] in reduce.h.

Several reduced dims that do not coalesce are reduced one after the other, through a buffer of the result's dtype
(FLOAT32 for float16 and bfloat16).
"""
from wengert_core.kernels.pointwise.casts cimport cast
from wengert_core.kernels.types cimport cast_fn, reduce_fn

cdef extern from "wengert_core/kernels/reduce/argreduce.h" nogil:
    void wg_connect_reductions(cast_fn (*cast)(int, int) noexcept nogil)
    reduce_fn wg_find_reduction(const char *name, int src, int dst)

wg_connect_reductions(cast)


cdef reduce_fn find_reduction(const char *name, int src_dtype, int dst_dtype) noexcept nogil:
    return wg_find_reduction(name, src_dtype, dst_dtype)
