"""TracedOperations: the steps of operations, noted while they run. See traced_operations.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.extend cimport Op, Tensor
from wengert_replay.recording.argument_words cimport ArgumentWords
from wengert_replay.recording.calls cimport Call


cdef class TracedOperations(ArgumentWords):
    cdef readonly dict calls           # by the number of the launch: Call
    cdef Py_ssize_t first              # launches before the operation that runs
    cdef Py_ssize_t first_serial       # of the blocks that are allocated while it runs
    cdef const void* complete[64]      # Recorder.complete of operations that run others, by their depth
    cdef Py_ssize_t marked             # launches whose writes are known to the blocks, while an operation runs
    # the operation that runs
    cdef bint has_target               # it is in place; where its target was:
    cdef PyObject* target_storage
    cdef char* target_data
    cdef uint32_t target_type
    cdef list outs                     # rows (address, type) of the tensors of its out=; None: it has none

    cdef int settle(self) except -1
    cdef int refuse_opaque(self, str where) except -1
    cdef bint shares_array(self, Op op, Tensor t)
    cdef int note_array(self, Tensor t) except -1
    cdef int note_made(self, Op op, PyObject** slots, Tensor t) except -1
    cdef int check_inner(self, Op op, PyObject** slots) except -1
    cdef int truncate(self) except -1
    cdef int keep_call(self, Call call) except -1
    cdef int note_failure(self, Op op, PyObject** slots) except -1
    cdef int note_kept_copies(self, Tensor target) except -1
    cdef int check_geometry(self, Op op, Tensor t) except -1
    cdef int check_outs(self, Op op, list outs) except -1
    cdef int doubt_blocks(self, list outputs) except -1
    cdef int record_otherwise(self, Op op, PyObject** slots, PyObject* result) except -1       # its Way
    cdef int fill_call(self, Call call, Op op, PyObject** slots, list outputs) except -1
    cdef int record_call(self, Op op, PyObject** slots, list outputs, bint writes) except -1
