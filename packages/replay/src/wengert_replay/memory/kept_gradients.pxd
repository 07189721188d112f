"""Gradients of leaves that programs hand out again in the same tensor. See kept_gradients.pyx."""
from wengert_core.extend cimport Tensor


cdef class KeptGradient:
    cdef object __weakref__
    cdef Tensor tensor
    cdef size_t storage                # the address of its Storage, as it was given out
    cdef char* memory                  # of that
    cdef char* data                    # its first element
    cdef bytes dims                    # its sizes and strides

    cdef Tensor give(self)
    cdef int keep(self, Tensor t) except -1
    cdef bint take_over(self, Tensor leaf) except -1


cdef int note_other_gradient(Tensor leaf) except -1
cdef KeptGradient kept_gradient(Tensor leaf)
