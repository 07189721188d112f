"""Walker: a look at what a function can reach, as values that can be compared.

Note [What is looked at]
    Numbers, strings, None and tuples, lists, sets and dicts of them by their values, and so small arrays of NumPy and
    what values.py can tell; tensors, functions, classes and other objects by their identity. From a function: its
    defaults, its attributes, its closure, and the globals that its code names; from a method also its object; from a
    function among those the same again; from a Python module whatever has a name that stands in the code, too. From an
    object its attributes, and those of its class, so for a module its ``training``, its hooks, parameters and buffers,
    and the modules in it. wengert's own functions and classes and Python's library are not looked into. Containers end
    at MOST_ITEMS items and MOST_DEPTH levels: what lies beyond is not seen.

    A look for changes of one call (``walk_for_changes``) passes tensors and objects over that are replaced by others of
    their class, and what is in Python's library. Of optimizers and schedulers of wengert, which a replay steps, it has
    what their user reads.
"""
cimport cython
from cpython.dict cimport PyDict_Next, PyDict_Size
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from libc.string cimport memcpy

from collections import deque
from functools import partial
from types import BuiltinFunctionType, MethodWrapperType, ModuleType

from wengert_core.extend cimport Tensor, not_made_by_hand
from wengert_replay.python_state.kinds cimport (Kind, attributes_of, dict_of_tensor, is_library, is_ours, is_standard,
                                                kind_of, names_of)
from wengert_replay.python_state.uses import is_named
from wengert_replay.python_state.values import GETTERS as _GETTERS
from wengert_replay.python_state.values import OPTIM as _OPTIM
from wengert_replay.python_state.values import SCHEDULER as _SCHEDULER
from wengert_replay.python_state.values import code_of, value_of

cdef extern from "Python.h":
    int PyDict_Check(PyObject* o) noexcept
    int PyFunction_Check(PyObject* o) noexcept
    int PyMethod_Check(PyObject* o) noexcept
    int PyType_Check(PyObject* o) noexcept

cdef enum:
    MOST_ITEMS = 256
    MOST_DEPTH = 6
    MOST_VALUES = 20000
    MOST_BYTES = 2048                  # of an array that each call compares
    MOST_BYTES_OF_RECORDING = 65536    # of one that is compared before and behind a recording

cdef set OPAQUE = {ModuleType, object}
cdef set PLAIN = {bool, int, float, str, bytes, type(None)}
cdef tuple SUBCLASSED = (float, int, str)
cdef object ABSENT = object()
cdef object EMPTY = object()           # stands for an empty dict


