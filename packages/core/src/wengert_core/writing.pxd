"""copy_, fill_ and zero_: writing whole tensors and views."""
from wengert_core.tensor cimport Tensor

cdef Tensor apart(Tensor source, Tensor target)          # source, or a copy where writing target would change it meanwhile
