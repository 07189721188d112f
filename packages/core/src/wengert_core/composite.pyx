"""Composite: a function of other ops, as users call it: what it raises for an argument of the wrong type is a TypeError
in torch's words. Nothing is looked at before something has failed, so a call costs what the function costs.
"""
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from wengert_core.observer cimport EVENT_FUNCTION, ObserverHooks, observer_hooks
from wengert_core.state cimport WG_OBSERVE, thread_state

cdef extern from "Python.h":
    object PyObject_Vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames)
    Py_ssize_t PyVectorcall_NARGS(size_t n) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject* t, Py_ssize_t i) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept
    void Py_XINCREF(PyObject* o) noexcept
    PyObject* PyMethod_New(PyObject* f, PyObject* self) noexcept

cdef extern from "wengert_core/objects.h":
    void wengert_set_vectorcall(PyTypeObject* t, Py_ssize_t offset, void* get) noexcept

cdef ObserverHooks* OBSERVER = observer_hooks()


cdef class Composite:
    """A row that is a function of other ops: call it as a function, or as a method of Tensor."""
    cdef void* vectorcall              # CPython's entry; its offset is told to the type
    cdef PyObject* before              # all Composites are linked, borrowed
    cdef PyObject* after
    cdef readonly object function      # what it calls
    cdef readonly str name             # under which it is called, without its namespace
    cdef bint writes                   # out= is taken here, and not by the function

    def __init__(self, function, str name, bint out=False):
        self.function, self.name, self.writes = function, name, out
        self.vectorcall = ENTRY
        link(self)

    def __dealloc__(self):
        if self.after != NULL:
            (<Composite> self.after).before = self.before
        if self.before != NULL:
            (<Composite> self.before).after = self.after
        elif LAST == <PyObject*> self:
            unlink_last(self.after)

    def __repr__(self):
        return f"<wengert function {self.name}>"

    def __reduce__(self):
        return Composite, (self.function, self.name, self.writes)

    @property
    def __wrapped__(self):
        return self.function

    @property
    def __signature__(self):
        import inspect
        signature = inspect.signature(self.function)
        if not self.writes:
            return signature
        out = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
        return signature.replace(parameters=[*signature.parameters.values(), out])

    @property
    def __name__(self):
        return self.name

    @property
    def __doc__(self):
        return self.function.__doc__

    @property
    def __module__(self):
        return self.function.__module__

    @property
    def __qualname__(self):
        return self.name

    @property
    def __defaults__(self):
        return self.function.__defaults__


cdef object composite_vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    cdef Composite composite = <Composite> callable_
    try:
        if composite.writes and kwnames != NULL:
            return written(composite, args, PyVectorcall_NARGS(nargsf), kwnames)
        return PyObject_Vectorcall(<PyObject*> composite.function, args, nargsf, kwnames)
    except Exception as error:
        from wengert_core.misfits import misfit, renamed
        given, keywords = arguments(args, PyVectorcall_NARGS(nargsf), kwnames)
        known = renamed(composite.function, composite.name, keywords)
        refusal = misfit(composite.function, composite.name, given, keywords, error) if known is None else None
        if known is None and refusal is None:
            raise
    if known is not None:
        return composite(*given, **known)
    raise refusal


cdef object observed_vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    """The entry while some thread is observed."""
    cdef int64_t event
    if not thread_state().modes & WG_OBSERVE or OBSERVER.begin == NULL:
        return composite_vectorcall(callable_, args, nargsf, kwnames)
    event = OBSERVER.begin(EVENT_FUNCTION, callable_, args, PyVectorcall_NARGS(nargsf))
    try:
        return composite_vectorcall(callable_, args, nargsf, kwnames)
    finally:
        OBSERVER.end(event)


cdef PyObject* LAST = NULL             # the Composite that was made last; Composite.after leads to the one made before it
cdef void* ENTRY = <void*> composite_vectorcall


cdef void link(Composite composite) noexcept:
    global LAST
    if composite.before != NULL or composite.after != NULL or LAST == <PyObject*> composite:
        return                             # __init__ was called again
    composite.after = LAST
    if LAST != NULL:
        (<Composite> LAST).before = <PyObject*> composite
    LAST = <PyObject*> composite


cdef void unlink_last(PyObject* after) noexcept:
    global LAST
    LAST = after


cdef void observe_functions(bint on) noexcept:
    """Give all the entry that looks whether the thread is observed, or the one that does not."""
    global ENTRY
    cdef PyObject* one = LAST
    ENTRY = <void*> observed_vectorcall if on else <void*> composite_vectorcall
    while one != NULL:
        (<Composite> one).vectorcall = ENTRY
        one = (<Composite> one).after


OBSERVER.observe_functions = observe_functions


cdef object written(Composite composite, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames):
    """The result in the tensor that out= gives."""
    from wengert_core.outputs import into
    given, keywords = arguments(args, nargs, kwnames)
    out = keywords.pop("out", None)
    result = composite.function(*given, **keywords)
    return result if out is None else into(composite.name, result, out)


cdef tuple arguments(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames):
    """A call's arguments as a tuple and a dict."""
    cdef Py_ssize_t i, n_keywords = 0 if kwnames == NULL else PyTuple_GET_SIZE(kwnames)
    return (tuple([<object> args[i] for i in range(nargs)]),
            {<object> PyTuple_GET_ITEM(kwnames, i): <object> args[nargs + i] for i in range(n_keywords)})


cdef PyObject* composite_get(PyObject* composite, PyObject* instance, PyObject* owner) noexcept:
    """Attribute access on an instance binds, as a function does."""
    if instance == NULL or instance == <PyObject*> None:
        Py_XINCREF(composite)
        return composite
    return PyMethod_New(composite, instance)


cdef Py_ssize_t vectorcall_offset():
    cdef Composite probe = Composite.__new__(Composite)
    return <char*> &probe.vectorcall - <char*> <PyObject*> probe


wengert_set_vectorcall(<PyTypeObject*> Composite, vectorcall_offset(), <void*> composite_get)
