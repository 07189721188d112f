"""Collectives of tensors on the host for a program that waits for them, without frames of Python around MPI's calls.

Note [Blocking collectives]
    MPI reduces a small tensor in two microseconds, in which Python runs some thirty lines. So the usual case,
    contiguous tensors whose memory MPI can use as it is, is done here: the record on the board, MPI's call on the
    tensors' memory, tests in a row (Note [Tests in a row] in requests.py), the end. Whatever else happens (another
    kind of tensor or reduction, a wait that takes longer, an error) is left to the functions for all collectives. A
    rank may come either way: both write the same record and make the same call of MPI.

    A loop of tests ends sooner than MPICH's blocking call, at all sizes, and can be given up.
"""
import cython
from libc.stdint cimport int64_t
from wengert_core.extend cimport Tensor

from wengert.autograd.graph import increment_version as _increment_version

from wengert_distributed.backends.mpi.blocking_messages cimport BlockingMessages
from wengert_distributed.backends.mpi.host_memory cimport HostMemory, HostTensors, overlap
from wengert_distributed.faults.records cimport Records
from wengert_distributed.interface.work cimport Channel

from wengert_distributed.backends.mpi.blocking_messages import raise_error as _raise_error
from wengert_distributed.backends.mpi.requests import MpiRequest as _MpiRequest
from wengert_distributed.faults import signatures as _signatures
from wengert_distributed.interface.work import complete as _complete

cdef object INCREMENT_VERSION = _increment_version
cdef object MPI_REQUEST = _MpiRequest
cdef object COMPLETE = _complete
cdef object RAISE_ERROR = _raise_error

cdef int64_t BARRIER = _signatures.BARRIER
cdef int64_t ALL_REDUCE = _signatures.ALL_REDUCE
cdef int64_t REDUCE = _signatures.REDUCE
cdef int64_t BROADCAST = _signatures.BROADCAST
cdef int64_t ALL_GATHER = _signatures.ALL_GATHER
cdef int64_t GATHER = _signatures.GATHER
cdef int64_t SCATTER = _signatures.SCATTER
cdef int64_t REDUCE_SCATTER = _signatures.REDUCE_SCATTER
cdef int64_t ALL_TO_ALL = _signatures.ALL_TO_ALL
cdef int DETAIL_SHIFT = _signatures.DETAIL_SHIFT
cdef int ROOT_SHIFT = DETAIL_SHIFT + 8  # of a reduce, whose detail is the reduction


