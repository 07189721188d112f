"""Body: a function that an instruction calls many times. See body.pyx."""
from wengert_core.extend cimport Tensor
from wengert_replay.programs.memory cimport Memory, Region
from wengert_replay.programs.plans cimport InputPlan
from wengert_replay.programs.stream cimport Stream
from wengert_replay.recording.tracing cimport Recording

cdef struct Port:                      # an argument or a result
    char* data                         # its first byte in the body's memory
    Py_ssize_t low                     # bytes from its first element to there
    Py_ssize_t nbytes
    bint is_input                      # a result that lies in an argument

cdef struct Import:                    # memory of the program around the body that it reads
    Py_ssize_t tensor                  # the number in ``imported``
    char* data                         # where the body has it
    Py_ssize_t nbytes


cdef class Body:
    cdef Stream stream
    cdef Memory memory
    cdef readonly object steps
    cdef readonly dict calls           # by the number of the launch: Call
    cdef readonly list outside         # tensors from outside that it reads, one for each memory
    cdef readonly dict states          # of generators: rows of Recording.outside, by address
    cdef readonly list imported        # tensors on captured memory of the program around it
    cdef readonly list external        # tensors on memory from outside of the whole program
    cdef readonly list like_inputs     # tensors without memory, for their geometry
    cdef readonly list like_results
    cdef Port* inputs                  # owned
    cdef Port* results                 # owned
    cdef Import* imports               # owned
    cdef readonly Py_ssize_t n_inputs
    cdef readonly Py_ssize_t n_results
    cdef readonly Py_ssize_t n_imports
    cdef char* scratch                 # owned: room for results that lie in arguments
    cdef str digest

    cdef int locate_result(self, Recording recording, Tensor t, Port* port) except -1
    cdef int import_memory(self, Import* row, Tensor t, Recording around, Region* region) except -1
    cdef int take(
        self, Recording recording, Recording around, list results, list positions, list result_positions
    ) except -1
    cdef int lay_out(
        self, Recording recording, Recording around, list results, list positions, list result_positions, set live
    ) except -1
    cdef int locate_input(self, InputPlan plan, Port* port) except -1
    cdef int load_imports(self) except -1
    cdef int run(self) except -1       # once, with the GIL


cdef bint is_internal(Recording around, Tensor t) except -1
