"""Owners of results: whether somebody else than the caller has a result of a recorded function.

Note [A result that is stored]
    ``self.state = state; return state``: a replay gives a new tensor and does not run the assignment, so the next call
    would read the old one. References tell: a result has those of the structure that it is returned in, of other
    results that are views of it, of leaves whose gradient it is, and of the graph. Whatever else refers to it, or to
    its memory by another tensor, is somebody who has stored it.
"""
cimport cython
from cpython.list cimport PyList_GET_ITEM
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t


from wengert_core.extend cimport OPERAND_WRITTEN, WG_GRAD, Block, Launch, Storage, Tensor
from wengert_replay.recording.tracing cimport Recording

import gc

from wengert_engine.extend import saved_values

from wengert_replay.collecting import collect_young
from wengert_replay.graphs import tensors_referred_to, walk
from wengert_replay.refusal import NO_HISTORY as _NO_HISTORY
from wengert_replay.refusal import OWN_LEAF as _OWN_LEAF
from wengert_replay.refusal import Refusal, stored_words
from wengert_replay.signature import Unhashable, find_state, flatten, is_container, parts_within

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


@cython.binding(False)
cdef class References:
    """Counts of references to tensors, and of tensors on one memory."""

    cdef dict of_tensors               # by a tensor's address: references that are known
    cdef dict of_storages              # by a Storage's address: tensors that are known
    cdef uint64_t last_node            # that was made before the function ran; what hooks of these hold does not count

    def __cinit__(self):
        self.of_tensors, self.of_storages = {}, {}

    cdef int add(self, Tensor t) except -1:
        """Note a reference to a tensor, and, the first time, what the tensor refers to."""
        cdef size_t key = <size_t> <PyObject*> t
        cdef bint is_new = key not in self.of_tensors
        self.of_tensors[key] = 1 if is_new else self.of_tensors[key] + 1
        if not is_new:
            return 0
        self.of_storages[<size_t> t.storage] = self.of_storages.get(<size_t> t.storage, 0) + 1
        if t.extra != NULL and t.extra.tangent != NULL:    # of a level that has ended
            self.add_all(gc.get_referents(<object> t.extra.tangent))
        return self.add(<Tensor> t.base) if t.base != NULL else 0

    cdef int add_all(self, value) except -1:
        """Note the references in nested tuples, lists, dicts and dataclasses."""
        if isinstance(value, Tensor):
            return self.add(<Tensor> value)
        if isinstance(value, dict):
            value = (<dict> value).values()
        elif not isinstance(value, (tuple, list)):
            value = parts_within(value)
        for item in value:
            self.add_all(item)
        return 0

    cdef int add_graph(self, list results) except -1:
        """Note what the nodes have saved that results lead to, what their hooks refer to, and the leaves there."""
        try:
            roots = [one.grad_fn for one in results]
        except RuntimeError:
            raise Refusal(_NO_HISTORY) from None
        seen = set()
        for node, leaf in walk(roots):
            if leaf is not None:
                self.add(<Tensor> leaf)
                continue               # its hooks are the user's
            for _, _, value in saved_values(node):
                self.add_all(value)
            if node._sequence_nr() > self.last_node:
                for one in tensors_referred_to(node, seen):
                    self.add(<Tensor> one)
        return 0

    cdef int add_recording(self, Recording recording) except -1:
        """Note what a recording holds, arguments left out."""
        for row in (*recording.outside.values(), *recording.tensors.values(), *recording.leaves.values()):
            self.add(<Tensor> row[0])
        return 0

    cdef Py_ssize_t others(self, PyObject* one) except -1:
        """The number of references to a tensor that are not known."""
        return Py_REFCNT(one) - <Py_ssize_t> self.of_tensors.get(<size_t> one, 0)

    cdef Py_ssize_t others_of_storage(self, PyObject* one) except -1:
        """The number of references to its Storage, the tensor's own left out, that are not known."""
        cdef PyObject* storage = (<Tensor> one).storage
        known = self.of_storages.get(<size_t> storage, 0) - (<size_t> one in self.of_tensors)
        return Py_REFCNT(storage) - 1 - <Py_ssize_t> known

    cdef set blocks_in(self, Recording recording):
        """The addresses of a recording's blocks that tensors have which are known."""
        cdef set found = set()
        cdef Block* block
        for key in self.of_storages:
            block = recording.block_of(<Storage> <PyObject*> <size_t> key)
            if block != NULL:
                found.add(<size_t> block.address)
        return found

    cdef bint explain(self, list results) except -1:
        """Whether there are no other references than these, and one from the list itself."""
        cdef Py_ssize_t i
        cdef PyObject* one
        cdef PyObject* storage
        for i in range(len(results)):
            one = PyList_GET_ITEM(results, i)
            storage = (<Tensor> one).storage
            if Py_REFCNT(one) > <Py_ssize_t> self.of_tensors[<size_t> one] + 1 \
                    or Py_REFCNT(storage) > <Py_ssize_t> self.of_storages[<size_t> storage]:
                return False
        return True


