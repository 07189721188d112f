"""Program: launches that run again. See program.pyx."""
from wengert_core.extend cimport Pool, Tensor
from wengert_replay.memory cimport Memory
from wengert_replay.stream cimport Stream
from wengert_replay.steps cimport Call
from wengert_replay.tracing cimport Recording


cdef class Program:
    cdef Stream stream                 # what runs
    cdef Pool* pool                    # owned: memory of the first run that nobody else uses
    cdef Memory memory                 # where everything is
    cdef readonly list steps           # of Step
    cdef readonly dict calls           # by the number of the launch: Call
    cdef readonly list inputs          # of InputPlan, one for each tensor among the arguments
    cdef readonly list outside         # (Tensor, its Storage's address, address, nbytes, versions that a run adds)
    cdef readonly list tensors         # of outside: (Tensor, address, Storage's address, requires_grad)
    cdef readonly list leaves          # of LeafPlan
    cdef readonly list results         # of ResultPlan, or of objects that are results themselves
    cdef readonly Py_ssize_t n_launches    # operations that are called by their drivers among them
    cdef readonly Py_ssize_t replays
    cdef readonly Py_ssize_t guard_failures
    cdef object lock

    cdef bint lies_outside(self, char* address, Recording recording)
    cdef bint is_outside(self, Call call)

    cdef bint fits(self, list inputs)
    cdef int run(self) except -1
    cdef int run_call(self, Call call) except -1
    cdef int copy_in(self, list inputs) except -1
    cdef int finish(self, list inputs) except -1
