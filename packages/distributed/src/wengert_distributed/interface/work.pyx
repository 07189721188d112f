# cython: auto_pickle=False
"""Channels, which note what is under way on a backend, and works, which programs wait for.

They are compiled because a message of MPI takes a microsecond, in which Python runs some fifteen lines.

Note [Threads that wait]
    Several threads may wait for one work, but a transport's request is tested by one at a time: MPI forbids more. A
    work is busy while a thread waits or tests; the others sleep until it has ended, or wait themselves where that
    thread was interrupted. The end is noted in one step, without code of Python's between: it is pending no more, and
    a future that is there is filled; one that is made later finds the end.
"""
import cython
from datetime import timedelta
from time import perf_counter as _perf_counter
from time import sleep as _sleep

from wengert_distributed.interface.future import Future as _Future

cdef object FUTURE = _Future
cdef object TIMEDELTA = timedelta
cdef object perf_counter = _perf_counter
cdef object sleep = _sleep

cdef double PAUSE = 1e-4               # seconds for which a thread sleeps while another one waits
cdef double ABANDONED_SECONDS = 5.0    # how long destroy_process_group waits for what nobody has waited for
cdef Py_ssize_t MANY_PENDING = 100     # works under way before it is looked which of them have ended


@cython.final
@cython.binding(False)
cdef class Channel:
    """A backend of a process group, with what has been begun on it."""

    def __cinit__(self, backend, double seconds):
        self.backend, self.seconds = backend, seconds
        self.pending, self.many = set(), MANY_PENDING

    cdef int add(self, Work work) except -1:
        """Note a work under way. Where there are many, those that have ended without a wait are let go."""
        self.pending.add(work)
        if len(self.pending) > self.many:
            for one in list(self.pending):
                one.is_completed()
            self.many = max(MANY_PENDING, 2 * len(self.pending))
        return 0


