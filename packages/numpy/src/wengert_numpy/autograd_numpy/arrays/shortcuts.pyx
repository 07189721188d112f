# cython: auto_pickle=False
"""NumPy's functions in their most frequent form, each one op: None sends a call to the table of functions.

They change how long a call of arrays of one dtype takes, and nothing else. A form that an op refuses runs into the
function of the table as well, which says it in NumPy's words.
"""
from cpython.ref cimport PyObject

from wengert_core.extend cimport BOOL, COMPLEX128, FLOAT32, FLOAT64, Tensor, tensor_at
from wengert_numpy.ufuncs.array_ufunc cimport floating_code

import numpy
import wengert as wg
cimport numpy as cnp

cnp.import_array()

cdef extern from "Python.h":
    object PyObject_Vectorcall(object f, PyObject** args, size_t n, PyObject* names)


cdef object call(object op, object a):
    cdef PyObject* args[1]
    args[0] = <PyObject*> a
    return PyObject_Vectorcall(op, args, 1, NULL)


cdef object call_with(object op, object a, object b):
    cdef PyObject* args[2]
    args[0], args[1] = <PyObject*> a, <PyObject*> b
    return PyObject_Vectorcall(op, args, 2, NULL)


cdef inline int code_of(object value) noexcept:
    """The code of a tensor's dtype; -1 for anything else."""
    return (<Tensor> value).code if isinstance(value, Tensor) else -1


cdef Tensor operand(object value, int code):
    """A tensor of a dtype, or an array of it as a constant; None for anything else."""
    if isinstance(value, Tensor):
        return <Tensor> value if (<Tensor> value).code == code else None
    if not cnp.PyArray_CheckExact(value):
        return None
    if code == BOOL:
        return tensor_at(value, True) if cnp.PyArray_TYPE(<cnp.ndarray> value) == cnp.NPY_BOOL else None
    return tensor_at(value, True) if floating_code(<cnp.ndarray> value) == code else None


cdef inline bint is_inexact(int code, int last) noexcept:
    """Whether a code is that of a floating or complex dtype up to another one; -1, of no tensor, is not."""
    return code >= <int> FLOAT32 and code <= last


cdef object number_or_operand(object value, int code):
    """As operand; a float or int of Python beside floating numbers as a float."""
    if is_inexact(code, COMPLEX128) and (type(value) is float or type(value) is int):
        return float(value)
    return operand(value, code) if code >= 0 else None


cdef inline bint is_axis(object axis, int rank):
    return type(axis) is int and -rank <= axis < rank


cdef class Shortcut:
    """The frequent form of a function."""

    def __init__(self, op):
        self.op = op

    cdef object run(self, tuple args, dict kwargs):
        """The result; None for another form."""
        return None


cdef class Dot(Shortcut):
    """dot(a, b) of vectors and matrices."""

    cdef object run(self, tuple args, dict kwargs):
        cdef int code
        cdef Tensor a, b
        if kwargs or len(args) != 2:
            return None
        code = code_of(args[0])
        if code < 0:
            code = code_of(args[1])
        if not is_inexact(code, COMPLEX128):
            return None
        a, b = operand(args[0], code), operand(args[1], code)
        if a is None or b is None or not 0 < a.rank <= 2 or not 0 < b.rank <= 2:
            return None
        return call_with(self.op, a, b)


cdef class Reduction(Shortcut):
    """sum(a, axis=None, keepdims=False) over all axes, or over one."""

    cdef int last                                    # the last code of a dtype that it takes

    def __init__(self, op, bint real):
        super().__init__(op)
        self.last = FLOAT64 if real else COMPLEX128

    cdef object run(self, tuple args, dict kwargs):
        cdef Tensor a
        cdef object axis = None, keepdims = False
        cdef Py_ssize_t known = 0
        if not 0 < len(args) <= 2 or not is_inexact(code_of(args[0]), self.last):
            return None
        a = <Tensor> args[0]
        if len(args) == 2:
            axis = args[1]
        elif "axis" in kwargs:
            axis, known = kwargs["axis"], 1
        if "keepdims" in kwargs:
            keepdims, known = kwargs["keepdims"], known + 1
        if known != len(kwargs) or not a.count or (keepdims is not True and keepdims is not False):
            return None
        if axis is None:
            return None if keepdims else call(self.op, a)
        if not is_axis(axis, a.rank):
            return None
        return self.op(a, axis, True) if keepdims else call_with(self.op, a, axis)


