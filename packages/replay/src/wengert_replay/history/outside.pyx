"""Effects of a recording on tensors from outside, and copies of those, with which a second run does the same again.
"""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport PyObject
from libc.string cimport memcmp, memcpy

from weakref import ref

from wengert_core.extend cimport (BOOL, LAUNCH_CALL, LAUNCH_GUARD, OPERAND_WRITTEN, TF_INFERENCE, WG_GRAD, Block,
                                  Launch, Storage, Tensor, WgState, alias, block_at, new_empty, new_on_memory,
                                  strides_of, thread_state)
from wengert_engine.extend cimport numbered_hooks
from wengert_replay.trace.overlap cimport FOREIGN_BIN
from wengert_replay.programs.memory cimport extent
from wengert_replay.programs.outside cimport lookups_of
from wengert_replay.recording.calls cimport Call
from wengert_replay.recording.python_calls cimport PythonCall
from wengert_replay.recording.tracing cimport Recording

from wengert_core.extend import Tensor as TensorClass
from wengert_core.extend import rng_states

from wengert_replay.refusal import ARGUMENT_IS_WRITTEN as _ARGUMENT_IS_WRITTEN
from wengert_replay.refusal import OWN_LEAF as _OWN_LEAF
from wengert_replay.refusal import class_words


@cython.binding(False)
cdef class OutsideState:
    """The memory of tensors and their versions, at one time."""

    def __init__(self, tensors, weakly=()):
        """weakly: tensors that are not held; one that is gone later is left out."""
        cdef Tensor t
        self.parts = []
        for t in tensors:
            self.add(t, t)
        for t in weakly:
            self.add(ref(t), t)

    def add(self, part, Tensor t not None):
        """Copy the memory of another tensor, as it is now. part: that tensor, or a reference to it."""
        cdef Storage s = <Storage> t.storage
        self.parts.append((part, PyBytes_FromStringAndSize(s.data, s.nbytes), s.version))

    def keep(self, Tensor t not None):
        """Copy the memory of a tensor that is about to be written to, the first time."""
        for part, _, _ in self.parts:
            if storage_of(part) is <Storage> t.storage:
                return
        self.add(alias(t), t)

    def now(self):
        """Return the state of the same tensors at this time, without those that are gone."""
        cdef OutsideState made = OutsideState(())
        for part, _, _ in self.parts:
            t = part if isinstance(part, TensorClass) else part()
            if t is not None:
                made.add(part, t)
        return made

    def differs(self):
        """Whether memory has other bytes or another version now."""
        cdef Storage s
        for part, content, version in self.parts:
            s = storage_of(part)
            if s is not None and (s.version != <unsigned int> version or s.nbytes != PyBytes_GET_SIZE(content)
                                  or memcmp(s.data, PyBytes_AS_STRING(content), s.nbytes)):
                return True
        return False

    def differs_unnoticed(self, Tensor t not None):
        """Whether a tensor, the first of these, has other bytes now and the same version: one has written by ``.data``.
        """
        cdef Storage s = <Storage> t.storage
        _, content, version = self.parts[0]
        return s.version == <unsigned int> version and s.nbytes == PyBytes_GET_SIZE(content) \
            and memcmp(s.data, PyBytes_AS_STRING(content), s.nbytes) != 0

    def put_back(self):
        """Let the tensors have these values and versions again. RuntimeError for one that was resized."""
        cdef Storage s
        for part, content, version in self.parts:
            s = storage_of(part)
            if s is None:
                continue
            if s.nbytes != PyBytes_GET_SIZE(content):
                raise RuntimeError("a tensor that a captured function writes to was resized before its backward")
            memcpy(s.data, PyBytes_AS_STRING(content), s.nbytes)
            s.version = version


cdef Storage storage_of(part):
    """The memory of a tensor, or of one that a reference leads to; None where that is gone."""
    cdef Tensor t = part if isinstance(part, TensorClass) else part()
    return None if t is None else <Storage> t.storage


def written_outside(Recording recording not None):
    """Return a tensor for each memory from outside whose version has risen, or that is the state of a generator other
    than the default ones; the user's own are not kept.
    """
    cdef dict states = {key: row for key, row in recording.outside.items() if key == row[2]}
    for call in recording.calls.values():
        for body in getattr(call, "all_bodies", list)():
            states.update(body.all_states())
    found = [alias(t) for t, version, _, _ in recording.outside.values()
             if (<Storage> (<Tensor> t).storage).version != version]
    default = [one.numpy().bit_generator for one, _ in rng_states()] if states else []
    return found + [alias(t) for t, _, _, _ in states.values() if not is_held_by(t, default)]


