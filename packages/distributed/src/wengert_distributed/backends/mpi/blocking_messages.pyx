"""Sends and receives of tensors on the host, without frames of Python around MPI's.

The idea is that of Note [Blocking collectives] in blocking.pyx. Messages have no records on the board: ranks agree on
no order of them. A message that is not there after some tests is left to MpiRequest and MpiReceive, which look where
the other rank is.
"""
import cython
from cpython.long cimport PyLong_AsLongAndOverflow
from libc.stdint cimport int64_t
from wengert_core.extend cimport Tensor, dtype_of

from wengert.autograd.graph import increment_version as _increment_version

from wengert_distributed.backends.mpi.host_memory cimport HostTensors
from wengert_distributed.backends.mpi.message_work cimport MessageWork, ends_within, message_call
from wengert_distributed.interface.work cimport Channel

from wengert_distributed.backends.mpi.requests import MpiReceive as _MpiReceive
from wengert_distributed.backends.mpi.requests import MpiRequest as _MpiRequest
from wengert_distributed.interface.process_group import POINT_TO_POINT as _POINT_TO_POINT
from wengert_distributed.interface.process_group import Call as _Call
from wengert_distributed.interface.work import complete as _complete
from wengert_distributed.interface.work import fail as _fail

cdef object INCREMENT_VERSION = _increment_version
cdef object MPI_RECEIVE = _MpiReceive
cdef object MPI_REQUEST = _MpiRequest
cdef object COMPLETE = _complete
cdef object FAIL = _fail
cdef object CALL = _Call
cdef int64_t POINT_TO_POINT = _POINT_TO_POINT


cdef inline long small_int(object value) except? -2:
    """Return an int of 0 and more; -1 for anything else, also for one that no C integer holds."""
    cdef int overflow = 0
    cdef long number
    if type(value) is not int:
        return -1
    number = PyLong_AsLongAndOverflow(value, &overflow)
    return -1 if overflow or number < 0 else number


