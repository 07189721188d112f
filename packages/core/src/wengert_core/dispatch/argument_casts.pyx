"""Casts of arguments before a call runs: autocast's mechanism.

Note [Casts before calls]
    A thread may have an ``ArgumentCasts``: it says, once for each op and each function of ops, what casts its
    arguments. WG_CAST is on in the thread's modes then, and the test with which a driver looks for other devices and
    batches finds it (drivers/steps.pyx), so nothing is slower where no thread has any. A call whose arguments are cast,
    and every single op, runs with WG_CAST off: what it is made of computes in the dtypes that it was called with. A
    function of ops that is not cast leaves it on. Formulas run with it off (the engine's reverse/launch.pyx): a
    derivative is computed in the dtypes of its operation. What a call with ``out=`` gets is never cast.
"""
cimport cython
from cpython.object cimport PyTypeObject
from _thread import _local
from contextlib import nullcontext

from cpython.ref cimport PyObject

from wengert_core.dispatch.dispatcher cimport dispatch
from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_CAST, thread_state
from wengert_core.tensors.tensor cimport Tensor

cdef extern from *:
    """
    static __thread PyObject *wengert_casts = NULL; /* the thread's Holder, borrowed from HERE; NULL: no casts */
    """
    PyObject* wengert_casts

cdef object HERE = _local()
cdef int ACTIVE = 0                    # threads with casts
cdef switch_fn FUNCTIONS = NULL        # composite.pyx: tells functions of ops whether some thread has casts


@cython.binding(False)
cdef class ArgumentCasts:
    """Casts of calls' arguments: ``casts_for(function)`` is asked once for each op or function of ops, and remembered.

    casts_for: gets an op or a function of an op table; returns None where its arguments stay as they are, or a function
    of the list of its arguments which returns a list as long, where tensors may be others. The arguments of an op are
    those of its schema, with defaults; those of a function are what was passed, keywords last.
    again: called where a checkpoint is made; returns a function without arguments that gives a context manager, inside
    of which the casts are as they are now. None: the second run of a checkpoint has no casts.
    caches: called with a type of device; returns whether tensors that were cast there may be kept, and used for later
    calls. None: none are.
    TypeError for what cannot be called.

    >>> from wengert_core import exp, ones
    >>> def doubled(values):
    ...     return [values[0].double(), *values[1:]]
    >>> casts = ArgumentCasts(lambda function: doubled if function is exp else None)
    >>> before = set_argument_casts(casts)
    >>> exp(ones(1)).dtype, ones(1).sin().dtype
    (torch.float64, torch.float32)
    >>> set_argument_casts(before) is casts
    True
    """
    cdef object casts_for
    cdef object again
    cdef object caches
    cdef dict known

    def __cinit__(self, casts_for, again=None, caches=None):
        if not callable(casts_for):
            raise TypeError(f"ArgumentCasts(): argument 'casts_for' must be a function, not {type(casts_for).__name__}")
        if again is not None and not callable(again):
            raise TypeError(f"ArgumentCasts(): argument 'again' must be a function or None, not {type(again).__name__}")
        if caches is not None and not callable(caches):
            raise TypeError("ArgumentCasts(): argument 'caches' must be a function or None, not "
                            f"{type(caches).__name__}")
        self.casts_for, self.again, self.caches, self.known = casts_for, again, caches, {}


@cython.binding(False)
cdef class Holder:                     # a thread's casts; it goes with the thread
    cdef ArgumentCasts casts           # None: no more

    def __cinit__(self):
        self.casts = None

    def __dealloc__(self):
        if wengert_casts == <PyObject*> self:
            set_here(NULL)
        if self.casts is not None:
            count_active(-1)


cdef void set_here(PyObject* holder) noexcept:
    global wengert_casts
    wengert_casts = holder


cdef void count_active(int change) noexcept:
    """While there are any, functions of ops look whether their thread is one."""
    global ACTIVE
    ACTIVE += change
    if FUNCTIONS != NULL and ACTIVE == (1 if change > 0 else 0):
        FUNCTIONS(ACTIVE > 0)


cdef void set_functions_hook(switch_fn hook) noexcept:
    global FUNCTIONS
    FUNCTIONS = hook


cdef bint switch_off() noexcept:
    cdef bint was_on = thread_state().modes & WG_CAST != 0
    thread_state().modes &= ~(<unsigned int> WG_CAST)
    return was_on


