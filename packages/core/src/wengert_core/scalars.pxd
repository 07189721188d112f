"""Python numbers as operands."""
from cpython.ref cimport PyObject

cdef int number_code(PyObject* value) except -2                  # DTypeCode a number counts as; -1: not a number
cdef int store_number(PyObject* value, int code, char* where) except -1
cdef object load_number(const char* where, int code)             # one element as a Python number
