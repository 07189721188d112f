"""Packing saved tensors: the stack of hooks, and what a packed value remembers. See saved_hooks_stack.pyx."""
from cpython.ref cimport PyObject

from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.node cimport Node, SavedSlot

cdef class Several:
    """A sequence with tensors in it that a node has saved, such as an index; the tensors have no history."""
    cdef list values                   # what was saved; Packed where hooks have packed a tensor
    cdef list versions                 # of the tensors when they were saved; None for other things
    cdef int pack_item(self, Py_ssize_t i, object pack, object unpack) except -1
    cdef tuple read(self, Node node, str name)

cdef Several several_of(object values)                                   # None when there is no tensor in it
cdef int pack_all(Node node, PyObject* pair, PyObject** outs) except -1  # outs: the node's outputs, with their history
# Note [Hooks behind an operation that is traced]
cdef PyObject* wait_with_packing(PyObject* waiting) noexcept             # a list; NULL: do not wait. Returns the last
cdef int pack_later(list waiting, PyObject* before) except -1            # before: the list that waited until now
# shown: what the hook gets; source itself, or an alias of it without history
cdef int pack_one(Node node, int index, Tensor source, Tensor shown, object pack, object unpack) except -1
cdef Tensor unpack(Node node, int index)
cdef Tensor alias_with_tangent(Tensor t)
cdef int drop_unpacked(Node node) except -1                              # after a run of it with NF_KEEPS
cdef int own_output(Node node, SavedSlot* saved) noexcept
