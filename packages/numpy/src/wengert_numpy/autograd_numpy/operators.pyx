"""Operators and ufuncs of arrays where nothing but an op remains to be called; array.py has the others.

Note [Two faces of an array] in faces.py says why asking is switched off around each call.
"""
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.extend cimport Tensor, disable_tensors, restore, subclass_result
from wengert_numpy.c_methods cimport METH_FASTCALL, METH_KEYWORDS, PyDescr_NewMethod, PyMethodDef
from wengert_numpy.ufuncs.array_ufunc cimport plain_call

cdef object ARRAY = None               # the class of arrays, and what runs a ufunc on them in all other cases
cdef object GENERAL = None
cdef object CALL = "__call__"


def set_array_type(kind, general_ufunc):
    """Say which class arrays are of, and what runs a ufunc on them: (array, ufunc, method, *inputs, **kwargs)."""
    global ARRAY, GENERAL
    ARRAY, GENERAL = kind, general_ufunc


cdef object plain_result(object ufunc, PyObject* const* inputs, Py_ssize_t n, unsigned int level):
    """The result of a ufunc that is nothing but an op, an array where level is 0; None where it is more, or fails."""
    cdef object result
    try:
        result = plain_call(ufunc, inputs, n)
    except Exception:                  # NumPy's error comes from the general way
        result = None
    restore(level)
    return subclass_result(<Tensor> result, ARRAY) if not level and type(result) is Tensor else result


def binary(ufunc, tensor_operator, general, bint swapped):
    """An operator of two operands.

    tensor_operator: for wengert's own code.   general: the operator where more than an op is to be done.
    swapped: whether the array is the second operand.
    """
    def forward(self, other):
        cdef PyObject* inputs[2]
        cdef unsigned int level = disable_tensors()
        if level:
            return tensor_operator(self, other)
        inputs[swapped], inputs[not swapped] = <PyObject*> self, <PyObject*> other
        result = plain_result(ufunc, inputs, 2, 0)
        return general(self, other) if result is None else result

    return forward


def unary(ufunc, tensor_operator, general):
    """An operator of one operand, as binary."""
    def forward(self):
        cdef PyObject* inputs[1]
        cdef unsigned int level = disable_tensors()
        if level:
            return tensor_operator(self)
        inputs[0] = <PyObject*> self
        result = plain_result(ufunc, inputs, 1, 0)
        return general(self) if result is None else result

    return forward


cdef PyObject* array_ufunc_method(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) except NULL:
    """``self.__array_ufunc__(ufunc, method, *inputs, **kwargs)`` of an array."""
    cdef object result = None
    cdef Py_ssize_t i
    if names == NULL and n > 2 and (args[1] == <PyObject*> CALL or <object> args[1] == CALL):
        result = plain_result(<object> args[0], args + 2, n - 2, disable_tensors())
    if result is None:
        keywords = () if names == NULL else <tuple> names
        values = [<object> args[i] for i in range(n)]
        result = GENERAL(<object> self, *values, **{name: <object> args[n + i] for i, name in enumerate(keywords)})
    Py_INCREF(result)
    return <PyObject*> result


cdef PyMethodDef METHOD
METHOD.ml_name = "__array_ufunc__"
METHOD.ml_meth = <void*> array_ufunc_method
METHOD.ml_flags = METH_FASTCALL | METH_KEYWORDS
METHOD.ml_doc = b"The result of a ufunc of NumPy on arrays: (ufunc, name of its method, *inputs, **kwargs)."

array_ufunc_of_arrays = PyDescr_NewMethod(<PyTypeObject*> Tensor, &METHOD)
