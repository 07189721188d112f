"""Matrices that lie column by column in memory."""
from wengert_core.tensors.tensor cimport Tensor

cdef Tensor by_columns(Tensor rows)              # fresh matrices with their last two dims swapped
cdef Tensor copy_by_columns(Tensor x)            # the same fresh matrices, moved in memory
