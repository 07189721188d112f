"""Lookups: where a function finds tensors from outside, and whether it still finds them there.

Note [Where a function finds its tensors]
    ``m.h, m.g = m.g, m.h`` between two calls exchanges what the function reads, and both tensors are still there. So
    before a recording the way to each tensor is noted that the function may look up: variables of its closure and
    globals that its code names, attributes of objects, items of lists and dicts, one inside of another. Of these the
    program keeps the ways to tensors that the recording has used, and a replay follows them; so it does to generators.
    Only where they begin is something referred to, and weakly, so that a program keeps nothing alive. What Python code
    computes (properties, other mappings) is not followed. Optimizers compare what they have themselves.
"""
cimport cython
from cpython.dict cimport PyDict_GetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyTypeObject
from cpython.ref cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE

from collections import deque
from functools import partial
from types import FunctionType, MethodType, ModuleType
from weakref import ref

from wengert_core.extend cimport Tensor, not_made_by_hand
from wengert_replay.python_state.weak cimport wengert_target
from wengert_replay.python_state.kinds cimport attributes_of, is_library, is_ours, is_standard, kind_of, names_of

from wengert_core import Generator as _GENERATOR

cdef extern from "Python.h":
    PyObject* _PyType_Lookup(PyTypeObject* cls, PyObject* name) noexcept
    PyObject* PyModule_GetDict(PyObject* module) noexcept
    int is_class "PyType_Check"(PyObject* o) noexcept
    int is_module "PyModule_Check"(PyObject* o) noexcept
    int is_method "PyMethod_Check"(PyObject* o) noexcept
    PyObject* PyMethod_GET_SELF(PyObject* method) noexcept
    PyObject* PyCell_GET(PyObject* cell) noexcept
    PyObject* PyFunction_GET_GLOBALS(PyObject* function) noexcept
    PyObject* PyFunction_GET_CLOSURE(PyObject* function) noexcept
    PyObject* dict_of "PyObject_GenericGetDict"(PyObject* o, void* context) noexcept
    void Py_DECREF(PyObject* o) noexcept
    void PyErr_Clear() noexcept

cdef enum Kind:
    ROOT                               # the target of a weak reference
    VARIABLE                           # of a function's closure, by its number
    GLOBAL                             # of a function, by its name
    ATTRIBUTE                          # in the dict of an object
    MEMBER                             # in the dict of a Python module
    KEY                                # of a dict
    NUMBER                             # in a list or a tuple
    PLACE                              # in a deque
    OWNER                              # the object of a method
    SLOT                               # an attribute for which the class has a slot
    OF_CLASS                           # an attribute of a class
    GIVEN                              # the arguments of a partial
    WORDS                              # its keywords

cdef enum:
    MOST_ITEMS = 256
    MOST_LEVELS = 12
    MOST_LOOKUPS = 20000


