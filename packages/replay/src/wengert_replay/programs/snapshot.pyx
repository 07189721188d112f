"""Snapshot: what a run may have to undo: memory outside of the program, and states of generators.

Note [A run that stops]
    Where a guard differs and no branch goes on from there, the function runs as usual, from its start. What the run has
    written outside before that guard is undone first, so that the function does it once. So is it where an operation
    fails (an index out of range): the function raises the error then. So a program keeps, before it runs, the bytes
    outside that are written before its last guard or call, or the last launch that may fail, and the states of
    generators. Versions of
    what a program writes rise at its end; a Python function raises those of its own tensors, and they are kept as well.
"""
cimport cython
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from wengert_core.extend cimport Storage, Tensor


@cython.binding(False)
cdef class Snapshot:
    """Ranges of memory and generators, whose contents are saved and restored."""

    def __dealloc__(self):
        free(self.ranges)
        free(self.kept)

    cdef int save(self) except -1:
        cdef Py_ssize_t i
        cdef char* at = self.kept
        for i in range(self.n):
            memcpy(at, self.ranges[i].address, self.ranges[i].nbytes)
            at += self.ranges[i].nbytes
        if self.references:
            self.versions = [version_of(reference()) for reference in self.references]
        if self.generators:
            self.states = [generator.get_state() for generator in self.generators]
        return 0

    cdef int restore(self) except -1:
        cdef Py_ssize_t i
        cdef char* at = self.kept
        for i in range(self.n):
            memcpy(self.ranges[i].address, at, self.ranges[i].nbytes)
            at += self.ranges[i].nbytes
        for reference, version in zip(self.references, self.versions or ()):
            t = reference()
            if t is not None:
                (<Storage> (<Tensor> t).storage).version = version
        for generator, state in zip(self.generators, self.states or ()):
            generator.set_state(state)
        return 0


cdef object version_of(t):
    return 0 if t is None else (<Storage> (<Tensor> t).storage).version


cdef Snapshot snapshot_of(list ranges, list references, list generators):
    """Make one for ranges (first address, last address), which may overlap, tensors and generators."""
    cdef Snapshot made = Snapshot.__new__(Snapshot)
    cdef Range* last = NULL
    made.references, made.generators = references, generators
    made.ranges = <Range*> calloc(len(ranges) + 1, sizeof(Range))
    if made.ranges == NULL:
        raise MemoryError()
    for first, end in sorted(ranges):
        if last != NULL and first <= <size_t> last.address + last.nbytes:
            last.nbytes = max(last.nbytes, <Py_ssize_t> (end - <size_t> last.address))
        else:
            last = &made.ranges[made.n]
            last.address, last.nbytes = <char*> <size_t> first, <Py_ssize_t> (end - first)
            made.n += 1
    for i in range(made.n):
        made.nbytes += made.ranges[i].nbytes
    made.kept = <char*> malloc(made.nbytes + 1)
    if made.kept == NULL:
        raise MemoryError()
    return made
