"""Kinds: which functions, classes and Python modules are looked into, and the names in their code."""
cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject

import sys
from types import MemberDescriptorType
from weakref import ref

from wengert_core.extend cimport not_made_by_hand

from wengert_replay.python_state.values import SCHEDULER as _SCHEDULER
from wengert_replay.python_state.values import kind_of_value

cdef extern from "Python.h":
    int PyFunction_Check(PyObject* o) noexcept
    PyObject* dict_of "PyObject_GenericGetDict"(PyObject* o, void* context) noexcept
    void Py_DECREF(PyObject* o) noexcept
    void PyErr_Clear() noexcept
    PyObject** _PyObject_GetDictPtr(PyObject* o) noexcept

cdef dict NAMES = {}                   # by a code object's address: a weak reference, the names that it looks up
cdef dict KINDS = {}                   # by a class's address: its Kind
cdef dict LIBRARIES = {}               # by a Python module's address: a weak reference, whether it is of a library
cdef enum:
    HEAP_TYPE = 512                    # Py_TPFLAGS_HEAPTYPE: of a class that a ``class`` statement has made

cdef tuple LOOKED_INTO = ("wengert_nn", "wengert_optim", "wengert_compat", "wengert_data")
cdef object HOLDERS = frozenset(("types", "_thread", "argparse", "collections", "queue", "_queue", "enum"))


cdef object reference(thing, dict table):
    """A weak reference that takes the entry of a thing out of a table when that goes."""
    key = <size_t> <PyObject*> thing
    return ref(thing, lambda _: table.pop(key, None))


cdef tuple names_of(code):
    """The global names of a function's code, and of functions that it makes."""
    found = NAMES.get(<size_t> <PyObject*> code)
    if found is None:
        names = dict.fromkeys(code.co_names)
        for one in code.co_consts:
            if type(one) is type(code):
                names.update(dict.fromkeys(names_of(one)))
        found = NAMES[<size_t> <PyObject*> code] = (reference(code, NAMES), tuple(names))
    return <tuple> (<tuple> found)[1]


cdef str module_of(thing):
    """The name of the Python module that a class or a function is of; "" for what a user has run without one."""
    module = getattr(thing, "__module__", None)
    if not isinstance(module, str):
        return ""
    if module == "builtins" and (PyFunction_Check(<PyObject*> thing)
                                 or isinstance(thing, type) and thing.__flags__ & HEAP_TYPE):
        return ""
    return module


cdef bint is_ours(thing):
    """Return whether a class or a function is wengert's, or of a library that does not depend on what a user sets."""
    return module_of(thing).startswith(("wengert", "builtins", "numpy"))


cdef bint is_standard(thing):
    """Return whether a class or a function is of Python's library."""
    return module_of(thing).partition(".")[0] in sys.stdlib_module_names


cdef bint is_library(module):
    """Whether a Python module is wengert's, or of a library that does not depend on what a user sets."""
    found = LIBRARIES.get(<size_t> <PyObject*> module)
    if found is None:
        root = str(getattr(module, "__name__", "")).partition(".")[0]
        known = root.startswith(("wengert", "numpy", "torch")) or root in sys.stdlib_module_names
        found = LIBRARIES[<size_t> <PyObject*> module] = (reference(module, LIBRARIES), known)
    return (<tuple> found)[1]


cdef tuple attributes_of(value):
    """The names and values in the dict of an object; no code of a user runs."""
    cdef PyObject* found = dict_of(<PyObject*> value, NULL)
    if found == NULL:
        PyErr_Clear()
        return ()
    attributes = <object> found
    Py_DECREF(found)
    return tuple((<dict> attributes).items())


cdef dict dict_of_tensor(value):
    """The attributes of Python that a tensor has; None where it has none."""
    cdef PyObject** found = _PyObject_GetDictPtr(<PyObject*> value)
    return <dict> <object> found[0] if found != NULL and found[0] != NULL and <object> found[0] else None


@cython.final
@cython.binding(False)
cdef class Kind:
    """A class: what is known of its objects. See kinds.pxd."""


cdef Kind kind_of(cls):
    """The Kind of a class. What is wengert's own in it is left out."""
    cdef list methods = [], names = [], data = [], slots = []
    cdef set of_libraries
    cdef Kind made
    found = KINDS.get(<size_t> <PyObject*> cls)
    if found is not None:
        return <Kind> found
    module = str(cls.__module__)
    made = Kind.__new__(Kind)
    made.looked_into = not is_ours(cls) or module.startswith(LOOKED_INTO)
    made.is_optim = module.startswith("wengert_optim")
    made.may_change = not made.is_optim
    if is_standard(cls):
        made.may_change = module.partition(".")[0] in HOLDERS
    made.tells = kind_of_value(cls)
    is_scheduler = any(["lr_scheduler" in str(one.__module__) and is_ours(one) for one in cls.__mro__])
    made.is_scheduler = is_scheduler and not is_ours(cls)
    of_libraries = set().union(*[vars(one) for one in cls.__mro__ if is_ours(one) or is_standard(one)])
    for one in cls.__mro__:
        for name, member in () if is_ours(one) else tuple(vars(one).items()):
            if isinstance(member, (staticmethod, classmethod)):
                member = member.__func__
            elif isinstance(member, property):
                member = member.fget
            if PyFunction_Check(<PyObject*> member):
                methods.append(member)
                names.append(name if name not in of_libraries else _SCHEDULER if is_scheduler else "")
            elif type(member) is MemberDescriptorType:
                slots.append(name)
            elif not name.startswith("__") and not hasattr(type(member), "__get__"):
                data.append((one, name))
    made.methods, made.names = tuple(methods), tuple(names)
    made.data, made.slots = tuple(data), tuple(slots)
    made.reference = reference(cls, KINDS)
    KINDS[<size_t> <PyObject*> cls] = made
    return made


not_made_by_hand(<PyTypeObject*> Kind)
