"""Tensors of the host whose memory MPI uses as it is: see host_memory.pyx."""
from libc.stdint cimport int64_t
from wengert_core.extend cimport Tensor

cdef enum:
    MOST_CODES = 64                    # dtypes
    MOST_DIMS = 8                      # of a shape that is noted for messages

cdef struct DtypeWay:
    int64_t bits                       # of the record
    Py_ssize_t itemsize
    int elements                       # MPI's for one of the tensor: 2 for complex numbers; 0 for no dtype of MPI's
    bint reduces                       # whether MPI reduces the dtype as it is
    bint averages


cdef class HostMemory:
    cdef char* data
    cdef Py_ssize_t nbytes
    cdef object owner                  # a storage, or bytes where the memory is for the call alone


cdef class HostTensors:
    cdef list datatypes                # MPI's, by the code of a dtype
    cdef DtypeWay ways[MOST_CODES]
    cdef Py_ssize_t size               # ranks

    cdef bint takes(self, object tensor) except -1
    cdef bint reduces(self, Tensor t, object way) except -1
    cdef int64_t bits_of(self, Tensor t) noexcept
    cdef Py_ssize_t elements_of(self, Tensor t) noexcept
    cdef HostMemory memory_of(self, Tensor t)
    cdef tuple message(self, Tensor t, HostMemory memory)
    cdef HostMemory memory_of_parts(self, object parts, Tensor one, bint reads)
    cdef int deliver_parts(self, object parts, HostMemory memory) except -1


cdef bint overlap(HostMemory a, HostMemory b) noexcept