@cython.binding(False)
cdef class BlockingMessages:
    """The sends and receives of a group of MPI for tensors whose memory can be used as it is.

    tensors: those that it takes.
    methods: MPI's, by the names of calls; those that a subclass of the group carries out in its own way are not there.
    """

    def __cinit__(self, group, Channel channel not None, HostTensors tensors not None, dict methods, *_):
        self.group, self.channel, self.tensors = group, channel, tensors
        self.spins, self.size, self.this_rank = len(group.spins), group.size, group.rank
        self.mpi_send, self.mpi_recv = methods.get("send"), methods.get("recv")
        self.any_source, self.status = group.mpi.ANY_SOURCE, group.mpi.Status
        self.progresses = group.threads and group.monitor.has_spare_cores

    def send(self, tensor, rank, tag):
        """Send a tensor to another rank of the group; return False, with nothing done, where it is not taken."""
        cdef tuple arguments = self.arguments_of_send(tensor, rank, tag)
        if arguments is None:
            return False
        self.carry_message("send", tensor, rank, arguments, None)
        return True

    def recv(self, tensor, rank, tag):
        """Receive a tensor from another rank of the group, or from any one for None, and return that rank.

        It returns None, with nothing done, where it does not take the tensor.
        """
        cdef tuple arguments = self.arguments_of_recv(tensor, rank, tag)
        if arguments is None:
            return None
        status = self.status() if rank is None else None  # without one, MPI need not write it
        self.carry_message("recv", tensor, rank, arguments, status)
        INCREMENT_VERSION(tensor)
        return status.Get_source() if rank is None else rank

    def isend(self, tensor, rank, tag):
        """Begin what ``send`` does and return a Work; None, with nothing done, where it does not take the tensor."""
        cdef tuple arguments = self.arguments_of_send(tensor, rank, tag)
        return None if arguments is None else self.begin_message(tensor, rank, self.mpi_send, arguments, None)

    def irecv(self, tensor, rank, tag):
        """Begin what ``recv`` does and return a Work; None, with nothing done, where it does not take the tensor."""
        cdef tuple arguments = self.arguments_of_recv(tensor, rank, tag)
        if arguments is None:
            return None
        return self.begin_message(tensor, rank, self.mpi_recv, arguments, self.status() if rank is None else None)

    cdef tuple arguments_of_send(self, object tensor, object rank, object tag):
        """Note a send and return MPI's arguments; None where it is not taken."""
        if (self.mpi_send is None or not self.is_other(rank) or small_int(tag) < 0
                or not self.tensors.takes(tensor)):
            return None
        self.number = POINT_TO_POINT
        self.note_facts("send", <Tensor> tensor, None, rank)
        return (self.tensors.message(<Tensor> tensor, self.tensors.memory_of(<Tensor> tensor)), rank, tag)

    cdef tuple arguments_of_recv(self, object tensor, object rank, object tag):
        """Note a receive and return MPI's arguments; None where it is not taken."""
        cdef bint of_any = rank is None
        if (self.mpi_recv is None or not (of_any or self.is_other(rank)) or small_int(tag) < 0
                or not self.tensors.takes(tensor)):
            return None
        self.number = POINT_TO_POINT
        self.note_facts("recv", <Tensor> tensor, None, -1 if of_any else rank)
        message = self.tensors.message(<Tensor> tensor, self.tensors.memory_of(<Tensor> tensor))
        return (message, self.any_source if of_any else rank, tag)

    cdef MessageWork begin_message(self, object tensor, object rank, object method, tuple arguments, object status):
        """Begin the newest message by a method of MPI."""
        cdef MessageWork work = MessageWork.__new__(MessageWork, self.channel, None, None, None, None, None)
        cdef int i
        work.group, work.tensor, work.status, work.other, work.spins = self.group, tensor, status, rank, self.spins
        work.name, work.dtype, work.rank = self.name, self.dtype, self.rank
        for i in range(self.rank):
            work.shape[i] = self.shape[i]
        try:
            work.raw = method(*arguments)
        except Exception as error:
            FAIL(self.group, work.noted_call(), error)
        self.channel.add(work)
        if self.progresses and not work.is_completed():
            work.made_request().background()
        return work

    cdef int carry_message(self, str name, object tensor, object rank, tuple arguments, object status) except -1:
        """Begin a message and wait until it has ended. Other threads may begin theirs meanwhile."""
        cdef bint sends = name == "send"
        cdef bint ended = False
        try:
            raw = (self.mpi_send if sends else self.mpi_recv)(*arguments)
            ended = self.ends_soon(raw, status)
        except Exception as error:
            COMPLETE(self.channel, message_call(name, tensor.dtype, tuple(tensor.shape), rank), raise_error, (error,))
        if ended:
            return 0
        call = message_call(name, tensor.dtype, tuple(tensor.shape), rank)
        if sends:
            COMPLETE(self.channel, call, MPI_REQUEST, (self.group, raw, 0, rank))
        else:
            COMPLETE(self.channel, call, MPI_RECEIVE,
                     (self.group, raw, self.status() if status is None else status, rank))
        return 0

    cdef bint ends_soon(self, object raw, object status) except -1:
        """Test a request some times; return whether it has ended."""
        return ends_within(raw, status, self.spins)

    cdef bint is_other(self, object rank) except -1:
        """Whether a value is another rank of the group."""
        cdef long number = small_int(rank)
        return 0 <= number < self.size and number != self.this_rank

    # ---- the newest call

    cdef void note_facts(self, object name, Tensor t, object op, int64_t root):
        """Note the facts of a call. t: None for one without a tensor."""
        cdef int i
        self.name, self.op, self.before = name, op, self.group.newest
        self.root, self.leading = root, 0
        if t is None:
            self.dtype, self.rank, self.shapes = None, 0, 0
            return
        self.dtype, self.rank, self.shapes = dtype_of(t.code), t.rank, 1
        for i in range(t.rank):
            self.shape[i] = t.dims[i]

    cdef object call(self):
        """Return the newest call."""
        cdef int i
        shape = tuple([self.shape[i] for i in range(self.rank)])
        if self.name in ("send", "recv"):
            return message_call(self.name, self.dtype, shape, None if self.root < 0 else self.root)
        shapes = [(self.leading, *shape) if self.leading else shape] * self.shapes
        facts = () if self.dtype is None else (self.dtype, *shapes)
        if self.op is not None:
            facts = (self.op, *facts)
        if self.root >= 0:
            facts += (f"{'to' if self.name in ('reduce', 'gather') else 'from'} rank {self.root}",)
        return CALL(self.number, self.name, facts)

    def call_after(self, call):
        """Return the newest call where it is newer than another one of the group, else that one."""
        return self.call() if self.number and self.before is call else call


def raise_error(error):
    """Raise an error."""
    raise error
