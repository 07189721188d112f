"""The vmaps that are running in a thread: opened and closed, and which of them operations run in."""
cimport cython
from cpython.object cimport PyTypeObject
from _thread import _local

from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_BATCHED, WgState, thread_state

cdef object THREAD = _local()
cdef long SERIAL = 0


@cython.binding(False)
cdef class Levels:
    """The vmaps that are running in a thread, the innermost last; which of them operations run in is ``current``."""


not_made_by_hand(<PyTypeObject*> Levels)


cdef Levels levels():
    found = getattr(THREAD, "levels", None)
    if found is None:
        found = THREAD.levels = Levels.__new__(Levels)
        (<Levels> found).sizes, (<Levels> found).modes = [], []
        (<Levels> found).serials, (<Levels> found).before, (<Levels> found).transforms = [], [], []
    return <Levels> found


cdef int go_to(Levels here, int level) except -1:
    """Let operations run in an outer level, or in none (0)."""
    cdef WgState* state = thread_state()
    here.current = level
    if level:
        state.modes |= WG_BATCHED
    else:
        state.modes &= ~(<unsigned int> WG_BATCHED)
    return 0


def enter(size, randomness):
    """Open a level for a batch of that size; its number."""
    global SERIAL
    cdef Levels here = levels()
    SERIAL += 1
    here.sizes.append(size)
    here.modes.append(randomness)
    here.serials.append(SERIAL)
    here.before.append(here.current)
    here.transforms.append(0)
    go_to(here, <int> len(here.sizes))
    return here.current


def leave():
    """Close the innermost level."""
    cdef Levels here = levels()
    here.sizes.pop()
    here.modes.pop()
    here.serials.pop()
    here.transforms.pop()
    go_to(here, here.before.pop())


def depth():
    """The number of the innermost level that operations run in; 0 outside of vmap."""
    return levels().current


def size_of(level):
    """The size of an open level's batch."""
    return levels().sizes[level - 1]


def randomness_of(level):
    """The randomness of an open level."""
    return levels().modes[level - 1]


def count_transforms(change):
    """Say that a transform which computes gradients begins (1) or ends (-1) inside of the vmap that is running."""
    cdef Levels here = levels()
    if here.transforms:
        here.transforms[len(here.transforms) - 1] += change


def differentiates_inside():
    """Return whether a transform that computes gradients runs in a level inside of the one that operations run in: in a
    batching rule, inside of the vmap whose batch it is.
    """
    cdef Levels here = levels()
    return any(here.transforms[here.current:])


class outside:
    """A context: operations run in an outer level, or in none."""

    def __init__(self, level=0):
        self.level = level

    def __enter__(self):
        here = levels()
        self.before = here.current
        go_to(here, self.level)

    def __exit__(self, *error):
        go_to(levels(), self.before)


class vmap_level:
    """A context in which operations run inside of a vmap over ``size`` elements; it gives the number of the level.

    randomness: of random operations, ``"error"``, ``"different"`` or ``"same"``, as for ``wengert.vmap``.

    >>> import wengert as wg
    >>> from wengert_engine.extend import add_batch_dim, remove_batch_dim, vmap_level
    >>> with vmap_level(3) as level:
    ...     x = add_batch_dim(wg.arange(6.0).reshape(2, 3), 1, level)
    ...     y = x.sum()
    >>> x.shape, remove_batch_dim(y, level, 3)
    (torch.Size([2]), tensor([3., 5., 7.]))
    """

    def __init__(self, size, randomness="error"):
        self.size, self.randomness = size, randomness

    def __enter__(self):
        return enter(self.size, self.randomness)

    def __exit__(self, *error):
        leave()
