"""Anomaly mode: what recording and running a graph do more while it is on.

Note [Anomaly mode costs nothing when it is off]
    The mode is the process's, as in PyTorch. Switching it on installs functions: nodes get a Trace by ``number``'s
    hook, core's hooks for recording check and note what was written. A Run asks once, when it starts.
"""
from cpython.ref cimport PyObject

from wengert_engine.anomaly.trace cimport Trace
from wengert_engine.graph.node cimport Node

cdef enum AnomalyFlags:
    ANOMALY_ON = 1
    ANOMALY_NAN = 2                    # gradients are searched for nan
    ANOMALY_INF = 4                    # for infinities as well
    ANOMALY_FORWARD = 8                # so are the results of recorded operations


cdef int anomaly_flags() noexcept
cdef Trace trace_of(Node node)                                  # None: recorded without anomaly mode
cdef object enter_node(Node node)                               # what is recorded now is part of this node's derivative
cdef int leave_node(object before) except -1
cdef int check_gradients(Node node, list grads, list parts) except -1
