"""Observers: who uses WG_OBSERVE in a thread.

Note [Observers of a thread]
    There are four uses: a recording (``start``), a listener that is called as things happen (``listen``), a look at
    every write (``watch``), and a tracer of every operation (``trace``), alone. A thread's Observer has them all; the
    thread's WG_OBSERVE is on when it has one, its WG_TELL with a tracer. While an op runs the bit is off, so what an
    op consists of is not observed; functions of ops, nodes and Functions leave it on, and enclose what they run. What
    is batched is run by its package with the bit on: the operations on whole batches are events inside.
"""
cimport cython
from cpython.object cimport PyTypeObject
from _thread import _local

from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_OBSERVE, WgState, thread_state

cdef extern from *:
    """
    static __thread PyObject *wengert_observer = NULL;      /* the thread's Observer, borrowed from HERE */
    """
    PyObject* wengert_observer

cdef Hooks* HOOKS = hooks()
cdef object HERE = _local()
cdef int ACTIVE = 0                    # threads that are observed


@cython.binding(False)
cdef class Observer:
    """What observes a thread."""

    def __dealloc__(self):
        if wengert_observer == <PyObject*> self:     # the thread ends; what is finalized after this is not observed
            set_here(NULL)
        if self.active:
            count_active(-1)

    cdef int settle(self) noexcept:
        """Let the thread's mode say whether there is something to do."""
        cdef WgState* state = thread_state()
        cdef bint active = self.recording is not None or self.listener is not None or self.watcher is not None \
            or self.tracer is not None
        self.only_records = self.recording is not None and self.recording.timer is None and self.listener is None \
            and self.watcher is None and self.tracer is None
        if active:
            state.modes |= WG_OBSERVE
        else:
            state.modes &= ~(<unsigned int> WG_OBSERVE)
        if active != self.active:
            self.active = active
            count_active(1 if active else -1)
        return 0


cdef void count_active(int change) noexcept:
    """While there are any, functions of ops look whether theirs is one."""
    global ACTIVE
    ACTIVE += change
    if ACTIVE == (1 if change > 0 else 0) and HOOKS.observe_functions != NULL:
        HOOKS.observe_functions(ACTIVE > 0)


cdef void set_here(PyObject* made) noexcept:
    global wengert_observer
    wengert_observer = made


cdef PyObject* current() noexcept:
    return wengert_observer


cdef Observer observer():
    cdef Observer made
    if wengert_observer != NULL:
        return <Observer> wengert_observer
    made = Observer.__new__(Observer)
    made.open = -1
    HERE.observer = made
    set_here(<PyObject*> made)
    return made


not_made_by_hand(<PyTypeObject*> Observer)
