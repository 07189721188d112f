"""The driver of view operations: outputs share the input's memory. Note [How a view op runs] in view.pyx."""
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.state cimport WG_ASK, WG_GRAD, WG_INFER, thread_state
from wengert_core.tensors.tensor cimport (TF_INFERENCE, TF_META_MASK, TF_META_SHIFT, TF_VIEW, VIEW_INFERENCE,
                                          VIEW_MULTI, VIEW_NO_GRAD, VIEW_NO_GRAD_MULTI, Tensor, version_of)

cdef enum ViewKind:                    # the primitives: ops with a formula of their own
    V_VIEW = 0
    V_ALIAS = 1
    V_TRANSPOSE = 2
    V_T = 3
    V_PERMUTE = 4
    V_SQUEEZE = 5
    V_UNSQUEEZE = 6
    V_EXPAND = 7
    V_SELECT = 8
    V_SLICE = 9
    V_DIAGONAL = 10
    V_AS_STRIDED = 11
    V_UNFOLD = 12
    V_VIEW_AS_REAL = 13
    V_VIEW_AS_COMPLEX = 14
    V_UNSAFE_VIEW = 15
    V_SPLIT = 16
    V_SPLIT_WITH_SIZES = 17
    V_UNBIND = 18
    V_CLONE = 19
    V_RESHAPE_ALIAS = 20
    V_KINDS = 21
    V_BY_FUNCTION = 21                 # a plugin's

ctypedef Tensor (*view_fn)(Op op, PyObject** slots, Tensor t)

cdef Op primitive(int kind)                                   # the op of core's table with this kind
cdef void set_builder(int kind, view_fn build)
cdef void set_shortcuts(Op op)
cdef object view_run(Op op, PyObject** slots, uint32_t live)
# the rest of view_run, for a view made already
cdef object recorded_view(int kind, PyObject** slots, Tensor t, Tensor out)
cdef object view_call(int kind, Tensor t, tuple arguments)    # run a primitive on Python values; defaults are filled in
cdef Tensor checked_self(Op op, PyObject** slots)
cdef object record_views(Op op, PyObject** slots, Tensor t, tuple outs, uint32_t live)

# Whether a view may require grad without having a history of its own: its memory was written to since that was made, or
# its base requires grad (see tensors/requires_grad.pxd).
cdef inline bint is_stale(Tensor t, unsigned int modes) noexcept:
    return t.flags & TF_VIEW != 0 and (t.attr_version != version_of(t) or
                                       modes & ~t.flags & WG_GRAD != 0 and t.base != NULL
                                       and (<Tensor> t.base).flags & WG_GRAD != 0)


# Whether a view of t that is recorded may be made without its primitive's driver.
cdef inline bint only_recorded(Tensor t, unsigned int modes) noexcept:
    return t.flags & modes & (4 | 8 | 16) == 0 and not is_stale(t, modes)     # LIVE_INTERCEPT


# How a view came to be: engines refuse some writes to it. A plain view of a special one is special too. One that has no
# history lets the engine look (WG_ASK) whether its base was written to since.
cdef inline void mark_origin(Tensor t, Tensor out, unsigned int modes) noexcept:
    if modes & WG_INFER and not t.flags & TF_INFERENCE:
        out.flags |= VIEW_INFERENCE << TF_META_SHIFT | WG_ASK
    elif not modes & WG_GRAD:
        out.flags |= VIEW_NO_GRAD << TF_META_SHIFT | WG_ASK
    else:
        out.flags |= t.flags & (TF_META_MASK | WG_ASK)
