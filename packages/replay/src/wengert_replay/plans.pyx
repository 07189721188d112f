"""Plans: what a replay does with arguments, results and gradients."""
cimport cython
from cpython.ref cimport Py_INCREF, PyObject
from libc.string cimport memcpy

from wengert_core.extend cimport (BOOL, WG_GRAD, Storage, Tensor, itemsize_of, new_empty, new_on_memory,
                                  set_contiguity, strides_of, track)


@cython.binding(False)
cdef class InputPlan:
    """An argument that is a tensor: the program has its elements in a block of its own."""


@cython.binding(False)
cdef class ResultPlan:
    """A result that is a new tensor at each replay."""

    cdef Tensor make(self):
        """Return a tensor with the values that the program has now."""
        cdef Py_ssize_t nbytes = self.high - self.low
        cdef Tensor made, room
        cdef int i
        if nbytes == self.like.count * itemsize_of(self.like):
            made = new_empty(self.like.code, self.like.rank, self.like.dims)
            for i in range(self.like.rank):
                strides_of(made)[i] = strides_of(self.like)[i]
            set_contiguity(made)
            made.data -= self.low
        else:
            room = new_empty(BOOL, 1, &nbytes)
            made = new_on_memory(self.like.code, self.like.rank, self.like.dims, strides_of(self.like),
                                 room.data - self.low, room.data, nbytes, <object> room.storage)
        memcpy(made.data + self.low, self.data + self.low, nbytes)
        (<Storage> made.storage).version = self.version
        if self.requires_grad:
            made.flags |= WG_GRAD
            if self.grad_fn is not None:
                Py_INCREF(self.grad_fn)
                made.grad_fn = <PyObject*> self.grad_fn
                made.output_nr = self.output_nr
                track(made)
        return made


@cython.binding(False)
cdef class LeafPlan:
    """A leaf: what its gradient must be before a replay, and what it is afterwards."""

    cdef Tensor leaf_of(self, list inputs):
        return <Tensor> inputs[self.input] if self.input >= 0 else self.leaf

    cdef bint fits(self, list inputs):
        """Whether the gradient is as it was: there or not, and the same memory where the program uses it."""
        cdef Tensor leaf = self.leaf_of(inputs)
        cdef bint has_grad = leaf.extra != NULL and leaf.extra.grad != NULL
        if has_grad != self.had_grad:
            return False
        return not self.grad_storage or <size_t> (<Tensor> leaf.extra.grad).storage == self.grad_storage

    cdef int assign(self, list inputs) except -1:
        """Give the leaf its new gradient."""
        if self.changes:
            (<object> self.leaf_of(inputs)).grad = (<ResultPlan> self.grad).make() \
                if isinstance(self.grad, ResultPlan) else self.grad
        return 0
