"""Forward mode as other modules use it: the level, and the primal and tangent of a tensor."""
from wengert_core.api import repr_iter as _repr_iter
from wengert_core.dispatch.op cimport Op, find_op
from wengert_core.runtime.state cimport WG_BATCHED, WG_DUAL, WgState, dual_is_open, thread_state
from wengert_core.tensors.tensor cimport TF_VIEW, Tensor, is_strided, shape_tuple
from wengert_engine.forward.tangents cimport (check_shape, close_level, cut, element_strides, open_level, own_tangent,
                                              same_geometry, set_tangent, tangent_of)

import wengert_engine.forward.function_tangents    # what they do comes with the level
import wengert_engine.forward.operations

cdef Op ALIAS = find_op("alias")
cdef Op COPY_ = find_op("copy_")
cdef Op FW_PRIMAL = find_op("_fw_primal")
cdef Op NEW_EMPTY_STRIDED = find_op("new_empty_strided")


# ---- the level

def is_open():
    """Whether a dual level is open."""
    return dual_is_open()


def enter(bint of_transform=False):
    """Open the level for all threads unless it is open; return whether it did, in one step without interruption.

    of_transform: whether a transform of functions opens it. In there the result of a Function may be a view while its
    tangent is none.
    """
    if dual_is_open():
        return False
    open_level(of_transform)
    return True


def leave():
    """Close the level: its tangents count no more."""
    close_level()


def is_enabled():
    """Whether operations in this thread compute tangents where a level is open."""
    return bool(thread_state().modes & WG_DUAL)


def switch(on):
    """Let this thread's operations compute tangents or not."""
    cdef WgState* state = thread_state()
    state.modes = state.modes | WG_DUAL if on else state.modes & ~(<unsigned int> WG_DUAL)


# ---- one tensor

def get(Tensor t):
    """The tangent of the open level, or None; None while tangents are switched off."""
    if t.flags & WG_BATCHED:
        from wengert_engine.vmap.batched_grad import get_tangent
        return get_tangent(t)
    return tangent_of(t) if dual_is_open() and thread_state().modes & WG_DUAL else None


def primal_of(Tensor t, bint of_transform=False):
    """A view of a tensor without its tangent; Note [The primal is no view for tangents]. of_transform: of func.jvp,
    whose node is named otherwise in PyTorch."""
    cdef WgState* state = thread_state()
    cdef unsigned int modes = state.modes
    cdef Tensor out
    if t.flags & WG_BATCHED:
        from wengert_engine.vmap import batched_grad
        return batched_grad.primal_of(t, of_transform)
    state.modes = modes & ~(<unsigned int> WG_DUAL)
    try:
        out = ALIAS(t) if of_transform else FW_PRIMAL(t)
    finally:
        state.modes = modes
    if out.flags & TF_VIEW:
        cut(out, None)
    return out


def note(tensor):
    """What the text of a dual tensor says of its tangent."""
    tangent = get(tensor)
    return "" if tangent is None else f"tangent={tangent}"


def put(Tensor t, Tensor value, bint is_plain=False):
    """Give a tensor its tangent. RuntimeError for another shape, or when it has one. is_plain: it is not batched."""
    if not is_plain and (t.flags | value.flags) & WG_BATCHED:
        from wengert_engine.vmap.batched_grad import put_tangent
        put_tangent(t, value)
        return
    if own_tangent(t) is not None:
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward gradient at the same "
                           "level 0 is not supported.")
    check_shape(t, value)
    if is_strided(t) and is_strided(value) and not same_geometry(t, value):
        out = NEW_EMPTY_STRIDED(value, shape_tuple(t), element_strides(t))
        COPY_(out, value)
        value = out
    set_tangent(t, value)


_repr_iter.NOTES.append(note)
