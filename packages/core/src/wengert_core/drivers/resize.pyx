"""A tensor's sizes changed in its own memory: resize_, and out= of another shape.

Note [Memory that grows]
    A tensor points into its memory directly, so memory moves only when no other tensor looks into it. Where others do,
    or where the memory belongs to somebody else, what does not fit is refused, and never written where they cannot see
    it. A storage, as users hold it, is a tensor of bytes on the memory (api/untyped_storage.py): it looks into the
    memory like any other tensor, and knows of one more, that it was asked of. Both may get other memory, if nobody else
    looks into it: an array, a view, a tensor that ``set_`` put there or one that a running kernel holds each have a
    reference to the Storage. So does a part of a storage, which has a Storage of its own on a piece of the memory.
"""
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.string cimport memcpy

from wengert_core.dtypes.dtypes cimport UINT8, DTypeFacts, dtype_facts
from wengert_core.exchange.arrays cimport copy_into
from wengert_core.exchange.device_memory cimport storage_bytes
from wengert_core.geometry.size_math cimport bytes_between, extent, mul_add
from wengert_core.runtime.allocator cimport FOREIGN_BIN
from wengert_core.runtime.state cimport WG_ASK, WG_BATCHED, WG_FOREIGN
from libc.stdint cimport uint32_t

from wengert_core.tensors.tensor cimport (TF_INFERENCE, TF_VIEW, Storage, Tensor, alias, check_numel, link_versions,
                                          new_empty_at, new_on_memory, new_view, shape_tuple, storage_of, strides_of,
                                          swap_contents)

cdef extern from "Python.h":
    PyObject* PyTuple_GET_ITEM(PyObject* o, Py_ssize_t i) noexcept

cdef DTypeFacts* FACTS = dtype_facts()


cdef int resize_to(Tensor t, int ndim, const Py_ssize_t* shape) except -1:
    """Give t these sizes, row-major, from its first element on; more memory where it does not suffice."""
    cdef Py_ssize_t strides[64]
    cdef Py_ssize_t itemsize = FACTS.itemsize[t.code], count = check_numel(ndim, shape, FACTS.itemsize[t.code])
    cdef Py_ssize_t step = itemsize, offset = bytes_between(storage_of(t).data, t.data), nbytes
    cdef int i
    for i in range(ndim - 1, -1, -1):
        strides[i] = step
        step *= shape[i] if shape[i] > 1 and count else 1
    if count and offset < 0:           # of a tensor without elements, which may point anywhere
        raise RuntimeError(f"Tensor: invalid storage offset {offset // itemsize}: a tensor without elements points "
                           "before its memory; set_() it to memory of its own first")
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
        raise RuntimeError("Trying to resize storage that is not resizable: it belongs to another object; "
                           "clone() the tensor first")
    if old.nbytes and (<PyObject*> old).ob_refcnt > lookers:
        raise RuntimeError("Trying to resize storage that is not resizable: other tensors look into it; "
                           "clone() the tensor first")
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
    """Return whether a storage's memory may be left for another: it is core's, or of an array made by a kernel for the
    tensor.
    """
    if storage.bin != FOREIGN_BIN or storage.nbytes == 0:
        return True
    if storage.owner == NULL or isinstance(<object> storage.owner, Storage):
        return False
    if t.device:
        return True
    # Such a tuple is made by arrays.taken_over.
    return type(<object> storage.owner) is tuple and PyTuple_GET_ITEM(storage.owner, 0).ob_refcnt == 1


cdef void move(Tensor t, Storage old, Storage fresh) noexcept:
    t.data = fresh.data + bytes_between(old.data, t.data)
    Py_INCREF(fresh)
    Py_XDECREF(t.storage)
    t.storage = <PyObject*> fresh


# ---- storages

def whole_memory(Tensor t):
    """Return a tensor of bytes on all of t's memory, with its version counter; a view of nothing."""
    if t.flags & WG_BATCHED:
        from wengert_core.tensors.vmap_hooks import no_storage
        raise no_storage()
    cdef Storage s = storage_of(t)
    cdef Py_ssize_t one = 1
    cdef Tensor like = alias(t), memory
    like.code = UINT8
    memory = new_view(like, 1, &s.nbytes, &one, s.data)
    cdef PyObject* base = memory.base
    memory.base = NULL
    memory.flags &= ~(<uint32_t> (TF_VIEW | TF_INFERENCE | WG_ASK))
    Py_XDECREF(base)
    return memory


