"""Sends and receives of tensors on the host: see blocking_messages.pyx."""
from libc.stdint cimport int64_t
from wengert_core.extend cimport Tensor

from wengert_distributed.backends.mpi.host_memory cimport MOST_DIMS, HostTensors
from wengert_distributed.backends.mpi.message_work cimport MessageWork
from wengert_distributed.interface.work cimport Channel


cdef class BlockingMessages:
    cdef object group
    cdef Channel channel
    cdef HostTensors tensors
    cdef bint progresses               # whether a core is left for a thread that lets messages progress
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
    cdef tuple arguments_of_send(self, object tensor, object rank, object tag)
    cdef tuple arguments_of_recv(self, object tensor, object rank, object tag)
    cdef MessageWork begin_message(self, object tensor, object rank, object method, tuple arguments, object status)
    cdef int carry_message(self, str name, object tensor, object rank, tuple arguments, object status) except -1
