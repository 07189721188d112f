"""Effects of a recording on tensors from outside, and copies of those. See outside.pyx."""

cdef class OutsideState:
    cdef list parts                    # (a tensor or a weak reference, the bytes of its memory, its version)
