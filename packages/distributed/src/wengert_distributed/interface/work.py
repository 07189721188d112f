"""Channels, which note what is under way on a backend, and works, which programs wait for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NoReturn

from wengert_distributed.interface.future import Future

if TYPE_CHECKING:
    from wengert_distributed.interface.process_group import Call, ProcessGroup, Request

ABANDONED_SECONDS = 5.0
"""How long destroy_process_group waits for what nobody has waited for."""


MANY_PENDING = 100
"""How many collectives may be under way before it is looked which of them have ended."""


class Channel:
    """A backend of a process group, with what has been begun on it."""

    __slots__ = ("_many", "backend", "count", "pending", "seconds")

    def __init__(self, backend: ProcessGroup, seconds: float) -> None:
        self.backend: ProcessGroup = backend
        self.seconds: float = seconds
        self.count: int = 0
        self.pending: set[Work] = set()
        """Asynchronous collectives under way: they keep the memory that the transport writes."""
        self._many = MANY_PENDING

    def add_pending(self, work: Work) -> None:
        """Note a collective under way. Where there are many, those that have ended without a wait are let go."""
        self.pending.add(work)
        if len(self.pending) > self._many:
            for one in list(self.pending):
                one.is_completed()
            self._many = max(MANY_PENDING, 2 * len(self.pending))


class Work:
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

    __slots__ = ("__weakref__", "_after", "_call", "_channel", "_error", "_future", "_memory", "_request", "_results")

    def __init__(
        self, channel: Channel, call: Call, request: Request | None, after: Callable[[], Any] | None, results: Any,
        memory: Any,
    ) -> None:  # fmt: skip
        self._channel, self._call, self._request, self._after = channel, call, request, after
        self._results, self._memory = results, memory
        self._error: Exception | None = None
        self._future: Future | None = None
        if request is None:
            self._finish()
        else:
            channel.add_pending(self)

    def __repr__(self) -> str:
        state = "under way" if self._pending() else "failed" if self._error else "ended"
        return f"<Work: {self._call.name}, {state}>"

    def _pending(self) -> bool:
        return self in self._channel.pending

    def _finish(self) -> None:
        """Put the results where they belong; once."""
        channel = self._channel
        channel.pending.discard(self)
        self._memory = None
        channel.backend.finish(self._call)
        after, self._after = self._after, None
        if after is not None:
            after()
        if self._future is not None:
            self._future.set_result(self._results)

    def _fail(self, reason: Exception | str) -> NoReturn:
        """Note that it failed, and raise."""
        self._channel.pending.discard(self)
        try:
            fail(self._channel.backend, self._call, reason)
        except Exception as error:
            self._error = error
            if self._future is not None:
                self._future.set_exception(error)
            raise

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait until it has ended; return True.

        timeout: how long; the group's timeout without it.   Raises DistBackendError where it fails or does not end in
        time, with what the other ranks are doing.
        """
        if self._error is not None:
            raise self._error
        if not self._pending():
            return True
        seconds = self._channel.seconds if timeout is None else seconds_of(timeout)
        request = self._request
        try:
            ended = request.wait(seconds)  # type: ignore[union-attr]
        except Exception as error:
            self._fail(error)
        if not ended:
            self._fail(time_over(request, seconds))
        self._finish()
        return True

    def synchronize(self) -> None:
        """Wait until it has ended, as ``wait``."""
        self.wait()

    def is_completed(self) -> bool:
        """Return whether it has ended or failed, without waiting."""
        if not self._pending():
            return True
        try:
            ended = self._request.test()  # type: ignore[union-attr]
        except Exception as error:
            try:
                self._fail(error)
            except Exception:
                return True  # exception() and wait() give it
        if ended:
            self._finish()
        return ended

    def is_success(self) -> bool:
        """Return whether it has ended without an error."""
        return self.is_completed() and self._error is None

    def exception(self) -> Exception | None:
        """Return the exception with which it failed, or None."""
        self.is_completed()
        return self._error

    def result(self) -> Any:
        """Return the tensors that it fills. Raises RuntimeError before it has ended."""
        if not self.is_completed():
            raise RuntimeError("Work needs to be completed before calling result(). Should call wait() before "
                               f"result(). {self._call.name} is under way")  # fmt: skip
        if self._error is not None:
            raise self._error
        return self._results

    def source_rank(self) -> int:
        """Return the rank in the group from which an ``irecv`` has received."""
        source = getattr(self._request, "source", None)
        if source is None:
            raise RuntimeError("sourceRank() may only be called on work objects that correspond to a recv or "
                               "recv-from-any call.")  # fmt: skip
        return int(source)

    _source_rank = source_rank

    def get_future(self) -> Future:
        """Return a future of the tensors that it fills. Waiting for the future waits for this."""
        if self._future is None:
            self._future = Future(self)
            if self._error is not None:
                self._future.set_exception(self._error)
            elif not self._pending():
                self._future.set_result(self._results)
        return self._future

    def abandon(self) -> None:
        """Wait for a moment for what nobody has waited for, before its group is closed."""
        if self._request is not None:
            try:
                self._request.abandon(min(self._channel.seconds, ABANDONED_SECONDS))
            except Exception as error:
                self._error = error
        self._channel.pending.discard(self)


def seconds_of(timeout: Any) -> float:
    """Return a timeout's seconds. Raises TypeError for what is no timedelta, RuntimeError for a negative one."""
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    seconds = timeout.total_seconds()
    if seconds < 0:
        raise RuntimeError(f"Invalid timeout: it must not be negative, but is {seconds:g} s")
    return seconds


def time_over(request: Any, seconds: float) -> str:
    """Return why a collective that has not ended is waited for no longer."""
    return request.reason or f"it has not ended within {seconds:g} s"


def complete(channel: Channel, call: Call, method: Callable[..., Any], arguments: tuple[Any, ...]) -> Request | None:
    """Run a call, wait until it has ended, and return its Request. Note [Fast path]"""
    backend = channel.backend
    backend.announce_wait(call, channel.seconds)
    try:
        request = method(*arguments)
        ended = request is None or request.wait(channel.seconds)
    except Exception as error:
        fail(backend, call, error)
    if not ended:
        fail(backend, call, time_over(request, channel.seconds))
    backend.finish(call)
    return request  # type: ignore[no-any-return]


def fail(backend: ProcessGroup, call: Call, reason: Exception | str) -> NoReturn:
    """Raise DistBackendError for a collective that failed, or that did not end in time."""
    from wengert_distributed.faults.diagnosis import failure

    raise failure(backend, call, reason) from (reason if isinstance(reason, Exception) else None)
