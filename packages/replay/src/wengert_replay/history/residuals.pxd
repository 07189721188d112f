"""Residuals: what the backward of a run reads of the program's memory. See residuals.pyx."""
from wengert_core.extend cimport Tensor
from wengert_replay.programs.memory cimport Memory
from wengert_replay.programs.snapshot cimport Range
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.trace.tables cimport Table

cdef enum PartKind:
    PART_OWN = 0                       # a block that lives at the return point, an argument: residuals lie there
    PART_OUTSIDE = 1                   # of a tensor from outside

cdef struct Part:                      # a part of memory, by addresses of the recording
    size_t low
    size_t high
    size_t first                       # of the bytes that are read
    size_t last                        # behind them; 0: none are
    int kind                           # PartKind
    Py_ssize_t number                  # of the tensor from outside


cdef class PartsBehind:
    cdef Part* parts                   # owned; by rising addresses
    cdef Py_ssize_t n
    cdef Table starts                  # the number of the last part that begins at an address
    cdef list outside                  # the tensors from outside

    cdef int fill(self, list rows) except -1
    cdef int read(self, size_t low, size_t high) noexcept
    cdef int read_tensor(self, Tensor t) except -1
    cdef list tensors_read(self, list leaves)      # from outside, those on the memory of leaves left out


cdef class ResidualMemory:
    cdef Range* ranges                 # owned
    cdef Py_ssize_t n
    cdef Py_ssize_t nbytes             # of all
    cdef object current                # a weak reference to the Residuals that it has now; None

    cdef int put_aside(self) except -1
    cdef bint take_over(self, Residuals residuals) except -1
    cdef int use(self, Residuals residuals) except -1


cdef class Residuals:
    cdef object __weakref__
    cdef list versions                 # of the tensors from outside that backward reads, in this run
    cdef char* copy                    # owned: the bytes of all ranges; NULL: none
    cdef unsigned char size_class      # of ``copy``
    cdef int uses                      # backwards that have read them; 2 for more

    cdef void drop(self) noexcept


cdef PartsBehind parts_behind(Recording recording, Py_ssize_t return_point, bytes live, Py_ssize_t n_inputs)
cdef ResidualMemory residual_memory(PartsBehind parts, Memory memory)
