"""Recording: a function's operations and launches, noted while it runs. See tracing.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.extend cimport Op, Tensor
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.argument_words cimport ArgumentWords


cdef class Recording(ArgumentWords):
    cdef readonly dict calls           # by the number of the launch: Call
    cdef readonly list versions        # of the inputs when the recording began
    cdef dict python_versions          # by the Storage's address: rises of versions inside of Python calls
    cdef readonly list python          # hooks and custom Functions that have run
    cdef readonly bint is_open
    cdef readonly bint passes          # the refusal is of this time
    cdef readonly Recording around     # that pauses while this records the body of a loop; None
    cdef bint watches                  # writes, for itself or one around it
    cdef dict watched                  # by the Storage's address: (Tensor, version, whether it is a copy of a row)
    cdef bint ends_outside             # a backward comes to nodes from outside, and no further
    cdef Py_ssize_t first              # launches before the operation that runs
    cdef Py_ssize_t first_serial       # of the blocks that are allocated while it runs
    cdef const void* complete[64]      # Recorder.complete of operations that run others, by their depth
    cdef Py_ssize_t marked             # launches whose writes are known to the blocks, while an operation runs
    # the operation that runs
    cdef bint has_target               # it is in place; where its target was:
    cdef PyObject* target_storage
    cdef char* target_data
    cdef uint32_t target_type

    cdef int settle(self) except -1
    cdef str words_of(self, Py_ssize_t number)
    cdef int check_inner(self, Op op, PyObject** slots) except -1
    cdef int truncate(self) except -1
    cdef int note_failure(self, Op op, PyObject** slots) except -1
    cdef int note_kept_copies(self, Tensor target) except -1
    cdef int check_geometry(self, Op op, Tensor t) except -1
    cdef int doubt_blocks(self, list outputs) except -1
    cdef int record_otherwise(self, Op op, PyObject** slots, PyObject* result) except -1       # its Way
    cdef int fill_call(self, Call call, Op op, PyObject** slots, list outputs) except -1
    cdef int record_call(self, Op op, PyObject** slots, list outputs, bint writes) except -1
    # a Python function
    cdef int open_call(self, list tensors) except -1
    cdef int add_call(self, Call call, list outputs, str name) except -1
    cdef int keep_call(self, Call call) except -1
