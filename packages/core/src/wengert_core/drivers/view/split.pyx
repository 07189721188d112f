"""Operations that cut a tensor into several views: split, split_with_sizes, chunk, unbind."""
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport uint32_t

from wengert_core.dispatch.arguments cimport PyIndex_Check, dim_slot, int_slot
from wengert_core.dispatch.dispatcher cimport watch_only
from wengert_core.dispatch.op cimport Op, op_error
from wengert_core.drivers.view.slice cimport geometry_slice
from wengert_core.drivers.view.view cimport V_SPLIT, V_SPLIT_WITH_SIZES, record_views, set_shortcuts, view_call
from wengert_core.tensors.tensor cimport Tensor, new_view

cdef Py_ssize_t MOST_PIECES = 1 << 27  # each is a Tensor of about 150 bytes

cdef extern from "Python.h":
    object PyNumber_Index(object o)
    tuple PyTuple_New(Py_ssize_t n)
    void PyTuple_SET_ITEM(object t, Py_ssize_t i, object o)


def configure(Op op, str what):
    """Make ``op`` the operation called ``what``."""
    if what == "split":
        op.run = split_run
    elif what == "split_with_sizes":
        op.run = split_with_sizes_run
    elif what == "unbind":
        op.run = unbind_run
    elif what == "chunk":
        op.run = chunk_run
        watch_only(op, -1)
    else:
        raise ValueError(f"{op.name}: no way to split is called {what!r}")
    set_shortcuts(op)


cdef tuple room_for(Op op, Py_ssize_t n):
    """A tuple for n views. MemoryError for more than a computer holds, before the first is made."""
    if n > MOST_PIECES:
        raise MemoryError(f"{op.name}: {n} pieces do not fit into memory, expected at most {MOST_PIECES}")
    return PyTuple_New(n)


cdef inline Py_ssize_t ceil_divide(Py_ssize_t size, Py_ssize_t length) noexcept:
    """size / length, for a length above 0; no sum of the two may overflow."""
    return size // length + (size % length != 0)


cdef inline int put(tuple parts, Py_ssize_t i, Tensor part) except -1:
    Py_INCREF(part)
    PyTuple_SET_ITEM(parts, i, part)
    return 0


cdef int split_dim(Op op, PyObject** slots, Tensor t) except -1:
    if t.rank == 0:
        raise RuntimeError(f"{op.name} expects at least a 1-dimensional tensor")
    return dim_slot(op, slots, 2, t.rank)


cdef object split_run(Op op, PyObject** slots, uint32_t live):
    """Pieces of one length; the last may be shorter. A list of lengths goes to split_with_sizes."""
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t length, size, n, i
    cdef int dim
    if not PyIndex_Check(slots[1]):
        return view_call(V_SPLIT_WITH_SIZES, t, (<object> slots[1], <object> slots[2]))
    dim = split_dim(op, slots, t)
    length, size = int_slot(op, slots, 1), t.dims[dim]
    if length < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={length}")
    if length == 0 and size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    n = max(ceil_divide(size, length), 1) if length else 1
    parts = room_for(op, n)
    for i in range(n):
        put(parts, i, geometry_slice(t, dim, i * length, min((i + 1) * length, size), 1))
    return record_views(op, slots, t, parts, live)


cdef object split_with_sizes_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t i, at = 0
    cdef int dim
    lengths = list(<object> slots[1])
    if not all([PyIndex_Check(<PyObject*> length) for length in lengths]):
        raise op_error(op, 1, "tuple of ints", slots[1])
    lengths = [PyNumber_Index(length) for length in lengths]  # before t is looked at: it may write to t
    dim = split_dim(op, slots, t)
    if lengths and min(lengths) < 0:
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, "
                           f"but got split_sizes={lengths}")
    if sum(lengths) != t.dims[dim]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {t.dims[dim]} (input tensor's size "
                           f"at dimension {dim}), but got split_sizes={lengths}")
    parts = PyTuple_New(len(lengths))
    for i, length in enumerate(lengths):
        put(parts, i, geometry_slice(t, dim, at, at + length, 1))
        at += length
    return record_views(op, slots, t, parts, live)


cdef object chunk_run(Op op, PyObject** slots, uint32_t live):
    """At most so many pieces, of one length but for the last."""
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t chunks = int_slot(op, slots, 1), length
    cdef int dim
    if chunks <= 0 and t.rank:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = split_dim(op, slots, t)
    length = ceil_divide(t.dims[dim], chunks)
    if length == 0:
        room_for(op, chunks)
        return view_call(V_SPLIT_WITH_SIZES, t, ([0] * chunks, dim))
    return view_call(V_SPLIT, t, (length, dim))


cdef object unbind_run(Op op, PyObject** slots, uint32_t live):
    cdef Tensor t = <Tensor> slots[0]
    cdef Py_ssize_t shape[64]
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t i
    cdef int dim, k
    if t.rank == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = dim_slot(op, slots, 1, t.rank)
    for k in range(t.rank - 1):
        shape[k] = t.dims[k + (k >= dim)]
        strides[k] = t.dims[t.rank + k + (k >= dim)]
    parts = room_for(op, t.dims[dim])
    for i in range(t.dims[dim]):
        put(parts, i, new_view(t, t.rank - 1, shape, strides, t.data + i * t.dims[t.rank + dim]))
    return record_views(op, slots, t, parts, live)