cdef References references_of(Recording recording, list results, list holder):
    """The references that a recording has, a function's results and their graph."""
    cdef References found = References()
    found.last_node = recording.last_node
    found.add_all([results, holder])
    found.add_graph(results)
    found.add_recording(recording)
    return found


def refuse_own_leaves(Recording recording not None, list leaves not None, list results not None, list holder not None):
    """Raise Refusal where a leaf that a graph leads to, and that the function has made, is a result, or is stored.

    Each call makes another one, which gets the gradients of that call.   holder: as in ``refuse_stored``.
    """
    cdef Py_ssize_t i, others
    cdef PyObject* one
    for i in range(len(leaves)):
        one = PyList_GET_ITEM(leaves, i)
        is_result = any([<PyObject*> result == one for result in results])
        is_own = <size_t> one in recording.made or recording.block_of(<Storage> (<Tensor> one).storage) != NULL
        if not (is_result or is_own) or any([<PyObject*> own == one for own in recording.inputs]):
            continue
        if is_result and is_own:
            raise Refusal(_OWN_LEAF)
        others = references_of(recording, results, holder).others(one) - 1
        if is_result and others <= 0:
            raise Refusal(_OWN_LEAF)
        if is_own and others > 0:
            raise Refusal("the function has stored a leaf that it made somewhere", transient=True)


cdef int add_results(Recording recording, value, set seen, list results) except -1:
    """Append the tensors in a result that lie in the recording's memory, each once; leaves are left out."""
    cdef Tensor t
    if isinstance(value, Tensor):
        t = <Tensor> value
        if <size_t> <PyObject*> t not in seen and recording.block_of(<Storage> t.storage) != NULL \
                and (t.grad_fn != NULL or not t.flags & WG_GRAD):
            seen.add(<size_t> <PyObject*> t)
            results.append(t)
        return 0
    if isinstance(value, dict):
        value = (<dict> value).values()
    elif not isinstance(value, (tuple, list)):
        value = parts_within(value)
    for item in value:
        add_results(recording, item, seen, results)
    return 0


def count_references(list tensors not None):
    """Return, of each tensor, the number of references to it, and to its Storage by other tensors."""
    cdef Py_ssize_t i
    cdef References none = References()
    return [(none.others(PyList_GET_ITEM(tensors, i)), none.others_of_storage(PyList_GET_ITEM(tensors, i)))
            for i in range(len(tensors))]


cdef bint have_others(References known, list tensors, list counts) except -1:
    cdef Py_ssize_t i
    cdef PyObject* one
    for i in range(len(tensors)):
        one = PyList_GET_ITEM(tensors, i)
        if known.others(one) > <Py_ssize_t> counts[i][0] or known.others_of_storage(one) > <Py_ssize_t> counts[i][1]:
            return True
    return False


def refuse_stored_arguments(Recording recording not None, list counts not None, list holder not None,
                            arguments):
    """Raise Refusal where a function has stored an argument, a tensor on the memory of one, or one on an array that it
    makes a tensor of.

    counts: of the recording's arguments before the call.   holder: as in ``refuse_stored``.   arguments: their
    structure.
    """
    cdef References known = References()
    cdef list results = [], arrays = [row[0] for key, row in recording.outside.items() if key in recording.arrays]
    cdef list held = [*recording.inputs, *arrays]
    counts = [*[(n + 1, of_storage) for n, of_storage in counts], *[(2, 0) for _ in arrays]]     # ``held``, ``arrays``
    if not have_others(known, held, counts):
        return
    try:
        shape = flatten(holder[0], results)
    except (Unhashable, RecursionError):
        return                         # refused for this
    if find_state(shape, arguments) or recording.python.have_run:
        return                         # the object, or Python functions of the graph, may have them
    known = references_of(recording, results, holder)
    known.add_graph([one._base for one in results if one._base is not None])
    if have_others(known, held, counts):
        collect_young()
        if have_others(known, held, counts):
            raise Refusal("the function has stored an argument, or a tensor on an array, somewhere", transient=True)


