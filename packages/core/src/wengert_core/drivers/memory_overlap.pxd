"""Rules of overlap, torch's, once for all drivers: what an operation that writes into given memory may read from it.

Note [What may overlap]
    A driver's ``configure`` says by bits in ``op.flags`` what may be read while it writes; ``before_write`` and
    ``prepare_out`` hold calls to it before anything is written. Without a bit all is read before anything is written,
    and anything may overlap. Memory is compared where it starts: tensors of different storages, which nearly all are,
    cost one comparison.
    torch looks no further where one of two tensors has gaps, and then computes wrong numbers; here a copy is read
    (``apart``).
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef enum WriteRule:                   # bits of Op.flags, beside OpFlags
    WRITES_IN_STEP = 32               # element by element: an input may be the written memory itself, or lies elsewhere
    WRITES_APART = 64                 # what is read lies elsewhere: indices, and what is written by them
    WRITES_SHARED = 128               # elements that share memory may be written, with torch's warning
    WRITES_CHANGED_SELF = 256         # the result is slot 0 with changes, and written to its memory or apart from it

cdef Tensor in_step(Tensor t, Tensor out)                      # t, or a copy where reading is ahead of the write to out
# of an op that writes in step: t, or a copy
cdef Tensor without_overlap(Op op, int slot, Tensor t, Tensor out)
# elements of the target that share memory
cdef int check_shared(Op op, PyObject** slots, Tensor target) except -1
cdef int check_input(Op op, uint32_t rule, int slot, Tensor t, Tensor target) except -1
cdef int check_overlap(Op op, uint32_t rule, PyObject** slots, Tensor target) except -1
