"""Transforms of functions, as vmap and grad of wengert.func, which run in this thread."""
from wengert_core.runtime.state cimport WG_BATCHED, WG_GUARD, WgState, thread_state
from wengert_core.tensors.tensor cimport Tensor, storage_of


cdef extern from *:
    """
    static __thread int wengert_transforms = 0;
    """
    int TRANSFORMS "wengert_transforms"    # how many transforms of functions run in this thread


def count_transforms(int change):
    """Say that a transform of functions, as grad of wengert.func, begins (1) or ends (-1) in this thread."""
    global TRANSFORMS
    TRANSFORMS += change


def guard(number):
    """Let this thread's operations ask before they write to memory that is older than the transform with this number;
    0: no more. Returns the number from before.
    """
    cdef WgState* state = thread_state()
    before = state.transform
    state.transform = number
    state.modes = state.modes | WG_GUARD if number else state.modes & ~(<unsigned int> WG_GUARD)
    return before


def birth(Tensor tensor):
    """The number of the transform in which a tensor's memory was made; 0: in none."""
    return storage_of(tensor).birth


cdef int running_transforms() noexcept:
    return TRANSFORMS


def in_transform():
    """Whether operations of this thread run inside of a vmap or of another transform of functions.

    >>> from wengert_engine.modes.transforms import in_transform
    >>> in_transform()
    False
    """
    return TRANSFORMS > 0 or thread_state().modes & WG_BATCHED != 0


def is_inside():
    """Whether operations of this thread run inside of a vmap.

    >>> from wengert_engine.modes.transforms import is_inside
    >>> is_inside()
    False
    """
    return thread_state().modes & WG_BATCHED != 0
