"""Structures of arguments and results: tensors put in their places again.

Compiled, as each replay does it: a list of fifty gradients took a third of the time of a small program in Python.
"""
from wengert_core.extend cimport Tensor

cdef object OTHER = None               # rebuilds what is not of the kinds here


def set_other(function):
    """Let a function rebuild values of other kinds."""
    global OTHER
    OTHER = function


cdef object item_of(tensors, number):
    cdef Py_ssize_t i
    if type(tensors) is list and type(number) is int:
        i = number
        if 0 <= i < len(<list> tensors):
            return (<list> tensors)[i]
    return tensors[number]             # what raises the error, too


def rebuild(value, tensors):
    """The inverse of ``flatten``, with other tensors. A dataclass's object is made without its ``__init__``."""
    cdef Py_ssize_t n
    if type(value) is not tuple:
        raise TypeError(f"rebuild(): argument 'value' (position 1) must be tuple, not {type(value).__name__}")
    n = len(<tuple> value)
    if not n:
        raise ValueError("rebuild(): a structure begins with a type, got an empty tuple")
    kind = (<tuple> value)[0]
    if kind is Tensor and n == 2:
        return item_of(tensors, (<tuple> value)[1])
    if kind is tuple or kind is list:
        parts = [rebuild((<tuple> value)[i], tensors) for i in range(1, n)]
        return parts if kind is list else tuple(parts)
    if kind is dict:
        return {key: rebuild(item, tensors) for key, item, _ in (<tuple> value)[1:]}
    return OTHER(value, tensors)
