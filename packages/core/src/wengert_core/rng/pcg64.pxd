"""Random numbers drawn in C. See pcg64.pyx."""
from wengert_core.runtime.launches cimport Launch
from wengert_core.tensors.tensor cimport Tensor

cdef bint is_draw_into(Launch* launch, Tensor t) noexcept      # whether a launch draws all numbers of a tensor
