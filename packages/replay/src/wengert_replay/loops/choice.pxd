"""Choice: one of two bodies, as a number says. See choice.pyx."""
from wengert_core.extend cimport Tensor
from wengert_replay.loops.loop cimport Loop


cdef class Choice(Loop):
    cdef readonly Tensor predicate     # on captured memory
