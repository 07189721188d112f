"""Reductions of what is scattered to one place. See scatter_reduce.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor

cdef int check_reduction(Op op, PyObject** slots, int code, bint indexed) except -1      # it warns, too
# target holds self; shape: of what is read of source, the index's along ``dim``. Bounds have been checked.
cdef int reduce_into(
    Op op, PyObject** slots, Tensor target, int dim, Tensor index, Tensor source, const Py_ssize_t* shape
) except -1
