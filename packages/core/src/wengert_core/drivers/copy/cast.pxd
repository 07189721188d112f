"""Conversion to other dtypes and devices."""
from wengert_core.tensors.tensor cimport Tensor

cdef object convert(Tensor t, int code, bint copy)       # t itself when nothing changes and copy is false; recorded
