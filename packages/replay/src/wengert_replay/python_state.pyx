"""The state of Python that a function depends on: what a program of it has taken for constant.

Note [What is looked at]
    Numbers, strings, None and tuples, lists and dicts of them by their values; tensors, functions, classes and other
    objects by their identity. From a function: its defaults, its closure, and the globals that its code names; from a
    method also its object; from a function among those the same again. From an object its attributes, so for a module
    its ``training``, its hooks, parameters and buffers, and the modules in it. wengert's own functions and classes
    are not looked into. Containers end at MOST_ITEMS items and MOST_DEPTH levels: what lies beyond is not seen.
"""
cimport cython
from cpython.dict cimport PyDict_Next, PyDict_Size
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.string cimport memcpy

from functools import partial
from types import BuiltinFunctionType, ModuleType
from weakref import ref

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

cdef dict NAMES = {}                   # by a code object's address: a weak reference, the names that it looks up
cdef dict KINDS = {}                   # by a class's address: a weak reference, and what ``kind_of`` gives
cdef set OPAQUE = {ModuleType, BuiltinFunctionType, type, object}
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


cdef tuple kind_of(cls):
    """Whether objects of a class are looked into (those of users, and of wengert's modules and optimizers), and the
    functions of the class that are not wengert's own.
    """
    found = KINDS.get(<size_t> <PyObject*> cls)
    if found is None:
        looked_into = not is_ours(cls) or cls.__module__.startswith(("wengert_nn", "wengert_optim", "wengert_compat"))
        methods = tuple(
            [member for one in cls.__mro__ if not is_ours(one) for member in vars(one).values()
             if PyFunction_Check(<PyObject*> member)]
        )
        found = KINDS[<size_t> <PyObject*> cls] = (reference(cls, KINDS), looked_into, methods)
    return <tuple> found


@cython.final
@cython.binding(False)
cdef class Walker:
    cdef list found                    # what is compared
    cdef list held                     # objects that are compared by their address; or None
    cdef set seen                      # addresses of functions and objects that have been looked into

    cdef int add_identity(self, object value) except -1:
        self.found.append(<size_t> <PyObject*> value)
        if self.held is not None:
            self.held.append(value)
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
        elif cls is tuple or cls is list:
            self.found.append(cls)
            self.found.append(len(value))
            if depth and len(value) <= MOST_ITEMS:
                for item in value:
                    self.add(item, depth - 1)
        elif cls is complex or cls is bytes:
            self.found.append(repr(value))
        elif isinstance(value, dict):
            self.add_identity(value)
            self.add_dict(<dict> value, depth)
        elif PyFunction_Check(<PyObject*> value):
            self.add_function(value, depth)
        elif PyMethod_Check(<PyObject*> value):
            self.add_function(value.__func__, depth)
            self.add(value.__self__, depth)
        else:
            self.add_object(value, cls, depth)
        return 0

    cdef int add_dict(self, dict value, int depth) except -1:
        cdef Py_ssize_t at = 0
        cdef PyObject* key
        cdef PyObject* item
        cdef object cls
        cdef list others = None        # looking at them may run code that changes the dict
        self.found.append(len(value))
        if not depth or len(value) > MOST_ITEMS:
            return 0
        while PyDict_Next(value, &at, &key, &item):
            cls = type(<object> item)
            if type(<object> key) is not str:
                others = [] if others is None else others
                others.append(<object> key)
                others.append(<object> item)
                continue
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
                others.append(<object> item)
        for one in others or ():
            self.add(one, depth - 1)
        return 0

    cdef int add_function(self, object function, int depth) except -1:
        cdef dict names
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
        names = function.__globals__
        for name in names_of(function.__code__):
            value = names.get(name, ABSENT)
            if value is not ABSENT:
                self.add(value, MOST_DEPTH)
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:         # it has none yet
                value = ABSENT
            self.add(value, MOST_DEPTH)
        if function.__defaults__:
            self.add(function.__defaults__, MOST_DEPTH)
        if function.__kwdefaults__:
            self.add(function.__kwdefaults__, MOST_DEPTH)
        return 0

    cdef int add_object(self, object value, object cls, int depth) except -1:
        self.add_identity(value)
        if cls in OPAQUE or PyType_Check(<PyObject*> value) or <size_t> <PyObject*> value in self.seen \
                or len(self.found) > MOST_VALUES:
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
            return 0
        for method in kind[2]:
            self.add_function(method, depth)
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            self.add_dict(<dict> attributes, MOST_DEPTH)
        return 0


cdef list walk(function, args, list held):
    """Return the state, as values to be compared. held: gets the objects that are compared by their address."""
    cdef Walker walker = Walker.__new__(Walker)
    walker.found, walker.held, walker.seen = [], held, set()
    walker.add(function, MOST_DEPTH)
    for value in args:
        if not isinstance(value, Tensor):
            walker.add(value, MOST_DEPTH)
    return walker.found


@cython.binding(False)
cdef class PythonStates:
    """The states that calls of a function have met, each with its number."""
    cdef list states                   # the last one found is the last
    cdef list numbers
    cdef list held
    cdef Py_ssize_t limit

    def __init__(self, Py_ssize_t limit):
        self.states, self.numbers, self.held, self.limit = [], [], [], limit

    def number(self, function, args not None):
        """Return the number of the state that a function meets now; -1 where it is new and ``limit`` states are known.

        args: further objects, such as arguments; tensors among them are passed over.
        """
        cdef list found = walk(function, args, None), held = []
        cdef Py_ssize_t n = len(self.states), i
        for i in range(n - 1, -1, -1):
            if found == self.states[i]:
                if i < n - 1:
                    self.states.append(self.states.pop(i))
                    self.numbers.append(self.numbers.pop(i))
                return self.numbers[n - 1]
        if n >= self.limit:
            return -1
        walk(function, args, held)
        self.held.append(held)
        self.states.append(found)
        self.numbers.append(n)
        return n


not_made_by_hand(<PyTypeObject*> Walker)
