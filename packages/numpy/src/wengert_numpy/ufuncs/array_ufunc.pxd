"""NumPy's protocols in C: the call of a ufunc that is nothing but an op."""
from cpython.ref cimport PyObject

# The result; None where general.py has to look at the inputs.
cdef object plain_call(object ufunc, PyObject* const* given, Py_ssize_t n)
