"""PythonCall: a Python function that a replay calls, between launches.

Note [Python functions inside of a program]
    ``compiler.disable`` marks a function that is not to be recorded: each replay calls it, with tensors on the
    program's memory, and takes its results from there. A tensor among its results is a value of the program; anything
    else in the result is a guard, because the caller may have decided by it. What it does to tensors from outside is
    done by itself, versions included; a tensor that was there before the call must be the same in each. One on an array
    that nobody else has, as of ``from_numpy(load())``, is new in each call: the recording gets a copy in its pool. It
    runs for its effects and numbers: a result with a graph is refused.

Note [Numbers without tensors]
    An optimizer's function gives several numbers in each replay, and a tensor for each would be most of its time. A
    function may have an attribute ``plain_numbers``: a function that does the same, and gives floats where this one
    gives new tensors of one float64 number. A replay calls it in the place of the other, and writes the numbers.

Note [Lists and dicts]
    An argument that is a list or a dict of Python values is one from outside, which each call shall read, or one that
    the function has made, of which each call gets another. The first replay knows: the latter has no owner by then. An
    argument of the captured function is part of the signature, and made anew of that. So is one with tensors in it,
    which a program must not keep alive.
"""
cimport cython
from cpython.ref cimport PyObject

from threading import local
from weakref import ref

from wengert_core.extend cimport FLOAT64, Storage, Tensor, block_at, new_on_memory, set_recorder, strides_of
from wengert_replay.recording.calls cimport on_captured_memory
from wengert_replay.recording.tracing cimport Recording

from numpy import ndarray
from wengert_core import float64 as _DOUBLE
from wengert_core import tensor as _TENSOR
from wengert_core.extend import Tensor as TensorClass
from wengert_engine.extend import set_tracer

from wengert_replay.signature import Unhashable, flatten
from wengert_replay.structures import rebuild


cdef extern from "Python.h":
    Py_ssize_t references "Py_REFCNT"(PyObject* o) noexcept

cdef frozenset COMPARED = frozenset((bool, int, str, bytes, frozenset, type(None)))


@cython.binding(False)
cdef class PythonCall(Call):
    """A call of a Python function."""

    @property
    def name(self):
        """The function's name."""
        return str(getattr(self.function, "__qualname__", type(self.function).__name__))

    def words(self):
        return self.name, id(getattr(self.function, "__code__", self.function)), repr(self.structure)

    def lasting_words(self):
        """``words`` without what is in lists and dicts from outside. Note [Lists and dicts]"""
        cdef set read = set()
        for where, value in self.kept:
            if references(<PyObject*> value) > 2:      # ``kept`` and ``value``
                read.add(where)
        _, args, kwargs = self.structure
        parts = [*enumerate(args[1:]), *[(key, part) for key, part, _ in kwargs[1:]]]
        return *self.words()[:2], repr([(where, where in read or part) for where, part in parts])

    cdef list run(self):
        tensors = [one() if isinstance(one, (ref, OutsideView)) else one for one in self.tensors]
        watcher = getattr(WATCHERS, "watcher", None) if N_WATCHERS else None
        try:
            if self.plain is not None and watcher is None:
                return self.take_numbers(self.plain(*tensors))
            if self.is_plain:
                result = self.function(*tensors) if watcher is None else watcher.call(self.function, tuple(tensors), {})
            else:
                args, kwargs = rebuild(self.structure, tensors)
                if self.kept:
                    args = self.with_kept(args, kwargs)
                result = self.function(*args, **kwargs) if watcher is None \
                    else watcher.call(self.function, args, kwargs)
        except Exception as error:
            error.add_note(f"raised by {self.name}, which a replay of wengert.capture called")
            raise
        tensors = []
        if matches(result, self.result, tensors):
            return tensors
        tensors = []
        structure = flatten(result, tensors)
        return tensors if structure == self.result else [*tensors, structure]

    cdef list take_numbers(self, result):
        """Write numbers to where the tensors of the result are. Note [Numbers without tensors]"""
        cdef list found = []
        cdef Py_ssize_t i
        if not matches(result, self.result, found):
            found = []
            structure = flatten(with_tensors(result), found)
            return found if structure == self.result else [*found, structure]
        for i in range(len(found)):
            if type(found[i]) is float and self.shared[i]:         # a tensor that was there already is no more
                found[i] = with_tensors(found[i])
            elif type(found[i]) is float:
                (<double*> (<Tensor> self.outputs[i]).data)[0] = found[i]
                found[i] = self.outputs[i]
        return found

    cdef tuple with_kept(self, tuple args, dict kwargs):
        """Put lists and dicts from outside among the arguments. Note [Lists and dicts]"""
        cdef list found = list(args), kept = []
        for where, value in self.kept:
            if references(<PyObject*> value) > 2:      # ``kept`` and ``value``
                kept.append((where, value))
                if isinstance(where, str):
                    kwargs[where] = value
                else:
                    found[where] = value
        self.kept = kept
        return tuple(found)

    cdef object settle(self, list results):
        cdef Py_ssize_t last = len(results) - 1
        if last >= 0 and not isinstance(results[last], Tensor):    # what run() puts behind the tensors
            if results[last] != self.result:
                return self.facts_of(results[:last]), results[last]
            results = results[:last]
        for shared, target, source in zip(self.shared, self.outputs, results):
            if shared and (<Tensor> target).data != (<Tensor> source).data:
                return "a tensor that is there already", <size_t> (<Tensor> source).data
        return Call.settle(self, results)


