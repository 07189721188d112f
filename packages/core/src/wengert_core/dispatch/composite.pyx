"""Composite: a function of other ops, as users call it: what it raises for an argument of the wrong type is a TypeError
in torch's words.

Note [What a composite's annotations say]
    Arguments with an annotation of ANNOTATED (or one of these and None) are looked at before the call, by comparing
    types: a number is no bool and True no int, though Python takes one for the other, as torch has it. The rest is
    looked at only when something has failed, so that a call costs little more than the function. What may be left out
    and must not be None is written ``dim: int = UNSAID``: UNSAID is None, of no type.
"""
cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from wengert_core.binding.call_arguments cimport arguments
from wengert_core.binding.class_attributes cimport has_attribute
from wengert_core.binding.python_functions import PYTHON_FUNCTIONS as _PYTHON_FUNCTIONS
from wengert_core.dispatch.argument_casts cimport cast_for, cast_values, set_functions_hook, switch_back, switch_off
from wengert_core.dispatch.exact_values cimport begins_with_bool
from wengert_core.dispatch.hooks cimport EVENT_FUNCTION, Hooks, hooks
from wengert_core.geometry.size_math cimport bytes_between
from wengert_core.runtime.state cimport WG_CAST, WG_OBSERVE, thread_state

from wengert_core.binding.torch_function cimport (call_override, is_tensor_type, may_override, wengert_owned,
                                                  wengert_subclasses)
from wengert_core.dispatch.op import type_words
from wengert_core.tensors.tensor cimport Tensor

cdef extern from "Python.h":
    PyTypeObject* Py_TYPE(PyObject* o) noexcept
    PyObject* _PyType_Lookup(PyTypeObject* kind, object name) noexcept
    bint PyBool_Check(PyObject* o) noexcept
    bint PyIndex_Check(PyObject* o) noexcept
    bint PyNumber_Check(PyObject* o) noexcept
    bint PyComplex_Check(PyObject* o) noexcept
    bint PyLong_CheckExact(PyObject* o) noexcept
    bint PyFloat_CheckExact(PyObject* o) noexcept
    bint PySequence_Check(PyObject* o) noexcept
    bint PyTuple_CheckExact(PyObject* o) noexcept
    bint PyUnicode_Check(PyObject* o) noexcept
    int PyUnicode_CHECK_INTERNED(PyObject* o) noexcept
    object PyObject_Vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames)
    Py_ssize_t PyVectorcall_NARGS(size_t n) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject* t, Py_ssize_t i) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept
    void Py_XINCREF(PyObject* o) noexcept
    void Py_DECREF(PyObject* o) noexcept
    PyObject* PyMethod_New(PyObject* f, PyObject* self) noexcept

cdef extern from "wengert_core/runtime/pyobject.h":
    void wengert_set_vectorcall(PyTypeObject* t, Py_ssize_t offset, void* get) noexcept

cdef Hooks* HOOKS = hooks()


cdef enum:
    LOOSE_BOOL = 1
    LOOSE_INT = 2
    LOOSE_FLOAT = 3
    LOOSE_TENSOR = 4
    LOOSE_INTS = 5                     # an int or a sequence
    LOOSE_SEQUENCE = 6
    LOOSE_INT_OR_TENSOR = 7
    LOOSE_FLOAT_OR_TENSOR = 8

cdef struct CheckedParameter:                   # a parameter with an annotation that is looked at
    PyObject* name                     # interned; owned by the function's code
    int position                          # -1: only by name
    int kind
    bint optional

cdef dict ANNOTATED = {"bool": LOOSE_BOOL, "int": LOOSE_INT, "float": LOOSE_FLOAT, "Tensor": LOOSE_TENSOR,
                       "int | Sequence[int]": LOOSE_INTS, "Sequence[int]": LOOSE_SEQUENCE,
                       "int | Tensor": LOOSE_INT_OR_TENSOR, "float | Tensor": LOOSE_FLOAT_OR_TENSOR}
# Arguments that torch looks at in Python: they take whatever has a truth value.
cdef set ANY_TRUTH = {"inplace", "size_average", "reduce", "return_indices", "full", "recompute_scale_factor",
                      "antialias", "get_infos", "add_zero_attn", "norm_type", "M", "sym"}
cdef tuple EXPECTED = ("", "bool", "int", "float", "Tensor", "tuple of ints", "tuple of ints", "int or Tensor",
                       "float or Tensor")


UNSAID = None                          # the default of what may be left out and must not be None


