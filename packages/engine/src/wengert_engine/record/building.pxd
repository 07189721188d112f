"""The node of an operation: see building.pyx."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.runtime.state cimport WG_ASK, WG_GRAD
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport Tensor
from wengert_engine.graph.formula cimport Formula
from wengert_engine.graph.node cimport Node, SavedSlot

# A node with its edges and saved values; None when no input needs a gradient. outs may be NULL (set later).
cdef Node build(Formula f, PyObject** slots, PyObject** outs, int n_outs, PyObject* old_self)
cdef int keep_object(SavedSlot* saved, object value) except -1


cdef inline bint needs_grad(PyObject* value):
    """Whether an argument requires a gradient; a view may have come to do so by a write to its base."""
    if not isinstance(<object> value, Tensor):
        return False
    if (<Tensor> value).flags & WG_ASK and not (<Tensor> value).flags & WG_GRAD:
        hooks().view_grad_fn(<Tensor> value)
        return requires_grad(<Tensor> value)
    return (<Tensor> value).flags & WG_GRAD != 0