@cython.final
@cython.binding(False)
cdef class Walker:
    """A look at what a function can reach."""

    cdef int add_identity(self, object value) except -1:
        self.found.append(<size_t> <PyObject*> value)
        if self.held is not None:
            self.held.append(value)
        return 0

    cdef int add_reference(self, object value) except -1:
        """Add what may be replaced by another one of its class, which is no change."""
        if self.codes is None:
            return self.add_identity(value)
        cls = type(value)
        self.found.append(<size_t> <PyObject*> cls)
        return 0

    cdef int see(self, object value) except -1:
        self.seen[<size_t> <PyObject*> value] = len(self.seen)
        return 0

    cdef int note_code(self, object code, str name) except -1:
        self.codes[id(code), name, self.around] = (code, name, self.around)
        return 0

    cdef int mark(self, Py_ssize_t first, name, str owner) except -1:
        """Note the name of what has been found since then."""
        if self.marks is not None:
            self.marks.append((first, len(self.found), name, owner))
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
            self.add_reference(value)
            self.add_attributes_of_tensor(value)
        elif cls is dict:
            self.add_dict(<dict> value, depth, "")
        elif cls is tuple or cls is list or cls is deque:
            self.add_items(value, cls, depth)
        elif cls is set or cls is frozenset:
            self.add_set(value)
        elif cls is complex or cls is bytes:
            self.found.append(repr(value))
        elif isinstance(value, dict):
            self.add_reference(value)
            self.add_dict(<dict> value, depth, "")
        elif isinstance(value, (tuple, list)):
            self.add_reference(value)
            self.add_items(value, cls, depth)
        elif PyFunction_Check(<PyObject*> value):
            self.add_function(value, depth, "")
        elif PyMethod_Check(<PyObject*> value):
            self.add(value.__func__, depth)
            self.add(value.__self__, depth)
        else:
            self.add_object(value, cls, depth)
        return 0

    cdef int add_attributes_of_tensor(self, value) except -1:
        """Add what Python code has set on a tensor, once."""
        cdef dict attributes = dict_of_tensor(value)
        if attributes is None or <size_t> <PyObject*> value in self.seen or len(self.found) > MOST_VALUES:
            return 0
        self.see(value)
        return self.add_dict(attributes, MOST_DEPTH, "Tensor")

    cdef int add_items(self, value, cls, int depth) except -1:
        self.found.append(<size_t> <PyObject*> cls)            # a class of classes may have an ``==`` of its own
        self.found.append(len(value))
        if depth and len(value) <= MOST_ITEMS:
            for item in tuple(value):
                self.add(item, depth - 1)
        return 0

    cdef int add_set(self, value) except -1:
        self.add_reference(value)
        self.found.append(len(value))
        if len(value) <= MOST_ITEMS and all([type(item) in PLAIN for item in value]):
            self.found.append(frozenset(value))
        return 0

    cdef int add_dict(self, dict value, int depth, str owner) except -1:
        """owner: the class of the object whose attributes these are, or ""."""
        cdef Py_ssize_t at = 0
        cdef PyObject* key
        cdef PyObject* item
        cdef object cls
        cdef list others = None        # looking at them may run code that changes the dict
        cdef bint is_plain, is_tensor
        cdef Py_ssize_t first
        if self.codes is None or not depth or len(value) > MOST_ITEMS:
            self.found.append(len(value))      # a look for changes has each item by its name
        if not depth or len(value) > MOST_ITEMS:
            return 0
        while PyDict_Next(value, &at, &key, &item):
            cls = type(<object> item)
            if type(<object> key) is not str:
                others = [] if others is None else others
                others.append(("", <object> key))
                others.append(("", <object> item))
                continue
            is_tensor = isinstance(<object> item, Tensor) and dict_of_tensor(<object> item) is None
            if self.codes is not None and is_tensor:
                continue               # one that is stored, or replaced, is noticed elsewhere
            is_plain = <object> item is None or cls is bool or cls is int or cls is str
            if not is_plain and not is_tensor \
                    and not (PyDict_Check(<PyObject*> item) and not PyDict_Size(<object> item)):
                others = [] if others is None else others
                others.append((<object> key, <object> item))
                if self.codes is None:
                    first = len(self.found)
                    self.found.append(<object> key)
                    self.mark(first, <object> key, owner)
                continue
            first = len(self.found)
            self.found.append(<object> key)
            if is_plain:
                self.found.append(cls)
                self.found.append(<object> item)
            elif is_tensor:
                self.add_reference(<object> item)
            else:
                self.found.append(EMPTY)
            self.mark(first, <object> key, owner)
        for name, one in others or ():
            first = len(self.found)
            if self.codes is not None:
                self.found.append(name)
            if owner and PyFunction_Check(<PyObject*> one):
                self.add_function(one, depth - 1, name)
            elif owner and PyMethod_Check(<PyObject*> one) and PyFunction_Check(<PyObject*> one.__func__):
                self.add_function(one.__func__, depth - 1, name)
                self.add(one.__self__, depth - 1)
            else:
                self.add(one, depth - 1)
            self.mark(first, name, owner)
        return 0

    cdef int add_function(self, object function, int depth, str in_class) except -1:
        """in_class: the name under which an object or its class has it, where only its code may call it; else ""."""
        cdef size_t around = self.around
        self.add_identity(function)
        if self.codes is not None:
            if is_passed_over(function):
                return 0
            self.note_code(function.__code__, in_class)
        if <size_t> <PyObject*> function in self.seen or len(self.found) > MOST_VALUES:
            return 0
        self.see(function)
        if self.codes is not None:
            self.around = id(function.__code__)
        try:
            return self.look_into_function(function, depth)
        finally:
            self.around = around

    cdef int look_into_function(self, object function, int depth) except -1:
        cdef dict names
        cdef Py_ssize_t first
        if function.__dict__:
            self.add_dict(function.__dict__, depth, function.__name__)
        if is_ours(function):
            return 0
        names = function.__globals__
        known = names_of(function.__code__)
        for name in known:
            value = names.get(name, ABSENT)
            if value is not ABSENT:
                first = len(self.found)
                self.add_named(value, known)
                self.mark(first, name, "")
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                value = cell.cell_contents
            except ValueError:         # it has none yet
                value = ABSENT
            first = len(self.found)
            self.add_named(value, known)
            self.mark(first, name, "")
        for i, value in enumerate(function.__defaults__ or ()):
            first = len(self.found)
            self.add(value, MOST_DEPTH)
            self.mark(first, parameter_before_end(function, len(function.__defaults__) - i), "")
        if function.__kwdefaults__:
            self.add_dict(function.__kwdefaults__, MOST_DEPTH, "")
        return 0

    cdef int add_named(self, value, tuple names) except -1:
        """Add what a function has a name for. names: those in its code, attributes among them."""
        cdef Py_ssize_t first
        if type(value) is not ModuleType:
            return self.add(value, MOST_DEPTH)
        self.add_identity(value)
        if is_library(value) or (id(value), id(names)) in self.seen:
            return 0
        self.seen[id(value), id(names)] = len(self.seen)
        known = value.__dict__
        for name in names:
            if name in known:
                first = len(self.found)
                self.add_named(known[name], names)
                self.mark(first, name, "")
        return 0

    cdef int add_class(self, cls) except -1:
        """Add functions and attributes of a class, once."""
        cdef Py_ssize_t first
        if <size_t> <PyObject*> cls in self.seen or len(self.found) > MOST_VALUES:
            return 0
        self.see(cls)
        cdef Kind kind = kind_of(cls)
        for name, method in zip(kind.names, kind.methods):
            self.add_function(method, MOST_DEPTH, name)
        for owner, name in kind.data:
            first = len(self.found)
            value = vars(owner).get(name, ABSENT)
            self.add(value, MOST_DEPTH)
            self.mark(first, name, owner.__name__)
        return 0

    cdef int add_object(self, object value, object cls, int depth) except -1:
        cdef Kind kind
        cdef size_t around = self.around
        if PyType_Check(<PyObject*> value):
            self.add_identity(value)
            return self.add_class(value) if not is_ours(value) else 0
        if cls is partial:
            self.add_reference(value)
            self.add(value.func, depth)
            self.add(value.args, MOST_DEPTH)
            return self.add(value.keywords, MOST_DEPTH)
        if cls is BuiltinFunctionType or cls is MethodWrapperType:
            self.add_identity(value)
            return self.add(value.__self__, depth) if type(value.__self__) is not ModuleType else 0
        if cls in _GETTERS and self.codes is not None:
            code = code_of(value)
            self.note_code(code, "")
            return 0
        kind = kind_of(cls)
        if kind.tells:
            if kind.tells == 1:
                self.found.append(cls)
            else:
                self.add_reference(value)
            if self.codes is not None and kind.tells == 3:
                self.sources.append((len(self.found), value))
                return 0
            content = value_of(value, MOST_BYTES if self.codes is None else MOST_BYTES_OF_RECORDING)
            self.found.append(object() if content is None and self.codes is not None else content)
            return 0
        if cls in OPAQUE or not kind.looked_into:
            self.add_identity(value)
            wrapped = getattr(value, "__wrapped__", None)      # of a captured function
            return self.add(wrapped, depth) if wrapped is not None else 0
        self.add_reference(value)
        for base in SUBCLASSED:
            if isinstance(value, base):
                self.found.append(base.__repr__(value))
        if <size_t> <PyObject*> value in self.seen or len(self.found) > MOST_VALUES:
            self.found.append(self.seen.get(<size_t> <PyObject*> value))       # which of those it is
            return 0
        self.see(value)
        if self.codes is not None and not kind.may_change:
            return self.look_into_optimizer(value, cls) if kind.is_optim else 0
        if self.names is not None and (kind.is_optim or kind.is_scheduler):
            self.add_class(cls)
            return self.look_into_options(value, cls)
        self.around = 0
        try:
            return self.look_into_object(value, cls, kind)
        finally:
            self.around = around

    cdef int look_into_options(self, object value, object cls) except -1:
        """Add what code reads of an optimizer or a scheduler of wengert: a replay reads the rest itself."""
        for name, one in attributes_of(value):
            if name == "param_groups":
                for group in one:
                    for key, option in tuple((<dict?> group).items()):
                        self.add_option(key, option, cls)
            elif name not in ("state", "defaults"):
                self.add_option(name, one, cls)
        return 0

    cdef int add_option(self, name, object value, object cls) except -1:
        """Add a number that code has a name for, and other objects, but for tensors and lists of numbers."""
        cdef Py_ssize_t first = len(self.found)
        is_number = type(value) in PLAIN or type(value) in (tuple, list) and all([type(one) in PLAIN for one in value])
        if is_named(name, self.names) if is_number else not isinstance(value, Tensor) and name != "params":
            self.found.append(name)
            self.add(value, MOST_DEPTH)
            self.mark(first, name, f"{_OPTIM}{cls.__name__}")
        return 0

    cdef int look_into_optimizer(self, object value, object cls) except -1:
        """Add what an optimizer or a scheduler of wengert has for its user to read: numbers, and groups."""
        cdef Py_ssize_t first
        for name, one in attributes_of(value):
            for function in one if type(one) is list else (one,):
                if PyFunction_Check(<PyObject*> function):     # of a LambdaLR: its step calls it
                    self.add_function(function, MOST_DEPTH, _SCHEDULER)
            if type(one) in PLAIN or name == "param_groups" \
                    or type(one) is list and all([type(part) in PLAIN for part in one]):
                first = len(self.found)
                self.add(one, MOST_DEPTH)
                self.mark(first, name, f"{_OPTIM}{cls.__name__}")
        return 0

    cdef int look_into_object(self, object value, object cls, Kind kind) except -1:
        cdef Py_ssize_t first
        if self.codes is None or not is_standard(cls):
            self.add_class(cls)
        for name in kind.slots:
            first = len(self.found)
            self.add(getattr(value, name, ABSENT), MOST_DEPTH)
            self.mark(first, name, cls.__name__)
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            self.add_dict(<dict> attributes, MOST_DEPTH, f"{_SCHEDULER}{cls.__name__}" if kind.is_scheduler else
                          cls.__name__)
        return 0