@cython.final
@cython.binding(False)
cdef class Lookup:
    """A step on the way to tensors, and the steps behind it."""
    cdef Kind kind
    cdef object key                    # a name, or the weak reference of a root
    cdef Py_ssize_t number
    cdef object tensor                 # a weak reference to the one that is found; or None
    cdef list steps

    cdef PyObject* follow(self, PyObject* value) except? NULL:
        """Return what is there, borrowed; NULL where there is nothing."""
        cdef PyObject* found
        if self.kind == ROOT:
            return wengert_target(<void*> <PyObject*> self.key)
        if self.kind == ATTRIBUTE:
            found = dict_of(value, NULL)
            if found == NULL:
                PyErr_Clear()
                return NULL
            Py_DECREF(found)           # the object has it
            return PyDict_GetItem(<object> found, self.key)
        if self.kind == KEY:
            return PyDict_GetItem(<object> value, self.key) if isinstance(<object> value, dict) else NULL
        if self.kind == MEMBER:
            return PyDict_GetItem(<object> PyModule_GetDict(value), self.key) if is_module(value) else NULL
        if self.kind == OF_CLASS:
            return _PyType_Lookup(<PyTypeObject*> value, <PyObject*> self.key) if is_class(value) else NULL
        if self.kind == GIVEN or self.kind == WORDS:
            if type(<object> value) is not partial:
                return NULL
            held = (<object> value).args if self.kind == GIVEN else (<object> value).keywords
            return <PyObject*> held    # which the partial has
        if self.kind == NUMBER:
            if isinstance(<object> value, list):
                return PyList_GET_ITEM(<object> value, self.number) \
                    if self.number < PyList_GET_SIZE(<object> value) else NULL
            return PyTuple_GET_ITEM(<object> value, self.number) \
                if isinstance(<object> value, tuple) and self.number < PyTuple_GET_SIZE(<object> value) else NULL
        if self.kind == OWNER:
            return PyMethod_GET_SELF(value) if is_method(value) else NULL
        if type(<object> value) is not FunctionType:
            return NULL
        if self.kind == GLOBAL:
            return PyDict_GetItem(<object> PyFunction_GET_GLOBALS(value), self.key)
        found = PyFunction_GET_CLOSURE(value)
        if found == NULL or self.number >= PyTuple_GET_SIZE(<object> found):
            return NULL
        return PyCell_GET(PyTuple_GET_ITEM(<object> found, self.number))

    cdef bint agrees(self, PyObject* value, Tensor t) except -1:
        """Whether the tensors behind this step are those that were noted; or, with one given, lie where that does."""
        cdef Py_ssize_t i
        cdef PyObject* found
        if self.kind == SLOT or self.kind == PLACE:
            held = in_slot(<object> value, self.key) if self.kind == SLOT else in_deque(<object> value, self.number)
            found = <PyObject*> held
        else:
            found = self.follow(value)
            if found == NULL:
                return False
            held = <object> found      # also where a key that is compared runs code of a user
        if self.tensor is not None:
            if t is None and found != wengert_target(<void*> <PyObject*> self.tensor):
                return False
            if t is not None and not (isinstance(held, Tensor) and (<Tensor> held).data == t.data):
                return False
        for i in range(len(self.steps)):
            if not (<Lookup> PyList_GET_ITEM(self.steps, i)).agrees(found, t):
                return False
        return True

    cdef object tensor_at(self, char* address):
        """Return a tensor behind this step whose first element is at an address; None for none."""
        found = None if self.tensor is None else self.tensor()
        if isinstance(found, Tensor) and (<Tensor> found).data == address and not (<Tensor> found).device:
            return found
        for step in self.steps:
            found = (<Lookup> step).tensor_at(address)
            if found is not None:
                return found
        return None

    cdef bint is_by_number(self):
        """Whether it is to an item that has no name."""
        return self.kind == NUMBER or self.kind == PLACE or type(self.key) is int

    cdef Lookup among(self, set used, bint is_named):
        """Return the step with those alone behind it that lead to some tensors; None for none.

        is_named: by names alone, not as an item of a list (``self.batches``, each of which may be an argument).
        """
        cdef Lookup made = Lookup.__new__(Lookup)
        made.kind, made.key, made.number, made.steps = self.kind, self.key, self.number, []
        for step in self.steps:
            found = None
            if not (is_named and (<Lookup> step).is_by_number()):
                found = (<Lookup> step).among(used, is_named)
            if found is not None:
                made.steps.append(found)
        if self.tensor is not None and is_used(self.tensor(), used):
            made.tensor = self.tensor
        return made if made.steps or made.tensor is not None else None


