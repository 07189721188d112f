"""Tensors and NumPy: sharing memory both ways."""
from wengert_core.tensors.tensor cimport Tensor

cdef int array_code(object array) except -1               # DTypeCode of an array; TypeError when we lack its dtype
cdef Tensor tensor_at(object array, bint may_copy)        # on the array's memory; else on a copy's, or ValueError
cdef Tensor tensor_sharing(object array, str what=*)                 # on the array's memory; warns when it is read-only
cdef object array_sharing(Tensor t)                       # ndarray on t's memory; TypeError for bfloat16
cdef int refuse_grad(Tensor t, str what) except -1        # RuntimeError for a tensor that requires grad
cdef bint has_tangent(Tensor t) except -1                 # of forward mode, which leaving wengert would lose
cdef object list_of(Tensor t)                             # nested lists of Python numbers
