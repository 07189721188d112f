"""Forward mode without Python: the tangent of an op's outputs where its formula's kind alone says what it is."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_engine.graph.formula cimport Formula

cdef bint can_push(Formula f, Op op, PyObject** slots, PyObject** tangents) except -1
cdef object push(Formula f, Op op, PyObject** slots, PyObject** tangents, PyObject** outs)