@cython.final
@cython.binding(False)
cdef class Finder:
    """A walk through what a function may look up."""
    cdef set seen                      # addresses of functions and objects that have been looked into
    cdef tuple names                   # in the code of the function that is looked into
    cdef Py_ssize_t n

    cdef int add(self, list steps, Kind kind, key, Py_ssize_t number, value, int levels) except -1:
        """Append the step to a value where tensors are found behind it."""
        cdef Lookup step
        if value is None or type(value) in (int, float, str, bool) or not levels or self.n > MOST_LOOKUPS:
            return 0
        step = Lookup.__new__(Lookup)
        step.kind, step.key, step.number, step.steps = kind, key, number, []
        self.n += 1
        if isinstance(value, (Tensor, _GENERATOR)):
            step.tensor = ref(value)
        else:
            self.look_into(step.steps, value, levels - 1)
        if step.steps or step.tensor is not None:
            steps.append(step)
        return 0

    cdef int look_into(self, list steps, value, int levels) except -1:
        cls = type(value)
        if isinstance(value, dict):
            for key, one in tuple((<dict> value).items()) if len(value) <= MOST_ITEMS else ():
                if type(key) in (str, int):
                    self.add(steps, KEY, key, 0, one, levels)
            return 0
        if isinstance(value, (list, tuple, deque)):
            for i, one in enumerate(items_of(value)):
                self.add(steps, PLACE if isinstance(value, deque) else NUMBER, None, i, one, levels)
            if cls in (list, tuple, deque):
                return 0
        if cls is ref:
            return self.add(steps, ROOT, value, 0, value(), levels)
        if cls is MethodType:
            return self.add(steps, OWNER, None, 0, value.__self__, levels)
        if issubclass(cls, ModuleType):
            return self.look_into_module(steps, value, levels)
        if <size_t> <PyObject*> value in self.seen:
            return 0
        self.seen.add(<size_t> <PyObject*> value)
        if cls is partial:
            self.add(steps, GIVEN, None, 0, value.args, levels)
            return self.add(steps, WORDS, None, 0, value.keywords, levels)
        if cls is FunctionType:
            return self.look_into_function(steps, value, levels)
        if isinstance(value, type):
            return self.look_into_class(steps, value, levels)
        if not kind_of(cls).looked_into or kind_of(cls).is_optim:
            return 0
        self.look_into_class(steps, cls, levels)
        for name, one in attributes_of(value):
            self.add(steps, ATTRIBUTE, name, 0, one, levels)
        for name in kind_of(cls).slots:
            self.add(steps, SLOT, name, 0, in_slot(value, name), levels)
        return 0

    cdef int look_into_module(self, list steps, module, int levels) except -1:
        """Look at what the code has names for in a Python module of a user's."""
        if self.names is None or is_library(module) or (id(module), id(self.names)) in self.seen:
            return 0
        self.seen.add((id(module), id(self.names)))
        known = module.__dict__
        for name in self.names:
            if name in known:
                self.add(steps, MEMBER, name, 0, known[name], levels)
        return 0

    cdef int look_into_class(self, list steps, cls, int levels) except -1:
        """Look at the attributes of a class, and of those that it is derived from, but for functions."""
        for owner in cls.__mro__:
            if is_ours(owner) or is_standard(owner) or (id(owner), "class") in self.seen:
                continue
            self.seen.add((id(owner), "class"))
            found = []
            for name, one in tuple(vars(owner).items()):
                if type(one) is not FunctionType and not name.startswith("__"):
                    self.add(found, OF_CLASS, name, 0, one, levels)
            if found:
                self.add_found(steps, owner, found)
        return 0

    cdef int add_found(self, list steps, cls, list found) except -1:
        """Append the step to a class, wherever it is reached from."""
        cdef Lookup step = Lookup.__new__(Lookup)
        step.kind, step.key, step.number, step.steps = ROOT, ref(cls), 0, found
        steps.append(step)
        return 0

    cdef int look_into_function(self, list steps, function, int levels) except -1:
        cdef dict names = function.__globals__
        cdef tuple around = self.names
        if is_ours(function):
            return 0
        self.names = names_of(function.__code__)
        for name in self.names:
            self.add(steps, GLOBAL, name, 0, names.get(name), levels)
        for i, cell in enumerate(function.__closure__ or ()):
            try:
                self.add(steps, VARIABLE, None, i, cell.cell_contents, levels)
            except ValueError:         # it has none yet
                continue
        self.names = around
        return 0

    cdef int add_root(self, list steps, value) except -1:
        """Append the steps from an object that is there as long as the capture, or is an argument."""
        try:
            self.add(steps, ROOT, ref(value), 0, value, MOST_LEVELS)
        except TypeError:              # none can refer to it weakly
            return 0
        for function in () if type(value) is FunctionType or is_ours(type(value)) else kind_of(type(value)).methods:
            self.add(steps, ROOT, ref(function), 0, function, MOST_LEVELS)
        return 0