cdef bint is_passed_over(function) except -1:
    """Whether what a function changes is none of its caller's: it is of Python's library, or each replay calls it."""
    return is_standard(function) or "_torchdynamo_orig_callable" in function.__dict__


cdef object parameter_before_end(function, Py_ssize_t n):
    """The name of a function's last positional parameter but n - 1."""
    return function.__code__.co_varnames[function.__code__.co_argcount - n]


cdef Walker new_walker():
    return Walker.__new__(Walker)


cdef list walk(Walker walker, function, args):
    """The state, as values to be compared."""
    walker.found, walker.seen = [], {}
    walker.add(function, MOST_DEPTH)
    for value in args:
        if not isinstance(value, Tensor):
            walker.add(value, MOST_DEPTH)
    return walker.found


def walk_for_changes(function, args not None):
    """Return what a function may change: values to be compared, names of what was found, codes of its functions, and
    sources of random numbers.

    Names are (first, behind the last, name, class of the object that has it, or ""), codes (code, the name under which
    an object or its class has it, or "", the id of the code by which it has been reached, or 0), sources (number of the
    first value behind it, the source). Optimizers,
    and tensors and objects that are replaced by others, are left out.
    """
    cdef Walker walker = Walker.__new__(Walker)
    walker.marks, walker.codes, walker.sources = [], {}, []
    return walk(walker, function, args), walker.marks, list(walker.codes.values()), walker.sources


not_made_by_hand(<PyTypeObject*> Walker)
