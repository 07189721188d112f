"""Methods and attributes that a class gets from Python functions, and that refuse another ``self`` as those of C do.

Note [Another self]
    ``Tensor.tile([], 2)`` is a call of a function with a list where it means a tensor. What a class written in C has in
    itself (a method_descriptor, a getset_descriptor) looks at ``self`` before anything runs and raises the TypeError
    that torch raises: "descriptor 'tile' for 'Tensor' objects doesn't apply to a 'list' object". Functions that are
    mounted on such a class do not; so ``member`` wraps them. A bound call, ``x.tile(2)``, costs one comparison of types
    and a jump; a property becomes a getset_descriptor, which costs no more than the property.

>>> from wengert_core import Tensor
>>> Tensor.tile([], 2)
Traceback (most recent call last):
    ...
TypeError: descriptor 'tile' for 'wengert_core.Tensor' objects doesn't apply to a 'list' object
"""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject

from types import FunctionType

from wengert_core.binding.call_arguments cimport arguments
from wengert_core.binding.torch_function cimport (call_attribute_override, call_override, is_tensor_type, may_override,
                                                  wengert_subclasses)

cdef extern from "Python.h":
    ctypedef struct PyGetSetDef:
        const char* name
        PyObject* (*get)(PyObject*, void*) noexcept
        int (*set)(PyObject*, PyObject*, void*) noexcept
        const char* doc
        void* closure
    Py_ssize_t PyVectorcall_NARGS(size_t n) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* t) noexcept
    object PyDescr_NewGetSet(PyTypeObject* t, PyGetSetDef* definition)
    const char* PyUnicode_AsUTF8(object text) except NULL

cdef extern from "wengert_core/runtime/pyobject.h":
    void wengert_set_vectorcall(PyTypeObject* t, Py_ssize_t offset, void* get) noexcept

cdef extern from *:
    """
    static PyObject *wengert_refuse_self(PyTypeObject *owner, PyObject *name, PyObject *self) {
        if (!self)
            return PyErr_Format(PyExc_TypeError, "unbound method %.100s.%U() needs an argument", owner->tp_name, name);
        return PyErr_Format(PyExc_TypeError, "descriptor '%U' for '%.100s' objects doesn't apply to a '%.100s' object",
                            name, owner->tp_name, Py_TYPE(self)->tp_name);
    }
    /* A method's call: no object is made and no reference taken before self is known to be one. */
    static CYTHON_INLINE PyObject *wengert_method_call(PyObject *function, void *call, PyTypeObject *owner,
                                                       PyObject *name, PyObject *const *args, size_t nargsf,
                                                       PyObject *kwnames) {
        PyObject *self = PyVectorcall_NARGS(nargsf) > 0 ? args[0] : NULL;
        if (self && PyObject_TypeCheck(self, owner)) return ((vectorcallfunc)call)(function, args, nargsf, kwnames);
        return wengert_refuse_self(owner, name, self);
    }
    /* What calls a function of Cython's, which is there for good; of others, whatever calls them then. */
    static void *wengert_call_of(PyObject *function, int is_stable) {
        vectorcallfunc call = is_stable ? PyVectorcall_Function(function) : NULL;
        return (void *)(call ? call : (vectorcallfunc)PyObject_Vectorcall);
    }
    static PyObject *wengert_bind(PyObject *method, PyObject *instance) {
        return instance == Py_None ? Py_NewRef(method) : PyMethod_New(method, instance);
    }
    static PyObject *wengert_method_get(PyObject *method, PyObject *instance, PyObject *owner) {
        return wengert_bind(method, instance ? instance : Py_None);
    }
    /* What an attribute calls; all of it is borrowed from _Attribute and the property it keeps. An instance of a
       subclass of owner may be one that is asked first: Note [Tensors of subclasses are asked first]; a mode is, of
       all. */
    typedef struct { PyObject *get, *set, *del, *name; PyTypeObject *owner; unsigned int *subclasses;
                     PyObject *(*asked)(PyObject *, PyObject *, const char *, PyObject *); } wengert_attribute;
    static CYTHON_INLINE int wengert_may_ask(PyObject *self, wengert_attribute *calls) {
        /* above 1: modes as well */
        return *calls->subclasses && (Py_TYPE(self) != calls->owner || *calls->subclasses > 1);
    }
    static PyObject *wengert_attribute_get(PyObject *self, void *closure) {
        wengert_attribute *calls = (wengert_attribute *)closure;
        if (wengert_may_ask(self, calls)) {
            PyObject *answer = calls->asked(self, calls->name, "__get__", NULL);
            if (answer || PyErr_Occurred()) return answer;
        }
        return PyObject_CallOneArg(((wengert_attribute *)closure)->get, self);
    }
    static int wengert_attribute_set(PyObject *self, PyObject *value, void *closure) {
        wengert_attribute *calls = (wengert_attribute *)closure;
        PyObject *args[2] = {self, value}, *call = value ? calls->set : calls->del, *result;
        if (wengert_may_ask(self, calls)) {
            result = calls->asked(self, calls->name, value ? "__set__" : "__delete__", value);
            Py_XDECREF(result);
            if (result || PyErr_Occurred()) return result ? 0 : -1;
        }
        if (call == Py_None) {
            PyErr_Format(PyExc_AttributeError, "attribute '%U' of '%.100s' objects cannot be %s", calls->name,
                         Py_TYPE(self)->tp_name, value ? "set" : "deleted");
            return -1;
        }
        result = PyObject_Vectorcall(call, args, value ? 2 : 1, NULL);
        Py_XDECREF(result);
        return result ? 0 : -1;
    }
    """
    ctypedef struct wengert_attribute:
        PyObject* get
        PyObject* set
        PyObject* delete "del"
        PyObject* name
        PyTypeObject* owner
        unsigned int* subclasses
        PyObject* (*asked)(PyObject*, PyObject*, const char*, PyObject*) noexcept
    void* wengert_call_of(PyObject* function, bint is_stable) noexcept
    PyObject* wengert_method_call(
        PyObject* function, void* call, PyTypeObject* owner, PyObject* name, PyObject* const* args, size_t nargsf,
        PyObject* kwnames
    ) noexcept
    object wengert_bind(object method, object instance)
    PyObject* wengert_method_get(PyObject* method, PyObject* instance, PyObject* owner) noexcept
    PyObject* wengert_attribute_get(PyObject* self, void* closure) noexcept
    int wengert_attribute_set(PyObject* self, PyObject* value, void* closure) noexcept


