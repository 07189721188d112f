"""all_reduce of tensors on the host for a program that waits for it, without frames of Python around MPI's calls.

Note [Reductions at once]
    MPI reduces a small tensor in two microseconds, in which Python runs some thirty lines. So the usual case, a
    contiguous tensor of a dtype that MPI reduces, is done here: the record on the board, MPI's call on the tensor's
    memory, tests in a row (Note [Tests in a row] in requests.py), the end. Whatever else happens (another kind of
    tensor or reduction, a wait that takes longer, an error) is left to the functions for all collectives.

    A loop of tests ends sooner than MPICH's blocking call, at all sizes, and can be given up.
"""
import cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.object cimport PyTypeObject
from libc.stdint cimport int64_t
from wengert_core.extend cimport (TF_CONTIGUOUS, WG_BATCHED, WG_OBSERVE, WG_ON_DEVICE, WG_TELL, Storage, Tensor,
                                  dtype_of, not_made_by_hand, thread_state)

from wengert import empty as _empty
from wengert.autograd.graph import increment_version as _increment_version

from wengert_distributed.faults.records cimport Records

from wengert_distributed.backends.mpi.requests import ABANDONED as _ABANDONED
from wengert_distributed.backends.mpi.requests import MpiRequest as _MpiRequest
from wengert_distributed.interface.process_group import Call as _Call
from wengert_distributed.interface.work import complete as _complete

cdef object INCREMENT_VERSION = _increment_version
cdef object ABANDONED = _ABANDONED
cdef object MPI_REQUEST = _MpiRequest
cdef object COMPLETE = _complete
cdef object CALL = _Call

cdef enum:
    MOST_CODES = 64                    # dtypes
    MOST_DIMS = 8                      # of a shape that is noted for messages


@cython.final
@cython.freelist(8)
@cython.binding(False)
cdef class HostMemory:
    """The memory of a contiguous tensor; a request of MPI holds it, and so the storage, while it reads and writes."""
    cdef char* data
    cdef Py_ssize_t nbytes
    cdef object storage

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.nbytes, 0, flags)


not_made_by_hand(<PyTypeObject*> HostMemory)


cdef inline bint is_watched(Tensor t) noexcept:
    """Whether a mode changes or sees what happens to a tensor. Recording does not: the detached memory is reduced."""
    cdef unsigned int watches = WG_BATCHED | WG_OBSERVE | WG_ON_DEVICE | WG_TELL
    return t.flags & thread_state().modes & watches


cdef HostMemory memory_of(Tensor t, Py_ssize_t itemsize):
    cdef HostMemory memory = HostMemory.__new__(HostMemory)
    memory.data, memory.nbytes, memory.storage = t.data, t.count * itemsize, <object> t.storage
    return memory


@cython.final
@cython.binding(False)
cdef class ReduceNow:
    """The all_reduce of a group of MPI for tensors whose memory can be used as it is. Note [Reductions at once]

    datatypes: MPI's, with the bits of the record, by dtype.
    ops: likewise, and whether the sum is divided afterwards, by reduction.
    """
    cdef object group, channel, iallreduce, in_place
    cdef Records board
    cdef list datatypes                # by the code of a dtype: (MPI's, bits, itemsize, whether it is floating point)
    cdef dict ops
    cdef Py_ssize_t spins, size
    # the newest call, which is made into a Call only where somebody asks for it
    cdef object before, op, dtype
    cdef int64_t number
    cdef int rank
    cdef Py_ssize_t shape[MOST_DIMS]

    def __cinit__(self, group, channel, dict datatypes, dict ops):
        cdef Tensor one
        self.group, self.channel, self.board, self.ops = group, channel, group.board, ops
        self.iallreduce, self.in_place = group.communicator.Iallreduce, group.in_place
        self.spins, self.size = len(group.spins), group.size
        self.datatypes = [None] * MOST_CODES
        for dtype, (datatype, bits) in datatypes.items():
            one = <Tensor?> _empty(0, dtype=dtype)
            if one.code < MOST_CODES:
                self.datatypes[one.code] = (datatype, bits, dtype.itemsize, dtype.is_floating_point)

    def __call__(self, tensor, op):
        """Reduce a tensor in place and return True; return False, with nothing done, for one that it does not take.

        Raises DistBackendError as all_reduce.
        """
        cdef Tensor t
        cdef Storage storage
        cdef int64_t sequence
        cdef bint ended = False
        if type(tensor) is not Tensor:
            return False
        t = <Tensor> tensor
        if (t.device != 0 or not t.flags & TF_CONTIGUOUS or is_watched(t) or t.count == 0 or t.rank > MOST_DIMS
                or t.storage == NULL or t.code >= MOST_CODES):
            return False
        storage = <Storage> t.storage
        if storage.readonly or storage.linked != NULL:
            return False
        kind, way = self.datatypes[t.code], self.ops.get(op)
        if kind is None or way is None:
            return False
        datatype, bits, itemsize, floating = <tuple> kind
        mpi_op, op_bits, averages = <tuple> way
        if averages and not floating:
            return False
        sequence = self.note(t, op, <int64_t> bits | <int64_t> op_bits)
        if sequence == 0:
            COMPLETE(self.channel, self.call(), self.group.raise_mismatch, ())
        try:
            raw = self.iallreduce(self.in_place, (memory_of(t, itemsize), t.count, datatype), mpi_op)
            ended = self.ends_soon(raw)
        except Exception as error:
            COMPLETE(self.channel, self.call(), raise_error, (error,))
        if ended:
            self.board.end(sequence)
        else:
            COMPLETE(self.channel, self.call(), MPI_REQUEST, (self.group, raw, sequence))
        if averages:
            divide(tensor, self.size)
        INCREMENT_VERSION(tensor)
        return True

    cdef int64_t note(self, Tensor t, object op, int64_t signature) except -1:
        """Note a call and write its record; return its sequence number, 0 where a neighbor calls something else."""
        cdef int i
        channel = self.channel
        number = channel.count + 1
        channel.count = number
        self.number, self.op, self.dtype, self.before = number, op, dtype_of(t.code), self.group.newest
        self.rank = t.rank
        for i in range(t.rank):
            self.shape[i] = t.dims[i]
        return self.board.write(signature, t.count, self.number)

    cdef bint ends_soon(self, object raw) except -1:
        """Test a request some times; return whether it has ended."""
        cdef Py_ssize_t _i
        test = raw.Test
        try:
            for _i in range(self.spins):
                if test() is True:
                    return True
        except BaseException:          # MPI may still write
            ABANDONED[id(raw)] = raw
            raise
        return False

    cdef object call(self):
        """Return the newest call."""
        cdef int i
        shape = tuple([self.shape[i] for i in range(self.rank)])
        return CALL(self.number, "all_reduce", (self.op, self.dtype, shape))

    def call_after(self, call):
        """Return the newest call where it is newer than another one of the group, else that one."""
        return self.call() if self.number and self.before is call else call


def raise_error(error):
    """Raise an error."""
    raise error


cdef int divide(object tensor, Py_ssize_t divisor) except -1:
    """Divide a tensor's elements, in its memory; its version stays."""
    array = tensor.detach().numpy()
    array /= divisor
    return 0
