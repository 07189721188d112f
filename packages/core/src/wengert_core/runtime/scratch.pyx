"""Memory for the length of a call, from the caching allocator: it goes back when the object goes."""
cimport cython
from cpython.object cimport PyTypeObject

from wengert_core.runtime.allocator cimport allocate, release
from wengert_core.runtime.pyobject cimport not_made_by_hand


@cython.binding(False)
cdef class Scratch:
    """A buffer that nobody else has."""

    def __dealloc__(self):
        if self.data != NULL:
            release(self.data, self.size_class)


cdef Scratch scratch(Py_ssize_t nbytes):
    cdef Scratch made = Scratch.__new__(Scratch)
    made.data = allocate(nbytes if nbytes > 0 else 1, &made.size_class)
    return made


not_made_by_hand(<PyTypeObject*> Scratch)
