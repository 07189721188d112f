"""Methods in C for types of others: descriptors made from C functions."""
from cpython.object cimport PyTypeObject

cdef extern from "Python.h":
    ctypedef struct PyMethodDef:
        const char* ml_name
        void* ml_meth
        int ml_flags
        const char* ml_doc
    enum:
        METH_FASTCALL
        METH_KEYWORDS
    object PyDescr_NewMethod(PyTypeObject* type, PyMethodDef* method)
