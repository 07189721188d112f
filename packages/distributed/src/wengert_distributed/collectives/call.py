"""The steps of every collective: begin, wait, end.

Note [Fast path]
    A synchronous collective of a small tensor takes a few microseconds in the transport, so this path builds no text
    and no list: facts are kept as they are, and made into a message only where something fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert_distributed.interface.process_group import Call
from wengert_distributed.interface.work import Work, fail, time_over

if TYPE_CHECKING:
    from wengert_distributed.interface.process_group import Request
    from wengert_distributed.interface.work import Channel

After = Callable[[], Any] | None
new: Any = tuple.__new__


def run(
    channel: Channel, name: str, facts: tuple[Any, ...], method: Callable[..., Any], arguments: tuple[Any, ...],
    after: After = None, async_op: bool = False, results: Any = None,
) -> Work | None:  # fmt: skip
    """Run a collective of a backend, or begin it.

    method, arguments: the backend's, which returns a Request or None.
    after: called when it has ended, to put results where they belong.
    results: the tensors that a Work gives.   Raises DistBackendError where it fails or does not end in time.
    """
    if async_op:
        channel.count = number = channel.count + 1
        return begin(channel, Call(number, name, facts), method, arguments, after, results)
    run_now(channel, name, facts, method, arguments)
    if after is not None:
        after()
    return None


def run_now(
    channel: Channel, name: str, facts: tuple[Any, ...], method: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Run a collective and wait until it has ended. Note [Fast path]"""
    channel.count = number = channel.count + 1
    complete(channel, new(Call, (number, name, facts)), method, arguments)


def complete(channel: Channel, call: Call, method: Callable[..., Any], arguments: tuple[Any, ...]) -> Request | None:
    """Run a call, wait until it has ended, and return its Request."""
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


def begin(
    channel: Channel, call: Call, method: Callable[..., Any], arguments: tuple[Any, ...], after: After, results: Any
) -> Work:
    """Begin a call."""
    backend = channel.backend
    backend.announce(call)
    try:
        request = method(*arguments)
    except Exception as error:
        fail(backend, call, error)
    if request is not None:
        request.background()
    return Work(channel, call, request, after, results, arguments)
