"""Weak references, looked at from C."""
from cpython.ref cimport PyObject

cdef extern from *:
    """
    /* The object of a weak reference, borrowed; NULL where it is gone. The functions for this are deprecated or give a
       new reference. */
    static inline PyObject *wengert_target(void *reference) {
        PyObject *found = ((PyWeakReference *)reference)->wr_object;
        return found != Py_None && Py_REFCNT(found) > 0 ? found : NULL;
    }
    """
    PyObject* wengert_target(void* reference) noexcept
