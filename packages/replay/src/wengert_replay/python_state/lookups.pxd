"""Lookups: where a function finds tensors from outside. See lookups.pyx."""


cdef class Lookups:
    cdef list steps                    # of Lookup, each of which begins at a weak reference

    cdef bint agree(self) except -1
    cdef Lookups among(self, tensors)
