"""Observers: who uses WG_OBSERVE in a thread.

Note [Observers of a thread]
    There are five uses: a recording (``start``), a listener that is called as things happen (``listen``), a look at
    every write (``watch``), a tracer of every operation (``trace``), without the first two, and interceptors
    (``push_interceptor``), which come before the others. A thread's Observer has them all; the
    thread's WG_OBSERVE is on when it has one, its WG_TELL with a tracer. While an op runs the bit is off, so what an
    op consists of is not observed; functions of ops, nodes and Functions leave it on, and enclose what they run. What
    is batched is run by its package with the bit on: the operations on whole batches are events inside.

Note [Interceptors]
    An interceptor is called in place of each operation of its thread, after casts of arguments and before all else. It
    runs the operation (``OpCall.run``), or gives it outputs that are known already (``OpCall.finish``): these get the
    history which the operation would have recorded. Interceptors are a stack. While one is called, those around it are
    there; so what it runs itself is not handed to it again.
"""
cimport cython
from cpython.object cimport PyTypeObject
from libc.stdint cimport uint32_t
from _thread import _local

from wengert_core.dispatch.dispatcher cimport dispatch, flags_of_value, intercept
from wengert_core.dispatch.hooks cimport Hooks, hooks
from wengert_core.dispatch.op cimport MAX_SLOTS, OP_INPLACE, OP_MULTI_VIEW, OP_VIEW
from wengert_core.drivers.steps cimport record_outputs
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport (WG_BATCHED, WG_DERIVING, WG_FOREIGN, WG_OBSERVE, WgState,
                                         thread_state)
from wengert_core.tensors.requires_grad cimport requires_grad
from wengert_core.tensors.tensor cimport Tensor, alias

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
            or self.tracer is not None or self.interceptor is not None
        self.only_records = self.recording is not None and self.recording.timer is None and self.listener is None \
            and self.watcher is None and self.tracer is None and self.interceptor is None
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


# ---- interceptors

@cython.binding(False)
cdef class Interceptor:
    """A function that is called in place of a thread's operations. Note [Interceptors]"""


cdef Interceptor new_interceptor(object function, Interceptor below):
    cdef Interceptor interceptor = Interceptor.__new__(Interceptor)
    interceptor.function, interceptor.below = function, below
    return interceptor


