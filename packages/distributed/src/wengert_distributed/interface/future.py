"""Futures of collectives, as ``torch.futures.Future``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import GenericAlias
from typing import Any, Protocol

__all__ = ["Future", "collect_all", "wait_all"]


class Awaitable(Protocol):
    """Anything that can be waited for, and asked whether it has ended."""

    def wait(self) -> Any:
        """Wait until it has ended."""

    def is_completed(self) -> bool:
        """Return whether it has ended."""


class Future:
    """A value that is there later, as ``torch.futures.Future``.

    It has no thread of its own: who waits for it, or asks whether it is done, makes what it depends on progress, and
    runs the callbacks.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> future = wg.distributed.all_reduce(wg.ones(2), async_op=True).get_future()
    >>> future.then(lambda done: done.value()[0] * 10).wait()
    tensor([10., 10.])
    >>> wg.distributed.destroy_process_group()
    """

    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self, source: Awaitable | None = None, devices: Any = None) -> None:
        self._source = source
        self._callbacks: list[Callable[[], None]] = []
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None

    def __repr__(self) -> str:
        return f"<Future: {'done' if self._done else 'under way'}>"

    def done(self) -> bool:
        """Return whether the value or an exception is there, without waiting."""
        if not self._done and self._source is not None:
            self._source.is_completed()
        return self._done

    is_completed = done

    def wait(self) -> Any:
        """Wait for the value and return it. Raises the exception where there is one."""
        while not self.done():
            source = self._source
            if source is None:
                break
            try:
                source.wait()
            except Exception:
                if not self.done():
                    raise
            if self._source is source:  # a callback's result may be a future, which is waited for next
                break
        return self.value()

    def value(self) -> Any:
        """Return the value. Raises the exception where there is one, RuntimeError before either is there."""
        if not self.done():
            raise RuntimeError("the future is not completed; call wait() first")
        if self._error is not None:
            raise self._error
        return self._value

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """Return a future of a callback's result. The callback is called with this future when it is done."""
        child = Future(self)

        def call() -> None:
            try:
                result = callback(self)
            except Exception as error:
                text = f"Got the following error when running the callback: {type(error).__name__}: {error}"
                child.set_exception(RuntimeError(text))
            else:
                child.adopt(result)

        self._call_when_done(call)
        return child

    def adopt(self, result: Any) -> None:
        """Take a result; where it is a future, its value when that is done."""
        if not isinstance(result, Future):
            self.set_result(result)
            return
        self._source = result
        result.add_done_callback(self._take)

    def _take(self, other: Future) -> None:
        if other._error is not None:
            self.set_exception(other._error)
        else:
            self.set_result(other._value)

    def add_done_callback(self, callback: Callable[[Future], Any]) -> None:
        """Call a function with this future when it is done."""
        self._call_when_done(lambda: callback(self))

    def _call_when_done(self, call: Callable[[], None]) -> None:
        if self._done:
            call()
        else:
            self._callbacks.append(call)

    def set_result(self, result: Any) -> None:
        """Set the value. Raises RuntimeError where the future is done."""
        self._settle(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set the exception that ``wait`` and ``value`` raise.

        Raises RuntimeError where the future is done, AssertionError for what is no exception, as PyTorch does.
        """
        if not isinstance(result, BaseException):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._settle(None, result)

    def _settle(self, value: Any, error: BaseException | None) -> None:
        if self._done:
            raise RuntimeError("Attempting to mark a completed Future as complete again. "
                               "Note that a Future can only be marked completed once.")  # fmt: skip
        self._value, self._error, self._done = value, error, True
        callbacks, self._callbacks = self._callbacks, []
        for call in callbacks:
            call()


def collect_all(futures: list[Future]) -> Future:
    """Return a future of a list of futures, done when all are."""

    class All:
        def wait(self) -> None:
            for future in futures:
                with suppress(Exception):  # whoever asks the future itself gets it
                    future.wait()
            self.is_completed()

        def is_completed(self) -> bool:
            ended = all(future.done() for future in futures)
            if ended and not result._done:
                result.set_result(list(futures))
            return ended

    result = Future(All())
    result.done()
    return result


def wait_all(futures: list[Future]) -> list[Any]:
    """Wait for futures and return their values. Raises the first exception among them."""
    return [future.wait() for future in futures]
