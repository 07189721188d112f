"""Barriers: all ranks wait for each other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, SupportsIndex

from wengert_distributed.collectives import checks
from wengert_distributed.collectives.call import run
from wengert_distributed.errors import DistBackendError
from wengert_distributed.interface.work import Work, seconds_of


def barrier(group: Any = None, async_op: bool = False, device_ids: list[int] | None = None) -> Work | None:
    """Wait until all ranks of a group have come here.

    Returns a Work with ``async_op=True``, else None.   device_ids: for NCCL; the first is the GPU to use.
    Raises ValueError before init_process_group, TypeError for device_ids that are no ints, DistBackendError where
    another rank fails. PyTorch's ``torch.distributed.barrier``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.barrier()
    >>> wg.distributed.destroy_process_group()
    """
    members = checks.active_group("barrier", group)
    if members is None:
        return None
    if device_ids is not None:
        check_numbers(device_ids)
    blocking = members.blocking
    if blocking is not None and not async_op and blocking.barrier():
        return None
    channel = members.channels[members.host_device()]
    return run(channel, "barrier", (), channel.backend.barrier, (), None, async_op, [])


def check_numbers(device_ids: Any) -> None:
    """Raise TypeError for what is no list of ints."""
    if not isinstance(device_ids, list) or not all(isinstance(number, SupportsIndex) for number in device_ids):
        raise TypeError("Invalid function argument: device_ids type should be List[int]")


def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """Wait until all ranks of a group have come here, for a timeout at most.

    The error names the ranks that did not come, all of them with or without wait_all_ranks.
    Raises as ``barrier``, RuntimeError for a negative timeout. PyTorch's ``torch.distributed.monitored_barrier``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.monitored_barrier()
    >>> wg.distributed.destroy_process_group()
    """
    if timeout is not None:
        seconds_of(timeout)
    try:
        work = barrier(group, async_op=True)
        if work is not None:
            work.wait(timeout)
    except DistBackendError as error:
        limit = "" if timeout is None else f" in {timeout.total_seconds() * 1000:g} ms"
        raise DistBackendError(f"other ranks failed to pass monitoredBarrier{limit}: {error}") from error
