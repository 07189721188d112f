"""``Tensor.__array_function__`` as a descriptor of C, which is called without a tuple or a dict."""
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.extend cimport Tensor
from wengert_numpy.c_methods cimport METH_FASTCALL, METH_KEYWORDS, PyDescr_NewMethod, PyMethodDef

cdef object FUNCTION = None            # call_function, once it has been needed

cdef PyObject* array_function_method(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) except NULL:
    """``self.__array_function__(func, types, args, kwargs)``."""
    global FUNCTION
    if n != 4 or names != NULL:
        raise TypeError(f"__array_function__() takes a function, types, args and kwargs, got {n} arguments")
    if FUNCTION is None:
        from wengert_numpy.protocols.array_function import call_function
        FUNCTION = call_function
    result = FUNCTION(<object> args[0], <object> args[1], <object> args[2], <object> args[3])
    Py_INCREF(result)
    return <PyObject*> result


cdef PyMethodDef METHOD
METHOD.ml_name = "__array_function__"
METHOD.ml_meth = <void*> array_function_method
METHOD.ml_flags = METH_FASTCALL | METH_KEYWORDS
METHOD.ml_doc = b"The result of a function of NumPy on tensors: (function, types, args, kwargs)."

array_function = PyDescr_NewMethod(<PyTypeObject*> Tensor, &METHOD)