WATCHERS = local()                     # of threads: what calls the functions of their replays
cdef int N_WATCHERS = 0


def watch_calls(watcher):
    """Let ``watcher.call(function, args, kwargs)`` call the functions of this thread's replays; None: no more. Return
    the watcher before.
    """
    global N_WATCHERS
    before = getattr(WATCHERS, "watcher", None)
    N_WATCHERS += (watcher is not None) - (before is not None)
    WATCHERS.watcher = watcher
    return before


cdef int forget_calls() except -1:
    """Let this thread's watcher forget the calls so far: a replay has been undone, or another part of it begins."""
    watcher = getattr(WATCHERS, "watcher", None) if N_WATCHERS else None
    if watcher is not None:
        watcher.forget()
    return 0


cdef bint matches(value, tuple structure, list tensors) except -1:
    """Whether a value has a structure that ``flatten`` gave; its tensors are appended. False where it is uncertain."""
    cdef Py_ssize_t i, n = len(structure) - 1
    kind = structure[0]
    if kind is TensorClass:
        if type(value) is float:       # Note [Numbers without tensors]
            tensors.append(value)
            return structure[1] == len(tensors) - 1
        if not isinstance(value, TensorClass):
            return False
        for i in range(len(tensors)):
            if tensors[i] is value:
                return i == structure[1]
        tensors.append(value)
        return structure[1] == len(tensors) - 1
    if type(value) is not kind:
        return False
    if kind is tuple:
        if len(<tuple> value) != n:
            return False
        for i in range(n):
            if not matches((<tuple> value)[i], structure[i + 1], tensors):
                return False
        return True
    return kind in COMPARED and (value is structure[1] or value == structure[1])


cdef object with_tensors(value):
    """A result with tensors in place of its floats."""
    if type(value) is float:
        return _TENSOR(value, dtype=_DOUBLE)
    return tuple([with_tensors(one) for one in value]) if type(value) is tuple else value


cdef object call_python(Recording recording, function, tuple args, dict kwargs):
    """Call a function whose operations are not recorded, and note the call."""
    cdef PythonCall call
    cdef Tensor t
    tensors, outputs = [], []
    if recording.recorder.depth:       # an operation that is recorded as a whole
        return function(*args, **kwargs)
    try:
        structure = flatten((args, kwargs), tensors)
    except Unhashable as error:
        recording.refuse(f"an argument of type {error} of a function that is not recorded has no hash")
        return function(*args, **kwargs)
    recording.open_call(tensors)
    versions = {key: (<Storage> (<Tensor> seen[0]).storage).version for key, seen in recording.outside.items()}
    changes = changes_of(recording)
    set_tracer(None)
    set_recorder(NULL)
    try:
        result = copy_new_arrays(function(*args, **kwargs) if changes is None else changes.call(function, args, kwargs))
    finally:
        set_tracer(recording)
        set_recorder(&recording.recorder)
    for key, before in versions.items():
        t = <Tensor> recording.outside[key][0]
        rises = (<Storage> t.storage).version - <unsigned int> before
        if rises:
            recording.python_versions[key] = recording.python_versions.get(key, 0) + rises
    call = PythonCall.__new__(PythonCall)
    call.function, call.structure, call.writes = function, structure, False
    call.memory, call.outside, call.owner, call.tensors, call.shared = [], [], [], [], []
    call.outputs = []
    call.is_plain = not kwargs and len(tensors) == len(args) and all([isinstance(one, TensorClass) for one in args])
    call.kept = [pair for pair in (*enumerate(args), *kwargs.items()) if is_value(pair[1], recording.given)]
    try:
        call.result = flatten(result, outputs)
    except Unhashable as error:
        recording.refuse(f"the result of {call.name}, which is not recorded, has an object of type {error} in it")
        outputs = []
    for t in outputs:
        if t.grad_fn != NULL:
            recording.refuse(f"a result of {call.name}, which is not recorded, has a graph")
            outputs = []
            break
    for t in tensors:
        call.tensors.append(move(call, recording, t))
    call.arguments = [None if isinstance(one, (ref, OutsideView)) else one for one in call.tensors]
    for t in outputs:
        shared = <size_t> t.storage in recording.outside or <size_t> t.storage in {
            <size_t> (<Tensor> one).storage for one in tensors}
        if not shared and block_at(recording.pool, (<Storage> t.storage).data) == NULL:
            recording.add_outside(t)
            shared = True
        call.shared.append(shared)
    call.outputs = [on_captured_memory(t) for t in outputs]
    call.plain = getattr(function, "plain_numbers", None) if call.is_plain else None
    for shared, t in zip(call.shared, outputs):
        if not shared and (t.code != FLOAT64 or t.count != 1):
            call.plain = None
    call.memory += call.outputs
    recording.add_call(call, outputs, call.name)
    return result


