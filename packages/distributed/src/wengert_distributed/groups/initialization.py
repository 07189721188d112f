"""The beginning and the end of a distributed program: init_process_group, destroy_process_group."""

from __future__ import annotations

import os
from contextlib import ExitStack
from datetime import timedelta
from typing import Any, SupportsIndex
from urllib.parse import parse_qsl, urlparse

from wengert_distributed.groups.backends import backends_by_device, find_backend
from wengert_distributed.groups.group import ProcessGroup
from wengert_distributed.groups.world import current_world, find_group
from wengert_distributed.interface.process_group import ProcessGroup as Transport
from wengert_distributed.interface.work import seconds_of
from wengert_distributed.stores.store import Store

default_pg_timeout: timedelta = timedelta(minutes=30)
"""How long a collective may take where no other timeout was set."""


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: timedelta | None = None, world_size: int = -1,
    rank: int = -1, store: Any = None, group_name: str = "", pg_options: Any = None, device_id: Any = None,
) -> None:  # fmt: skip
    """Connect this process to the other ranks; every collective needs it first.

    backend: "mpi", "nccl", both ("cpu:mpi,cuda:nccl"), or None for what is installed; "self" is a world of one rank.
    "gloo" is another spelling of "mpi" (of "self" for one process without MPI), which ``get_backend`` then gives.
    init_method: "env://", "tcp://host:port?rank=0&world_size=2" or "file:///path", where ranks of "nccl" meet; MPI's
    launcher makes it unnecessary, but rank and world_size in it are compared with the launcher's.
    store: the same by keys and values that all ranks see; with it rank and world_size are needed.
    pg_options, device_id: accepted, without an effect.
    timeout: how long a collective may take, 30 minutes without it.
    world_size, rank: known from the launcher (``mpiexec``), or from the variables WORLD_SIZE and RANK.
    Raises ValueError where it was called before, AssertionError for an unknown backend, RuntimeError for one that is
    not installed, for a rank that is not below world_size, a negative timeout, another scheme than these three, or
    where the other ranks are not found, TypeError for a timeout that is no timedelta or a store that is none.
    PyTorch's ``torch.distributed.init_process_group``.

    >>> import wengert as wg
    >>> wg.distributed.init_process_group("self")
    >>> wg.distributed.get_rank(), wg.distributed.get_world_size()
    (0, 1)
    >>> wg.distributed.destroy_process_group()
    """
    world = current_world()
    if world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    seconds = seconds_of(default_pg_timeout if timeout is None else timeout)
    rank, world_size = numbers(rank, world_size, init_method, store)
    names = backends_by_device(backend)
    meeting = init_method if store is None else store
    made = {name: connect_backend(name, rank, world_size, meeting, seconds) for name in dict.fromkeys(names.values())}
    transports = {device: made[name] for device, name in names.items()}
    first = next(iter(made.values()))
    check_agreement(first, rank, world_size)
    name = group_name or "0"
    world.default = ProcessGroup(name, range(first.size), transports, seconds, "default_pg")
    world.groups[name] = world.default
    world.number, world.store = 1, store


def connect_backend(name: str, rank: int, world_size: int, meeting: Any, seconds: float) -> Transport:
    """Return the group of all ranks that a backend makes.

    Raises TypeError for a backend that makes something else, or a group without a rank and a size.
    """
    backend = find_backend(name)
    transport = backend.connect(rank, world_size, meeting, seconds)
    if not isinstance(transport, Transport):
        raise TypeError(f"the backend '{name}': expected {backend.__qualname__}.connect() to return a ProcessGroup, "
                        f"got {transport!r}")  # fmt: skip
    for fact in ("rank", "size"):
        value = getattr(transport, fact, None)
        if not isinstance(value, SupportsIndex):
            raise TypeError(f"the backend '{name}': expected the attribute '{fact}' of its group to be an int, got "
                            f"{value!r}")  # fmt: skip
    return transport


