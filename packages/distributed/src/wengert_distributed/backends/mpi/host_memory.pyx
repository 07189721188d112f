"""Tensors of the host whose memory MPI uses as it is, for Note [Blocking collectives] in blocking.pyx."""
import cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyTypeObject
from libc.stdint cimport int64_t
from libc.string cimport memcpy
from wengert_core.extend cimport (TF_CONTIGUOUS, WG_BATCHED, WG_OBSERVE, WG_ON_DEVICE, WG_TELL, Storage, Tensor,
                                  not_made_by_hand, thread_state)

from wengert import empty as _empty
from wengert.autograd.graph import increment_version as _increment_version

from wengert_distributed.faults.signatures import DTYPE_SHIFT as _DTYPE_SHIFT

cdef object INCREMENT_VERSION = _increment_version
cdef int DTYPE_SHIFT = _DTYPE_SHIFT


@cython.final
@cython.freelist(8)
@cython.binding(False)
cdef class HostMemory:
    """The memory of contiguous tensors; a request of MPI holds it, and so its owner, while it reads and writes."""

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.nbytes, 0, flags)


not_made_by_hand(<PyTypeObject*> HostMemory)


cdef inline bint is_watched(Tensor t) noexcept:
    """Whether a mode changes or sees what happens to a tensor. Recording does not: the detached memory is used."""
    cdef unsigned int watches = WG_BATCHED | WG_OBSERVE | WG_ON_DEVICE | WG_TELL
    return t.flags & thread_state().modes & watches


cdef inline bint same_shape(Tensor a, Tensor b) noexcept:
    cdef int i
    if a.code != b.code or a.rank != b.rank:
        return False
    for i in range(a.rank):
        if a.dims[i] != b.dims[i]:
            return False
    return True


cdef bint overlap(HostMemory a, HostMemory b) noexcept:
    """Whether two memories share bytes, which MPI forbids for inputs and outputs."""
    return a.data < b.data + b.nbytes and b.data < a.data + a.nbytes


@cython.final
@cython.binding(False)
cdef class HostTensors:
    """The tensors whose memory MPI uses as it is, in a group of some ranks.

    datatypes: MPI's, NumPy's number, and the number of elements for one of a tensor's, by dtype.
    reduced: the dtypes that MPI reduces as they are.
    """

    def __cinit__(self, Py_ssize_t size, dict datatypes, set reduced):
        cdef Tensor one
        cdef DtypeWay* way
        self.size = size
        self.datatypes = [None] * MOST_CODES
        for dtype, (datatype, num, elements) in datatypes.items():
            one = <Tensor?> _empty(0, dtype=dtype)
            if one.code < MOST_CODES:
                way = &self.ways[one.code]
                way.bits, way.itemsize, way.elements = <int64_t> num << DTYPE_SHIFT, dtype.itemsize, elements
                way.reduces, way.averages = dtype in reduced, dtype.is_floating_point
                self.datatypes[one.code] = datatype

    cdef bint takes(self, object tensor) except -1:
        """Whether MPI can use a tensor's memory as it is."""
        cdef Tensor t
        cdef Storage storage
        if type(tensor) is not Tensor:
            return False
        t = <Tensor> tensor
        if (t.device != 0 or not t.flags & TF_CONTIGUOUS or is_watched(t) or t.count == 0 or t.rank > MOST_DIMS
                or t.storage == NULL or t.code >= MOST_CODES or self.ways[t.code].elements == 0):
            return False
        storage = <Storage> t.storage
        return not storage.readonly and storage.linked == NULL

    cdef bint reduces(self, Tensor t, object way) except -1:
        """Whether MPI has a reduction for a tensor's dtype. way: MPI's, bits, whether it averages; or None."""
        return way is not None and self.ways[t.code].reduces and (not (<tuple> way)[2] or self.ways[t.code].averages)

    cdef int64_t bits_of(self, Tensor t) noexcept:
        """Return the bits of a tensor's dtype in a record."""
        return self.ways[t.code].bits

    cdef Py_ssize_t elements_of(self, Tensor t) noexcept:
        """Return how many elements a tensor has for MPI."""
        return t.count * self.ways[t.code].elements

    cdef HostMemory memory_of(self, Tensor t):
        cdef HostMemory memory = HostMemory.__new__(HostMemory)
        memory.data, memory.nbytes = t.data, t.count * self.ways[t.code].itemsize
        memory.owner = <object> t.storage
        return memory

    cdef tuple message(self, Tensor t, HostMemory memory):
        """Return MPI's words for memory with as many elements as a tensor, for each rank."""
        return (memory, self.elements_of(t), self.datatypes[t.code])

    cdef HostMemory memory_of_parts(self, object parts, Tensor one, bint reads):
        """Return memory with a part of a tensor's size for each rank; None where a part is not taken.

        parts: a tensor of all parts, or a list of tensors of one's shape. Their memory, where they stand behind each
        other in one storage; else memory for the call alone, with their elements where it is read.
        """
        cdef HostMemory memory = None
        cdef Tensor t
        cdef Py_ssize_t i, nbytes = one.count * self.ways[one.code].itemsize
        cdef bint together = True
        if type(parts) is Tensor:
            t = <Tensor> parts
            fits = self.takes(t) and t.code == one.code and t.count == one.count * self.size
            return self.memory_of(t) if fits else None
        if type(parts) is not list or len(<list> parts) != self.size:
            return None
        for i in range(self.size):
            part = (<list> parts)[i]
            if not self.takes(part) or not same_shape(<Tensor> part, one):
                return None
            t = <Tensor> part
            if memory is None:
                memory = self.memory_of(t)
            elif memory.owner is not <object> t.storage or t.data != memory.data + i * nbytes:
                together = False
        memory.nbytes = nbytes * self.size
        if not together:
            memory.owner = PyBytes_FromStringAndSize(NULL, memory.nbytes)
            memory.data = PyBytes_AS_STRING(memory.owner)
            if reads:
                for i in range(self.size):
                    memcpy(memory.data + i * nbytes, (<Tensor> (<list> parts)[i]).data, nbytes)
        return memory

    cdef int deliver_parts(self, object parts, HostMemory memory) except -1:
        """Put new elements into the tensors of ``memory_of_parts``, and note that they have changed."""
        cdef Py_ssize_t i, nbytes = memory.nbytes // self.size
        cdef Tensor t
        if type(parts) is list and type(memory.owner) is bytes:
            for i in range(self.size):
                part = (<list> parts)[i]
                if not self.takes(part):  # a handler of signals has run meanwhile
                    raise RuntimeError("a tensor of the list was changed while a collective wrote to it")
                t = <Tensor> part
                if t.count * self.ways[t.code].itemsize != nbytes:
                    raise RuntimeError("a tensor of the list was resized while a collective wrote to it")
                memcpy(t.data, memory.data + i * nbytes, nbytes)
        INCREMENT_VERSION(parts)
        return 0