cdef void switch_back() noexcept:
    if wengert_casts != NULL and (<Holder> wengert_casts).casts is not None:
        thread_state().modes |= WG_CAST
    else:
        thread_state().modes &= ~(<unsigned int> WG_CAST)


cdef object cast_for(PyObject* function):
    if wengert_casts == NULL or (<Holder> wengert_casts).casts is None:
        return None
    cdef ArgumentCasts casts = (<Holder> wengert_casts).casts
    key = <object> function
    if key in casts.known:
        return casts.known[key]
    switch_off()
    try:
        found = casts.casts_for(key)
    finally:
        switch_back()
    if found is not None and not callable(found):
        raise TypeError(f"{key.__name__}: its arguments are to be cast by an object of type {type(found).__name__}, "
                        "expected a function of the list of arguments, or None")
    casts.known[key] = found
    return found


cdef object cast_values(object name, object cast, list values):
    cdef Py_ssize_t i
    found = cast(list(values))
    if not isinstance(found, (list, tuple)) or len(found) != len(values):
        length = f" of {len(found)}" if isinstance(found, (list, tuple)) else ""
        raise TypeError(f"{name}: the cast of its {len(values)} arguments gave {type(found).__name__}{length}, "
                        "expected a list as long")
    for i in range(len(values)):
        check_same_kind(name, i, values[i], found[i])
    return found


cdef int check_same_kind(object name, Py_ssize_t i, object value, object found) except -1:
    """Raise TypeError unless a tensor stands for a tensor, as many for a list of them, and anything else for itself."""
    if found is value or (isinstance(value, Tensor) and isinstance(found, Tensor)):
        return 0
    if type(value) in (list, tuple) and type(found) in (list, tuple) and len(found) == len(value):
        for one, other in zip(value, found):
            check_same_kind(name, i, one, other)
        return 0
    raise TypeError(f"{name}: the cast of argument {i} gave an object of type {type(found).__name__} for one of type "
                    f"{type(value).__name__}; a cast exchanges tensors for tensors, and leaves the rest as it is")


cdef object run_cast(Op op, PyObject** slots):
    """Run an op of a thread that has casts, with its arguments cast where it is to."""
    cdef PyObject* own[16]
    cdef int i
    cdef object found = None           # keeps what ``own`` borrows
    for i in range(op.n_params):
        own[i] = slots[i]
    cast = cast_for(<PyObject*> op)
    switch_off()
    try:
        if cast is not None and (op.out_slot < 0 or slots[op.out_slot] == NULL
                                 or slots[op.out_slot] == <PyObject*> None):
            found = cast_values(op.name, cast,
                                [<object> slots[i] if slots[i] != NULL else None for i in range(op.n_params)])
            found = tuple(found)
            for i in range(op.n_params):
                if slots[i] != NULL:
                    own[i] = <PyObject*> <object> (<tuple> found)[i]
        return dispatch(op, own)
    finally:
        switch_back()


def set_argument_casts(casts):
    """Let the arguments of this thread's calls be cast by an ``ArgumentCasts``; None: no more. Return the one before.

    TypeError for anything else.

    >>> set_argument_casts(None)
    """
    cdef Holder holder = <Holder> wengert_casts if wengert_casts != NULL else None
    if casts is not None and type(casts) is not ArgumentCasts:
        raise TypeError("set_argument_casts(): argument 'casts' must be an ArgumentCasts or None, not "
                        f"{type(casts).__name__}")
    if holder is None:
        if casts is None:
            return None
        HERE.holder = holder = Holder.__new__(Holder)
        set_here(<PyObject*> holder)
    before = holder.casts
    holder.casts = casts
    if (casts is None) != (before is None):
        count_active(-1 if casts is None else 1)
    switch_back()
    return before


not_made_by_hand(<PyTypeObject*> Holder)


def casts_again():
    """Return a function that gives a context manager for running once more what runs now, with the casts of now.

    >>> with casts_again()():
    ...     pass
    """
    if wengert_casts == NULL or (<Holder> wengert_casts).casts is None or (<Holder> wengert_casts).casts.again is None:
        return nullcontext
    return (<Holder> wengert_casts).casts.again()


def casts_are_cached(str device_type not None):
    """Return whether the thread's casts may keep tensors of a type of device that were cast, for later calls.

    >>> casts_are_cached("cuda")
    False
    """
    if wengert_casts == NULL or (<Holder> wengert_casts).casts is None:
        return False
    caches = (<Holder> wengert_casts).casts.caches
    return caches is not None and bool(caches(device_type))
