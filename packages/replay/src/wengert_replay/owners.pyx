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

import gc

from wengert_core.extend cimport WG_GRAD, Storage, Tensor
from wengert_replay.recording.tracing cimport Recording

from wengert_engine.extend import saved_values

from wengert_replay.graphs import walk
from wengert_replay.refusal import Refusal

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


@cython.binding(False)
cdef class References:
    """Counts of references to tensors, and of tensors on one memory."""

    cdef dict of_tensors               # by a tensor's address: references that are known
    cdef dict of_storages              # by a Storage's address: tensors that are known

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
        """Note the references in nested tuples, lists and dicts."""
        if isinstance(value, Tensor):
            return self.add(<Tensor> value)
        if isinstance(value, dict):
            value = (<dict> value).values()
        elif not isinstance(value, (tuple, list)):
            return 0
        for item in value:
            self.add_all(item)
        return 0

    cdef int add_graph(self, list results) except -1:
        """Note what the nodes have saved that results lead to."""
        for node, _ in walk([one.grad_fn for one in results]):
            for _, _, value in saved_values(node):
                self.add_all(value)
        return 0

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
        return 0
    for item in value:
        add_results(recording, item, seen, results)
    return 0


def refuse_stored(Recording recording not None, list holder not None):
    """Raise Refusal where somebody else has a tensor of a function's result, or its memory.

    holder: a list of the result alone, to which nobody else refers.
    """
    cdef References found = References()
    cdef list results = []
    add_results(recording, holder, set(), results)
    found.add_all(holder)
    for leaf, _ in recording.leaves.values():
        if leaf.grad is not None:
            found.add(<Tensor> leaf.grad)
    if found.explain(results):
        return
    gc.collect()
    found.add_graph(results)
    if not found.explain(results):
        raise Refusal("the function has stored a result somewhere else, too", transient=True)