cdef class Transpose(Shortcut):
    """transpose(a)."""

    cdef object run(self, tuple args, dict kwargs):
        if kwargs or len(args) != 1 or not isinstance(args[0], Tensor):
            return None
        return call_with(self.op, args[0], tuple(range((<Tensor> args[0]).rank - 1, -1, -1)))


cdef class Reshape(Shortcut):
    """reshape(a, shape)."""

    cdef object run(self, tuple args, dict kwargs):
        if kwargs or len(args) != 2 or not isinstance(args[0], Tensor):
            return None
        shape = (args[1],) if type(args[1]) is int else args[1]
        return call_with(self.op, args[0], shape) if type(shape) is tuple else None


cdef class ExpandDims(Shortcut):
    """expand_dims(a, axis)."""

    cdef object run(self, tuple args, dict kwargs):
        cdef object axis
        if not 0 < len(args) <= 2 or not isinstance(args[0], Tensor) or len(args) + len(kwargs) != 2:
            return None
        axis = args[1] if len(args) == 2 else kwargs.get("axis")
        return call_with(self.op, args[0], axis) if is_axis(axis, (<Tensor> args[0]).rank + 1) else None


cdef class Roll(Shortcut):
    """roll(a, shift, axis) along one axis."""

    cdef object run(self, tuple args, dict kwargs):
        cdef object axis
        if not 2 <= len(args) <= 3 or len(args) + len(kwargs) != 3 or type(args[1]) is not int:
            return None
        axis = args[2] if len(args) == 3 else kwargs.get("axis")
        if not isinstance(args[0], Tensor) or not is_axis(axis, (<Tensor> args[0]).rank):
            return None
        return self.op(args[0], args[1], axis)


cdef class Concatenate(Shortcut):
    """concatenate(arrays, axis=0)."""

    cdef object run(self, tuple args, dict kwargs):
        cdef int code = -1, i, place
        cdef Tensor first, one
        cdef list parts = []
        cdef object axis
        if not 0 < len(args) <= 2 or len(args) + len(kwargs) > 2 or type(args[0]) not in (list, tuple) or not args[0]:
            return None
        axis = args[1] if len(args) == 2 else kwargs["axis"] if kwargs and "axis" in kwargs else None if kwargs else 0
        for value in args[0]:
            if code < 0:
                code = code_of(value)
        for value in args[0]:
            one = operand(value, code)
            if one is None:
                return None
            parts.append(one)
        first = <Tensor> parts[0]
        if not first.rank or not is_axis(axis, first.rank):
            return None
        place = axis if axis >= 0 else axis + first.rank
        for one in parts:
            if one.rank != first.rank:
                return None
            for i in range(first.rank):
                if i != place and one.dims[i] != first.dims[i]:
                    return None
        return call_with(self.op, parts, axis)


cdef class Where(Shortcut):
    """where(condition, x, y), of which x or y may be a number."""

    cdef object run(self, tuple args, dict kwargs):
        cdef int code
        cdef object condition, x, y
        if kwargs or len(args) != 3:
            return None
        code = code_of(args[1])
        if code < 0:
            code = code_of(args[2])
        condition, x, y = operand(args[0], BOOL), number_or_operand(args[1], code), number_or_operand(args[2], code)
        if condition is None or x is None or y is None:
            return None
        return self.op(condition, x, y)


cdef dict SHORTCUTS = {
    numpy.dot: Dot(wg.matmul), numpy.sum: Reduction(wg.sum, False), numpy.mean: Reduction(wg.mean, False),
    numpy.max: Reduction(wg.amax, True), numpy.min: Reduction(wg.amin, True), numpy.transpose: Transpose(wg.permute),
    numpy.reshape: Reshape(wg.reshape), numpy.expand_dims: ExpandDims(wg.unsqueeze), numpy.roll: Roll(wg.roll),
    numpy.concatenate: Concatenate(wg.cat), numpy.where: Where(wg.where),
}


cdef tuple functions_with_shortcut():
    return tuple(SHORTCUTS)


cdef Shortcut find_shortcut(object function):
    return <Shortcut> SHORTCUTS.get(function)


cdef object run_shortcut(Shortcut quick, tuple args, dict kwargs):
    if quick is None:
        return None
    try:
        return quick.run(args, kwargs)
    except (TypeError, RuntimeError, IndexError, ValueError, OverflowError):
        return None
