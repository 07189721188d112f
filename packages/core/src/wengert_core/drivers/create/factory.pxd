"""The driver of the factory family: ops that make tensors from sizes, numbers and data."""
from cpython.ref cimport PyObject

from wengert_core.tensors.tensor cimport Tensor

cdef enum FactoryKind:
    F_EMPTY = 0
    F_ZEROS = 1
    F_ONES = 2
    F_FULL = 3
    F_DATA = 4                         # tensor(data)
    F_MADE = 5                         # op.impl(*arguments, dtype) makes the tensor

cdef struct FactoryRow:                # slots of what all factories share, -1 where a row has none
    int kind
    int like                           # the tensor that says what is not given
    int sizes
    int value                          # fill_value, data
    int dtype
    int layout
    int device
    int pin_memory
    int requires_grad
    int memory_format

cdef int mark_grad(Tensor t) except -1                                  # requires_grad=True, through the engine's hook
cdef Tensor with_requested_grad(Tensor t, object requested)             # by a factory's argument requires_grad


cdef inline PyObject* option(PyObject** slots, int slot) noexcept:
    """A slot's value, None when the row has no such option."""
    return slots[slot] if slot >= 0 else <PyObject*> None
