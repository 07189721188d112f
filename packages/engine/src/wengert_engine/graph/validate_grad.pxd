"""Gradients as the engine handles them: whose they are, what shape and dtype they must have, how one is written to.

Note [Who owns a gradient]
    A gradient that waits for a node is owned by the run's slot. Where it is the only reference to its tensor and the
    tensor the only one to its storage, nobody can see it: the engine then accumulates into it, scales it in place, or
    gives it to a leaf as its grad (``stealable``). All other gradients are left as they are.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.state cimport WG_GRAD
from wengert_core.tensors.tensor cimport TF_CONTIGUOUS, Tensor
from wengert_engine.graph.node cimport Node, OutMeta, metas_of, sizes_of

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef Tensor fit_mismatched_grad(Node node, int output, Tensor grad, Node source, int index)
cdef int write(Op op, Tensor target, Tensor other) except -1     # target op= other, not recorded
cdef Tensor zeros_of(Node node, int output)                      # of the shape and dtype of an output
cdef tuple shape_of(Node node, int output)
cdef tuple materialize(Node node, list parts)                   # with zeros in place of None


cdef inline bint stealable(Tensor t) noexcept:
    """Note [Who owns a gradient]: nobody but the caller, who has one reference, sees this tensor or its memory."""
    return t.flags & TF_CONTIGUOUS != 0 and has_one_owner(t)


cdef inline bint has_one_owner(Tensor t) noexcept:
    return Py_REFCNT(<PyObject*> t) <= 1 and Py_REFCNT(t.storage) == 1 and not t.flags & WG_GRAD and t.base == NULL \
        and t.extra == NULL


cdef inline Tensor fit_grad(Node node, int output, Tensor grad, Node source, int index):
    """A gradient with the shape and dtype of the output it belongs to: summed over what was broadcast, converted.

    source, index: the node that gave it (or None) and for which of its inputs, for errors.
    """
    cdef OutMeta* meta = metas_of(node) + output
    cdef Py_ssize_t* sizes = sizes_of(node) + meta.first_dim
    cdef int i
    # dtype, rank and device, which lie side by side in both
    if (<uint32_t*> &meta.code)[0] != (<uint32_t*> &grad.code)[0]:
        return fit_mismatched_grad(node, output, grad, source, index)
    for i in range(meta.rank):
        if sizes[i] != grad.dims[i]:
            return fit_mismatched_grad(node, output, grad, source, index)
    return grad
