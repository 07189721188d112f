"""A tensor's sizes changed in its own memory: resize_, and out= of another shape.

Note [Memory that grows]
    A tensor points into its memory directly, so memory moves only when no other tensor looks into it. Where others do, or
    where the memory belongs to somebody else, what does not fit is refused, and never written where they cannot see it.
"""
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.string cimport memcpy

from wengert_core.arrays cimport copy_into
from wengert_core.dtypes cimport UINT8, DTypeFacts, dtype_facts
from wengert_core.elsewhere cimport storage_bytes
from wengert_core.memory cimport FOREIGN_BIN
from wengert_core.size_math cimport mul_add
from wengert_core.tensor cimport Storage, Tensor, checked_numel, new_empty_at, new_view, storage_of, swap_contents

cdef extern from "Python.h":
    PyObject* PyTuple_GET_ITEM(PyObject* o, Py_ssize_t i) noexcept

cdef DTypeFacts* FACTS = dtype_facts()


cdef int resize_to(Tensor t, int ndim, const Py_ssize_t* shape) except -1:
    """Give t these sizes, row-major, from its first element on; more memory where it does not suffice."""
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code], count = checked_numel(ndim, shape, FACTS.itemsize[t.code])
    cdef Py_ssize_t step = itemsize, offset = t.data - storage_of(t).data, nbytes
    cdef int i
    for i in range(ndim - 1, -1, -1):
        strides[i] = step
        step *= shape[i] if shape[i] > 1 and count else 1
    if count and offset < 0:           # of a tensor without elements, which may point anywhere
        raise RuntimeError(f"Tensor: invalid storage offset {offset // itemsize}: a tensor without elements points before its memory; "
                           "set_() it to memory of its own first")
    nbytes = mul_add("resize_", count, itemsize, offset)
    if count and nbytes > storage_of(t).nbytes:
        grow(t, nbytes)
    swap_contents(t, new_view(t, ndim, shape, strides, storage_of(t).data + offset))
    return 0


cdef int grow(Tensor t, Py_ssize_t nbytes) except -1:
    """More memory for a tensor that alone looks into its storage. Note [Memory that grows]"""
    cdef Storage old = storage_of(t), fresh
    cdef Tensor room, base = <Tensor> t.base if t.base != NULL else None
    cdef Py_ssize_t one = 1, lookers = 2       # t's reference, and that of ``old``
    if base is not None and t.base.ob_refcnt == 2:     # t's reference, and that of ``base``: nobody else can reach it
        lookers += base.storage == t.storage
    if not is_ours(t, old):
        raise RuntimeError("Trying to resize storage that is not resizable: it belongs to another object; clone() the tensor first")
    if old.nbytes and (<PyObject*> old).ob_refcnt > lookers:
        raise RuntimeError("Trying to resize storage that is not resizable: other tensors look into it; clone() the tensor first")
    room = new_empty_at(t.device, UINT8, 1, &nbytes)
    fresh = storage_of(room)
    if t.device:
        copy_into(new_view(room, 1, &old.nbytes, &one, fresh.data), storage_bytes(t))
    elif old.nbytes:
        memcpy(fresh.data, old.data, old.nbytes)
    fresh.version, fresh.birth = old.version, old.birth
    if lookers == 3:
        move(base, old, fresh)
    move(t, old, fresh)
    return 0


cdef bint is_ours(Tensor t, Storage storage):
    """Return whether a storage's memory may be left for another: it is core's, or of an array made by a kernel for the tensor."""
    if storage.bin != FOREIGN_BIN or storage.nbytes == 0:
        return True
    if storage.owner == NULL or isinstance(<object> storage.owner, Storage):
        return False
    if t.device:
        return True
    return type(<object> storage.owner) is tuple and PyTuple_GET_ITEM(storage.owner, 0).ob_refcnt == 1     # see arrays.taken_over


cdef void move(Tensor t, Storage old, Storage fresh) noexcept:
    t.data = fresh.data + (t.data - old.data)
    Py_INCREF(fresh)
    Py_XDECREF(t.storage)
    t.storage = <PyObject*> fresh
