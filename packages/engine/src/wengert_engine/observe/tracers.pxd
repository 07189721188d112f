"""Tracer: the base of classes that are told of each operation of a thread, with what it is called with.

A package derives a compiled class from it and gives an instance to ``trace`` (observing.pyx). While it is there the
thread's WG_TELL is on too, so that drivers tell their launches (Note [Launches] in wengert_core/runtime/launches.pxd).
An operation on a batch (vmap) is told as those on whole batches which it runs.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

from wengert_core.dispatch.op cimport Op
from wengert_core.tensors.tensor cimport Tensor


cdef class Tracer:
    cdef uint64_t last_node            # the number of the last node that was made before the tracing
    cdef bint has_run_nodes            # a backward has run
    cdef int begin(self, Op op, PyObject** slots) except -1                     # slots: Note [How an op runs] in op.pxd
    cdef int end(self, Op op, PyObject** slots, PyObject* result) except -1     # what it gave: a tensor, or several
    cdef int fail(self, Op op, PyObject** slots) except -1                      # it raised
    cdef int note_grad(self, Tensor leaf) except -1                             # its ``grad`` is about to be replaced
    cdef int note_wanted(self, Tensor leaf) except -1                           # its gradient is asked for
    cdef int note_wanted_node(self, object node) except -1                      # so is that of an older node's output
    cdef int note_alias(self, Tensor source, Tensor made) except -1             # by detach() or data: no operation
    cdef int note_version(self, Tensor t) except -1                             # it is about to rise, by no operation
    cdef int note_old_node(self) except -1                                      # a node from before the tracing runs
    cdef int note_python(self, object source) except -1                         # a hook or custom Function runs
