"""Overlap: whether two Storages have memory in common.

Memory of the allocator belongs to one Storage. Others on it, such as those of ``x.data``, of arrays and of what DLPack
gives, are foreign.
"""
from cpython.ref cimport PyObject

from wengert_core.extend cimport Storage

cdef enum:
    FOREIGN_BIN = 255                  # Storage.bin of memory that is not the allocator's, as in core's allocator.pxd


cdef inline bint is_foreign(PyObject* storage) noexcept:
    return (<Storage> storage).bin == FOREIGN_BIN


cdef inline bint overlaps(PyObject* storage, char* address, Py_ssize_t nbytes) noexcept:
    """Whether a Storage has some of these bytes."""
    return (<Storage> storage).data < address + nbytes \
        and address < (<Storage> storage).data + (<Storage> storage).nbytes


cdef inline bint share_memory(PyObject* one, PyObject* other) noexcept:
    return one == other or (is_foreign(one) or is_foreign(other)) \
        and overlaps(one, (<Storage> other).data, (<Storage> other).nbytes)