cdef object changes_of(Recording recording):
    """The changes of Python's state by the captured function; None where nobody asks."""
    while recording.changes is None and recording.around is not None:
        recording = recording.around
    return recording.changes


cdef bint is_value(value, given) except -1:
    """Whether an argument is a list or a dict of Python values, and none of the captured function's arguments."""
    cdef list tensors = []
    if type(value) is not list and type(value) is not dict or has_container(given, value):
        return False
    flatten(value, tensors)
    return not tensors


cdef bint has_container(value, wanted) except -1:
    """Whether a list or a dict is, or is in, a value."""
    if value is wanted:
        return True
    if isinstance(value, dict):
        value = (<dict> value).values()
    elif not isinstance(value, (tuple, list)):
        return False
    return any([has_container(one, wanted) for one in value])


cdef object copy_new_arrays(result):
    """Return a result with copies in place of tensors on arrays that nobody else has."""
    cdef Tensor t
    cdef list tensors = []
    cdef bint found = False
    try:
        structure = flatten(result, tensors)
    except Unhashable:
        return result
    for i in range(len(tensors)):
        t = tensors[i]
        if references(<PyObject*> t) == 3 and is_new_array(t):       # the result, the list, and ``t``
            tensors[i] = t.clone()
            found = True
    return rebuild(structure, tensors) if found else result


cdef bint is_new_array(Tensor t) except -1:
    """Whether a tensor, which nobody else has, lies on an array which nobody else has either."""
    cdef Storage s = <Storage> t.storage
    if s.owner == NULL or references(<PyObject*> t.storage) > 2 or t.requires_grad or not t.is_contiguous():
        return False
    owner = <object> s.owner
    while type(owner) is ndarray and references(<PyObject*> owner) == 2:         # what is on it, and ``owner``
        if owner.flags.owndata:
            return True
        owner = owner.base
    return False


@cython.binding(False)
cdef class OutsideView:
    """A view of a tensor from outside that the function has made: each call gets one of its own."""
    cdef object base                   # a weak reference
    cdef tuple geometry
    cdef bint requires_grad

    def __call__(self):
        base = self.base()
        return (base if self.requires_grad else base.detach()).as_strided(*self.geometry)


cdef object move(PythonCall call, Recording recording, Tensor t):
    """Return a source of the tensor that each call gets for an argument: a weak reference to one from outside."""
    cdef Storage s = <Storage> t.storage
    cdef Tensor base
    cdef OutsideView view
    if <size_t> t.storage in recording.outside:
        base = recording.outside[<size_t> t.storage][0]
        if id(t) not in recording.made or base is t:
            call.outside.append(ref(t))
            return call.outside[len(call.outside) - 1]
        if base.code != t.code:
            recording.refuse(f"{call.name}, which is not recorded, gets a tensor from outside as one of another dtype")
        call.outside.append(ref(base))
        view = OutsideView.__new__(OutsideView)
        view.base, view.requires_grad = ref(base), (<object> t).requires_grad
        view.geometry = tuple((<object> t).shape), (<object> t).stride(), (<object> t).storage_offset()
        return view
    made = new_on_memory(t.code, t.rank, t.dims, strides_of(t), t.data, s.data, s.nbytes, call.owner)
    call.memory.append(made)
    return made