def numbers(rank: Any, world_size: Any, init_method: str | None, store: Any) -> tuple[int, int]:
    """Return rank and size as the caller or the environment gives them, -1 where neither does."""
    if store is not None and (init_method is not None or rank < 0 or world_size < 1):
        raise AssertionError("Cannot specify both init_method and store." if init_method is not None else
                             "rank must be non-negative and world_size must be positive if using store")  # fmt: skip
    if store is not None and not isinstance(store, Store):
        raise TypeError(f"incompatible constructor arguments. store has to be a torch.distributed.Store, not {store!r}")
    if not (isinstance(rank, SupportsIndex) and isinstance(world_size, SupportsIndex)):
        raise TypeError("incompatible constructor arguments. rank and world_size have to be ints, but got "
                        f"{rank!r} and {world_size!r}")  # fmt: skip
    rank, world_size = int(rank), int(world_size)
    if rank < 0 and world_size < 0 and init_method in (None, "env://"):
        rank, world_size = (int(os.environ.get(name, -1)) for name in ("RANK", "WORLD_SIZE"))
    elif init_method is not None:
        options = read_method(init_method)
        rank = options.get("rank", -1) if rank < 0 else rank
        world_size = options.get("world_size", -1) if world_size < 0 else world_size
    if rank >= world_size > 0:
        raise RuntimeError(f"rank must be below world_size (rank < size): {rank} and {world_size} were asked for")
    return rank, world_size


def read_method(init_method: Any) -> dict[str, int]:
    """Return rank and world_size of the URL by which ranks meet, as far as it has them.

    Raises RuntimeError for what is no URL of a scheme that is known, ValueError for one without port, path or numbers.
    """
    if not isinstance(init_method, str):
        raise RuntimeError(f"`url` must be a string. {type(init_method)}: {init_method}")
    url = urlparse(init_method)
    if url.scheme not in ("env", "tcp", "file"):
        raise RuntimeError(f"No rendezvous handler for {url.scheme}:// ({init_method!r}): use file://, tcp:// or env://"
                           )  # fmt: skip
    missing = "port number" if url.scheme == "tcp" and not url.port else "path"
    if missing != "path" or (url.scheme == "file" and not url.path):
        raise ValueError(f"Error initializing torch.distributed using {url.scheme}:// rendezvous: {missing} missing")
    query = dict(parse_qsl(url.query))
    return {name: int(query[name]) for name in ("rank", "world_size") if name in query}


def check_agreement(transport: Transport, rank: int, world_size: int) -> None:
    """Raise ValueError where the launcher started another number of ranks, or this one has another number."""
    if (world_size > 0 and world_size != transport.size) or (rank >= 0 and rank != transport.rank):
        transport.close()
        raise ValueError(
            f"rank {rank} of world_size {world_size} was asked for, but the launcher made this process rank "
            f"{transport.rank} of {transport.size}: start it with mpiexec -n {max(world_size, 1)}, or leave both out"
        )


def destroy_process_group(group: Any = None) -> None:
    """Leave a group and close its transport; without a group, the default one and all others.

    Raises ValueError for a group that does not exist or was destroyed already.
    PyTorch's ``torch.distributed.destroy_process_group``.
    """
    world = current_world()
    if group is None and world.default is None:
        raise AssertionError("Process group cannot be None: destroy_process_group was called before "
                             "init_process_group, or twice")  # fmt: skip
    try:
        members = find_group(group)
    except ValueError:
        raise ValueError(f"Invalid process group specified: {group} does not exist, or was destroyed") from None
    if members is None:
        return
    if members is not world.default:
        del world.groups[members.group_name]
        members.close()
        return
    groups = list(world.groups.values())
    world.groups, world.default, world.store = {}, None, None
    with ExitStack() as stack:  # the last group first, and all of them, also where one raises
        for one in groups:
            stack.callback(one.close)
