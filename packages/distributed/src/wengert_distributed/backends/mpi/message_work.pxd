"""Sends and receives of MPI under way: see message_work.pyx."""
from wengert_distributed.backends.mpi.host_memory cimport MOST_DIMS
from wengert_distributed.interface.work cimport Work


cdef class MessageWork(Work):
    cdef object group                  # the MpiGroup
    cdef object raw                    # MPI's request, which holds the memory; None when it has ended
    cdef object status                 # MPI's, of a receive from any rank; else None
    cdef object tensor, name, dtype
    cdef object other                  # the other rank; None for a receive from any
    cdef Py_ssize_t spins
    cdef int rank                      # dims
    cdef Py_ssize_t shape[MOST_DIMS]

    cdef bint ends_within(self, Py_ssize_t spins) except -1


cdef bint ends_within(object raw, object status, Py_ssize_t spins) except -1
cdef object message_call(object name, object dtype, tuple shape, object other)
