"""Loop: a construct of control flow that a replay runs as one instruction. See loop.pyx."""
from libc.stdint cimport int64_t

from wengert_core.extend cimport Pool, Tensor
from wengert_replay.loops.body cimport Body
from wengert_replay.loops.course cimport Course
from wengert_replay.recording.calls cimport Call

cdef enum:
    IN_PLACE = -1


cdef class Loop(Call):
    cdef readonly str construct
    cdef readonly str source           # where the body's function begins
    cdef readonly list carry           # the first carry, on captured memory
    cdef readonly list rows            # tensors whose rows the body gets, one after the other
    cdef readonly list backwards       # for each of them, and then of the outputs: whether it begins with the last row
    cdef readonly list bounds          # of a range: tensors on captured memory, or numbers; None: there are none
    cdef readonly Py_ssize_t count     # of iterations; -1: bounds or a test decide
    cdef readonly list bodies          # empty: there was no iteration in the recording
    cdef readonly list tests           # one for each body, and one for a carry that no body goes on from; or none
    cdef readonly list following       # for each body the number of the next one; -1: unknown
    cdef readonly Py_ssize_t n_outputs     # results of the body that become rows, behind its carry
    cdef readonly list kept            # the numbers of the carries that are kept: outputs behind those
    cdef readonly Py_ssize_t room      # iterations whose carry can be kept, at least one; -1: as many as there are
    cdef public bint drops             # nobody reads the carries that are kept: it keeps none, and needs no room
    cdef public bint may_be_empty      # without an iteration the same of its results have a graph
    cdef public Py_ssize_t n_empty     # first iterations in which loops in the body had none. Note [Empty loops]
    cdef public bint is_excused               # it may have no iteration now
    cdef readonly bint counts          # the last output is the number of iterations
    cdef readonly Py_ssize_t n_into    # of the last outputs: they are parts of tensors that were there before
    cdef list sources                  # until it is noted: carry, rows, bounds that are tensors, parts to write into
    cdef readonly list places          # of each of them: its number among the step's operands
    cdef readonly int index_step       # 1: the body's last argument is the iteration's number; -1: from the last one; 0
    cdef Tensor scratch                # memory for bodies, on captured memory
    cdef object holder                 # of that memory, while it is recorded; None
    cdef list input_offsets            # in it, for each body and each of its arguments; IN_PLACE: it is elsewhere
    cdef list result_offsets           # the same of parts of the carry that are written where they stay
    cdef list ending_offsets           # in it, of the carry that the last test is for, where no body goes on from it
    cdef Py_ssize_t arena_offset       # in it, of the arenas: one body runs at a time

    cdef bint run_into(self, list targets) except -1       # False: it needs a body, and has none
    cdef bint may_have_none(self) noexcept
    cdef Py_ssize_t count_now(self, int64_t* lower) except -2
    cdef bint begins(self, Py_ssize_t count) except -1
    cdef Course course_of(self, Py_ssize_t number, list targets, Py_ssize_t count)
    cdef int load_carry(self, Body body) except -1
    cdef int move_carry(self, Body body, Body following) except -1
    cdef int give_carry(self, Body body, bint from_arguments, list targets) except -1


cdef class Aside:
    cdef Pool* pool