cdef object CYTHONS = type(lambda: None)        # the type of all functions of Cython's


@cython.binding(False)                 # CPython looks at self of its own kind of methods
cdef class Method:
    """A function that is a method of a class. Note [Another self]

    function: what is called, with self first.   name: what it is called by.   owner: the class.
    """
    def __cinit__(self, function not None, str name not None, type owner not None, bint in_words=False):
        self.function, self.name, self.owner, self.in_words = function, name, owner, in_words
        self.is_asked = is_tensor_type(<PyObject*> owner)
        self.call = wengert_call_of(<PyObject*> self.function, type(function) is CYTHONS)
        self.vectorcall = <void*> method_vectorcall

    def __get__(self, instance, owner):
        return wengert_bind(self, instance)

    def __repr__(self):
        return f"<method '{self.name}' of '{self.owner.__name__}' objects>"

    def __reduce__(self):
        return getattr, (self.owner, self.name)

    @property
    def __wrapped__(self):
        return self.function

    @property
    def __name__(self):
        return self.name

    @property
    def __qualname__(self):
        return f"{self.owner.__name__}.{self.name}"

    @property
    def __doc__(self):
        return self.function.__doc__

    @property
    def __module__(self):
        return getattr(self.function, "__module__", None)

    @property
    def __objclass__(self):
        return self.owner

    @property
    def __defaults__(self):
        return getattr(self.function, "__defaults__", None)


