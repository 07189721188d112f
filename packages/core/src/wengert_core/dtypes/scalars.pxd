"""Python numbers as operands."""
from cpython.ref cimport PyObject

cdef int number_code(PyObject* value) except -2                  # DTypeCode a number counts as; -1: not a number
cdef int store_number(PyObject* value, int code, char* where) except -1
cdef object load_number(const char* where, int code)             # one element as a Python number
cdef int check_whole(PyObject* value) except -1                # OverflowError beyond 64 bits
cdef int check_bound(PyObject* value, int code) except -1       # RuntimeError for what the dtype does not hold
cdef int check_range(object number, int code) except -1        # RuntimeError beyond a floating dtype's largest number
