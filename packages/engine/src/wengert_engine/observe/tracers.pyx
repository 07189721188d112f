"""Tracer: the base of classes that are told of each operation of a thread. See tracers.pxd."""
cimport cython


@cython.binding(False)
cdef class Tracer:
    """A listener that is told of each operation of a thread; this one does nothing."""

    cdef int begin(self, Op op, PyObject** slots) except -1:
        return 0

    cdef int end(self, Op op, PyObject** slots, PyObject* result) except -1:
        return 0

    cdef int fail(self, Op op) except -1:
        return 0

    cdef int note_grad(self, Tensor leaf) except -1:
        return 0