def refuse_stored_blocks(Recording recording not None, list results not None, list holder not None):
    """Raise Refusal where a function has stored a tensor that it made, and that the graph of its results does not need.

    A backward that runs the function again would do that twice.   holder: as in ``refuse_stored``.
    """
    cdef References known
    if recording.python.have_run:
        return                         # Python functions of the graph may have them
    known = references_of(recording, results, holder)
    known.add_graph([one._base for one in results if one._base is not None])
    used = known.blocks_in(recording)
    if recording.live_blocks() <= used:
        return
    collect_young()
    stored = recording.live_blocks() - used
    if stored:
        raise Refusal(stored_words(len(stored), maker_of(recording, stored)), transient=True)


def blocks_of(Recording recording not None, list tensors not None):
    """Return the addresses of the recording's blocks that tensors have, and their tangents of ended levels."""
    cdef References known = References()
    known.add_all(tensors)
    return known.blocks_in(recording)


def maker_of(Recording recording not None, set blocks not None):
    """Return the last operation that has written to a block, with its line; "" where no launch has.

    blocks: addresses of the recording's blocks.
    """
    cdef Py_ssize_t i, k
    cdef Launch* launch
    for i in range(recording.recorder.n - 1, -1, -1):
        launch = &recording.recorder.launches[i]
        for k in range(launch.n_operands):
            if launch.role[k] & OPERAND_WRITTEN and <size_t> launch.data[k] in blocks:
                return recording.words_of(launch.step)
    return ""


cdef int add_containers(value, dict counts, list found) except -1:
    """Count how often each list, dict and dataclass is in a result; append each to a list the first time."""
    cdef size_t key = <size_t> <PyObject*> value
    if isinstance(value, Tensor):
        return 0
    if is_container(value):
        counts[key] = counts.get(key, 0) + 1
        if counts[key] > 1:
            return 0
        found.append(value)
    if isinstance(value, dict):
        for item in (<dict> value).values():
            add_containers(item, counts, found)
    elif isinstance(value, (tuple, list)):
        for item in value:
            add_containers(item, counts, found)
    else:
        for item in parts_within(value):
            add_containers(item, counts, found)
    return 0


cdef bint has_other_owners(dict counts, list found) except -1:
    """Whether somebody else has one of these, beside the result and the list."""
    cdef Py_ssize_t i
    cdef PyObject* one
    for i in range(len(found)):
        one = PyList_GET_ITEM(found, i)
        if Py_REFCNT(one) > 1 + <Py_ssize_t> counts[<size_t> one]:
            return True
    return False


def refuse_stored_containers(list holder not None):
    """Raise Refusal where somebody else has a list, a dict or a dataclass of a function's result: it was there before,
    or the function has stored it, and a replay would give another one; or where one is in the result twice.

    holder: as in ``refuse_stored``.
    """
    cdef dict counts = {}
    cdef list found = []
    try:
        add_containers(holder[0], counts, found)
    except RecursionError:
        return                         # refused for this
    if max(counts.values(), default=0) > 1:
        raise Refusal("the result has a list, a dict or a dataclass in it twice")
    if has_other_owners(counts, found):
        collect_young()
        if has_other_owners(counts, found):
            raise Refusal("the result has a list, a dict or a dataclass in it that the function has stored, or has "
                          "from outside", transient=True)


def refuse_stored(Recording recording not None, list holder not None):
    """Raise Refusal where somebody else has a tensor of a function's result, or its memory.

    holder: a list of the result alone, to which nobody else refers.
    """
    cdef References found = References()
    cdef list results = []
    found.last_node = recording.last_node
    add_results(recording, holder, set(), results)
    found.add_all(holder)
    for leaf, _ in recording.leaves.values():
        if leaf.grad is not None:
            found.add(<Tensor> leaf.grad)
    if found.explain(results):
        return
    collect_young()
    found.add_graph(results)
    if not found.explain(results):
        value = recording.value_of(<Tensor> results[0]) if len(results) == 1 else None
        where = "" if value is None or value.step is None else f": {recording.words_of(value.step)}"
        raise Refusal(f"the function has stored a result somewhere else, too{where}", transient=True)
