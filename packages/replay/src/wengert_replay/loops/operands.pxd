"""Operands: the tensors that the step of a loop names. See operands.pyx."""
from wengert_replay.trace.steps cimport Steps


cdef list indices_among(list operands, list tensors)
cdef list indices_of_outside(list operands, Steps steps)