def memory_part(Tensor memory, Py_ssize_t start, Py_ssize_t nbytes):
    """Return a tensor of bytes on a part of a storage's memory, as a storage of its own: it keeps the whole alive, and
    has its version counter.
    """
    cdef Storage whole = storage_of(memory)
    cdef Py_ssize_t one = 1
    cdef char* first = memory.data + start
    if start < 0 or nbytes < 0 or nbytes > memory.count - start:
        raise ValueError(f"memory_part(): {nbytes} bytes from {start} on do not lie in {memory.count} bytes")
    cdef Tensor part = new_on_memory(UINT8, 1, &nbytes, &one, first, first, nbytes, owner_in_chain(whole))
    part.flags &= ~(<uint32_t> TF_INFERENCE)
    part.device = memory.device
    if part.device:
        part.flags |= WG_FOREIGN
    storage_of(part).readonly, storage_of(part).birth = whole.readonly, whole.birth
    link_versions(memory.storage, part.storage)
    return part


cdef object owner_in_chain(Storage storage):
    """Return the Storage to refer to, so that no chain of them grows: the one that has the memory, or its owner."""
    return <object> storage.owner if storage.owner != NULL and isinstance(<object> storage.owner, Storage) else storage


def memory_identity(Tensor memory):
    """Return a number that all tensors on a storage's memory have in common, and no other storage alive has."""
    cdef Storage s = storage_of(memory), owner = owner_in_chain(s)
    return <Py_ssize_t> <PyObject*> (owner if owner.data == s.data and owner.nbytes == s.nbytes else s)


cdef bint also_looks(Tensor memory, Tensor looker) noexcept:
    return looker is not None and looker is not memory and looker.storage == memory.storage


cdef object reason(Tensor memory, Tensor looker, Py_ssize_t held):
    """Return why the memory stays; None where nobody but the two looks into it. held: references of the caller to the
    Storage.
    """
    if memory.base != NULL or not is_ours(memory, <Storage> memory.storage):
        return "it belongs to another object"
    if memory.storage.ob_refcnt > 1 + also_looks(memory, looker) + held:
        return "other tensors or arrays look into it"
    return None


def looks_into(Tensor memory, Tensor t):
    """Return whether a tensor has the Storage that a storage's tensor of bytes has."""
    return t.storage == memory.storage


def why_not_movable(Tensor memory, Tensor looker=None):
    """Return why the bytes of a storage cannot get other memory, for a message; None where they can.

    memory: the storage's tensor of bytes.   looker: a tensor that would get the other memory as well.
    """
    return reason(memory, looker, 0)


def move_memory(Tensor memory, Tensor room, Tensor looker=None):
    """Give a storage's tensor of bytes, and looker, the memory of room, with as many of the bytes as fit.
    Note [Memory that grows]

    RuntimeError where others look into the memory, or where looker would reach beyond the new one.
    """
    cdef Storage old = storage_of(memory), fresh = storage_of(room)
    cdef Py_ssize_t nbytes = old.nbytes if old.nbytes < fresh.nbytes else fresh.nbytes, one = 1, end
    cdef bint moves = also_looks(memory, looker)
    why = reason(memory, looker, 1)    # ``old``
    if why is not None:
        raise RuntimeError(f"Trying to resize storage that is not resizable: {why}; clone() it first")
    if moves and looker.count:
        end = bytes_between(old.data, looker.data) + extent(looker.rank, looker.dims, strides_of(looker), 0, 1) - 1 \
            + FACTS.itemsize[looker.code]
        if end > fresh.nbytes:
            raise RuntimeError(f"a storage of {old.nbytes} bytes cannot become one of {fresh.nbytes} bytes: a tensor "
                               f"of shape {list(shape_tuple(looker))} looks into it, up to byte {end}; "
                               "resize_() the tensor first")
    if memory.device:
        copy_into(new_view(room, 1, &nbytes, &one, fresh.data), new_view(memory, 1, &nbytes, &one, old.data))
    elif nbytes:
        memcpy(fresh.data, old.data, nbytes)
    fresh.version, fresh.birth = old.version, old.birth
    if moves:
        move(looker, old, fresh)
    move(memory, old, fresh)
    memory.data = fresh.data
    memory.dims[0] = memory.count = fresh.nbytes
    memory.dims[1] = 1                 # without elements it may have been another number
