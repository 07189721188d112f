"""The state of Python that a function depends on: what a program of it has taken for constant.

Note [What is looked at]
    Numbers, strings, None and tuples, lists, sets and dicts of them by their values, and so small arrays of NumPy;
    tensors, functions, classes and other objects by their identity. From a function: its defaults, its closure, and the
    globals that its code names; from a method also its object; from a function among those the same again; from a
    Python module whatever has a name that stands in the code, too. From an object its attributes, and those of its
    class, so for a module its ``training``, its hooks, parameters and buffers, and the modules in it. wengert's own
    functions and classes and Python's library are not looked into. Containers end at MOST_ITEMS items and
    MOST_DEPTH levels: what lies beyond is not seen.
"""
cimport cython
from cpython.dict cimport PyDict_Next, PyDict_Size
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.string cimport memcpy

import sys
from collections import deque
from functools import partial
from types import BuiltinFunctionType, MemberDescriptorType, ModuleType
from weakref import ref

from numpy import ndarray

from wengert_core.extend cimport Tensor, not_made_by_hand

cdef extern from "Python.h":
    int PyDict_Check(PyObject* o) noexcept
    int PyFunction_Check(PyObject* o) noexcept
    int PyMethod_Check(PyObject* o) noexcept
    int PyType_Check(PyObject* o) noexcept

cdef enum:
    MOST_ITEMS = 256
    MOST_DEPTH = 6
    MOST_VALUES = 20000
    MOST_BYTES = 2048                  # of an array

cdef dict NAMES = {}                   # by a code object's address: a weak reference, the names that it looks up
cdef dict KINDS = {}                   # by a class's address: a weak reference, and what ``kind_of`` gives
cdef dict LIBRARIES = {}               # by a Python module's address: a weak reference, whether it is of a library
cdef set OPAQUE = {ModuleType, BuiltinFunctionType, object}
cdef set PLAIN = {bool, int, float, str, bytes, type(None)}
cdef object ABSENT = object()
cdef object EMPTY = object()           # stands for an empty dict


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


cdef bint is_ours(thing):
    """Whether a class or a function is wengert's, or of a library that does not depend on what a user sets."""
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and module.startswith(("wengert", "builtins", "numpy"))


cdef bint is_of_library(cls):
    """Whether a class is wengert's, or of Python's library."""
    return is_ours(cls) or str(cls.__module__).partition(".")[0] in sys.stdlib_module_names


cdef bint is_library(module):
    """Whether a Python module is wengert's, or of a library that does not depend on what a user sets."""
    found = LIBRARIES.get(<size_t> <PyObject*> module)
    if found is None:
        root = str(getattr(module, "__name__", "")).partition(".")[0]
        known = root.startswith(("wengert", "numpy", "torch")) or root in sys.stdlib_module_names
        found = LIBRARIES[<size_t> <PyObject*> module] = (reference(module, LIBRARIES), known)
    return (<tuple> found)[1]


cdef tuple kind_of(cls):
    """A class: a weak reference; whether objects of it are looked into (those of users, and of wengert's modules and
    optimizers); and of what is not wengert's own in it its functions, (class, name) of its other attributes, its slots.
    """
    cdef list methods = [], data = [], slots = []
    found = KINDS.get(<size_t> <PyObject*> cls)
    if found is None:
        looked_into = not is_ours(cls) or cls.__module__.startswith(("wengert_nn", "wengert_optim", "wengert_compat"))
        for one in cls.__mro__:
            for name, member in () if is_ours(one) else tuple(vars(one).items()):
                if isinstance(member, (staticmethod, classmethod)):
                    member = member.__func__
                elif isinstance(member, property):
                    member = member.fget
                if PyFunction_Check(<PyObject*> member):
                    methods.append(member)
                elif type(member) is MemberDescriptorType:
                    slots.append(name)
                elif not name.startswith("__") and not hasattr(type(member), "__get__"):
                    data.append((one, name))
        found = (reference(cls, KINDS), looked_into, tuple(methods), tuple(data), tuple(slots))
        KINDS[<size_t> <PyObject*> cls] = found
    return <tuple> found


