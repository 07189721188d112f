"""The loops of pooling ops."""
from wengert_core.drivers.nn.pooling_windows cimport Kind, Pool
from wengert_core.tensors.tensor cimport Tensor

# Planes of p.source into p.target, both float32 or float64. work: elements that are looked at.
cdef int run(Pool* p, Kind kind, int code, Py_ssize_t work, bint held) except -1
# The first of p.indices that is outside of its plane; -1: none
cdef Py_ssize_t find_invalid(Pool* p) noexcept nogil
cdef int raise_invalid(str name, Pool* p, Py_ssize_t at) except -1
cdef int tell_pool(
    Pool* p, Kind kind, Py_ssize_t work, bint held, Tensor source, Tensor target, Tensor indices
) except -1
