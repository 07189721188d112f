"""Leaves: the AccumulateGrad of each, the dtype of its gradients, and where the gradient of a tensor goes."""
import weakref

from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.runtime.state cimport WG_GRAD
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor, extra_of
from wengert_engine.graph.node cimport (NODE_ACCUMULATE, SAVED_TENSOR, Node, make_node_class, metas_of, new_node,
                                        number, saved_slots, set_meta)
from wengert_engine.graph.node import accumulated_leaf as _accumulated_leaf

cdef extern from "Python.h":
    void Py_XINCREF(PyObject* o) noexcept

cdef Hooks* HOOKS = hooks()
cdef object AccumulateGrad = make_node_class("torch::autograd::AccumulateGrad")
AccumulateGrad.variable = property(lambda self: _accumulated_leaf(self))


cdef dict GRAD_CODES = {}              # address of a leaf with a grad_dtype of its own -> (weak reference, code)
cdef bint GRAD_CODES_USED = False


cdef int grad_code(Tensor leaf) except -1:
    if GRAD_CODES:
        entry = GRAD_CODES.get(<Py_ssize_t> <PyObject*> leaf)
        if entry is not None:
            return entry[1]
    return leaf.code


cdef int set_grad_code(Tensor leaf, int code) except -1:
    global GRAD_CODES_USED
    key = <Py_ssize_t> <PyObject*> leaf
    if code == leaf.code:
        GRAD_CODES.pop(key, None)
    else:
        GRAD_CODES_USED = True
        GRAD_CODES[key] = (weakref.ref(leaf, lambda gone: GRAD_CODES.pop(key, None)), code)
    if leaf.extra != NULL and leaf.extra.accumulate != NULL:
        metas_of(<Node> leaf.extra.accumulate).code = code
    return 0


cdef Node accumulate_node(Tensor leaf):
    """The leaf's AccumulateGrad. It owns the leaf; the leaf only knows it, so that the two are no cycle."""
    cdef int next_dim = 0
    cdef Node node
    if leaf.extra != NULL and leaf.extra.accumulate != NULL:
        return <Node> leaf.extra.accumulate
    extra_of(leaf)
    node = new_node(<PyTypeObject*> AccumulateGrad, NODE_ACCUMULATE, 0, 1, 1, leaf.rank)
    set_meta(node, 0, leaf, &next_dim)
    if GRAD_CODES_USED:
        metas_of(node).code = grad_code(leaf)
    Py_INCREF(leaf)
    saved_slots(node)[0].value = <PyObject*> leaf
    saved_slots(node)[0].kind = SAVED_TENSOR
    leaf.extra.accumulate = <PyObject*> node
    number(node)
    return node


cdef PyObject* gradient_edge(Tensor t, uint32_t* input_nr) except? NULL:
    """Find where a gradient of ``t`` goes: a NEW reference. Views whose base has changed get a new grad_fn."""
    cdef PyObject* fn = t.grad_fn
    cdef Node node
    if t.flags & TF_VIEW and HOOKS.view_grad_fn != NULL:
        fn = HOOKS.view_grad_fn(t)
    if fn != NULL:
        input_nr[0] = t.output_nr
        Py_XINCREF(fn)
        return fn
    if not t.flags & WG_GRAD:
        return NULL
    node = accumulate_node(t)
    input_nr[0] = 0
    Py_XINCREF(<PyObject*> node)
    return <PyObject*> node