@cython.binding(False)
cdef class Composite:
    """A row that is a function of other ops: call it as a function, or as a method of Tensor."""
    cdef void* vectorcall              # CPython's entry; its offset is told to the type
    cdef PyObject* before              # all Composites are linked, borrowed
    cdef PyObject* after
    cdef readonly object function      # what it calls
    cdef readonly str name             # under which it is called, without its namespace
    cdef public str owner              # the table it belongs to; "" until it is in one
    cdef public str public_name        # the row's name in its table: "einsum", "nn.functional.conv2d"
    cdef public str documentation      # the package that has its entry, as of an Op
    cdef bint writes                   # out= is taken here, and not by the function
    cdef dict other_names              # of its arguments, with their own; None: not yet read from the function
    cdef int n_checked                 # parameters to look at; -1: not yet read from the function
    cdef CheckedParameter* checked              # owned

    def __cinit__(self, function, str name, bint out=False):
        self.function, self.name, self.writes = function, name, out
        self.owner = self.public_name = self.documentation = ""
        self.vectorcall = ENTRY
        self.n_checked = -1
        link(self)

    def __dealloc__(self):
        PyMem_Free(self.checked)
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
        from wengert_core.dispatch.op_docs import text_of
        return text_of(self)

    @property
    def __module__(self):
        return self.function.__module__

    @property
    def __qualname__(self):
        return self.name

    @property
    def __defaults__(self):
        return self.function.__defaults__


cdef int read_annotations(Composite composite) except -1:
    """Note which parameters are looked at. Note [What a composite's annotations say]"""
    function = composite.function
    annotations = getattr(function, "__annotations__", None) or {}
    code = getattr(function, "__code__", None)
    cdef list found = []
    cdef Py_ssize_t i, n_positional
    if code is not None:
        n_positional = code.co_argcount
        for i, name in enumerate(code.co_varnames[:n_positional + code.co_kwonlyargcount]):
            text = annotations.get(name, "")
            kind = ANNOTATED.get(text.removesuffix(" | None")) if isinstance(text, str) else None
            if kind is not None and name not in ANY_TRUTH:
                found.append((name, i if i < n_positional else -1, kind, text.endswith(" | None")))
    composite.checked = <CheckedParameter*> PyMem_Malloc(max(len(found), 1) * sizeof(CheckedParameter))
    if composite.checked == NULL:
        raise MemoryError()
    for i, (name, position, kind, optional) in enumerate(found):
        composite.checked[i].name = <PyObject*> name
        composite.checked[i].position, composite.checked[i].kind = position, kind
        composite.checked[i].optional = optional
    composite.n_checked = <int> len(found)
    return 0


cdef inline bint fits_at_once(PyObject* value, CheckedParameter* c) noexcept:
    """The exact types, which nearly all arguments have."""
    if c.kind == LOOSE_TENSOR:
        return type(<object> value) is Tensor
    if c.kind == LOOSE_BOOL:
        return PyBool_Check(value)
    if c.kind == LOOSE_SEQUENCE:
        return PyTuple_CheckExact(value) and not begins_with_bool(value)
    return PyLong_CheckExact(value) or (c.kind == LOOSE_FLOAT and PyFloat_CheckExact(value)) \
        or (c.kind == LOOSE_INTS and PyTuple_CheckExact(value) and not begins_with_bool(value))


cdef bint fits(PyObject* value, CheckedParameter* c) except -1:
    if value == <PyObject*> None:
        return c.optional
    if c.kind == LOOSE_TENSOR:
        return isinstance(<object> value, Tensor)
    if c.kind == LOOSE_BOOL:
        return type(<object> value).__name__ in ("bool", "bool_")     # NumPy's as well
    if isinstance(<object> value, Tensor) and c.kind != LOOSE_FLOAT:
        return c.kind > LOOSE_SEQUENCE or (c.kind != LOOSE_SEQUENCE and (<Tensor> value).rank == 0)
    if c.kind == LOOSE_INT or c.kind == LOOSE_INT_OR_TENSOR:
        return PyIndex_Check(value) and not PyBool_Check(value)
    if (c.kind == LOOSE_INTS or c.kind == LOOSE_SEQUENCE) and begins_with_bool(value):
        return False
    if c.kind == LOOSE_INTS or c.kind == LOOSE_SEQUENCE:
        return (PyIndex_Check(value) and not PyBool_Check(value) and c.kind == LOOSE_INTS) \
            or (PySequence_Check(value) and not PyUnicode_Check(value))
    return PyNumber_Check(value) and not PyComplex_Check(value)