cdef PyObject* method_vectorcall(PyObject* method, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    cdef Py_ssize_t nargs
    cdef PyObject* result
    if wengert_subclasses and (<Method> method).is_asked:
        nargs = PyVectorcall_NARGS(nargsf)
        if may_override(args, nargs + (0 if kwnames == NULL else PyTuple_GET_SIZE(kwnames))):
            result = call_override(method, args, nargs, kwnames)
            if result != NULL:
                return result
    result = wengert_method_call(<PyObject*> (<Method> method).function, (<Method> method).call,
                                 <PyTypeObject*> (<Method> method).owner, <PyObject*> (<Method> method).name, args,
                                 nargsf, kwnames)
    if result == NULL:
        return overridden_result(<Method> method, args, nargsf, kwnames)
    return result


cdef PyObject* overridden_result(Method method, PyObject* const* args, size_t nargsf, PyObject* kwnames) except NULL:
    """Return the answer of an argument that has ``__torch_function__``; else raise what is set, or name the method."""
    try:
        raise_again(method, args, nargsf, kwnames)
    except TypeError as error:
        if not method.in_words:
            raise
        from wengert_core.dispatch.overrides import overloaded_args, call_overrides
        given, keywords = arguments(args, PyVectorcall_NARGS(nargsf), kwnames)
        askers = overloaded_args(given, keywords, error)
        if not askers:
            raise
    answer = call_overrides(method, given, keywords, askers)
    Py_INCREF(answer)
    return <PyObject*> answer


cdef int raise_again(Method method, PyObject* const* args, size_t nargsf, PyObject* kwnames) except -1:
    """Raise the exception that is set, or one in its place that names the method or refuses the write to the tensor."""
    if not method.in_words:
        return raise_current()
    try:
        raise_current()
    except Exception as error:
        if method.name[len(method.name) - 1:] == "_" and method.name[:2] != "__" and not isinstance(error, TypeError):
            from wengert_core.drivers.refused_writes import refused_write
            given, keywords = arguments(args, PyVectorcall_NARGS(nargsf), kwnames)
            refusal = refused_write(method.name, given, keywords, True)
            if refusal is not None:
                raise refusal from None
        from wengert_core.dispatch.argument_errors import restate_error
        refusal = restate_error(method.name, error)
        if refusal is None:
            raise
        raise refusal from error


cdef int raise_current() except -1:
    """Raise the exception that is set."""
    return -1


@cython.overflowcheck(False)           # Note [A difference of pointers is taken here] in geometry/size_math.pxd
cdef Py_ssize_t vectorcall_offset():
    cdef Method probe = Method(len, "probe", object)
    return <char*> &probe.vectorcall - <char*> <PyObject*> probe


wengert_set_vectorcall(<PyTypeObject*> Method, vectorcall_offset(), <void*> wengert_method_get)


cdef list ATTRIBUTES = []              # all that was made: a descriptor borrows its definition for good


cdef class _Attribute:
    """The memory of a getset_descriptor."""
    cdef PyGetSetDef definition
    cdef wengert_attribute calls
    cdef object source                 # the property; owns what is called
    cdef str name
    cdef str doc


cdef object attribute(type owner, str name, source):
    """A property as a getset_descriptor of a class."""
    cdef _Attribute made = _Attribute.__new__(_Attribute)
    made.source, made.name, made.doc = source, name, source.__doc__ or ""
    made.calls.get = <PyObject*> source.fget
    made.calls.set = <PyObject*> source.fset
    made.calls.delete = <PyObject*> source.fdel
    made.calls.name, made.calls.owner = <PyObject*> made.name, <PyTypeObject*> owner
    made.calls.subclasses, made.calls.asked = &wengert_subclasses, call_attribute_override
    made.definition.name, made.definition.doc = PyUnicode_AsUTF8(made.name), PyUnicode_AsUTF8(made.doc)
    made.definition.get = wengert_attribute_get
    if source.fset is not None or source.fdel is not None:
        made.definition.set = wengert_attribute_set
    made.definition.closure = &made.calls
    ATTRIBUTES.append(made)
    return PyDescr_NewGetSet(<PyTypeObject*> owner, &made.definition)


def member(type owner not None, str name not None, value, bint in_words=False):
    """Return what a class keeps under a name for a function or a property; anything else as it is. Note [Another self]

    restate_error: let errors of the function that are in Python's inner words name it (``misfits.in_words``).
    """
    if type(value) is property and value.fget is not None:
        return attribute(owner, name, value)
    return Method(value, name, owner, in_words) if isinstance(value, (FunctionType, CYTHONS)) else value


def checked(type cls not None):
    """Decorate a class: its methods and properties refuse another ``self``. Note [Another self]"""
    for name, value in list(vars(cls).items()):
        found = member(cls, name, value)
        if found is not value:
            setattr(cls, name, found)
    return cls
