"""Tensors among the arguments of a call: what a program depends on in them, and whether it can take them.

Note [Facts that Python reads]
    A program depends on sizes, strides and the like of its arguments. A function whose Python code also asks whether an
    argument is a view, where it lies in its storage, or for its version, depends on the answer. So does ``detach_()``,
    which refuses a view. The recording in which that is read is dropped, and from then on these facts are part of the
    function's signatures. What packages of wengert read is left out: they know what a recording needs.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

import sys

from wengert_core.extend cimport (TF_INFERENCE, WG_BATCHED, WG_GRAD, Storage, Tensor, bytes_between, dtype_facts,
                                  dtype_of, is_strided)
from wengert_replay.python_state.kinds cimport dict_of_tensor
from wengert_replay.recording.tracing cimport Recording
from wengert_replay.trace.overlap cimport is_foreign, share_memory

from wengert_core.extend import FACT_LISTENERS as _FACT_LISTENERS
from wengert_core.extend import DisableTorchFunctionSubclass
from wengert_engine.extend import current_tracer

from wengert_replay.refusal import SHARED_ARGUMENTS as _SHARED_ARGUMENTS
from wengert_replay.refusal import Refusal
from wengert_replay.signature import Unhashable, flatten

KINDS = {"_is_view()": "a view", "_base": "a view", "detach_()": "a view", "_version": "version",
         "retains_grad": "retains_grad", "untyped_storage()": "place", "storage_offset()": "place"}
"""Which fact of a signature is read by which name."""
OWN = ("_is_view()", "detach_()", "retains_grad")
"""Facts of a tensor itself, which others on its memory do not have."""
BETWEEN = ("wengert_core.tensors.facts", "wengert_core.api.untyped_storage", "wengert_core.api.typed_storage")
"""Modules that tell of what their caller reads."""


cdef object describe(Tensor t, facts):
    """Return class, dtype, sizes and strides, and whether it requires grad, is of inference mode, has a gradient, has
    a history; behind them the facts that Python reads, and the attributes that Python code has set.

    Other places name the same facts, and have to agree: "What belongs to a signature" in docs/how-replay-works.md.
    """
    cdef bint has_grad = t.extra != NULL and t.extra.grad != NULL
    cdef dict attributes = dict_of_tensor(t)
    row = (type(t), t.code, PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t)),
           t.flags & (WG_GRAD | TF_INFERENCE), has_grad, t.grad_fn != NULL)
    if attributes:
        return (*row, (*[(kind, fact_of(t, kind)) for kind in facts], ("attributes", values_of(attributes))))
    return (*row, tuple([(kind, fact_of(t, kind)) for kind in facts])) if facts else row


cdef object values_of(dict attributes):
    """The attributes of a tensor as a hashable value. Raises Unhashable, for tensors among them, too."""
    cdef list tensors = []
    found = flatten(attributes, tensors)
    if tensors:
        raise Unhashable("Tensor")
    return found


cdef object fact_of(Tensor t, str kind):
    cdef Storage s = <Storage> t.storage
    if kind == "a view":
        return t.base != NULL
    if kind == "version":
        return s.version
    if kind == "retains_grad":
        with DisableTorchFunctionSubclass():
            return (<object> t).retains_grad
    return bytes_between(s.data, t.data), s.nbytes


def note_fact(Tensor t not None, str fact not None):
    """Note what Python reads of a tensor while a function is recorded. Note [Facts that Python reads]"""
    cdef Tensor own
    cdef Recording recording
    cdef Recording tracer
    found = current_tracer()
    if not isinstance(found, Recording):
        return
    recording = tracer = found
    while recording.around is not None:
        recording = recording.around
    if recording.recorder.depth or tracer.recorder.depth:
        return
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__") in BETWEEN:
        frame = frame.f_back
    if (frame.f_globals.get("__name__") or "").startswith("wengert_"):
        return
    for own in recording.inputs:
        if own is t or (<Storage> own.storage).data == (<Storage> t.storage).data and fact not in OWN:
            if fact == "_base" and own.base != NULL:
                recording.refuse("Python reads _base of an argument that is a view")
            recording.facts.setdefault(KINDS[fact], f"{fact} of an argument at {frame.f_code.co_filename}:"
                                       f"{frame.f_lineno}")
            return
    if fact in ("_version", "retains_grad") and recording is tracer and id(t) not in recording.made \
            and recording.is_outside_pool(t):
        recording.refuse(f"Python reads {fact} of a tensor from outside")


_FACT_LISTENERS.append(note_fact)


cdef str why_not(Tensor t):
    """Return why an argument cannot be replayed; "" where it can."""
    if t.device or t.flags & WG_BATCHED or not is_strided(t):
        return f"an argument is on {(<object> t).device} in layout {(<object> t).layout}"
    return ""


def describe_tensors(list tensors, facts=()):
    """Return a hashable value that is equal for tensors that one program can take, and why no program can: "" or words.

    facts: those of KINDS that Python reads.
    """
    cdef Tensor t
    cdef set seen = set()
    cdef list foreign = []
    key = []
    for t in tensors:
        why = why_not(t)
        if why:
            return None, why
        try:
            key.append(describe(t, facts))
        except Unhashable as error:
            return None, f"an argument has an attribute of Python, of type {error}, that is no part of a signature"
        seen.add(<size_t> t.storage)
        if is_foreign(t.storage):
            foreign.append(t)
    if len(seen) < len(tensors) or any([meets_other(t, tensors) for t in foreign]):
        return None, _SHARED_ARGUMENTS
    return tuple(key), ""


cdef bint meets_other(Tensor t, list tensors) except -1:
    """Whether the memory of a tensor is also that of another one."""
    cdef Tensor other
    for other in tensors:
        if other is not t and share_memory(t.storage, other.storage):
            return True
    return False


def attributes_of_tensors(list tensors not None):
    """Return, of each tensor, its attributes of Python: a dict, or None where there are none."""
    found = [dict_of_tensor(t) for t in tensors]
    return [dict(one) if one else None for one in found]


def refuse_attributes(Recording recording not None, list before not None, list holder not None):
    """Raise Refusal where a function has set attributes of Python on an argument, or on a result that it has made.

    before: ``attributes_of_tensors`` the recording's inputs.   holder: a list of the result alone.
    """
    cdef list results = []
    for old, new in zip(before, attributes_of_tensors(recording.inputs)):
        if not are_alike(old, new):
            raise Refusal("the function sets an attribute of Python on an argument", transient=True)
    try:
        flatten(holder[0], results)
    except (Unhashable, RecursionError):
        return                         # refused for this
    known = {id(t) for t in recording.inputs} | {id(row[0]) for row in recording.tensors.values()}
    for t, own in zip(results, attributes_of_tensors(results)):
        if own and id(t) not in known:
            raise Refusal("the function sets an attribute of Python on a result", transient=True)


cdef bint are_alike(one, other) except -1:
    """Whether two dicts of attributes, or None, have the same objects."""
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and all([name in other and other[name] is value for name, value in one.items()])


def facts_of(tuple row not None):
    """Return dtype, shape and strides that ``describe_tensors`` has noted of a tensor, and in words what it is."""
    cdef int code = row[1]
    cdef bytes packed = row[2]
    cdef Py_ssize_t* numbers = <Py_ssize_t*> PyBytes_AS_STRING(packed)
    cdef Py_ssize_t i, rank = len(packed) // (2 * sizeof(Py_ssize_t)), itemsize = dtype_facts().itemsize[code]
    flags = (("requires_grad", row[3] & WG_GRAD), ("of inference mode", row[3] & TF_INFERENCE),
             ("with a gradient", row[4]), ("with a history", row[5]))
    names = [name for name, is_so in flags if is_so]
    for kind, fact in row[6] if len(row) > 6 else ():
        names.append(kind if fact is True else f"not {kind}" if fact is False else
                     f"version {fact}" if kind == "version" else
                     f"with {', '.join([words_of(item[0], item[1]) for item in fact[1:]])}" if kind == "attributes" else
                     f"at byte {fact[0]} of {fact[1]}")
    return (dtype_of(code), tuple([numbers[i] for i in range(rank)]),
            tuple([numbers[rank + i] // itemsize for i in range(rank)]), names)


cdef str words_of(name, structure):
    """The words for an attribute of a tensor: its name, and its value where that has no parts."""
    parts = structure[1:]
    is_plain = parts and not isinstance(parts[0], tuple)
    return f"{name}={parts[0]!r}" if is_plain else f"{name}={structure[0].__name__}"