cdef int check(Composite composite, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) except -1:
    """TypeError for an argument that is not what its annotation says."""
    cdef Py_ssize_t i, k, n_keywords = 0 if kwnames == NULL else PyTuple_GET_SIZE(kwnames)
    cdef CheckedParameter* c
    cdef PyObject* value
    cdef PyObject* word
    for i in range(composite.n_checked):
        c = &composite.checked[i]
        value = args[c.position] if 0 <= c.position < nargs else NULL
        k = 0
        while value == NULL and k < n_keywords:
            word = PyTuple_GET_ITEM(kwnames, k)
            # Keywords of f(**words) need not be interned.
            if word == c.name or (not PyUnicode_CHECK_INTERNED(word) and <object> word == <object> c.name):
                value = args[nargs + k]
            k += 1
        if value != NULL and not fits_at_once(value, c) and not fits(value, c):
            position = f" (position {c.position + 1})" if 0 <= c.position < nargs else ""
            raise TypeError(f"{composite.name}(): argument '{<object> c.name}'{position} must be {EXPECTED[c.kind]}, "
                            "not "
                            f"{type_words(<object> value)}; {composite.name}() received an invalid combination of "
                            "arguments")
    return 0


cdef str TORCH_FUNCTION = "__torch_function__"
cdef str OUT = "out"


cdef inline bint has_foreign_operand(PyObject* const* args, Py_ssize_t n) noexcept:
    """Return whether an argument that is no tensor may have ``__torch_function__``.

    It is asked before the function runs: its own operators may run well into the function, and fail otherwise there.
    """
    cdef Py_ssize_t i
    cdef PyObject* value
    for i in range(n):
        value = args[i]
        if not (is_tensor_type(<PyObject*> Py_TYPE(value)) or value == <PyObject*> None or PyLong_CheckExact(value)
                or PyFloat_CheckExact(value) or PyBool_Check(value) or PyUnicode_Check(value)
                or PyTuple_CheckExact(value) or isinstance(<object> value, Tensor)):
            if _PyType_Lookup(Py_TYPE(value), TORCH_FUNCTION) != NULL:
                return True
    return False


cdef object composite_vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    cdef Composite composite = <Composite> callable_
    cdef Py_ssize_t nargs = PyVectorcall_NARGS(nargsf)
    cdef PyObject* answer
    if wengert_subclasses and may_override(args, nargs + (0 if kwnames == NULL else PyTuple_GET_SIZE(kwnames))):
        answer = call_override(callable_, args, nargs, kwnames)
        if answer != NULL:
            return wengert_owned(answer)
    if has_foreign_operand(args, nargs + (0 if kwnames == NULL else PyTuple_GET_SIZE(kwnames))):
        from wengert_core.dispatch.overrides import NEVER_ASKED, call_overrides, overloaded_args
        given, keywords = arguments(args, nargs, kwnames)
        askers = overloaded_args(given, keywords)
        if askers and composite.name not in NEVER_ASKED:
            return call_overrides(composite, given, keywords, askers)
    if kwnames != NULL and has_other_name(composite, kwnames):
        return call_by_own_names(composite, args, nargs, kwnames)
    try:
        # Most calls have one tensor only: nothing to check.
        if composite.n_checked and not (nargs == 1 and kwnames == NULL and type(<object> args[0]) is Tensor):
            if composite.n_checked < 0:
                read_annotations(composite)
            check(composite, args, nargs, kwnames)
        if composite.writes and kwnames != NULL and OUT in <tuple> <object> kwnames:
            return write_out(composite, args, nargs, kwnames)
        return PyObject_Vectorcall(<PyObject*> composite.function, args, nargsf, kwnames)
    except Exception as error:
        if nargs and not isinstance(<object> args[0], Tensor) and has_attribute(args[0], callable_) \
                and composite.public_name not in _PYTHON_FUNCTIONS:             # Note [Attributes of classes]
            return composite_vectorcall(callable_, args + 1, nargs - 1, kwnames)
        from wengert_core.dispatch.argument_errors import argument_type_error
        from wengert_core.dispatch.overrides import overloaded_args, call_overrides
        given, keywords = arguments(args, nargs, kwnames)
        askers = overloaded_args(given, keywords, error)
        if not askers:
            writes = composite.name[len(composite.name) - 1:] == "_"
            if (writes or "out" in keywords) and not isinstance(error, TypeError):
                from wengert_core.drivers.refused_writes import refused_write
                refusal = refused_write(composite.name, given, keywords, writes)
                if refusal is not None:
                    raise refusal from None
            if composite.writes:
                keywords.pop("out", None)      # the function knows nothing of it
            refusal = argument_type_error(composite.function, composite.name, given, keywords, error)
            if refusal is None:
                raise
    if askers:
        return call_overrides(composite, given, keywords, askers)
    raise refusal


