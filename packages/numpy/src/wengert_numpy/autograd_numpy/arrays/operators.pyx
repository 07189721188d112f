"""Operators, ufuncs and functions of arrays where nothing but an op remains to be called; array.py has the others.

Note [Two faces of an array] in faces.py says why asking is switched off around each call.
"""
from functools import wraps

from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject, Py_REFCNT

from wengert_core.extend cimport Tensor, disable_tensors, restore, subclass_result
from wengert_numpy.c_methods cimport METH_FASTCALL, METH_KEYWORDS, PyDescr_NewMethod, PyMethodDef
from wengert_numpy.autograd_numpy.arrays.shortcuts cimport (Shortcut, find_shortcut, functions_with_shortcut,
                                                            run_shortcut)
from wengert_numpy.ufuncs.array_ufunc cimport plain_call

cdef object ARRAY = None               # the class of arrays, and what runs ufuncs and functions in all other cases
cdef object GENERAL = None
cdef object FUNCTION = None
cdef object AS_ARRAY = None            # a tensor as an array, which somebody else may have
cdef object CALL = "__call__"


def set_array_type(kind, general_ufunc, general_function, as_array):
    """Say which class arrays are of, and what runs a ufunc on them: (array, ufunc, method, *inputs, **kwargs), and a
    function: (array, function, types, args, kwargs).
    """
    global ARRAY, GENERAL, FUNCTION, AS_ARRAY
    ARRAY, GENERAL, FUNCTION, AS_ARRAY = kind, general_ufunc, general_function, as_array


cdef object array_of(object result):
    if type(result) is not Tensor:
        return result
    return subclass_result(<Tensor> result, ARRAY) if Py_REFCNT(result) == 1 else AS_ARRAY(result)


cdef object plain_result(object ufunc, PyObject* const* inputs, Py_ssize_t n, unsigned int level):
    """The result of a ufunc that is nothing but an op, an array where level is 0; None where it is more, or fails."""
    cdef object result
    try:
        result = plain_call(ufunc, inputs, n)
    except Exception:                  # NumPy's error comes from the general way
        result = None
    finally:
        restore(level)
    return result if level else array_of(result)


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


cdef object shortcut_result(Shortcut quick, tuple args, dict kwargs, unsigned int level):
    try:
        result = run_shortcut(quick, args, kwargs)
    finally:
        restore(level)
    return result if level else array_of(result)


FUNCTIONS = functions_with_shortcut()


def shortcut(function, tuple args not None, dict kwargs not None):
    """Return the result of a function's shortcut, as a tensor; None where it has none for these arguments."""
    return run_shortcut(find_shortcut(function), args, kwargs)


def function_of_arrays(plain, general):
    """A function of NumPy that has a shortcut: an array's most frequent calls do not go through NumPy.

    general: what is called otherwise.
    """
    cdef Shortcut quick = find_shortcut(plain)

    @wraps(plain)
    def function(*args, **kwargs):
        cdef unsigned int level = disable_tensors()
        if level:
            return general(*args, **kwargs)
        result = shortcut_result(quick, args, kwargs, 0)
        return general(*args, **kwargs) if result is None else result

    return function


cdef PyObject* array_function_method(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) except NULL:
    """``self.__array_function__(func, types, args, kwargs)`` of an array."""
    cdef object result = None
    cdef Shortcut quick
    if n != 4 or names != NULL:
        raise TypeError(f"__array_function__() takes a function, types, args and kwargs, got {n} arguments")
    if type(<object> args[2]) is tuple and type(<object> args[3]) is dict:
        quick = find_shortcut(<object> args[0])
        if quick is not None:
            result = shortcut_result(quick, <tuple> args[2], <dict> args[3], disable_tensors())
    if result is None:
        result = FUNCTION(<object> self, <object> args[0], <object> args[1], <object> args[2], <object> args[3])
    Py_INCREF(result)
    return <PyObject*> result


cdef PyMethodDef METHOD
METHOD.ml_name = "__array_ufunc__"
METHOD.ml_meth = <void*> array_ufunc_method
METHOD.ml_flags = METH_FASTCALL | METH_KEYWORDS
METHOD.ml_doc = b"The result of a ufunc of NumPy on arrays: (ufunc, name of its method, *inputs, **kwargs)."

array_ufunc_of_arrays = PyDescr_NewMethod(<PyTypeObject*> Tensor, &METHOD)


cdef PyMethodDef FUNCTION_METHOD
FUNCTION_METHOD.ml_name = "__array_function__"
FUNCTION_METHOD.ml_meth = <void*> array_function_method
FUNCTION_METHOD.ml_flags = METH_FASTCALL | METH_KEYWORDS
FUNCTION_METHOD.ml_doc = b"The result of a function of NumPy on arrays: (function, types, args, kwargs)."

array_function_of_arrays = PyDescr_NewMethod(<PyTypeObject*> Tensor, &FUNCTION_METHOD)
