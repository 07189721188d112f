"""Tracer: the base of classes that are told of each operation of a thread. See tracers.pxd."""
cimport cython


@cython.binding(False)
cdef class Tracer:
    """A listener that is told of each operation of a thread; this one does nothing."""

    cdef int begin(self, Op op, PyObject** slots) except -1:
        return 0

    cdef int end(self, Op op, PyObject** slots, PyObject* result) except -1:
        return 0

    cdef int fail(self, Op op, PyObject** slots) except -1:
        return 0

    cdef int note_grad(self, Tensor leaf) except -1:
        return 0

    cdef int note_wanted(self, Tensor leaf) except -1:
        return 0

    cdef int note_wanted_node(self, object node) except -1:
        return 0

    cdef int note_alias(self, Tensor source, Tensor made) except -1:
        return 0

    cdef int note_version(self, Tensor t) except -1:
        return 0

    def call_python(self, function, tuple args not None, dict kwargs not None):
        """Call a function that asks not to be traced (``compiler.disable``); return its result."""
        return function(*args, **kwargs)

    def run_construct(self, str construct not None, plain, tuple operands not None):
        """Run a construct of control flow (``func.scan``); return its result. NotImplemented leaves it to ``plain``.
        """
        return NotImplemented

    cdef int note_old_node(self) except -1:
        return 0

    cdef int note_python(self, object source) except -1:
        return 0
