"""Run: one pass backward through a graph.

Note [Several runs at once]
    A run keeps its waiting gradients itself; a node only remembers in which run and slot they are (run_id, run_slot). A
    second run that meets a node which a first one has claimed (another thread, a backward inside a hook) looks it up in
    a dict of its own.
Note [Leaves run early]
    A leaf's node runs as soon as its last gradient has arrived, before all other nodes, as in torch: its hooks may free
    the gradient. How many gradients will arrive need not be counted: each edge to the node owns a reference to it, and
    the graph lives as long as the run, whose caller holds its roots. Where others hold the node too (a part of the
    graph that the run does not come to, a hook, another run), the leaf waits for its turn by number, which comes after
    that of all nodes that lead to it.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint32_t

from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.formula cimport Formula
from wengert_engine.graph.node cimport Edge, Node
from wengert_engine.reverse.needed cimport ExecInfo
from wengert_engine.reverse.ready_queue cimport Ready


cdef struct Waiting:                   # a node with the gradients that have arrived for it
    PyObject* node                     # owned; NULL: the slot is free
    PyObject* grad                     # owned; of the node's only output
    PyObject** grads                   # of all outputs when there are several (own block)
    Py_ssize_t arrived                 # of a leaf: edges that a gradient, or None, has come from


@cython.final
cdef class GraphTask:
    cdef uint32_t id
    cdef uint32_t n_slots, room
    cdef uint32_t n_free, n_heap
    cdef Waiting* slots
    cdef uint32_t* free_slots
    cdef Ready* heap                   # nodes with gradients, the youngest first
    cdef dict elsewhere                # id of a node that another run has claimed -> slot
    cdef uint32_t depth                # how many runs of this thread, or of those that wait for it, are around this one
    cdef GraphTask outer                     # the run of this thread that this one was started inside of; or None
    cdef ExecInfo wanted                 # with inputs: the nodes that lead to them
    cdef list results                  # with inputs: the gradient of each, None where none arrived; else None
    cdef bint keep_graph, create_graph
    cdef bint accumulating             # with inputs: leaves take their gradients
    cdef bint watched                  # anomaly mode
    cdef list callbacks                # called when the run is over; or None
    cdef set streams                   # of devices, that were worked on; None before there is one
    cdef dict notes                    # what hooks keep for the time of the run; or None
    cdef set reachable                 # ids of nodes which the run reaches, once somebody has asked; or None

    cdef void drop(self, uint32_t i) noexcept
    cdef int grow(self) except -1
    cdef int claim(self, Node node) except -1
    cdef PyObject** grad_slot(self, Node node, uint32_t output) except NULL
    cdef int deliver(self, Edge* edge, Tensor grad, Node source, int index) except -1
    cdef int send(self, Edge* edge, Tensor grad, Node source, int index) except -1
    cdef int arrive(self, PyObject* leaf) except -1
    cdef int deliver_on_stream(self, Node node, uint32_t output, Tensor good) except -1
    cdef int add_to_waiting(self, Node node, uint32_t output, Tensor good) except -1
    cdef int step_chosen(self, Node node, list parts) except -1
    cdef int reach(self, Edge* edge) except -1
    cdef int leave_slot(self, Node node, uint32_t slot) except -1
    cdef int execute(self) except -1
    cdef int step(self, Node node, Formula f, Tensor grad) except -1
    cdef int step_without(self, Node node) except -1
    cdef int step_general(self, Node node, list parts) except -1
    cdef int step_watched(self, Node node, list parts) except -1
    cdef bint capture(self, Node node, list parts) except -1
    cdef bint ends_here(self, Node node) noexcept
    cdef int leave_out(self, Node node, list grads) except -1
    cdef int give(self, int32_t position, list parts) except -1
