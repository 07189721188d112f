"""Process groups as programs hold them: ranks, a timeout, and a backend for each kind of device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_distributed.interface.process_group import BlockingCollectives
from wengert_distributed.interface.process_group import ProcessGroup as Transport
from wengert_distributed.interface.work import Channel


class ProcessGroup:
    """A set of ranks that communicate, as ``torch.distributed.ProcessGroup``: ``init_process_group`` makes the first.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> world = wg.distributed.group.WORLD
    >>> world.rank(), world.size(), world.name()
    (0, 1, 'self')
    >>> wg.distributed.destroy_process_group()
    """

    def __init__(
        self, name: str, ranks: Sequence[int], backends: dict[str, Transport], seconds: float, description: str
    ) -> None:
        first = next(iter(backends.values()))
        self.group_name = name
        self.group_desc = description
        self.ranks: tuple[int, ...] = tuple(ranks)
        """The global ranks, in the order of the group's own."""
        self._rank = first.rank
        self._size = first.size
        shared = {id(backend): Channel(backend, seconds) for backend in backends.values()}
        self.channels: dict[str, Channel] = {device: shared[id(backend)] for device, backend in backends.items()}
        """The backend for each kind of device."""
        host = self.channels.get("cpu")
        self.host: Channel | None = None if host is None or host.backend.reduced_as else host
        """The backend for the memory of hosts, where it reduces all dtypes itself."""
        self.blocking: BlockingCollectives | None = (
            None if self.host is None else self.host.backend.blocking_collectives(self.host)
        )
        """The host backend's shorter ways for programs that wait, where it has some."""

    def __repr__(self) -> str:
        return f"<ProcessGroup '{self.group_name}': rank {self._rank} of {self._size}, {self.backend_config()}>"

    def rank(self) -> int:
        """Return the rank of this process in the group."""
        return self._rank

    def size(self) -> int:
        """Return the number of ranks."""
        return self._size

    def name(self) -> str:
        """Return the name of the first backend."""
        return self.distinct()[0].backend.backend

    def backend_config(self) -> str:
        """Return the backend of each kind of device: "cpu:mpi,cuda:nccl"."""
        return ",".join(f"{device}:{channel.backend.backend}" for device, channel in self.channels.items())

    def distinct(self) -> list[Channel]:
        """Return the backends, each once."""
        return list(dict.fromkeys(self.channels.values()))

    def host_device(self) -> str:
        """Return the kind of device whose memory small messages use: the host's where the group has it."""
        return "cpu" if "cpu" in self.channels else next(iter(self.channels))

    def close(self) -> None:
        """Close the backends, after what is under way has ended or failed."""
        for channel in self.distinct():
            for work in list(channel.pending):
                work.abandon()
            channel.backend.close()


def backend_of(group: Any, device: str) -> Channel:
    """Return the backend of a group for a kind of device. Raises RuntimeError where it has none."""
    channel: Channel | None = group.channels.get(device)
    if channel is None:
        raise RuntimeError(
            f"No backend type associated with device type {device}: the process group '{group.group_name}' has "
            f"{group.backend_config()}. Move the tensor to one of these devices, or name a backend for it in "
            f"init_process_group, as in 'cpu:mpi,cuda:nccl'"
        )
    return channel
