"""Where a tensor's elements lie in its storage. See view_region.pyx."""
from wengert_core.tensors.tensor cimport Tensor

cdef object geometry(Tensor t)                                  # (sizes, strides, offset), in elements
cdef object region(Tensor t)                                    # and its dtype
cdef bint is_of_other_kind(Tensor a, Tensor b) noexcept         # one real, the other complex
cdef Tensor part_of(Tensor whole, tuple base, tuple view)       # the view's part of what is laid out as its base
