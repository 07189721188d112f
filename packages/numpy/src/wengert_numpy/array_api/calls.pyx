"""Functions of the namespace that are an operation, with as few steps before it as there can be.

Note [Calls of every day]
    Tensors of one dtype, and numbers, need nothing but the operation: that is decided here. Everything else (other
    dtypes, numbers in place of arrays, arrays of NumPy, axes that an operation does not take) is the second function's
    that each of these gets, in Python.
"""
from wengert_core.extend cimport Tensor

cdef extern from "Python.h":
    bint PyFloat_CheckExact(object o) noexcept
    bint PyLong_CheckExact(object o) noexcept


cdef inline bint is_plain_number(object x) noexcept:
    return PyFloat_CheckExact(x) or PyLong_CheckExact(x)


def unary(op, general):
    """Return the function of one array that is an operation.

    general: is called with the operation and what is not a tensor.
    """
    def function(x, /):
        if isinstance(x, Tensor):
            return op(x)
        return general(op, x)

    return function


def binary(op, general, bint first, bint second):
    """Return the function of two arrays that is an operation on tensors of one dtype.

    first, second: whether the operation takes a Python number there.
    general: is called with the operation and both operands where they are others.
    """
    def function(x1, x2, /):
        if isinstance(x1, Tensor):
            if isinstance(x2, Tensor):
                if (<Tensor> x1).code == (<Tensor> x2).code:
                    return op(x1, x2)
            elif second and is_plain_number(x2):
                return op(x1, x2)
        elif first and is_plain_number(x1) and isinstance(x2, Tensor):
            return op(x1, x2)
        return general(op, x1, x2)

    return function


cdef inline bint has_elements(object x, unsigned int dtypes) noexcept:
    """Whether a tensor has elements, and one of these dtypes."""
    return isinstance(x, Tensor) and dtypes >> (<Tensor> x).code & 1 and (<Tensor> x).count != 0


def reduction(op, general, unsigned int dtypes):
    """Return the reduction that is an operation where all elements are reduced, or one axis.

    dtypes: a bit for the code of each dtype of which that is so.
    general: is called with the operation, the array, axis and keepdims for others.
    """
    def function(x, /, *, axis=None, keepdims=False):
        if has_elements(x, dtypes):
            if axis is None and keepdims is False:
                return op(x)
            if PyLong_CheckExact(axis):
                return op(x, axis, keepdims)
        return general(op, x, axis, keepdims)

    return function


def typed_reduction(op, general, unsigned int dtypes):
    """Return the reduction, with a dtype, that is an operation where all elements are reduced, or one axis."""
    def function(x, /, *, axis=None, dtype=None, keepdims=False):
        if dtype is None and has_elements(x, dtypes):
            if axis is None and keepdims is False:
                return op(x)
            if PyLong_CheckExact(axis):
                return op(x, axis, keepdims)
        return general(op, x, axis, dtype, keepdims)

    return function
