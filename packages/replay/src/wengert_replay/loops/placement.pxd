"""Placement: where the memory of a body lies, and of the loop around it. See placement.pyx."""
from wengert_replay.loops.body cimport Body
from wengert_replay.loops.loop cimport Loop
from wengert_replay.memory.arena cimport Arena
from wengert_replay.recording.tracing cimport Recording

# Let a run of a body, whose arguments and results are located, end with parts of the carry in the arguments. Launches
# of the recording get other numbers.
cdef int move_carry_early(Body body, Recording recording, Py_ssize_t n_carry) except -1
# Place what a body computes, whose stream has been written; n_carry, in_place: as for Body.take.
cdef int lay_out_body(Body body, Arena arena, Py_ssize_t n_carry, bint in_place) except -1
# Take memory for what the bodies of a loop need, from the recording's pool.
cdef int take_scratch(Loop loop) except -1
