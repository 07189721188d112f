from wengert_core.kernels.types cimport reduce_fn

# By name and dtype codes; NULL when absent. The kept dim is the "outer" one of reduce_fn, whichever is closer in
# memory.
#   sum, prod           bool and integers -> INT64; float16, bfloat16 -> their own or FLOAT32; others -> their own
#   amax, amin          bool, integers, floats -> their own; NaN propagates; n = 0 gives the identity (caller raises)
#   argmax, argmin      bool, integers, floats -> INT64: first position; NaN beats all; n = 0 gives 0 (caller raises)
#   any, all            every dtype -> BOOL
cdef reduce_fn find_reduction(const char *name, int src_dtype, int dst_dtype) noexcept nogil
