"""``Tensor.__array_ufunc__``: NumPy's ufuncs on tensors.

Note [How a ufunc runs]
    NumPy calls array_ufunc with the ufunc, the name of the method ("__call__", "reduce", ...) and the inputs. Where all
    inputs are tensors of one floating dtype, arrays of that dtype and Python numbers, nothing but the op remains to be
    called, and that happens here. Everything else (other dtypes, out=, where=, the other methods) is general.py's,
    which takes the dtypes from NumPy's own rules.
    The method is a descriptor of C, which NumPy calls without a tuple or a dict, and whose errors nobody rewords.
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.extend cimport (COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, Tensor, array_code,
                                  new_empty, tensor_at)
from wengert_numpy.c_methods cimport METH_FASTCALL, METH_KEYWORDS, PyDescr_NewMethod, PyMethodDef

import numpy as np
cimport numpy as cnp

cnp.import_array()

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object d, object key) except? NULL
    object PyObject_Vectorcall(object f, PyObject** args, size_t n, PyObject* names)
    bint PyFloat_Check(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept

cdef dict OPS = {}                     # ufunc -> op, for floating inputs of one dtype
cdef set NUMBERS = set()               # ufuncs whose op takes Python numbers; others get them as tensors without dims
cdef object CALL = "__call__"
cdef object GENERAL = None             # general_ufunc, once it has been needed


def set_op(ufunc, op, bint takes_numbers=False):
    """Let a ufunc of tensors of one floating dtype be this op.

    takes_numbers: whether either input of the op may be a Python number.
    """
    OPS[ufunc] = op
    if takes_numbers:
        NUMBERS.add(ufunc)


cdef object plain_call(object ufunc, PyObject* const* given, Py_ssize_t n):
    """The result of the op that a ufunc is for these inputs; None where general.py has to look at them."""
    cdef PyObject* op = PyDict_GetItemWithError(OPS, ufunc)
    cdef PyObject* inputs[2]
    cdef Py_ssize_t i
    cdef int code = -1, other
    cdef bint has_number = False
    cdef Tensor first = None, second = None       # own what is made of arrays and numbers
    if op == NULL or n < 1 or n > 2:
        return None
    for i in range(n):
        inputs[i] = given[i]
        if isinstance(<object> given[i], Tensor):
            other = (<Tensor> given[i]).code
        elif cnp.PyArray_CheckExact(<object> given[i]):
            other = floating_code(<cnp.ndarray> given[i])
        elif PyFloat_Check(given[i]) or PyLong_CheckExact(given[i]):
            has_number = True
            continue
        else:
            return None
        if other < FLOAT16 or other > COMPLEX128 or (code != -1 and other != code):
            return None
        code = other
    if code == -1:
        return None
    first = constant(ufunc, inputs[0], code, has_number)
    if first is not None:
        inputs[0] = <PyObject*> first
    if n == 2:
        second = constant(ufunc, inputs[1], code, has_number)
        if second is not None:
            inputs[1] = <PyObject*> second
    return PyObject_Vectorcall(<object> op, inputs, n, NULL)


cdef inline Tensor constant(object ufunc, PyObject* x, int code, bint has_number):
    """The tensor that an array is, or a number for an op that takes none; None for what the op takes itself."""
    if cnp.PyArray_CheckExact(<object> x):
        return tensor_at(<object> x, True)
    if not has_number or isinstance(<object> x, Tensor) or ufunc in NUMBERS:
        return None
    return number_tensor(<object> x, code)


cdef Tensor number_tensor(object number, int code):
    """A number as a tensor without dims. OverflowError for an integer beyond all floating numbers."""
    cdef double value = number
    cdef Tensor made
    if code != FLOAT32 and code != FLOAT64:
        raise TypeError("a number of another dtype")         # general.py takes it
    made = new_empty(code, 0, NULL)
    if code == FLOAT32:
        (<float*> made.data)[0] = <float> value
    else:
        (<double*> made.data)[0] = value
    return made


cdef int floating_code(cnp.ndarray array) noexcept:
    """The code of an array's dtype as one of a tensor; 0 for those that general.py takes."""
    cdef int kind = cnp.PyArray_TYPE(array)
    if kind == cnp.NPY_FLOAT64:
        return FLOAT64
    if kind == cnp.NPY_FLOAT32:
        return FLOAT32
    if kind == cnp.NPY_COMPLEX128:
        return COMPLEX128
    return COMPLEX64 if kind == cnp.NPY_COMPLEX64 else FLOAT16 if kind == cnp.NPY_FLOAT16 else 0


cdef PyObject* array_ufunc_method(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) except NULL:
    """``self.__array_ufunc__(ufunc, method, *inputs, **kwargs)``."""
    cdef object result = None
    if names == NULL and n > 2 and (args[1] == <PyObject*> CALL or <object> args[1] == CALL):
        try:
            result = plain_call(<object> args[0], args + 2, n - 2)
        except Exception:              # general.py raises NumPy's error, or computes what the op does not
            result = None
    if result is None:
        result = general_call(self, args, n, names)
    Py_INCREF(result)
    return <PyObject*> result


cdef object general_call(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names):
    """The result by general.py."""
    global GENERAL
    cdef Py_ssize_t i
    if n < 2:
        raise TypeError(f"__array_ufunc__() takes a ufunc, the name of its method and the inputs, got {n} arguments")
    if GENERAL is None:
        from wengert_numpy.ufuncs.general import general_ufunc
        GENERAL = general_ufunc
    keywords = () if names == NULL else <tuple> names
    values = [<object> args[i] for i in range(n)]
    return GENERAL(<object> self, *values, **{name: <object> args[n + i] for i, name in enumerate(keywords)})


cdef PyMethodDef METHOD
METHOD.ml_name = "__array_ufunc__"
METHOD.ml_meth = <void*> array_ufunc_method
METHOD.ml_flags = METH_FASTCALL | METH_KEYWORDS
METHOD.ml_doc = b"The result of a ufunc of NumPy on tensors: (ufunc, name of its method, *inputs, **kwargs)."

array_ufunc = PyDescr_NewMethod(<PyTypeObject*> Tensor, &METHOD)


@cython.binding(False)
def tensor_on_array(array):
    """A tensor on an array's memory, or on that of a copy where tensors cannot have its strides or byte order.

    No warning tells that the array is read-only: the tensor is an operand, nobody writes to it.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"tensor_on_array: expected a numpy.ndarray, got {type(array).__name__}")
    array_code(array)
    return tensor_at(array, True)
