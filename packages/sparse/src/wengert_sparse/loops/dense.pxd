"""Between values at indices (S, N) and a dense tensor whose first S dims are the sparse ones.

All are on the CPU and without gaps, shapes and dtypes fit. False where an index is outside.
"""
from wengert_core.extend cimport Tensor

cdef bint add_to_dense(Tensor dense, Tensor indices, Tensor values) noexcept      # memory that nobody has written to
cdef bint gather_from_dense(Tensor dense, Tensor indices, Tensor values) noexcept
