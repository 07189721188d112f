"""NumPy's protocols in C: the call of a ufunc that is nothing but an op."""
cimport numpy as cnp
from cpython.ref cimport PyObject

# The result; None where general.py has to look at the inputs.
cdef object plain_call(object ufunc, PyObject* const* given, Py_ssize_t n)
# The code of an array's floating dtype as one of a tensor; 0 for any other dtype.
cdef int floating_code(cnp.ndarray array) noexcept
