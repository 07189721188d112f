"""The steps of every collective: begin, wait, end.

Note [Fast path]
    A synchronous collective of a small tensor takes a few microseconds in the transport, so this path builds no text
    and no list: facts are kept as they are, and made into a message only where something fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wengert_distributed.interface.process_group import Call
from wengert_distributed.interface.work import Work, complete, fail

if TYPE_CHECKING:
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
    channel.count = number = channel.count + 1
    call = new(Call, (number, name, facts))
    if async_op:
        return begin(channel, call, method, arguments, after, results)
    complete(channel, call, method, arguments)
    if after is not None:
        after()
    return None


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
