"""Snapshot: what a run may have to undo. See snapshot.pyx."""
from wengert_replay.programs.memory cimport Memory

cdef struct Range:
    char* address
    Py_ssize_t nbytes


cdef class Snapshot:
    cdef Range* ranges
    cdef Py_ssize_t n
    cdef char* kept                    # their bytes, behind each other
    cdef readonly Py_ssize_t nbytes
    cdef list references               # weak ones to tensors that Python calls get, which may raise their versions
    cdef list versions                 # theirs
    cdef list generators
    cdef list states                   # of the generators

    cdef int save(self) except -1
    cdef int restore(self) except -1


cdef Snapshot snapshot_of(list ranges, list references, list generators)
