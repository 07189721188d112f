"""Outside: what tensors from outside must be before a run. See outside.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from wengert_core.extend cimport Storage, Tensor
from wengert_replay.python_state.lookups cimport Lookups
from wengert_replay.recording.tracing cimport Recording

cdef struct WatchedTensor:                   # a tensor
    void* reference                    # a weak reference, owned
    char* data
    size_t storage                     # its Storage's address
    uint32_t requires_grad
    uint64_t geometry                  # a hash of its sizes and strides

cdef struct HeldMemory:                      # memory
    Py_ssize_t watched                 # the number of a tensor that is watched and has it; -1: ``holder`` has
    void* holder                       # a tensor, owned; or NULL
    size_t storage
    char* address
    Py_ssize_t nbytes
    unsigned int versions              # that a run adds
    bint foreign                       # others may have it


cdef class Outside:
    cdef WatchedTensor* tensors              # owned
    cdef Py_ssize_t n_tensors
    cdef HeldMemory* memory                  # owned
    cdef Py_ssize_t n_memory
    cdef set storages                  # their addresses; None where a run changes no versions
    cdef bint writes                   # a run changes versions
    cdef bint lost                     # one of the tensors is gone with the recording: the function has replaced it
    cdef Lookups lookups               # where the function finds the tensors; None where that is not known
    cdef bint has_foreign              # some of the memory is foreign

    cdef bint is_stale(self) noexcept
    cdef bint differs_in_grad(self) noexcept
    cdef bint is_lost(self) noexcept
    cdef bint was_replaced(self, bint by_storage) noexcept
    cdef bint finds_others(self) except -1
    cdef bint meets(self, list inputs) except -1
    cdef int raise_versions(self) noexcept
    cdef int join_versions(self, list inputs) except -1
    cdef list hold(self)
    cdef Storage storage_of(self, HeldMemory* row)


cdef Outside outside_of(Recording recording)
cdef Lookups lookups_of(Recording recording)