@cython.final
@cython.binding(False)
cdef class Walker:
    cdef list found                    # what is compared
    cdef list held                     # objects that are compared by their address; or None
    cdef set seen                      # addresses of functions and objects that have been looked into
    cdef list marks                    # (first, behind the last, name) of what was found by a name, where ``held`` is
    cdef dict numbers                  # see ``numbers_of``; None: they are not asked for
    cdef list codes                    # of the functions that have been looked into, where numbers are asked for
    cdef str owner                     # the class of the object whose attributes are looked at; None outside of such

    cdef int add_identity(self, object value) except -1:
        self.found.append(<size_t> <PyObject*> value)
        if self.held is not None:
            self.held.append(value)
        return 0

    cdef int mark(self, Py_ssize_t first, name) except -1:
        """Note the name of what has been found since then."""
        if self.held is not None:
            self.marks.append((first, len(self.found), name))
        return 0

    cdef int note_number(self, thing, name, value, str owner) except -1:
        if self.numbers is not None and type(value) in PLAIN:
            self.numbers[<size_t> <PyObject*> thing, name] = owner, type(value), value
        return 0

    cdef int add(self, object value, int depth) except -1:
        cdef object cls = type(value)
        cdef double number
        cdef long long bits
        if value is None or cls is bool or cls is int or cls is str:
            self.found.append(cls)
            self.found.append(value)
        elif cls is float:             # 0.0 == -0.0, and NaN != NaN
            number = value
            memcpy(&bits, &number, sizeof(bits))
            self.found.append(cls)
            self.found.append(bits)
        elif isinstance(value, Tensor):
            self.add_identity(value)
        elif cls is dict:
            self.add_dict(<dict> value, depth)
        elif cls is tuple or cls is list or cls is deque:
            self.add_items(value, cls, depth)
        elif cls is set or cls is frozenset:
            self.add_set(value)
        elif cls is complex or cls is bytes:
            self.found.append(repr(value))
        elif isinstance(value, dict):
            self.add_identity(value)
            self.add_dict(<dict> value, depth)
        elif isinstance(value, (tuple, list)):
            self.add_identity(value)
            self.add_items(value, cls, depth)
        elif PyFunction_Check(<PyObject*> value):
            self.add_function(value, depth)
        elif PyMethod_Check(<PyObject*> value):
            self.add(value.__func__, depth)
            self.add(value.__self__, depth)
        else:
            self.add_object(value, cls, depth)
        return 0

    cdef int add_items(self, value, cls, int depth) except -1:
        self.found.append(cls)
        self.found.append(len(value))
        if depth and len(value) <= MOST_ITEMS:
            for item in tuple(value):
                self.add(item, depth - 1)
        return 0

    cdef int add_set(self, value) except -1:
        self.add_identity(value)
        self.found.append(len(value))
        if len(value) <= MOST_ITEMS and all([type(item) in PLAIN for item in value]):
            self.found.append(frozenset(value))
        return 0

    cdef int add_dict(self, dict value, int depth) except -1:
        cdef Py_ssize_t at = 0
        cdef PyObject* key
        cdef PyObject* item
        cdef object cls
        cdef list others = None        # looking at them may run code that changes the dict
        cdef Py_ssize_t first
        self.found.append(len(value))
        if self.owner is not None:
            self.numbers[<size_t> <PyObject*> value, ""] = self.owner, dict, None      # it is known, if it has none yet
        if not depth or len(value) > MOST_ITEMS:
            return 0
        while PyDict_Next(value, &at, &key, &item):
            cls = type(<object> item)
            if type(<object> key) is not str:
                others = [] if others is None else others
                others.append(("", <object> key))
                others.append(("", <object> item))
                continue
            first = len(self.found)
            self.found.append(<object> key)
            if <object> item is None or cls is bool or cls is int or cls is str:
                self.found.append(cls)
                self.found.append(<object> item)
            elif PyDict_Check(<PyObject*> item) and not PyDict_Size(<object> item):
                self.found.append(EMPTY)
            elif isinstance(<object> item, Tensor):
                self.add_identity(<object> item)
            else:
                others = [] if others is None else others
                others.append((<object> key, <object> item))
            if self.held is not None:
                self.mark(first, <object> key)
            if self.owner is not None:
                self.note_number(value, <object> key, <object> item, self.owner)
        for name, one in others or ():
            first = len(self.found)
            self.add(one, depth - 1)
            self.mark(first, name)
        return 0

    cdef int add_function(self, object function, int depth) except -1:
        cdef dict names
        cdef Py_ssize_t first
        self.add_identity(function)
        if <size_t> <PyObject*> function in self.seen or len(self.found) > MOST_VALUES:
            return 0
        self.seen.add(<size_t> <PyObject*> function)
        if function.__dict__:
            wrapped = function.__dict__.get("__wrapped__")
            if wrapped is not None:
                self.add(wrapped, depth)
        if is_ours(function):
            return 0
        if self.codes is not None:
            self.codes.append(function.__code__)
        names = function.__globals__
        known = names_of(function.__code__)
        for name in known:
            value = names.get(name, ABSENT)
            if value is not ABSENT:
                first = len(self.found)
                self.add_named(value, known)
                self.mark(first, name)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                value = cell.cell_contents
            except ValueError:         # it has none yet
                value = ABSENT
            first = len(self.found)
            self.add_named(value, known)
            self.mark(first, name)
        if function.__defaults__:
            self.add(function.__defaults__, MOST_DEPTH)
        if function.__kwdefaults__:
            self.add(function.__kwdefaults__, MOST_DEPTH)
        return 0

    cdef int add_named(self, value, tuple names) except -1:
        """Add what a function has a name for. names: those in its code, attributes among them."""
        cdef Py_ssize_t first
        if type(value) is not ModuleType:
            return self.add(value, MOST_DEPTH)
        self.add_identity(value)
        if is_library(value) or (id(value), id(names)) in self.seen:
            return 0
        self.seen.add((id(value), id(names)))
        known = value.__dict__
        for name in names:
            if name in known:
                first = len(self.found)
                self.add_named(known[name], names)
                self.mark(first, name)
        return 0

    cdef int add_class(self, cls) except -1:
        """Add functions and attributes of a class, once."""
        cdef Py_ssize_t first
        if <size_t> <PyObject*> cls in self.seen or len(self.found) > MOST_VALUES:
            return 0
        self.seen.add(<size_t> <PyObject*> cls)
        kind = kind_of(cls)
        for method in kind[2]:
            self.add_function(method, MOST_DEPTH)
        for owner, name in kind[3]:
            first = len(self.found)
            value = vars(owner).get(name, ABSENT)
            self.add(value, MOST_DEPTH)
            self.mark(first, name)
            self.note_number(owner, name, value, owner.__name__)
        return 0

    cdef int add_object(self, object value, object cls, int depth) except -1:
        cdef Py_ssize_t first
        self.add_identity(value)
        if PyType_Check(<PyObject*> value):
            return self.add_class(value) if not is_ours(value) else 0
        if cls in OPAQUE or <size_t> <PyObject*> value in self.seen or len(self.found) > MOST_VALUES:
            return 0
        self.seen.add(<size_t> <PyObject*> value)
        if cls is partial:
            self.add(value.func, depth)
            self.add(value.args, MOST_DEPTH)
            self.add(value.keywords, MOST_DEPTH)
            return 0
        kind = kind_of(cls)
        if not kind[1]:
            wrapped = getattr(value, "__wrapped__", None)      # of a captured function
            if wrapped is not None:
                self.add(wrapped, depth)
            elif cls is ndarray and value.nbytes <= MOST_BYTES and not value.dtype.hasobject:
                self.found.append((value.shape, value.strides, value.dtype, value.tobytes()))
            return 0
        self.add_class(cls)
        for name in kind[4]:
            first = len(self.found)
            member = getattr(value, name, ABSENT)
            self.add(member, MOST_DEPTH)
            self.mark(first, name)
            self.note_number(value, name, member, cls.__name__)
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            around = self.owner
            self.owner = cls.__name__ if self.numbers is not None and not is_of_library(cls) else None
            self.add_dict(<dict> attributes, MOST_DEPTH)
            self.owner = around
        return 0


