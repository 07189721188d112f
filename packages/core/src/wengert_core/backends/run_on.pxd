from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef object run_at(Op op, PyObject** slots, unsigned int place)
cdef Tensor preserved_at(unsigned int place, Tensor t, int code)
cdef Tensor pinned_for(Tensor t)