@cython.final
@cython.binding(False)
cdef class BlockingCollectives(BlockingMessages):
    """The collectives of a group of MPI for tensors whose memory can be used as it is. Note [Blocking collectives]

    group, channel, tensors, methods: those of BlockingMessages.

    Each method carries a collective out and returns True, or returns False with nothing done, for tensors that it
    does not take. They raise DistBackendError as the functions of their names.

    ops: MPI's, bits of the record, and whether the sum is divided afterwards, by reduction.
    """
    cdef object in_place
    cdef object mpi_barrier, mpi_all_reduce, mpi_reduce, mpi_broadcast, mpi_all_gather, mpi_gather, mpi_scatter
    cdef object mpi_reduce_scatter, mpi_all_to_all
    cdef Records board
    cdef dict ops

    def __cinit__(self, group, Channel channel not None, HostTensors tensors not None, dict methods, dict ops not None):
        self.board, self.ops, self.in_place = group.board, ops, group.in_place
        self.mpi_barrier, self.mpi_all_reduce = methods.get("barrier"), methods.get("all_reduce")
        self.mpi_reduce, self.mpi_broadcast = methods.get("reduce"), methods.get("broadcast")
        self.mpi_all_gather, self.mpi_gather = methods.get("all_gather"), methods.get("gather")
        self.mpi_scatter, self.mpi_reduce_scatter = methods.get("scatter"), methods.get("reduce_scatter")
        self.mpi_all_to_all = methods.get("all_to_all")

    # ---- collectives

    def barrier(self):
        """Wait for all ranks."""
        if self.mpi_barrier is None:
            return False
        self.note("barrier", None, None, -1)
        self.carry_out(BARRIER, 0, self.mpi_barrier, ())
        return True

    def all_reduce(self, tensor, op):
        """Reduce a tensor in place."""
        cdef Tensor t
        if self.mpi_all_reduce is None or not self.tensors.takes(tensor):
            return False
        t = <Tensor> tensor
        way = self.ops.get(op)
        if not self.tensors.reduces(t, way):
            return False
        mpi_op, op_bits, averages = <tuple> way
        self.note("all_reduce", t, op, -1)
        self.carry_out(ALL_REDUCE | self.tensors.bits_of(t) | <int64_t> op_bits, t.count, self.mpi_all_reduce,
                       (self.in_place, self.tensors.message(t, self.tensors.memory_of(t)), mpi_op))
        self.deliver(tensor, averages)
        return True

    def reduce(self, tensor, int64_t root, op):
        """Reduce into the tensor of a rank of the group."""
        cdef Tensor t
        if self.mpi_reduce is None or not self.tensors.takes(tensor):
            return False
        t = <Tensor> tensor
        way = self.ops.get(op)
        if not self.tensors.reduces(t, way):
            return False
        mpi_op, op_bits, averages = <tuple> way
        message = self.tensors.message(t, self.tensors.memory_of(t))
        self.note("reduce", t, op, root)
        self.carry_out(REDUCE | self.tensors.bits_of(t) | <int64_t> op_bits | root << ROOT_SHIFT, t.count,
                       self.mpi_reduce, (self.in_place, message, mpi_op, root) if root == self.this_rank else
                       (message, None, mpi_op, root))
        if root == self.this_rank:
            self.deliver(tensor, averages)
        return True

    def broadcast(self, tensor, int64_t root):
        """Copy the tensor of a rank of the group."""
        cdef Tensor t
        if self.mpi_broadcast is None or not self.tensors.takes(tensor):
            return False
        t = <Tensor> tensor
        self.note("broadcast", t, None, root)
        self.carry_out(BROADCAST | self.tensors.bits_of(t) | root << DETAIL_SHIFT, self.tensors.elements_of(t),
                       self.mpi_broadcast, (self.tensors.message(t, self.tensors.memory_of(t)), root))
        if root != self.this_rank:
            INCREMENT_VERSION(tensor)
        return True

    def all_gather(self, output, tensor):
        """Gather into a tensor, or into a list of tensors of the input's shape."""
        cdef HostMemory source, target
        cdef Tensor t
        if self.mpi_all_gather is None or not self.tensors.takes(tensor):
            return False
        t = <Tensor> tensor
        source, target = self.tensors.memory_of(t), self.tensors.memory_of_parts(output, t, False)
        if target is None or overlap(source, target):
            return False
        self.note("all_gather", t, None, -1)
        self.carry_out(ALL_GATHER | self.tensors.bits_of(t), self.tensors.elements_of(t), self.mpi_all_gather,
                       (self.tensors.message(t, source), self.tensors.message(t, target)))
        self.tensors.deliver_parts(output, target)
        return True

    def gather(self, tensor, outputs, int64_t root):
        """Gather into a list of tensors on a rank of the group; None on the others."""
        cdef HostMemory source, target = None
        cdef Tensor t
        if self.mpi_gather is None or not self.tensors.takes(tensor):
            return False
        t = <Tensor> tensor
        source = self.tensors.memory_of(t)
        if root == self.this_rank:
            target = self.tensors.memory_of_parts(outputs, t, False)
            if target is None or overlap(source, target):
                return False
        self.note("gather", t, None, root)
        receive = None if target is None else self.tensors.message(t, target)
        self.carry_out(GATHER | self.tensors.bits_of(t) | root << DETAIL_SHIFT, self.tensors.elements_of(t),
                       self.mpi_gather, (self.tensors.message(t, source), receive, root))
        if target is not None:
            self.tensors.deliver_parts(outputs, target)
        return True

    def scatter(self, tensor, inputs, int64_t root):
        """Scatter a list of tensors of a rank of the group; None on the others."""
        cdef HostMemory target, source = None
        cdef Tensor t
        if self.mpi_scatter is None or not self.tensors.takes(tensor):
            return False
        t = <Tensor> tensor
        target = self.tensors.memory_of(t)
        if root == self.this_rank:
            source = self.tensors.memory_of_parts(inputs, t, True)
            if source is None or overlap(source, target):
                return False
        self.note("scatter", t, None, root)
        send = None if source is None else self.tensors.message(t, source)
        self.carry_out(SCATTER | self.tensors.bits_of(t) | root << DETAIL_SHIFT, self.tensors.elements_of(t),
                       self.mpi_scatter, (send, self.tensors.message(t, target), root))
        INCREMENT_VERSION(tensor)
        return True

    def reduce_scatter(self, output, input, op):
        """Reduce a tensor, or a list of tensors of the output's shape, and give each rank its part."""
        cdef HostMemory source, target
        cdef Tensor t
        if self.mpi_reduce_scatter is None or not self.tensors.takes(output):
            return False
        t = <Tensor> output
        way = self.ops.get(op)
        if not self.tensors.reduces(t, way):
            return False
        mpi_op, op_bits, averages = <tuple> way
        source, target = self.tensors.memory_of_parts(input, t, True), self.tensors.memory_of(t)
        if source is None or overlap(source, target):
            return False
        if type(input) is Tensor:
            self.note("reduce_scatter", <Tensor> input, op, -1)
        else:
            self.note("reduce_scatter", t, op, -1)
            self.leading = self.size
        self.carry_out(REDUCE_SCATTER | self.tensors.bits_of(t) | <int64_t> op_bits, t.count, self.mpi_reduce_scatter,
                       (self.tensors.message(t, source), self.tensors.message(t, target), mpi_op))
        self.deliver(output, averages)
        return True

    def all_to_all(self, output, input):
        """Exchange equal parts of a tensor along dim 0, or tensors of one shape in lists."""
        cdef HostMemory source, target
        cdef Tensor t, into
        cdef Py_ssize_t part, rank
        cdef bint lists = type(output) is list and type(input) is list and len(<list> input) == self.size
        one = (<list> input)[0] if lists else input
        if self.mpi_all_to_all is None or not self.tensors.takes(one):
            return False
        t = <Tensor> one
        if lists:
            source = self.tensors.memory_of_parts(input, t, True)
            target = self.tensors.memory_of_parts(output, t, False)
            if source is None or target is None or overlap(source, target):
                return False
            part = self.tensors.elements_of(t)
        else:
            if not self.tensors.takes(output):
                return False
            into = <Tensor> output
            if (t.code != into.code or t.count != into.count or t.rank == 0 or into.rank == 0
                    or t.dims[0] % self.size or into.dims[0] % self.size):
                return False
            source, target = self.tensors.memory_of(t), self.tensors.memory_of(into)
            if overlap(source, target):
                return False
            part = self.tensors.elements_of(t) // self.size
        counts = [part] * self.size
        offsets = [rank * part for rank in range(self.size)]
        datatype = self.tensors.datatypes[t.code]
        self.note("all_to_all", t, None, -1)
        self.shapes = self.size if lists else 1
        self.carry_out(ALL_TO_ALL | self.tensors.bits_of(t), 0, self.mpi_all_to_all,
                       ((source, counts, offsets, datatype), (target, counts, offsets, datatype)))
        self.tensors.deliver_parts(output, target)
        return True

    cdef int deliver(self, object tensor, bint averages) except -1:
        """Divide a sum where an average is asked for, and note that the tensor has changed."""
        if averages:
            array = tensor.detach().numpy()
            array /= self.size
        INCREMENT_VERSION(tensor)
        return 0

    # ---- the steps of all of them

    cdef void note(self, object name, Tensor t, object op, int64_t root):
        """Count a call and note its facts. t: None for a call without a tensor."""
        self.channel.count += 1
        self.number = self.channel.count
        self.note_facts(name, t, op, root)

    cdef int carry_out(self, int64_t signature, int64_t elements, object method, tuple arguments) except -1:
        """Write the record of the newest call, begin it by a method of MPI, and wait until it has ended."""
        cdef int64_t sequence = self.board.write(signature, elements, self.number)
        cdef bint ended = False
        if sequence == 0:
            COMPLETE(self.channel, self.call(), self.group.raise_mismatch, ())
        try:
            raw = method(*arguments)
            ended = self.ends_soon(raw, None)
        except Exception as error:
            COMPLETE(self.channel, self.call(), RAISE_ERROR, (error,))
        if ended:
            self.board.end(sequence)
        else:
            COMPLETE(self.channel, self.call(), MPI_REQUEST, (self.group, raw, sequence))
        return 0
