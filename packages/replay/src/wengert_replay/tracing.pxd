"""Recording: a function's operations and launches, noted while it runs. See tracing.pyx."""
from cpython.ref cimport PyObject

from wengert_core.extend cimport Op, Pool, Recorder, Tensor
from wengert_engine.extend cimport Tracer
from wengert_replay.steps cimport Call, Step


cdef class Recording(Tracer):
    cdef Recorder recorder
    cdef Pool* pool                    # NULL: it was given to a program, or freed
    cdef readonly list steps           # of Step
    cdef readonly dict calls           # by the number of the launch: Call
    cdef readonly dict outside         # by the Storage's address: (Tensor, version when first seen, address, nbytes)
    cdef readonly dict tensors         # of outside, by id: (Tensor, address, Storage's address, requires_grad)
    cdef readonly dict leaves          # by id: (Tensor, its gradient when first seen)
    cdef readonly list foreign         # Storages of results on memory that is not the allocator's
    cdef readonly list inputs          # the tensors among the arguments
    cdef readonly list versions        # theirs when the recording began
    cdef readonly str refusal          # why it cannot be replayed; None
    cdef readonly bint is_open
    cdef dict names                    # by address: the name of the value there
    cdef list arguments                # of the operation that runs: names
    cdef object geometry               # of the tensor that the operation writes to; None where it is not in place
    cdef set storages                  # addresses of the Storages of the inputs
    cdef Py_ssize_t noted              # launches that have been looked at by note_engine
    cdef Py_ssize_t first              # launches before it

    cdef int see(self, Tensor t) except -1
    cdef int see_leaf(self, Tensor t) except -1
    cdef int refuse(self, str why) except -1
    cdef int note_output(self, Tensor t, Step step) except -1
    cdef int check_geometry(self, Op op, Tensor t) except -1
    cdef int doubt_blocks(self, list outputs) except -1
    cdef int note_engine(self) except -1
    cdef bint is_input(self, Tensor t)
    cdef str record_otherwise(self, Op op, PyObject** slots, list outputs, Step step)
    cdef int record_call(self, Op op, PyObject** slots, list outputs, bint writes, Step step) except -1


cdef Tensor on_captured_memory(Tensor t)   # a tensor of the same geometry there, which does not keep it alive
cdef list tensors_in(object value, list found)
