"""Sends and receives of tensors on the host for a program that waits for them: see blocking_messages.pyx."""
from libc.stdint cimport int64_t
from wengert_core.extend cimport Tensor

from wengert_distributed.backends.mpi.host_memory cimport MOST_DIMS, HostTensors


cdef class BlockingMessages:
    cdef object group, channel
    cdef HostTensors tensors
    cdef Py_ssize_t spins, size, this_rank
    cdef object mpi_send, mpi_recv, any_source, status
    # the newest call, which is made into a Call only where somebody asks for it
    cdef object before, name, op, dtype
    cdef int64_t number
    cdef int64_t root                  # the other rank of a message; -1 for none
    cdef int rank
    cdef Py_ssize_t leading            # the length of a list of tensors whose shapes are one; 0 for none
    cdef Py_ssize_t shapes             # how often the shape is named
    cdef Py_ssize_t shape[MOST_DIMS]

    cdef void note_facts(self, object name, Tensor t, object op, int64_t root)
    cdef object call(self)
    cdef bint ends_soon(self, object raw, object status) except -1
    cdef bint is_other(self, object rank) except -1
    cdef int carry_message(self, object rank, object method, tuple arguments, object status) except -1
