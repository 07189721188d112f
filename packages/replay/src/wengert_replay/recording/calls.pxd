"""Calls: what a replay calls with the GIL. See calls.pyx."""
from wengert_core.extend cimport Op, Tensor
from wengert_replay.trace.steps cimport Step


cdef class Call:
    cdef readonly Op op                # None: a Python function
    cdef readonly list arguments       # one for each slot: captured memory in place of tensors
    cdef readonly list outputs         # tensors on the captured memory of the results
    cdef readonly list memory          # all tensors that this call has on captured memory
    cdef readonly bint writes          # in place, or to out=
    cdef readonly list written         # of ``memory``: what it overwrites, where it uses no other memory; else None
    cdef readonly Step step

    cdef list run(self)                # the tensors of the result
    cdef object settle(self, list results)

cdef Tensor on_captured_memory(Tensor t)   # a tensor of the same geometry there, which does not keep it alive
cdef list tensors_in(object value, list found)
