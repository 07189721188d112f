# cython: auto_pickle=False
"""Sends and receives of MPI under way, without frames of Python around MPI's calls.

The usual message ends within the first tests of a wait. One that does not is left to MpiRequest and MpiReceive, which
look where the other rank is, and so is one for which a core is left that lets it progress meanwhile.
"""
import cython

from wengert.autograd.graph import increment_version as _increment_version

from wengert_distributed.interface.work cimport Work

from wengert_distributed.backends.mpi.requests import ABANDONED as _ABANDONED
from wengert_distributed.backends.mpi.requests import MpiReceive as _MpiReceive
from wengert_distributed.backends.mpi.requests import MpiRequest as _MpiRequest
from wengert_distributed.interface.process_group import POINT_TO_POINT as _POINT_TO_POINT
from wengert_distributed.interface.process_group import Call as _Call

cdef object INCREMENT_VERSION = _increment_version
cdef object ABANDONED = _ABANDONED
cdef object MPI_RECEIVE = _MpiReceive
cdef object MPI_REQUEST = _MpiRequest
cdef object CALL = _Call
cdef object POINT_TO_POINT = _POINT_TO_POINT


@cython.final
@cython.embedsignature(True)
@cython.binding(False)
cdef class MessageWork(Work):
    """A send or a receive of a tensor whose memory MPI uses as it is. BlockingMessages makes it, and adds it to
    the channel.
    """

    cdef object noted_call(self):
        cdef int i
        return message_call(self.name, self.dtype, tuple([self.shape[i] for i in range(self.rank)]), self.other)

    cdef object noted_results(self):
        return [self.tensor]

    cdef object made_request(self):
        """Return a request that looks where the other rank is."""
        if self.request is None:
            if self.name == "send":
                self.request = MPI_REQUEST(self.group, self.raw, 0, self.other)
            else:
                status = self.group.mpi.Status() if self.status is None else self.status
                self.request = MPI_RECEIVE(self.group, self.raw, status, self.other)
            self.request.call = self.noted_call()
        return self.request

    cdef int deliver(self) except -1:
        self.raw = None
        if self.name == "recv":
            INCREMENT_VERSION(self.tensor)
        return 0

    def wait(self, timeout=None):
        """Wait until it has ended; return True. Arguments and errors: those of ``Work.wait``."""
        return True if timeout is None and self.ends_within(self.spins) else Work.wait(self, timeout)

    def is_completed(self):
        """Return whether it has ended or failed, without waiting."""
        try:
            return self.ends_within(1) or Work.is_completed(self)
        except Exception:
            if self.error is None:
                raise
            return True

    cdef bint ends_within(self, Py_ssize_t spins) except -1:
        """Test it some times, where no other thread does and nobody looks after it; return whether it has ended."""
        cdef bint ended = False
        if self.busy or self.request is not None or not self.is_pending():
            return False
        self.busy = True
        try:
            try:
                ended = ends_within(self.raw, self.status, spins)
            except Exception as error:
                self.fail(error)
            if ended:
                self.finish()
        finally:
            self.busy = False
        return ended

    def source_rank(self):
        """Return the rank in the group from which an ``irecv`` has received."""
        if self.name == "recv":
            return int(self.status.Get_source()) if self.other is None else self.other
        return Work.source_rank(self)


cdef bint ends_within(object raw, object status, Py_ssize_t spins) except -1:
    """Test a request of MPI some times; return whether it has ended."""
    cdef Py_ssize_t _i
    test = raw.Test
    try:
        for _i in range(spins):
            if (test() if status is None else test(status)) is True:
                return True
    except BaseException:              # MPI may still write
        ABANDONED[id(raw)] = raw
        raise
    return False


cdef object message_call(object name, object dtype, tuple shape, object other):
    """Return a send or a receive as the ranks note it."""
    whom = f"{'to' if name == 'send' else 'from'} {'any rank' if other is None else f'rank {other}'}"
    return CALL(POINT_TO_POINT, name, (dtype, shape, whom))