@cython.embedsignature(True)
@cython.binding(False)
cdef class Work:
    """A collective under way, as ``torch.distributed.Work``: ``async_op=True``, ``isend`` and ``irecv`` return one.

    Its tensors may be read, and inputs written to, after ``wait``, or after ``is_completed`` has returned True.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> x = wg.ones(2)
    >>> work = wg.distributed.all_reduce(x, async_op=True)
    >>> work.wait()
    True
    >>> wg.distributed.destroy_process_group()
    """

    def __cinit__(self, Channel channel not None, call, request, after, results, memory):
        self.channel, self.call, self.request, self.after = channel, call, request, after
        self.results, self.memory = results, memory

    def __init__(self, *_):
        if self.request is None:
            self.finish()
        else:
            self.channel.add(self)

    def __repr__(self):
        state = "under way" if self.is_pending() else "failed" if self.error is not None else "ended"
        return f"<Work: {self.noted_call().name}, {state}>"

    cdef object noted_call(self):
        """Return what was called."""
        return self.call

    cdef object noted_results(self):
        """Return the tensors that it fills."""
        return self.results

    cdef object made_request(self):
        """Return the transport's request."""
        return self.request

    cdef bint is_pending(self) except -1:
        return self in self.channel.pending

    cdef int finish(self) except -1:
        """Put the results where they belong, and note that it has ended. Note [Threads that wait]"""
        try:
            self.deliver()
        finally:
            self.channel.pending.discard(self)
            future, self.busy = self.future, False
        if future is not None:
            future.set_result(self.noted_results())
        return 0

    cdef int deliver(self) except -1:
        """Put the results where they belong."""
        self.memory = None
        self.channel.backend.finish(self.noted_call())
        after, self.after = self.after, None
        if after is not None:
            after()
        return 0

    cdef int fail(self, object reason) except -1:
        """Note that it failed, and raise. Note [Threads that wait]"""
        try:
            fail(self.channel.backend, self.noted_call(), reason)
        except Exception as error:
            self.error = error
            self.channel.pending.discard(self)
            future, self.busy = self.future, False
            if future is not None:
                future.set_exception(error)
            raise
        return 0

    cdef bint begin_wait(self, double seconds) except -1:
        """Wait until no other thread waits, for some seconds at most; return whether this one has to."""
        cdef double end
        if self.busy:
            end = perf_counter() + seconds
            while self.busy:
                if perf_counter() > end:
                    fail(self.channel.backend, self.noted_call(), f"it has not ended within {seconds:g} s")
                sleep(PAUSE)
        if self.error is not None:
            raise self.error
        self.busy = self.is_pending()
        return self.busy

    def wait(self, timeout=None):
        """Wait until it has ended; return True.

        timeout: how long; the group's timeout without it.   Raises DistBackendError where it fails or does not end in
        time, with what the other ranks are doing.
        """
        if self.error is None and not self.busy and not self.is_pending():
            return True
        seconds = self.channel.seconds if timeout is None else seconds_of(timeout)
        if not self.begin_wait(seconds):
            return True
        try:
            ended = False
            try:
                request = self.made_request()
                ended = request.wait(seconds)
            except Exception as error:
                self.fail(error)
            if not ended:
                self.fail(time_over(request, seconds))
            self.finish()
        finally:
            self.busy = False
        return True

    def synchronize(self):
        """Wait until it has ended, as ``wait``."""
        self.wait()

    def is_completed(self):
        """Return whether it has ended or failed, without waiting."""
        if self.busy:
            return False
        if not self.is_pending():
            return True
        self.busy = True
        try:
            ended = False
            try:
                ended = self.made_request().test()
            except Exception as error:
                return self.note_failure(error)
            if ended:
                self.finish()
        finally:
            self.busy = False
        return ended

    cdef bint note_failure(self, object reason) except -1:
        """Note that it failed, without raising: ``exception`` and ``wait`` give the error. Return True."""
        try:
            self.fail(reason)
        except Exception:
            if self.error is None:
                raise
        return True

    def is_success(self):
        """Return whether it has ended without an error."""
        return self.is_completed() and self.error is None

    def exception(self):
        """Return the exception with which it failed, or None."""
        self.is_completed()
        return self.error

    def result(self):
        """Return the tensors that it fills. Raises RuntimeError before it has ended."""
        if not self.is_completed():
            raise RuntimeError("Work needs to be completed before calling result(). Should call wait() before "
                               f"result(). {self.noted_call().name} is under way")
        if self.error is not None:
            raise self.error
        return self.noted_results()

    def source_rank(self):
        """Return the rank in the group from which an ``irecv`` has received."""
        source = getattr(self.request, "source", None)
        if source is None:
            raise RuntimeError("sourceRank() may only be called on work objects that correspond to a recv or "
                               "recv-from-any call.")
        return int(source)

    def _source_rank(self):
        """Return the rank in the group from which an ``irecv`` has received."""
        return self.source_rank()

    def get_future(self):
        """Return a future of the tensors that it fills. Waiting for the future waits for this."""
        if self.future is None:
            self.future = FUTURE(self)
            if self.error is not None:
                self.future.set_exception(self.error)
            elif not self.is_pending():
                self.future.set_result(self.noted_results())
        return self.future

    def abandon(self):
        """Wait for a moment for what nobody has waited for, before its group is closed."""
        try:
            if self.begin_wait(ABANDONED_SECONDS):
                request = self.made_request()
                request.abandon(min(self.channel.seconds, ABANDONED_SECONDS))
                if not request.test():
                    self.fail("its group was destroyed before it had ended")
                self.finish()
        except Exception as error:
            self.error = error
        finally:
            self.busy = False
            self.channel.pending.discard(self)


def seconds_of(timeout):
    """Return a timeout's seconds. Raises TypeError for what is no timedelta, RuntimeError for a negative one."""
    if not isinstance(timeout, TIMEDELTA):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    seconds = timeout.total_seconds()
    if seconds < 0:
        raise RuntimeError(f"Invalid timeout: it must not be negative, but is {seconds:g} s")
    return seconds


cdef object time_over(object request, double seconds):
    """Return why a collective that has not ended is waited for no longer."""
    return request.reason or f"it has not ended within {seconds:g} s"


def complete(Channel channel not None, call, method, tuple arguments not None):
    """Run a call, wait until it has ended, and return its Request. Note [Fast path]"""
    backend = channel.backend
    backend.announce_wait(call, channel.seconds)
    request, ended = None, False
    try:
        request = method(*arguments)
        ended = request is None or request.wait(channel.seconds)
    except Exception as error:
        fail(backend, call, error)
    if not ended:
        fail(backend, call, time_over(request, channel.seconds))
    backend.finish(call)
    return request


def fail(backend, call, reason):
    """Raise DistBackendError for a collective that failed, or that did not end in time."""
    from wengert_distributed.faults.diagnosis import failure

    raise failure(backend, call, reason) from (reason if isinstance(reason, Exception) else None)
