"""Where in a program something was recorded: taken raw and fast, made readable when somebody asks."""
from cpython.ref cimport PyObject


cdef class Trace:
    cdef PyObject** codes              # owned code objects, the innermost first
    cdef int* offsets                  # of the instruction in each
    cdef int n
    cdef object parent                 # the Node that was being run backward when this was recorded, or None


cdef Trace capture()
