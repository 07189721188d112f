"""Memory for the length of a call, from the caching allocator: it goes back when the object goes."""

cdef class Scratch:
    cdef char* data
    cdef unsigned char size_class

cdef Scratch scratch(Py_ssize_t nbytes)            # at least so many bytes; MemoryError
