"""The tensors of empty, zeros, ones and full, and of those like a tensor."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.drivers.create.factory cimport FactoryRow
from wengert_core.tensors.tensor cimport Tensor

cdef Tensor make_filled(Op op, FactoryRow* row, PyObject** slots, int code)
