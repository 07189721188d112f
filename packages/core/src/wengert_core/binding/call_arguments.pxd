"""The arguments of a vectorcall as objects: for what is looked at after a failure."""
from cpython.ref cimport PyObject


cdef inline tuple arguments(PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    """(the positional arguments as a tuple, those by name as a dict)."""
    cdef Py_ssize_t i
    words = <tuple> <object> kwnames if kwnames != NULL else ()
    return tuple([<object> args[i] for i in range(n)]), {word: <object> args[n + i] for i, word in enumerate(words)}
