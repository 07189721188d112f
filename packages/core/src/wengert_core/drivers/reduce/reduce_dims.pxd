"""The work of a reduction. Note [How dims are reduced] in reduce_dims.pyx."""
from libc.stdint cimport uint64_t

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.reduce.reduce cimport Reduction
from wengert_core.tensors.tensor cimport Tensor

cdef int accumulator_code(Reduction* r, int code) noexcept             # the dtype that inputs of a dtype accumulate in
# in the dtype that is accumulated in
cdef Tensor reduce_fresh(Op op, Reduction* r, Tensor t, uint64_t mask, bint keepdim)