cdef bint is_held_by(Tensor t, list holders):
    """Whether the memory of a tensor is that of one of these objects."""
    cdef Storage s = <Storage> t.storage
    return any([<PyObject*> one == s.owner for one in holders])


def unknown_generators(Recording recording not None, list known not None):
    """Return the generators that operations draw from which replays call, default ones and those known left out."""
    found, others = [], [*known, *[one for one, _ in rng_states()]]
    for call in recording.calls.values():
        found += [one for one in call.generators() if all([one is not other for other in [*others, *found]])]
    return found


def lies_in(Tensor t not None, others not None):
    """Whether a tensor has the memory of one of others, also under another Storage."""
    return any([address_of_memory(t) == address_of_memory(one) for one in others]) or shares_memory(t, others)


def swap_saved_hooks(hooks):
    """Let this thread pack saved tensors with a pair of hooks that it had, None: with none; return those before."""
    cdef WgState* state = thread_state()
    before = None if state.saved_hooks == NULL else <object> state.saved_hooks
    state.saved_hooks = NULL if hooks is None else <PyObject*> hooks    # the engine has the reference all the time
    return before


def versions_of(tensors not None):
    """Return the versions of tensors."""
    return [(<Storage> (<Tensor?> t).storage).version for t in tensors]


def address_of_memory(Tensor t not None):
    """Return where the memory of a tensor begins."""
    return <size_t> (<Storage> t.storage).data


def is_foreign(Tensor t not None):
    """Whether the memory of a tensor is somebody else's: of ``y`` behind ``y.data = x``, that of x."""
    return (<Storage> t.storage).bin == FOREIGN_BIN


def hold_memory(Tensor t not None):
    """Return another tensor on the same memory, without a history, which no recording hears of."""
    return alias(t)


def count_writes(Tensor made not None, Tensor t not None, version):
    """Let the memory of a tensor count as many writes as that of another one has since a version."""
    cdef Storage s = <Storage> made.storage
    s.version = s.version + ((<Storage> t.storage).version - <unsigned int> version)


cdef object outside_at(Recording recording, size_t address):
    """The tensor from outside that memory belongs to, or None."""
    for t, _, first, nbytes in recording.outside.values():
        if first <= address < first + nbytes:
            return t
    return None


cdef bint is_argument_at(Recording recording, size_t address) except -1:
    cdef Tensor t
    cdef Storage s
    for t in recording.inputs:
        s = <Storage> t.storage
        if <size_t> s.data <= address < <size_t> s.data + s.nbytes:
            return True
    return False


def effects_behind(Recording recording not None, Py_ssize_t return_point):
    """Return what launches behind a return point do beside computing values: "" or words."""
    cdef Launch* launch
    cdef Call call
    cdef Tensor t
    cdef Py_ssize_t i
    cdef int k
    for i in range(return_point + 1, recording.recorder.n):
        launch = &recording.recorder.launches[i]
        if launch.kind == LAUNCH_GUARD:
            return "a number of a tensor is read by Python in backward"
        if launch.kind == LAUNCH_CALL:
            call = recording.calls[i]
            if isinstance(call, PythonCall):
                return f"{call.name}, which is not recorded, is called in backward"
            if call.generators():
                return f"{call.name} draws random numbers in backward"
            for t in call.outputs if call.writes else ():
                if outside_at(recording, <size_t> t.data) is not None or is_argument_at(recording, <size_t> t.data):
                    return f"{call.name} writes to a tensor from outside in backward"
            continue
        for k in range(launch.n_operands):
            if launch.role[k] & OPERAND_WRITTEN and launch.low[k] != launch.high[k]:
                if block_at(recording.pool, launch.data[k]) != NULL:
                    continue           # as most, which need no look at all that is outside
                address = <size_t> (launch.data[k] + launch.low[k])
                if outside_at(recording, address) is not None or is_argument_at(recording, address):
                    return "a tensor from outside is written to in backward"
    return ""


def forget_leaves(Recording recording not None):
    """Let a program not depend on gradients that it does not use; False where the function has changed one."""
    for key, (leaf, grad) in list(recording.leaves.items()):
        if leaf.grad is not grad:
            return False
        if key in recording.read_gradients:
            continue
        if grad is None or <size_t> (<Tensor> grad).storage not in recording.outside:
            del recording.leaves[key]
    return True


