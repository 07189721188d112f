"""Batched tensors: what stands for a batch inside of ``wengert.vmap``.

Note [Batched tensors]
    A batched tensor shows the shape of one element of the batch; ``extra.tangent`` leads to its *physical* tensor,
    which has the batch in dim 0 and may be batched itself, by an outer vmap. It has WG_BATCHED, and WG_FOREIGN so that
    every driver hands operations on it to ``intercept``, inside of a vmap or not; its data pointer is that of the first
    element, and what would read it asks for WG_BATCHED first. Graphs are of physical tensors, and so are tangents.
    An operation is run by the rule of the innermost vmap among its arguments, on physical tensors, while ``current`` is
    the level below; that rule's operations are intercepted again for outer levels. Operations made of others need no
    rule.
"""
from importlib import import_module

cimport cython
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject
from libc.string cimport memmove

from wengert_core.dispatch.op cimport Op
from wengert_core.runtime.pyobject cimport not_made_by_hand
from wengert_core.runtime.state cimport WG_BATCHED, WG_FOREIGN
from wengert_core.tensors.tensor cimport Tensor, alias, extra_of, set_contiguity, shape_tuple, track
from wengert_engine.graph import tensor_attributes
from wengert_engine.messages import vmap_errors as errors
from wengert_engine.vmap.level_stack cimport Levels, levels
from wengert_engine.vmap.level_stack import outside, randomness_of, size_of


@cython.binding(False)
cdef class Batch:
    """The physical tensor that a batched one stands for, and its level."""

    def each(self, name, function, arguments):
        """A function called for each element of the innermost batch among the arguments: see each_call."""
        from wengert_engine.vmap.fallback import each_call
        return each_call(name, function, arguments)


cdef Batch batch_of(Tensor t):
    return <Batch> t.extra.tangent if t.flags & WG_BATCHED else None


cdef Tensor wrap(Tensor physical, int level, long serial):
    """The batched tensor of a physical one."""
    cdef Tensor t = alias(physical)
    cdef Batch batch = Batch.__new__(Batch)
    cdef int i, rank = physical.rank - 1
    batch.physical, batch.level, batch.serial = physical, level, serial
    memmove(t.dims, t.dims + 1, rank * sizeof(Py_ssize_t))
    memmove(t.dims + rank, t.dims + rank + 2, rank * sizeof(Py_ssize_t))
    t.rank = rank
    t.count = 1
    for i in range(rank):
        t.count *= t.dims[i]
    set_contiguity(t)
    Py_INCREF(batch)
    extra_of(t).tangent = <PyObject*> batch
    t.flags |= WG_BATCHED | WG_FOREIGN
    track(t)
    return t


def wrap_batched(Tensor physical, level, int in_dim=0):
    """A tensor with the batch in dim 0 as a batched tensor of an open level. in_dim: the dim that had the batch."""
    cdef Tensor found = wrap(physical, level, levels().serials[level - 1])
    batch_of(found).in_dim = in_dim
    return found


def is_batched(t):
    """Whether something is a batched tensor.

    >>> from wengert_core import ones
    >>> is_batched(ones(2)), is_batched(3)
    (False, False)
    """
    return isinstance(t, Tensor) and (<Tensor> t).flags & WG_BATCHED != 0


def level_of(Tensor t):
    """The level of a batched tensor; 0 for another one."""
    return batch_of(t).level if t.flags & WG_BATCHED else 0


def physical_of(Tensor t):
    """The tensor with the batch in dim 0 that a batched tensor stands for."""
    return batch_of(t).physical


def in_dim_of(Tensor t):
    """The dim in which vmap was given the batch of a batched tensor; 0 for one that an operation has made."""
    return batch_of(t).in_dim


cdef int level_at(Tensor t, Levels here, Op op) except -1:
    """The level of an argument. RuntimeError when its vmap is over."""
    cdef Batch batch
    if not t.flags & WG_BATCHED:
        return 0
    batch = <Batch> t.extra.tangent
    if batch.level > <int> len(here.sizes) or batch.serial != <long> here.serials[batch.level - 1]:
        raise errors.escaped_level(op.name)
    return batch.level


def is_open(Tensor t):
    """Whether the vmap that a batched tensor belongs to is running."""
    cdef Levels here = levels()
    cdef Batch batch = batch_of(t)
    return batch.level <= <int> len(here.sizes) and batch.serial == <long> here.serials[batch.level - 1]


def is_differentiated(Tensor t):
    """Whether a transform computes gradients inside of the vmap of a batched tensor: outside of it nobody may know."""
    return is_open(t) and any(levels().transforms[batch_of(t).level - 1:])


def each_own(Tensor t):
    """A new tensor as one for each element of the batches whose random numbers are to differ."""
    cdef int level = levels().current
    if level == 0:
        return t
    if level_in(t) == level:
        physical = physical_of(t)
        with outside(level - 1):
            whole = each_own(physical)
        return t if whole is physical else wrap_batched(whole, level)
    with outside(level - 1):
        if randomness_of(level) != "different":
            return each_own(t)
        whole = each_own((<object> t).new_empty((size_of(level), *shape_tuple(t))))
    return wrap_batched(whole, level)


def batched_grad():
    """The module of gradients inside of vmap, loaded when it is needed."""
    from wengert_engine.vmap import batched_grad
    return batched_grad


def lift(Tensor t, level):
    """A tensor that is not batched in a level as one that is, expanded; a tangent stays with it."""
    return batched_grad().lift(t, level)


not_made_by_hand(<PyTypeObject*> Batch)
from wengert_engine.vmap import batched_attributes     # noqa: E402 - it looks at this module
tensor_attributes.set_batched(batched_attributes)
import_module("wengert_engine.vmap.interpreter")       # what runs operations on such tensors; it looks here, too
