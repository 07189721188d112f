"""Lookups: where a function finds tensors from outside. See lookups.pyx."""
from wengert_core.extend cimport Tensor


cdef class Lookups:
    cdef list steps                    # of Lookup, each of which begins at a weak reference
    cdef Py_ssize_t n_own              # of these begin at the function, and the others at arguments

    cdef bint agree(self) except -1
    cdef bint lead_to(self, Tensor t) except -1
    cdef Lookups among(self, tensors, bint is_named=*)
    cdef list ways_to(self, list tensors)