cdef bint has_other_name(Composite composite, PyObject* kwnames) except -1:
    """Return whether an argument is given by another name than the function's own."""
    cdef Py_ssize_t i
    if composite.other_names is None:
        from wengert_core.binding.argument_aliases import other_names
        composite.other_names = other_names(composite.function, composite.name)
    for i in range(PyTuple_GET_SIZE(kwnames)):
        if <object> PyTuple_GET_ITEM(kwnames, i) in composite.other_names:
            return True
    return False


cdef object call_by_own_names(Composite composite, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames):
    """Return the result of a call by the function's own argument names. TypeError where one is given by both names."""
    cdef list words = [composite.other_names.get(word, word) for word in <tuple> <object> kwnames]
    for word in words:
        if words.count(word) > 1:
            raise TypeError(f"{composite.name}() got multiple values for argument '{word}'; {composite.name}() "
                            "received an invalid combination of arguments")
    own = tuple(words)
    return composite_vectorcall(<PyObject*> composite, args, nargs, <PyObject*> own)


cdef object watched_vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    """The entry while some thread is observed, or has casts."""
    cdef int64_t event
    if not thread_state().modes & WG_OBSERVE or HOOKS.begin_event == NULL:
        return cast_vectorcall(callable_, args, nargsf, kwnames)
    event = HOOKS.begin_event(EVENT_FUNCTION, callable_, args, PyVectorcall_NARGS(nargsf))
    try:
        return cast_vectorcall(callable_, args, nargsf, kwnames)
    finally:
        HOOKS.end_event(event)


cdef object cast_vectorcall(PyObject* callable_, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    """The call, with its arguments cast where the thread says so. Note [Casts before calls]"""
    cdef Composite composite = <Composite> callable_
    cdef tuple given
    cdef dict keywords
    if not thread_state().modes & WG_CAST:
        return composite_vectorcall(callable_, args, nargsf, kwnames)
    cast = cast_for(callable_)
    given, keywords = arguments(args, PyVectorcall_NARGS(nargsf), kwnames)
    if cast is None or keywords.get("out") is not None:
        return composite_vectorcall(callable_, args, nargsf, kwnames)
    switch_off()
    try:
        values = cast_values(composite.name, cast, [*given, *keywords.values()])
        return composite(*values[:len(given)], **dict(zip(keywords, values[len(given):])))
    finally:
        switch_back()


cdef PyObject* LAST = NULL    # the Composite that was made last; Composite.after leads to the one made before it
cdef void* ENTRY = <void*> composite_vectorcall


cdef void link(Composite composite) noexcept:
    global LAST
    composite.after = LAST
    if LAST != NULL:
        (<Composite> LAST).before = <PyObject*> composite
    LAST = <PyObject*> composite


cdef void unlink_last(PyObject* after) noexcept:
    global LAST
    LAST = after


cdef bint OBSERVED = False, CAST = False     # some thread is observed; some thread has casts


cdef void observe_functions(bint on) noexcept:
    global OBSERVED
    OBSERVED = on
    choose_entry()


cdef void cast_functions(bint on) noexcept:
    global CAST
    CAST = on
    choose_entry()


cdef void choose_entry() noexcept:
    """Give all the entry that looks what the thread does besides, or the one that does not."""
    global ENTRY
    cdef PyObject* one = LAST
    ENTRY = <void*> watched_vectorcall if OBSERVED or CAST else <void*> composite_vectorcall
    while one != NULL:
        (<Composite> one).vectorcall = ENTRY
        one = (<Composite> one).after


HOOKS.observe_functions = observe_functions
set_functions_hook(cast_functions)


cdef object write_out(Composite composite, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames):
    """The result in the tensor that out= gives."""
    from wengert_core.drivers.out_argument import into
    given, keywords = arguments(args, nargs, kwnames)
    out = keywords.pop("out", None)
    result = composite.function(*given, **keywords)
    return result if out is None else into(composite.name, result, out)


cdef PyObject* composite_get(PyObject* composite, PyObject* instance, PyObject* owner) noexcept:
    """Attribute access on an instance binds, as a function does."""
    if instance == NULL or instance == <PyObject*> None:
        Py_XINCREF(composite)
        return composite
    return PyMethod_New(composite, instance)


cdef Py_ssize_t vectorcall_offset():
    cdef Composite probe = Composite(None, "probe")
    return bytes_between(<PyObject*> probe, &probe.vectorcall)


wengert_set_vectorcall(<PyTypeObject*> Composite, vectorcall_offset(), <void*> composite_get)
