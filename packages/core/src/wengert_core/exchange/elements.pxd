"""Elements: a Python number into the memory of one, as a dtype."""
from cpython.ref cimport PyObject

# An element of a sequence: TypeError for what is no number, RuntimeError or ValueError for what does not fit.
cdef int store_leaf(PyObject* item, int code, char* where) except -1
# A fill value: RuntimeError when it does not fit. store_assigned: for x[i] = value.
cdef int store_checked(PyObject* value, int code, char* where) except -1
cdef int store_assigned(PyObject* value, int code, char* where) except -1
