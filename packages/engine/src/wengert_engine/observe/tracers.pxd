"""Tracer: the base of classes that are told of each operation of a thread, with what it is called with.

A package derives a compiled class from it and gives an instance to ``trace`` (observing.pyx). While it is there the
thread's WG_TELL is on too, so that drivers tell their launches (Note [Launches] in wengert_core/runtime/launches.pxd).
An operation on a batch (vmap) is told as those on whole batches which it runs.
"""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor


cdef class Tracer:
    cdef int begin(self, Op op, PyObject** slots) except -1                     # slots: Note [How an op runs] in op.pxd
    cdef int end(self, Op op, PyObject** slots, PyObject* result) except -1     # what it gave: a tensor, or several
    cdef int fail(self, Op op) except -1                                        # it raised
    cdef int note_grad(self, Tensor leaf) except -1                             # its ``grad`` is about to be replaced