cdef list walk(function, args, list held, list marks):
    """Return the state, as values to be compared. held: gets the objects that are compared by their address.   marks:
    gets names of what was found.
    """
    cdef Walker walker = Walker.__new__(Walker)
    walker.found, walker.held, walker.seen, walker.marks = [], held, set(), marks
    walker.add(function, MOST_DEPTH)
    for value in args:
        if not isinstance(value, Tensor):
            walker.add(value, MOST_DEPTH)
    return walker.found


def numbers_of(function, args, list codes not None):
    """Return numbers, strings and None among the attributes of objects that a function can reach, and in dicts there.

    By (address of the dict, name): (class of the object, class of the value, value). Objects of wengert and of Python's
    library are left out.
    codes: gets those of the functions that it can reach.
    """
    cdef Walker walker = Walker.__new__(Walker)
    walker.found, walker.seen, walker.numbers, walker.codes = [], set(), {}, codes
    walker.add(function, MOST_DEPTH)
    for value in args:
        if not isinstance(value, Tensor):
            walker.add(value, MOST_DEPTH)
    return walker.numbers


@cython.binding(False)
cdef class PythonStates:
    """The states that calls of a function have met, each with its number."""
    cdef list states                   # the last one found is the last
    cdef list numbers
    cdef list held
    cdef dict marks                    # by number: names of what was found
    cdef Py_ssize_t limit

    def __init__(self, Py_ssize_t limit):
        self.states, self.numbers, self.held, self.marks, self.limit = [], [], [], {}, limit

    def number(self, function, args not None):
        """Return the number of the state that a function meets now; -1 where it is new and ``limit`` states are known.

        args: further objects, such as arguments; tensors among them are passed over.
        """
        cdef list found = walk(function, args, None, None), held, marks
        cdef Py_ssize_t n = len(self.states), i
        for i in range(n - 1, -1, -1):
            if found == self.states[i]:
                if i < n - 1:
                    self.states.append(self.states.pop(i))
                    self.numbers.append(self.numbers.pop(i))
                return self.numbers[n - 1]
        if n >= self.limit:
            return -1
        held, marks = [], []
        if len(walk(function, args, held, marks)) == len(found):
            self.marks[n] = marks
        self.held.append(held)
        self.states.append(found)
        self.numbers.append(n)
        return n

    def facts(self, Py_ssize_t number):
        """Return a state by its number: what ``walk`` gives, and (first, behind the last, name) of what has a name."""
        return self.states[self.numbers.index(number)], self.marks.get(number, [])


not_made_by_hand(<PyTypeObject*> Walker)
