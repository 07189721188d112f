"""The driver of view operations: outputs share the input's memory and version counter.

Note [How a view op runs]
    A *primitive* has a formula of its own: its builder (a ``view_fn``) reads the slots and makes the output's geometry,
    the driver marks how the view came to be and records it. What is said in terms of a primitive (flatten, narrow,
    movedim: composite_views.pyx) computes that primitive's arguments and runs it, so that histories show the primitive,
    as in torch.
    A plugin's row gives its geometry as a Python function instead of a builder's name.
"""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport PyTuple_CheckExact
from wengert_core.dispatch.dispatcher cimport dispatch, watch_only
from wengert_core.dispatch.exact_values cimport is_plain_ints
from wengert_core.dispatch.op cimport K_INT, K_INTS, K_VARARGS, Op, call_bound, find_op, op_error
from wengert_core.drivers.steps cimport record, record_outputs
from wengert_core.runtime.state cimport WG_ASK, WG_RECORD

cdef extern from *:
    """
    #define WENGERT_TUPLE_ITEMS(t) (((PyTupleObject *)(t))->ob_item)
    """
    PyObject** WENGERT_TUPLE_ITEMS(PyObject* t) noexcept

cdef tuple NAMES = ("view", "alias", "transpose", "t", "permute", "squeeze", "unsqueeze", "expand", "select", "slice",
                    "diagonal", "as_strided", "unfold", "view_as_real", "view_as_complex", "_unsafe_view", "split",
                    "split_with_sizes", "unbind", "clone", "_reshape_alias")
cdef list PRIMITIVES = [None] * V_KINDS
cdef view_fn BUILDERS[V_BY_FUNCTION + 1]


def configure(Op op, geometry):
    """Make ``op`` a view op. geometry: a builder's name, or a function (sizes, strides, offset, *arguments) of all."""
    op.impl = geometry
    op.run = view_run
    watch_only(op, 0)
    if isinstance(geometry, str):
        op.data = <void*> BUILDERS[<int> NAMES.index(geometry)]
    else:
        op.data = <void*> BUILDERS[<int> V_BY_FUNCTION]
    set_shortcuts(op)


cdef void set_shortcuts(Op op):
    """call1 and call2, where the slots they leave out have defaults."""
    cdef int i, required = 0
    for i in range(op.n_params):
        if op.defaults[i] == NULL:
            required = i + 1
    if required <= 1:
        op.call1 = view_call1
    if required <= 2 and op.n_positional >= 2 and (op.kinds[1] & 63 in (K_INT, K_INTS) or op.kinds[1] & K_VARARGS):
        op.call2 = view_call2


cdef Op primitive(int kind):
    if PRIMITIVES[kind] is None:
        PRIMITIVES[kind] = find_op(<str> NAMES[kind])      # core's own: a plugin's row may have the same geometry
    return <Op> PRIMITIVES[kind]


cdef void set_builder(int kind, view_fn build):
    BUILDERS[kind] = build


# ---- running

cdef object view_call1(Op op, PyObject* a):
    cdef PyObject* slots[16]
    cdef int i
    if not isinstance(<object> a, Tensor):
        return call_bound(op, &a, 1, NULL)
    slots[0] = a
    for i in range(1, op.n_params):
        slots[i] = op.defaults[i]
    return dispatch(op, slots)


cdef object view_call2(Op op, PyObject* a, PyObject* b):
    cdef PyObject* slots[16]
    cdef int i
    slots[0], slots[1] = a, b
    if not isinstance(<object> a, Tensor) or not is_plain_ints(b) \
            or (PyTuple_CheckExact(b) and op.kinds[1] & 63 == K_INT):
        return call_bound(op, slots, 2, NULL)
    for i in range(2, op.n_params):
        slots[i] = op.defaults[i]
    return dispatch(op, slots)


cdef object view_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef unsigned int modes = thread_state().modes
    cdef Tensor out
    out = (<view_fn> op.data)(op, slots, t)
    mark_origin(t, out, modes)
    if live & WG_RECORD:
        record(op, slots, out, live)
    return out


cdef object recorded_view(int kind, PyObject** slots, Tensor t, Tensor out):
    """What a primitive does with the view it has made. slots: its arguments, as far as its formula looks at them."""
    cdef unsigned int modes = thread_state().modes
    mark_origin(t, out, modes)
    if t.flags & modes & WG_RECORD:
        record(primitive(kind), slots, out, t.flags & modes)
    return out


cdef object view_call(int kind, Tensor t, tuple arguments):
    """Run a primitive on Python values, for what is said in terms of it. Defaults fill the rest."""
    cdef Op op = primitive(kind)
    cdef PyObject* slots[16]
    cdef int i, n = <int> len(arguments)
    slots[0] = <PyObject*> t
    for i in range(1, op.n_params):
        slots[i] = <PyObject*> arguments[i - 1] if i <= n else op.defaults[i]
    return dispatch(op, slots)


cdef object record_views(Op op, PyObject** slots, Tensor t, tuple outs, uint32_t live):
    """Mark and record the outputs of an op with several views."""
    cdef unsigned int modes = thread_state().modes
    cdef uint32_t origin = VIEW_MULTI if modes & WG_GRAD else VIEW_NO_GRAD_MULTI
    if modes & WG_INFER and not t.flags & TF_INFERENCE:
        origin = VIEW_INFERENCE
    origin <<= TF_META_SHIFT
    if not modes & WG_GRAD:
        origin |= WG_ASK
    for out in outs:
        (<Tensor> out).flags |= origin
    if len(outs):
        record_outputs(op, slots, WENGERT_TUPLE_ITEMS(<PyObject*> outs), <int> len(outs), live)
    return outs


def as_single_views(tuple views not None):
    """Let each of the views that an op gave together be written to, as a view that an op gives alone: return them.

    Views of elements that do not overlap, as those of unbind are: a write to one changes none of the others.
    """
    cdef uint32_t origin
    for one in views:
        origin = ((<Tensor?> one).flags & TF_META_MASK) >> TF_META_SHIFT
        if origin == VIEW_MULTI or origin == VIEW_NO_GRAD_MULTI:
            (<Tensor> one).flags &= ~(<uint32_t> TF_META_MASK)
            if origin == VIEW_NO_GRAD_MULTI:
                (<Tensor> one).flags |= VIEW_NO_GRAD << TF_META_SHIFT
    return views


cdef Tensor checked_self(Op op, PyObject** slots):
    if not isinstance(<object> slots[0], Tensor):
        raise op_error(op, 0, "Tensor", slots[0])
    return <Tensor> slots[0]
