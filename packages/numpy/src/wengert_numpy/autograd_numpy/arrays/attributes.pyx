# cython: auto_pickle=False
"""Attributes, subscripts and methods of arrays that programs use all the time; methods.py has the others.

Note [Two faces of an array] in faces.py says why each of them looks first at whether asking is switched off.
"""
from functools import wraps
from inspect import getattr_static


from wengert_core.extend cimport Tensor, disable_tensors, restore
from wengert_numpy.autograd_numpy.arrays.operators cimport array_of, shortcut_result
from wengert_numpy.autograd_numpy.arrays.shortcuts cimport Shortcut, find_shortcut

from wengert_numpy.autograd_numpy.arrays.indices import numpy_index

cdef extern from *:
    """
    #define WENGERT_ATTRIBUTE(d, o) Py_TYPE(d)->tp_descr_get(d, o, (PyObject *)Py_TYPE(o))
    #define WENGERT_SUBSCRIPT(type, o, key) ((PyTypeObject *)(type))->tp_as_mapping->mp_subscript(o, key)
    """
    object attribute_by "WENGERT_ATTRIBUTE"(object descriptor, object o)
    object subscript_by "WENGERT_SUBSCRIPT"(object kind, object o, object key)


cdef class Attribute:
    """An attribute of arrays that is the tensor's, if tensors have it, for wengert's own code.

    of_tensor: the descriptor of tensors, or None.   of_array: the function that gives the array's value.
    gives_array: whether the value is an array.
    """

    cdef object of_tensor
    cdef object of_array
    cdef bint gives_array
    cdef readonly str __name__
    cdef readonly object __doc__

    def __init__(self, of_tensor, of_array, bint gives_array):
        if of_tensor is not None and not hasattr(type(of_tensor), "__get__"):
            raise TypeError(f"Attribute: expected a descriptor of tensors or None, got {type(of_tensor).__name__}")
        self.of_tensor, self.of_array, self.gives_array = of_tensor, of_array, gives_array
        self.__name__, self.__doc__ = of_array.__name__, of_array.__doc__

    def __get__(self, instance, owner):
        cdef unsigned int level
        if instance is None:
            return self
        level = disable_tensors()
        if level:
            return self.of_array(instance) if self.of_tensor is None else attribute_by(self.of_tensor, instance)
        try:
            value = self.of_array(instance)
        finally:
            restore(level)
        return array_of(value) if self.gives_array else value

    def __set__(self, instance, value):
        raise AttributeError(f"attribute '{self.__name__}' of an array in differentiated code cannot be set")


cdef object SHAPE = getattr_static(Tensor, "shape")
cdef object NDIM = getattr_static(Tensor, "ndim")
cdef object NUMEL = Tensor.numel


def shape(Tensor self not None):
    """The number of elements along each axis."""
    return tuple(attribute_by(SHAPE, self))


def ndim(Tensor self not None):
    """The number of axes."""
    return attribute_by(NDIM, self)


def size(Tensor self not None):
    """The number of elements."""
    return NUMEL(self)


cdef bint is_plain(object index):
    """Whether an index is integers, slices, None and an ellipsis."""
    cdef int dots = 0
    if type(index) is not tuple:
        return type(index) is int or type(index) is slice or index is None or index is Ellipsis
    for item in <tuple> index:
        if item is Ellipsis:
            dots += 1
        elif type(item) is not int and type(item) is not slice and item is not None:
            return False
    return dots <= 1


def getitem(Tensor self not None, index):
    """Return the elements at an index."""
    cdef unsigned int level = disable_tensors()
    try:
        if not level and not is_plain(index):
            index = numpy_index(index)
        result = subscript_by(Tensor, self, index)
    finally:
        restore(level)
    return result if level else array_of(result)


def function_method(function, of_tensor, general):
    """Return the method that is a function of NumPy, for wengert's own code the tensor's method, or None.

    general: what runs a function on arrays where more than an op is to be done: (function, args, kwargs).
    """
    cdef Shortcut quick = find_shortcut(function)

    @wraps(function)
    def method(*args, **kwargs):
        cdef unsigned int level = disable_tensors()
        if level:
            return general(function, args, kwargs) if of_tensor is None else of_tensor(*args, **kwargs)
        result = shortcut_result(quick, args, kwargs, 0)
        return general(function, args, kwargs) if result is None else result

    return method
