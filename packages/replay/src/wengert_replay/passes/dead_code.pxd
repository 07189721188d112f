"""Dead code: see dead_code.pyx."""
from wengert_replay.passes.schedule cimport Schedule

cdef int drop_dead_code(Schedule schedule) except -1
