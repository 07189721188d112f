"""Nested tuples, lists and dicts of arrays: their leaves, in the order of a dict's sorted keys."""
import copy

import numpy

from wengert_core.extend cimport Tensor

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char* where)
    void Py_LeaveRecursiveCall()

# Classes that hold no tensors.
cdef frozenset ATOMS = frozenset((numpy.ndarray, float, int, bool, complex, str, type(None), numpy.float64))


cdef inline int enter_recursion() except -1:
    """RecursionError where the containers do not end."""
    return -1 if Py_EnterRecursiveCall(b" in nested containers of arrays") else 0


def holds_tensor(value):
    """Return whether a tensor is somewhere in nested containers."""
    if isinstance(value, Tensor):
        return True
    if type(value) in ATOMS:
        return False
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return False
    enter_recursion()
    try:
        for one in value:
            if holds_tensor(one):
                return True
    finally:
        Py_LeaveRecursiveCall()
    return False


def leaves_of(value):
    """Return the leaves of nested tuples, lists and dicts."""
    cdef list leaves = []
    add_leaves(leaves, value)
    return leaves


cdef int add_leaves(list leaves, value) except -1:
    cdef bint is_dict = isinstance(value, dict)
    if not is_dict and not isinstance(value, (list, tuple)):
        leaves.append(value)
        return 0
    enter_recursion()
    try:
        for one in keys_of(value) if is_dict else value:
            add_leaves(leaves, value[one] if is_dict else one)
    finally:
        Py_LeaveRecursiveCall()
    return 0


cdef list keys_of(value):
    """A dict's keys, sorted where they can be."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


cdef object same_kind(value, list parts):
    """A list, tuple or namedtuple of the class of another one."""
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def with_leaves(value, leaves):
    """Return nested containers with other leaves, those of an iterator, in the order of ``leaves_of``."""
    if not isinstance(value, (list, tuple, dict)):
        return next(leaves)
    enter_recursion()
    try:
        if not isinstance(value, dict):
            return same_kind(value, [with_leaves(one, leaves) for one in value])
        new = copy.copy(value)
        for key in keys_of(value):
            new[key] = with_leaves(value[key], leaves)
        return new
    finally:
        Py_LeaveRecursiveCall()


def map_leaves(function, value, *others):
    """Return nested tuples, lists and dicts with what a function gives for each leaf.

    others: values of the same form, whose leaves the function gets, too.
    """
    if not isinstance(value, (list, tuple, dict)):
        return function(value, *others)
    enter_recursion()
    try:
        if not isinstance(value, dict):
            return same_kind(value, [map_leaves(function, *ones) for ones in zip(value, *others, strict=True)])
        new = copy.copy(value)
        for key in value:
            new[key] = map_leaves(function, value[key], *[other[key] for other in others])
        return new
    finally:
        Py_LeaveRecursiveCall()
