"""Body: a function that an instruction calls many times. See body.pyx."""
from wengert_core.extend cimport Tensor
from wengert_replay.memory.arena cimport Fields
from wengert_replay.programs.memory cimport Memory
from wengert_replay.programs.plans cimport InputPlan
from wengert_replay.programs.stream cimport Stream
from wengert_replay.recording.tracing cimport Recording

cdef struct Port:                      # an argument or a result
    char* data                         # its first byte, where it is now
    Py_ssize_t low                     # bytes from its first element to there
    Py_ssize_t nbytes
    Py_ssize_t offset                  # of a result: from the beginning of the arena, or of the argument it lies in
    int input                          # the number of the argument that a result lies in; -1
    bint is_result                     # of an argument: a result lies in it

cdef struct Import:                    # memory of the program around the body that it reads
    Py_ssize_t tensor                  # the number in ``imported``
    char* data                         # where it was in the last run


cdef class Body:
    cdef Stream stream
    cdef readonly Py_ssize_t arena_nbytes
    cdef Fields own                    # addresses in the arena
    cdef list input_fields             # of Fields: addresses in arguments; None for those that nothing uses
    cdef list result_fields            # the same of results that a run writes where they stay; None for others
    cdef list import_fields            # the same of what it reads of the program around it
    cdef char* base                    # of the arena in the last run
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
    cdef readonly list places          # of each of ``steps.outside``: its number among the loop's operands; or None
    cdef bytes result_words            # of each result that is there: the word of its recorded value
    cdef list result_positions         # of each result: its number among those; None where it is not there
    cdef char* scratch                 # owned: room for results that lie in arguments
    cdef str digest

    cdef int locate_result(self, Recording recording, Memory memory, Tensor t, list positions, Port* port) except -1
    cdef int import_memory(self, Import* row, Tensor t, Recording around) except -1
    cdef int take(
        self, Recording recording, Recording around, list results, list positions, list result_positions,
        Py_ssize_t n_carry, bint in_place
    ) except -1
    cdef int lay_out(
        self, Recording recording, Recording around, list results, list positions, list result_positions,
        Py_ssize_t n_carry, bint in_place
    ) except -1
    cdef int locate_input(self, InputPlan plan, Port* port) except -1
    # Where the arena is in the next runs, an argument, and a result with ``result_fields``.
    cdef int enter(self, char* base) except -1
    cdef int put_input(self, Py_ssize_t k, char* data) except -1
    cdef int put_result(self, Py_ssize_t k, char* data) except -1
    cdef int run(self) except -1       # once, with the GIL


cdef bint is_internal(Recording around, Tensor t) except -1
