"""Running a graph backward."""
from cpython.ref cimport PyObject

from wengert_core.tensor cimport Tensor
from wengert_engine.node cimport Node

cdef object read_saved(Node node, int index)
cdef Tensor fitted(Node node, int output, Tensor grad, Node source, int index)
