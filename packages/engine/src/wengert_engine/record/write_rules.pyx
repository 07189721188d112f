"""Rules for writes: which tensors may be written to, before anything is."""
from cpython.ref cimport PyObject

from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.state cimport WG_GRAD, thread_state
from wengert_core.tensors.tensor cimport TF_META_MASK, TF_META_SHIFT, TF_VIEW, VIEW_DEFAULT, Tensor, storage_of
from wengert_engine.messages import errors

cdef object CAPTURED = None    # refuses writes to what the function of a transform captures: set by vmap/transform.pyx


def set_captured(refuse):
    """Set who answers before writes to memory older than the transform that runs: ``refuse(tensor, op, other)``."""
    global CAPTURED
    CAPTURED = refuse


cdef int check_captured(Op op, PyObject** slots) except -1:
    """Refuse a write to what the function of a transform captures."""
    cdef Tensor t = <Tensor> slots[0]
    if CAPTURED is not None and storage_of(t).birth < thread_state().transform:
        CAPTURED(t, op.name, <object> slots[1] if op.n_params > 1 and slots[1] != NULL else None)
    return 0


cdef int check_write(Tensor t, str name, bint recorded) except -1:
    """torch's rules for in-place operations on leaves and on views, with grad mode on."""
    cdef Tensor base
    if t.flags & TF_VIEW and t.base != NULL:
        base = <Tensor> t.base
        if base.flags & WG_GRAD or recorded:
            check_origin(t, name)
        if (t.flags | base.flags) & WG_GRAD and base.grad_fn == NULL:
            raise errors.write_to_leaf_view(name)
    elif t.flags & WG_GRAD and t.grad_fn == NULL:
        raise errors.write_to_leaf(name)
    return 0


cdef int check_origin(Tensor view, str name) except -1:
    """Refuse a write to a view, or to its base (name: None), where the view's history cannot follow it."""
    cdef int origin = (view.flags & TF_META_MASK) >> TF_META_SHIFT
    if origin == VIEW_DEFAULT:
        return 0
    made_by = type(<object> view.grad_fn).__name__ if view.grad_fn != NULL else None
    raise errors.write_to_view(origin, made_by, view.output_nr, name)