cdef tuple items_of(value):
    """The items of a list, a tuple or a deque, of which no method of a user runs; () of a long one."""
    base = list if isinstance(value, list) else tuple if isinstance(value, tuple) else deque
    return tuple(base.__iter__(value)) if base.__len__(value) <= MOST_ITEMS else ()


cdef bint is_used(target, set used) except -1:
    """Whether a tensor or a generator is among objects that a recording has used: of the latter its source of bits."""
    if id(target) in used:
        return True
    return isinstance(target, _GENERATOR) and target._numpy is not None and id(target._numpy.bit_generator) in used


cdef object in_deque(value, Py_ssize_t number):
    """An item of a deque; None for none."""
    return deque.__getitem__(value, number) if isinstance(value, deque) and number < deque.__len__(value) else None


cdef object in_slot(value, name):
    """An attribute for which the class has a slot; None for none."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


@cython.final
@cython.binding(False)
cdef class Lookups:
    """The ways to the tensors that a function may look up."""

    cdef bint agree(self) except -1:
        """Whether the same tensors are found there."""
        cdef Py_ssize_t i
        for i in range(len(self.steps)):
            if not (<Lookup> PyList_GET_ITEM(self.steps, i)).agrees(NULL, None):
                return False
        return True

    cdef bint lead_to(self, Tensor t) except -1:
        """Whether all ways lead to the memory of a tensor."""
        cdef Py_ssize_t i
        for i in range(len(self.steps)):
            if not (<Lookup> PyList_GET_ITEM(self.steps, i)).agrees(NULL, t):
                return False
        return True

    def tensor_at(self, size_t address):
        """Return a tensor of the host whose first element is at an address, where the function may look it up; None."""
        for step in self.steps:
            found = (<Lookup> step).tensor_at(<char*> address)
            if found is not None:
                return found
        return None

    cdef Lookups among(self, tensors, bint is_named=False):
        """Return the ways to some tensors alone; None for none. is_named: those by names."""
        cdef set used = {id(one) for one in tensors}
        cdef Lookups made = Lookups.__new__(Lookups)
        steps = [(<Lookup> one).among(used, is_named) for one in self.steps]
        made.steps = [one for one in steps if one is not None]
        return made if made.steps else None

    cdef list ways_to(self, list tensors):
        """The tensors that the function may look up by names: (number, Lookups) of each; None for none."""
        cdef Lookups own = Lookups.__new__(Lookups)
        own.steps = self.steps[:self.n_own]
        own = own.among(tensors, True)
        if own is None:
            return None
        found = [(i, own.among([one])) for i, one in enumerate(tensors)]
        return [(i, ways) for i, ways in found if ways is not None]


def find_lookups(function, args not None):
    """Return the Lookups of a function, and of objects among the arguments of a call."""
    cdef Lookups made = Lookups.__new__(Lookups)
    cdef Finder finder = Finder.__new__(Finder)
    made.steps, finder.seen = [], set()
    for i, value in enumerate((function, *args)):
        if i == 1:
            made.n_own = len(made.steps)
        while type(value) is MethodType or type(value) is partial:
            finder.add_root(made.steps, value.__self__ if type(value) is MethodType else value)
            value = value.__func__ if type(value) is MethodType else value.func
        if not isinstance(value, Tensor) and type(value) not in (int, float, str, bool, list, tuple, dict):
            finder.add_root(made.steps, value)
    if not args:
        made.n_own = len(made.steps)
    return made


not_made_by_hand(<PyTypeObject*> Lookup)
not_made_by_hand(<PyTypeObject*> Finder)
not_made_by_hand(<PyTypeObject*> Lookups)
