"""Version counters from outside, and a look at every write: what checks of saved tensors are switched off with."""
from _thread import _local

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from wengert_core.op cimport OP_INPLACE, EngineHooks, Op, engine_hooks
from wengert_core.state cimport WG_BATCHED, WG_FOREIGN, WG_OBSERVE, WgState, thread_state
from wengert_core.tensor cimport Storage, Tensor, bump_version

cdef EngineHooks* HOOKS = engine_hooks()
cdef object WATCHING = _local()        # .callback: called with every tensor that is about to be written to
ctypedef object (*intercept_fn)(Op op, PyObject** slots, uint32_t live)
cdef intercept_fn BEFORE = HOOKS.intercept     # who was there before


def increment_version(tensor):
    """Raise the version of a tensor, or of each in an iterable, as an in-place operation would.

    For memory that something else has written to: the check of saved tensors then sees it.
    """
    if isinstance(tensor, Tensor):
        bump_version(<Tensor> tensor)
        return
    try:
        tensors = list(tensor)
    except TypeError:
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input") from None
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        bump_version(<Tensor> t)


def set_version(Tensor tensor, version):
    """Set the version of a tensor's memory."""
    (<Storage> tensor.storage).version = version


def watch_writes(callback):
    """Call ``callback(tensor)`` before this thread's operations write to a tensor; None: no more."""
    cdef WgState* state = thread_state()
    WATCHING.callback = callback
    if callback is None:
        state.modes &= ~(<unsigned int> WG_OBSERVE)
    else:
        state.modes |= WG_OBSERVE


cdef object run_watched(Op op, PyObject** slots, uint32_t live):
    """An operation while writes are watched; what it consists of is not watched again."""
    cdef WgState* state = thread_state()
    if live & (WG_BATCHED | WG_FOREIGN):     # somebody else runs it, and what that calls is watched
        if BEFORE != NULL:
            return BEFORE(op, slots, live)
        raise RuntimeError(f"{op.name}: a tensor or mode that no installed package handles (live bits {live})")
    state.modes &= ~(<unsigned int> WG_OBSERVE)
    try:
        if op.flags & OP_INPLACE:
            WATCHING.callback(<object> slots[0])
        if op.out_slot >= 0 and slots[op.out_slot] != NULL and isinstance(<object> slots[op.out_slot], Tensor):
            WATCHING.callback(<object> slots[op.out_slot])
        return op.run(op, slots)
    finally:
        state.modes |= WG_OBSERVE


HOOKS.intercept = run_watched
