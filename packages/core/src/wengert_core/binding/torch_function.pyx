"""Tensors of subclasses, which are asked by their ``__torch_function__`` what a function gives.

Note [Tensors of subclasses are asked first]
    An operation's C entry looks at one number: 0 until the first tensor of a subclass of Tensor is made. From then on
    it looks at its arguments, and where one is of a subclass that has not switched it off, ``overrides`` asks for the
    answer. ``Tensor.__torch_function__`` runs the function with nobody asked, and gives its results the subclass. So
    nobody pays who has no such class, and what is called from C (``call1``, ``call2``, ``call_bound``) asks nobody. The
    engine switches it off around formulas and rules for batches: they compute with whatever tensors an operation was
    given, and are none of the program's calls.

Note [Modes are asked before tensors]
    A ``TorchFunctionMode`` answers for every call in its block, of whatever arguments. The first one sets the same
    number, so that calls look further; each thread counts the modes that it has on. The stack of modes is kept in
    ``binding/function_modes.pyx``, without the one that is being asked: what it calls is asked of those around it.
    ``_disabled_torch_function_impl`` switches off tensors alone, the engine the modes as well.

Note [Blocks that Ctrl-C cannot leave open]
    Python looks for interrupts where a function written in Python begins, and behind each call of one that is not. A
    block whose ``__exit__`` is Python's may so be left without it having run, and the thread would ask nobody from
    there on; so it is between a call that switches something and the ``try`` behind it. So contexts that the library
    enters in the midst of calls are compiled, and nothing else sets the level.

Note [Tensors in slices]
    PyTorch asks no tensor that is a bound of a slice, as in ``x[i:i + 2]``: it asks it for its ``__index__``. Neither
    does this, unless the tensor's class has the attribute ``_is_asked_in_slices``, as numbers of recorded loops have.
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject

from wengert_core.binding.call_arguments cimport arguments

cdef extern from *:
    """
    unsigned int wengert_subclasses = 0;
    static __thread unsigned int wengert_asking_is_off = 0;    /* 1: tensors are not asked; 2: nor are modes */
    static __thread unsigned int wengert_modes = 0;            /* how many modes this thread has on */
    static PyTypeObject *wengert_tensor_type = NULL;
    static PyObject *wengert_handler_name = NULL;              /* "__torch_function__" */
    static PyObject *wengert_disabled = NULL;                  /* the handler of classes that have switched it off */
    static PyObject *wengert_slice_name = NULL;                /* "_is_asked_in_slices" */
    /* Whether a bound of a slice is a tensor that is to be asked. */
    static int wengert_slice_has_subclass(PySliceObject *slice) {
        PyObject *parts[3] = {slice->start, slice->stop, slice->step};
        for (int i = 0; i < 3; i++)
            if (Py_TYPE(parts[i]) != wengert_tensor_type && PyType_IsSubtype(Py_TYPE(parts[i]), wengert_tensor_type)
                && _PyType_Lookup(Py_TYPE(parts[i]), wengert_slice_name) != NULL) return 1;
        return 0;
    }
    /* Whether a tensor of a subclass that may be asked is among some values, or among the items of a list or tuple. */
    static int wengert_has_subclass(PyObject *const *values, Py_ssize_t n, int is_item) {
        for (Py_ssize_t i = 0; i < n; i++) {
            PyTypeObject *type = Py_TYPE(values[i]);
            if (type == wengert_tensor_type) continue;
            if (type == &PyList_Type || type == &PyTuple_Type) {
                if (!is_item && wengert_has_subclass(PySequence_Fast_ITEMS(values[i]), Py_SIZE(values[i]), 1)) return 1;
            } else if (type == &PySlice_Type) {
                if (wengert_slice_has_subclass((PySliceObject *) values[i])) return 1;
            } else if (PyType_IsSubtype(type, wengert_tensor_type)
                       && _PyType_Lookup(type, wengert_handler_name) != wengert_disabled) return 1;
        }
        return 0;
    }
    """
    PyTypeObject* wengert_tensor_type
    PyObject* wengert_handler_name
    PyObject* wengert_disabled
    PyObject* wengert_slice_name
    unsigned int wengert_asking_is_off
    unsigned int wengert_modes
    bint wengert_has_subclass(PyObject* const* values, Py_ssize_t n, int is_item) noexcept

cdef extern from "Python.h":
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept


cdef unsigned int* subclasses() noexcept nogil:
    return &wengert_subclasses


cdef enum:
    SUBCLASS = 1                       # bits of wengert_subclasses: there has been a tensor of a subclass that is asked
    MODE = 2                           # there has been a mode
    TENSORS_OFF = 1                    # values of wengert_asking_is_off
    ALL_OFF = 2


cdef void note_subclass() noexcept:
    global wengert_subclasses
    wengert_subclasses |= SUBCLASS


cdef void set_tensor_type(PyObject* tensor_type) noexcept:
    global wengert_tensor_type
    wengert_tensor_type = <PyTypeObject*> tensor_type


cdef bint is_tensor_type(PyObject* kind) noexcept:
    return kind == <PyObject*> wengert_tensor_type


cdef bint may_override(PyObject* const* args, Py_ssize_t n) noexcept:
    if wengert_modes and wengert_asking_is_off < ALL_OFF:
        return True
    return not wengert_asking_is_off and wengert_has_subclass(args, n, 0)


cdef unsigned int is_disabled() noexcept nogil:
    global wengert_asking_is_off
    cdef unsigned int before = wengert_asking_is_off
    wengert_asking_is_off = ALL_OFF
    return before


cdef unsigned int disable_tensors() noexcept nogil:
    global wengert_asking_is_off
    cdef unsigned int before = wengert_asking_is_off
    if before < TENSORS_OFF:
        wengert_asking_is_off = TENSORS_OFF
    return before


cdef void restore(unsigned int off) noexcept nogil:
    global wengert_asking_is_off
    wengert_asking_is_off = off


cdef PyObject* call_override(PyObject* func, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) except? NULL:
    """The answer to a call of which ``may_override`` is True; NULL without an exception where all have disabled it."""
    from wengert_core.dispatch.overrides import first_answer
    positional, keywords = arguments(args, nargs, kwnames)
    return only_item(first_answer(<object> func, positional, keywords))


ctypedef PyObject* (*attribute_answer_fn)(PyObject*, PyObject*, const char*, PyObject*) noexcept


cdef PyObject* attribute_answer(PyObject* self, PyObject* name, const char* what, PyObject* value) except? NULL:
    """Return the answer to an attribute's ``__get__``, ``__set__`` (of value) or ``__delete__``; NULL as in asked."""
    from wengert_core.dispatch.overrides import first_answer
    instance = <object> self
    args = (instance,) if value == NULL else (instance, <object> value)
    return only_item(first_answer(getattr(getattr(<object> <PyObject*> wengert_tensor_type, <object> name),
                                          what.decode()),
                                  args, {}))


