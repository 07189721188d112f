# cython: auto_pickle=False
"""Gradients of leaves that programs find, and hand out, in the same tensor again and again.

Note [Gradients that are made anew]
    Where gradients are set to None, the next backward makes others. A program knows tensors from outside by their
    memory, so that one which adds to gradients, or reads them, would not fit any more. So once a program has found
    another gradient of a leaf than it was recorded with, the next recording's is kept. A run that makes a gradient of
    that leaf makes it in this tensor, and where another one is found, it is copied there, and the leaf has the kept one
    in its place. Both only where nobody else has the one that is given up, or its memory: then nobody can tell. All
    programs share the tensor. It costs the memory of a gradient between ``zero_grad()`` and the next backward, for such
    leaves alone.
"""
cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_REFCNT, PyObject
from libc.string cimport memcmp, memcpy

from weakref import getweakrefcount, ref

from wengert_core.extend cimport WG_GRAD, Storage, Tensor
from wengert_replay.python_state.kinds cimport dict_of_tensor

cdef dict LEAVES = {}     # by the address of a leaf: (a weak reference to it, one to its KeptGradient, or None)

cdef enum:
    OWN = 2               # references to a tensor that one variable has, and one owner; likewise for its Storage


cdef bint is_plain(Tensor t) except -1:
    """Whether a tensor is nothing but numbers in memory of its own, which nobody else has."""
    cdef Storage s = <Storage> t.storage
    return t.base == NULL and t.grad_fn == NULL and t.extra == NULL and not t.flags & WG_GRAD and not t.device \
        and Py_REFCNT(s) <= OWN and s.linked == NULL and s.owner == NULL and not dict_of_tensor(t)


cdef bytes dims_of(Tensor t):
    """Sizes and strides, to be compared."""
    return PyBytes_FromStringAndSize(<char*> t.dims, 2 * t.rank * sizeof(Py_ssize_t))


@cython.binding(False)
cdef class KeptGradient:
    """The tensor that has the gradient of a leaf in each run. Programs that make or read it own this."""

    cdef int keep(self, Tensor t) except -1:
        self.tensor, self.storage, self.memory = t, <size_t> t.storage, (<Storage> t.storage).data
        self.data, self.dims = t.data, dims_of(t)
        return 0

    cdef Tensor give(self):
        """Return the tensor, with whatever it holds; None where somebody has it, or has changed what it is."""
        cdef Tensor t = self.tensor
        if t is None or Py_REFCNT(t) > OWN or not is_plain(t) or <size_t> t.storage != self.storage \
                or t.data != self.data or dims_of(t) != self.dims or (<Storage> t.storage).data != self.memory:
            return None
        return t

    cdef bint take_over(self, Tensor leaf) except -1:
        """Let the leaf have its gradient in the tensor that is kept; False where somebody could tell."""
        cdef Tensor grad, t
        if leaf.extra == NULL or leaf.extra.grad == NULL or leaf.extra.grad == <PyObject*> self.tensor:
            return False
        grad, t = <Tensor> leaf.extra.grad, self.give()
        if t is None or type(grad) is not Tensor or Py_REFCNT(grad) > OWN or not is_plain(grad) \
                or not are_alike(grad, t) or getweakrefcount(grad):
            return False
        memcpy((<Storage> t.storage).data, (<Storage> grad.storage).data, (<Storage> t.storage).nbytes)
        (<Storage> t.storage).version = (<Storage> grad.storage).version
        t.flags = grad.flags
        Py_INCREF(t)
        leaf.extra.grad = <PyObject*> t
        Py_DECREF(grad)
        return True


cdef bint are_alike(Tensor a, Tensor b) noexcept:
    """Whether two tensors have the same dtype, geometry and place in as much memory."""
    cdef Storage s = <Storage> a.storage, other = <Storage> b.storage
    return a.code == b.code and a.rank == b.rank and memcmp(a.dims, b.dims, 2 * a.rank * sizeof(Py_ssize_t)) == 0 \
        and s.nbytes == other.nbytes and a.data - s.data == b.data - other.data


cdef int note_other_gradient(Tensor leaf) except -1:
    """Note that a program has found another gradient of a leaf than it was recorded with."""
    if id(leaf) not in LEAVES:
        number = id(leaf)
        LEAVES[number] = (ref(leaf, lambda _: LEAVES.pop(number, None)), None)
    return 0


cdef KeptGradient kept_gradient(Tensor leaf):
    """Return what keeps the gradient of a leaf; None where nobody needs that."""
    cdef KeptGradient found
    row = LEAVES.get(id(leaf)) if LEAVES else None
    if row is None:
        return None
    found = row[1]() if row[1] is not None else None
    if found is None:
        found = KeptGradient()
        LEAVES[id(leaf)] = (row[0], ref(found))
    return found
