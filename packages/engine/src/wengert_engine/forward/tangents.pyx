"""The tangent of a tensor: where it is kept, how long it counts, and what it is for a view.

Note [Tangents]
    A dual tensor has its tangent in ``extra.tangent``, with the number of the level it was made in: when that is over,
    the tangent counts no more. It carries WG_DUAL, and WG_ASK so that drivers hand it to the hooks for recording;
    operations.pyx stands in front of these. After an operation the formula's jvp gives the tangents
    of the outputs, while the mode is off: the tangents of tangents are not wanted. A view's tangent is a view of its
    base's tangent (a linear op's jvp is the op itself), so a write to a view reaches the base's; a view that was made
    before its base had a tangent gets it when it is asked.

Note [The primal is no view for tangents]
    unpack_dual gives a view of the dual tensor, into whose memory and history a write to it goes; but it has no
    tangent, and where a write gives it one, that is not the dual's. Its Tangent says so (``is_cut``), and those of its
    views name it as what their tangents are parts of (``base``), since a view itself knows only the tensor at the
    bottom.
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject

from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.dtypes.dtypes cimport DTypeFacts, dtype_facts
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_ASK, WG_BATCHED, WG_DUAL, dual_is_open, set_dual_open
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor, extra_of, same_shape, shape_tuple, strides_of, track
from wengert_engine.graph.view_region cimport part_of, region

cdef DTypeFacts* FACTS = dtype_facts()
cdef Op COPY_ = find_op("copy_")
cdef Op NEW_EMPTY_STRIDED = find_op("new_empty_strided")
cdef long EPOCH = 0                    # the number of the last level that was entered
cdef bint IS_OF_TRANSFORM = False      # whether the open level is that of a transform of functions, as func.jvp


@cython.binding(False)
cdef class Tangent:
    """The tangent of a dual tensor, and the level it belongs to."""


not_made_by_hand(<PyTypeObject*> Tangent)


# ---- levels

cdef int open_level(bint of_transform) except -1:
    """Open a level for all threads. The one that was open before is over."""
    global EPOCH, IS_OF_TRANSFORM
    EPOCH += 1
    IS_OF_TRANSFORM = of_transform
    set_dual_open(True)
    return 0


cdef int close_level() except -1:
    """Close the level: its tangents count no more."""
    set_dual_open(False)
    return 0


cdef bint is_level_of_transform() noexcept:
    return IS_OF_TRANSFORM


# ---- one tensor

cdef Tensor own_tangent(Tensor t):
    """A tensor's tangent of the open level, or None."""
    cdef Tangent kept
    if not t.flags & WG_DUAL or t.extra == NULL or t.extra.tangent == NULL:
        return None
    kept = <Tangent> t.extra.tangent
    return kept.value if kept.epoch == EPOCH and dual_is_open() else None


cdef Tensor tangent_of(Tensor t):
    """A tensor's tangent, or of a view without one the part of its base's."""
    cdef Tensor found = own_tangent(t), base
    if found is None:
        base = tangent_base(t)
        found = None if base is None else own_tangent(base)
        if found is not None:
            found = part_of(with_geometry_of(base, found), region(base), region(t))
            set_tangent(t, found)
    return found


cdef Tangent cut_of(Tensor t):
    """The mark that t has in place of a tangent where it is a primal or a view of one, else None."""
    if not t.flags & WG_DUAL or t.flags & WG_BATCHED or t.extra == NULL or t.extra.tangent == NULL:
        return None
    return <Tangent> t.extra.tangent if (<Tangent> t.extra.tangent).is_cut else None


cdef Tensor tangent_base(Tensor t):
    """The tensor of whose tangent a view's is a part, or None."""
    cdef Tangent cut
    if not t.flags & TF_VIEW or t.base == NULL:
        return None
    cut = cut_of(t)
    return <Tensor> t.base if cut is None else cut.base


cdef int cut(Tensor t, Tensor base) except -1:
    """Let a view have no tangent, and get it from no other tensor than ``base``."""
    set_tangent(t, None)
    (<Tangent> t.extra.tangent).is_cut = True
    (<Tangent> t.extra.tangent).base = base
    return 0


cdef int cut_views(Op op, PyObject** slots, PyObject** outs, int n_outs) except -1:
    """Cut the views that are made of a primal."""
    cdef Tangent found
    cdef int i
    if slots[0] == NULL or not isinstance(<object> slots[0], Tensor):
        return 0
    found = cut_of(<Tensor> slots[0])
    if found is not None:
        for i in range(n_outs):
            if (<Tensor> outs[i]).flags & TF_VIEW:
                cut(<Tensor> outs[i], <Tensor> slots[0] if found.base is None else found.base)
    return 0


cdef int set_tangent(Tensor t, Tensor value) except -1:
    cdef Tangent kept = Tangent.__new__(Tangent), before = cut_of(t)
    cdef PyObject* old = extra_of(t).tangent
    kept.value, kept.epoch = value, EPOCH
    if before is not None:
        kept.is_cut, kept.base = True, before.base
    Py_INCREF(kept)
    t.extra.tangent = <PyObject*> kept
    Py_XDECREF(old)
    t.flags |= WG_DUAL | WG_ASK
    track(t)
    return 0


cdef bint same_geometry(Tensor a, Tensor b) noexcept:
    cdef int i
    if a.rank != b.rank:
        return False
    for i in range(a.rank):
        if a.dims[i] > 1 and strides_of(a)[i] * FACTS.itemsize[b.code] != strides_of(b)[i] * FACTS.itemsize[a.code]:
            return False
    return True


cdef object element_strides(Tensor t):
    cdef int i
    return tuple([strides_of(t)[i] // FACTS.itemsize[t.code] for i in range(t.rank)])


cdef Tensor with_geometry_of(Tensor t, Tensor tangent):
    """The tangent with t's strides, so that parts of t are the same parts of it; kept as t's when it had to be made."""
    cdef Tensor out
    if same_geometry(t, tangent):
        return tangent
    out = NEW_EMPTY_STRIDED(tangent, shape_tuple(t), element_strides(t))
    COPY_(out, tangent)
    set_tangent(t, out)
    return out


cdef int check_shape(Tensor t, Tensor value) except -1:
    if not same_shape(t, value):
        raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                           f"Tensor, this is not supported. Tensor is of size {list(shape_tuple(t))} while the given "
                           f"forward gradient is of size {list(shape_tuple(value))}.")
    return 0


cdef int give_tangent(Tensor t, Tensor value) except -1:
    check_shape(t, value)
    return set_tangent(t, value)


cdef bint has_tangent(Tensor t) except -1:
    """Whether a tensor has a tangent of the open level, whatever the modes say."""
    return tangent_of(t) is not None


# ---- arguments

cdef bint any_dual(Op op, PyObject** slots):
    """Whether a tensor among the arguments has a tangent."""
    cdef int i
    for i in range(op.n_params):
        if slots[i] == NULL:
            continue
        if isinstance(<object> slots[i], Tensor):
            if is_dual(<Tensor> slots[i]) and tangent_of(<Tensor> slots[i]) is not None:
                return True
        elif isinstance(<object> slots[i], (tuple, list)):
            for item in <object> slots[i]:
                if isinstance(item, Tensor) and is_dual(<Tensor> item) and tangent_of(<Tensor> item) is not None:
                    return True
    return False


cdef object tangents_in(object value):
    """The tangent of an argument; of each tensor in a sequence; None where there is none."""
    if isinstance(value, Tensor):
        return tangent_of(<Tensor> value)
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], Tensor):
        found = [tangents_in(item) for item in value]
        return found if any([item is not None for item in found]) else None
    return None