def copy_with_strides(Tensor t not None):
    """Return a copy with memory of its own and the same strides, without a history."""
    cdef Py_ssize_t low = 0, high = 0, nbytes
    extent(t, &low, &high)
    nbytes = high - low
    cdef Tensor room = new_empty(BOOL, 1, &nbytes)
    memcpy(room.data, t.data + low, nbytes)
    return new_on_memory(t.code, t.rank, t.dims, strides_of(t), room.data - low, room.data, nbytes,
                         <object> room.storage)


def read_outside(Recording recording not None, leaves not None):
    """Return a tensor for each memory from outside that is not written to; the user's are not kept.

    leaves: those that a node saves, whose versions it compares itself. One that the function uses without a gradient
    is none of them.
    """
    return [alias(t) for t, version, _, _ in recording.outside.values()
            if (<Storage> (<Tensor> t).storage).version == version and not shares_memory(t, leaves)]


def refuse_replaced(Recording recording not None):
    """Raise Refusal where a function that has just run would find other tensors than it has used."""
    lookups_of(recording)


def tensors_outside(Recording recording not None):
    """Return (weak reference, address, Storage's address, WG_GRAD or 0) of each tensor from outside that is no view, as
    the function has found it.
    """
    return [(ref(t), *facts) for t, *facts in recording.tensors.values() if id(t) not in recording.made]


def put_flags(list rows not None):
    """Let leaves require gradients as rows of ``tensors_outside`` say; return rows of those that did not."""
    cdef Tensor t
    cdef list changed = []
    for reference, address, storage, flag in rows:
        found = reference()
        if found is None:
            continue
        t = <Tensor> found
        if t.grad_fn == NULL and t.flags & WG_GRAD != <unsigned int> flag:
            changed.append((reference, address, storage, t.flags & WG_GRAD))
            t.flags ^= WG_GRAD
    return changed


def was_replaced(list rows not None):
    """Whether a tensor of ``tensors_outside`` that is there has other memory now."""
    cdef Tensor t
    for reference, address, _, _ in rows:
        t = reference()
        if t is not None and <size_t> t.data != <size_t> address:
            return True
    return False


def predates(Tensor t not None, Recording recording not None):
    """Whether a tensor was there before the function ran, or has memory that was."""
    cdef Storage s = <Storage> t.storage
    return recording.pool == NULL or s.bin == FOREIGN_BIN or block_at(recording.pool, s.data) == NULL


def shares_memory(Tensor t not None, others not None):
    """Whether a tensor lies in the storage of one of others."""
    for one in others:
        if (<Tensor?> one).storage == t.storage:
            return True
    return False


cdef size_t memory_of(Tensor t, Recording recording):
    """A number that tensors have in common which share memory of the pool: ``x.data`` has a Storage of its own."""
    cdef Block* block = recording.block_of(<Storage> t.storage) if recording.pool != NULL else NULL
    return <size_t> t.storage if block == NULL else <size_t> block.address


def why_not_node(list results not None, Recording recording not None):
    """Return why results cannot be those of one node: "" or words."""
    cdef Tensor t
    cdef Py_ssize_t i
    cdef set seen = set()
    for i, t in enumerate(recording.inputs):
        if (<Storage> t.storage).version != recording.versions[i]:
            return _ARGUMENT_IS_WRITTEN
        if t.flags & TF_INFERENCE:
            return "an argument was made in inference mode, and a result has a graph"
    for t in results:
        key = <size_t> t.storage
        if any([one is t for one in recording.inputs]):
            continue
        if t.flags & WG_GRAD and t.grad_fn == NULL and id(t) not in recording.leaves:
            return _OWN_LEAF
        if key in recording.outside:
            if t.grad_fn != NULL:
                return "a result is a view of a tensor from outside, or has its memory"
            continue
        if recording.is_input(t):
            return "a result is a view of an argument, or has its memory"
        if type(t) is not TensorClass:
            return class_words(t)
        memory = memory_of(t, recording)
        if memory in seen:
            return "two results share memory"
        seen.add(memory)
    return ""


def histories_of(tensors not None):
    """Return where each tensor's history begins, to be compared: an operation that writes to one changes it."""
    cdef Tensor t
    return [(<size_t> t.grad_fn, t.flags & WG_GRAD) for t in tensors]


def numbers_of_hooks(Tensor t not None):
    """Return the numbers under which hooks are kept that a tensor's gradient comes to."""
    return [number for number, _ in numbered_hooks(t) or ()]