cdef PyObject* call_attribute_override(PyObject* self, PyObject* name, const char* what, PyObject* value) noexcept:
    cdef PyObject* result = NULL
    if may_override(&self, 1):
        result = (<attribute_answer_fn> attribute_answer)(self, name, what, value)
    return result


cdef PyObject* only_item(object answer) noexcept:
    """The only item of a tuple, with a reference to it; NULL of None."""
    if answer is None:
        return NULL
    result = (<tuple> answer)[0]
    Py_INCREF(result)
    return <PyObject*> result


def is_enabled():
    """Whether values with ``__torch_function__`` are asked in this thread.

    >>> is_enabled()
    True
    """
    return not wengert_asking_is_off


def modes_may_override():
    """Return whether modes are asked in this thread, where it has some."""
    return wengert_asking_is_off < ALL_OFF


def count_modes(unsigned int n):
    """Note how many modes this thread has on. Note [Modes are asked before tensors]"""
    global wengert_modes, wengert_subclasses
    wengert_modes = n
    if n:
        wengert_subclasses |= MODE


@cython.binding(False)
cdef class EnableTorchFunction:
    """A block in which everybody is asked, in this thread. Note [Blocks that Ctrl-C cannot leave open]

    ``__enter__`` gives the level before: 0 where everybody is asked, 1 where tensors are not, 2 where modes are not.
    """
    cdef unsigned int level
    cdef bint raises                   # whether fewer are asked than before, and never more
    cdef tuple before                  # the level before the block, and this of the block around it by the same object

    def __cinit__(self):
        self.level, self.raises, self.before = 0, False, ()

    def __enter__(self):
        cdef unsigned int before = wengert_asking_is_off
        self.before = (before, self.before)
        restore(max(before, self.level) if self.raises else self.level)
        return before

    def __exit__(self, *exception):
        if self.before:
            level, self.before = self.before
            restore(level)


@cython.binding(False)
cdef class DisableTorchFunctionSubclass(EnableTorchFunction):
    """A block in which no value with ``__torch_function__`` is asked, in this thread; modes are.

    >>> from wengert_core import Tensor, ones
    >>> class Length(Tensor):
    ...     pass
    >>> x = ones(1).as_subclass(Length)
    >>> with DisableTorchFunctionSubclass():
    ...     print(type(x + 1).__name__)
    Tensor
    >>> print(type(x + 1).__name__)
    Length
    """

    def __cinit__(self):
        self.level, self.raises = TENSORS_OFF, True


@cython.binding(False)
cdef class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A block in which nobody is asked, in this thread: neither modes nor values with ``__torch_function__``."""

    def __cinit__(self):
        self.level = ALL_OFF


@cython.binding(False)                 # a builtin, so that it binds nothing where it stands in a class
def _disabled_torch_function_impl(func, types, args=(), kwargs=None):
    """``func(*args, **kwargs)``, with nobody asked. A subclass whose ``__torch_function__`` is this is never asked.

    >>> from wengert_core import Tensor, ones
    >>> class Plain(Tensor):
    ...     __torch_function__ = _disabled_torch_function_impl
    >>> type(ones(1).as_subclass(Plain) + 1).__name__
    'Tensor'
    """
    cdef unsigned int before = wengert_asking_is_off
    restore(max(before, TENSORS_OFF))
    try:
        return func(*args, **(kwargs or {}))
    finally:
        restore(before)


cdef object HANDLER = "__torch_function__"
cdef object DISABLED = _disabled_torch_function_impl
cdef object IN_SLICES = "_is_asked_in_slices"
wengert_handler_name, wengert_disabled = <PyObject*> HANDLER, <PyObject*> DISABLED
wengert_slice_name = <PyObject*> IN_SLICES
