"""Operands: the tensors that the step of a loop names, so that a file can say what the loop and its bodies work on."""
from libc.stdint cimport uint32_t
from libc.string cimport memcmp

from wengert_core.extend cimport Tensor
from wengert_replay.trace.steps cimport TAG_OUTSIDE, TAG_SHIFT, Steps


cdef list indices_among(list operands, list tensors):
    """The numbers of tensors among operands, to which those are added that are not there; None for None."""
    return [None if one is None else index_among(operands, <Tensor> one) for one in tensors]


cdef Py_ssize_t index_among(list operands, Tensor t) except -1:
    cdef Tensor one
    cdef Py_ssize_t i
    for i, one in enumerate(operands):
        if one is t or one.data == t.data and one.storage == t.storage and one.code == t.code and one.rank == t.rank \
                and memcmp(one.dims, t.dims, 2 * t.rank * sizeof(Py_ssize_t)) == 0:
            return i
    operands.append(t)
    return len(operands) - 1


cdef list indices_of_outside(list operands, Steps steps):
    """The numbers of tensors from outside that steps use among operands, to which those are added that are not there;
    None for a tensor that is gone, where no operand has the same elements.
    """
    cdef Py_ssize_t i
    return [find_alike(operands, steps, i) if one is None else index_among(operands, <Tensor> one)
            for i, one in enumerate(steps.outside)]


cdef object find_alike(list operands, Steps steps, Py_ssize_t number):
    """The number of the operand on the same elements as a tensor that is gone, such as one that was detached of it."""
    cdef Tensor one
    cdef Py_ssize_t i
    value = steps.value_of_word(<uint32_t> TAG_OUTSIDE << TAG_SHIFT | <uint32_t> number)
    geometry = steps.outside_places[number], value.dtype, value.shape, value.strides
    for i, one in enumerate(operands):
        place = <size_t> one.storage, <size_t> one.data
        if (place, one.dtype, tuple(one.shape), one.stride()) == geometry:
            return i
    return None