@cython.binding(False)
cdef class OpCall:
    """An operation that a thread is about to run, as an interceptor gets it; of no use when the interceptor returns."""
    cdef readonly Op op
    cdef PyObject** slots              # borrowed; NULL: the interceptor has returned
    cdef uint32_t live                 # Note [What is live] in core's dispatch/dispatcher.pxd
    cdef Observer here                 # of the thread

    cdef int check(self, str method) except -1:
        if self.slots == NULL or <PyObject*> self.here != wengert_observer:
            raise RuntimeError(f"OpCall.{method}() of {self.op.name}: the call is over, or another thread's; use it in "
                               "the interceptor that got it")
        return 0

    @property
    def arguments(self):
        """Values of the operation's parameters (``op.params``), in a tuple, with defaults."""
        self.check("arguments")
        return tuple([<object> self.slots[i] if self.slots[i] != NULL else None for i in range(self.op.n_params)])

    @property
    def args(self):
        """Positional arguments with which the operation may be called: those up to the last that is no default."""
        self.check("args")
        cdef Py_ssize_t i, n = self.op.n_positional
        while n and self.slots[n - 1] == self.op.defaults[n - 1]:
            n -= 1
        return tuple([<object> self.slots[i] if self.slots[i] != NULL else None for i in range(n)])

    @property
    def kwargs(self):
        """Keyword-only arguments that are no defaults."""
        self.check("kwargs")
        cdef Py_ssize_t i
        return {self.op.params[i]: <object> self.slots[i] for i in range(self.op.n_positional, self.op.n_params)
                if self.slots[i] != NULL and self.slots[i] != self.op.defaults[i]}

    @property
    def can_finish(self):
        """Whether ``finish`` is possible: the operation makes tensors, and writes to none and views none."""
        self.check("can_finish")
        return not self.op.flags & (OP_INPLACE | OP_VIEW | OP_MULTI_VIEW) and (
            self.op.out_slot < 0 or self.slots[self.op.out_slot] == NULL
            or self.slots[self.op.out_slot] == <PyObject*> None)

    def run(self):
        """Run the operation; return its result."""
        self.check("run")
        return run_below(self.op, self.slots, self.live, self.here)

    def finish(self, outputs):
        """Return outputs as the result of the operation, which does not run, with the history that it would give them.

        outputs: a tensor, or a tuple or list of tensors, as the operation returns them; what is returned shares their
        memory, and is of the same type. They require no grad.
        TypeError for what is no tensor; ValueError for another number of tensors, for one that requires grad, and where
        ``can_finish`` is False.
        """
        cdef PyObject* outs[MAX_SLOTS]
        cdef bint one = isinstance(outputs, Tensor)
        cdef tuple given, made
        cdef int i, n = <int> len(self.op.outputs)
        if not self.can_finish:
            raise ValueError(f"OpCall.finish() of {self.op.name}: its result is an argument or shares memory with one; "
                             "call run()")
        if not one and not isinstance(outputs, (tuple, list)):
            raise TypeError(f"OpCall.finish() of {self.op.name}: argument 'outputs' must be a Tensor or a tuple of "
                            f"Tensors, not {type(outputs).__name__}")
        made = (outputs,) if one else tuple(outputs)
        if len(made) != n:
            raise ValueError(f"OpCall.finish() of {self.op.name}: expected {n} outputs, {self.op.outputs}, got "
                             f"{len(made)}")
        for item in made:
            if not isinstance(item, Tensor):
                raise TypeError(f"OpCall.finish() of {self.op.name}: the outputs must be Tensors, not "
                                f"{type(item).__name__}")
            if requires_grad(<Tensor> item):
                raise ValueError(f"OpCall.finish() of {self.op.name}: an output requires grad already; detach() it")
        given, made = made, tuple([alias(<Tensor> item) for item in made])
        for i in range(n):
            outs[i] = <PyObject*> <object> made[i]
            if self.here.tracer is not None:
                self.here.tracer.note_alias(<Tensor> <object> given[i], <Tensor> <object> made[i])
        record_outputs(self.op, self.slots, outs, n, flags_of_all(self.op, self.slots) & thread_state().modes)
        return made[0] if one else type(outputs)(made)


cdef uint32_t flags_of_all(Op op, PyObject** slots) noexcept:
    """The flags of all tensors among the arguments: some drivers watch their slots themselves."""
    cdef uint32_t flags = 0
    cdef int i
    for i in range(op.n_params):
        if slots[i] != NULL and i != op.out_slot:
            flags |= flags_of_value(slots[i])
    return flags


cdef object run_below(Op op, PyObject** slots, uint32_t live, Observer here):
    """Run an operation while an interceptor is called."""
    if here.interceptor is not None or here.recording is not None or here.listener is not None \
            or here.watcher is not None or here.tracer is not None:
        return HOOKS.run_observed(op, slots, live)
    if not live & (WG_BATCHED | WG_FOREIGN) or live & (WG_BATCHED | WG_DERIVING) == WG_DERIVING:
        return dispatch(op, slots)
    return intercept(op, slots, live & ~(<uint32_t> WG_OBSERVE))


cdef object run_intercepted(Op op, PyObject** slots, uint32_t live, Observer here):
    cdef WgState* state = thread_state()
    cdef Interceptor interceptor = here.interceptor
    cdef OpCall call = OpCall.__new__(OpCall)
    call.op, call.slots, call.live, call.here = op, slots, live, here
    here.interceptor = interceptor.below
    # ``settle`` would count the thread out and in again, for each operation.
    if here.interceptor is None and here.recording is None and here.listener is None and here.watcher is None \
            and here.tracer is None:
        state.modes &= ~(<unsigned int> WG_OBSERVE)
    try:
        return interceptor.function(call)
    finally:
        call.slots = NULL
        here.interceptor = interceptor
        here.settle()


not_made_by_hand(<PyTypeObject*> Observer)
not_made_by_hand(<PyTypeObject*> Interceptor)
not_made_by_hand(<PyTypeObject*> OpCall)
