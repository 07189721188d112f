"""Backends by name: the plugins of the group ``wengert.process_groups.v1``."""

from __future__ import annotations

import importlib.util
from typing import Any, ClassVar, Self

from wengert_registry import registry

from wengert_distributed.backends.launcher import read_launcher
from wengert_distributed.interface.process_group import ProcessGroup

ELSEWHERE = ("gloo", "ucc", "xccl")
"""PyTorch's backends that are not there: programs compare their names with those of groups."""
GLOO = "gloo"
"""PyTorch's name of what moves the memory of hosts: programs that ask for it get what does so here."""


class BackendKind(type):
    """The metaclass of Backend: the names of backends are its attributes, as ``Backend.MPI``."""

    def __getattr__(cls, name: str) -> str:
        if name.isupper() and (name.lower() in ELSEWHERE or name.lower() in Backend.backend_list):
            return name.lower()
        raise AttributeError(f"type object 'Backend' has no attribute '{name}'")

    @property
    def backend_list(cls) -> list[str]:
        """The names of the backends that are installed."""
        return ["undefined", *registry.group("process_groups").names()]


class Backend(str, metaclass=BackendKind):
    """The name of a backend in lower case, as ``torch.distributed.Backend``.

    Raises ValueError for what is no string.

    >>> import wengert as wg
    >>> wg.distributed.Backend("MPI"), wg.distributed.Backend.MPI
    ('mpi', 'mpi')
    """

    __slots__ = ()
    UNDEFINED: ClassVar[str] = "undefined"

    def __new__(cls, name: str) -> Self:
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, but got {name!r}")
        return str.__new__(cls, name.lower())

    def __repr__(self) -> str:
        return str.__repr__(self)

    @classmethod
    def register_backend(
        cls, name: str, func: Any, extended_api: bool = False, devices: str | list[str] | None = None
    ) -> None:
        """Register a backend in this process: a class that derives from ``wengert_distributed.extend.ProcessGroup``.

        Raises TypeError for anything else. Packages offer theirs by an entry point of ``wengert.process_groups.v1``.
        """
        if not (isinstance(func, type) and issubclass(func, ProcessGroup)):
            raise TypeError("a backend is a class that derives from wengert_distributed.extend.ProcessGroup, "
                            f"not {func!r}")  # fmt: skip
        registry.group("process_groups").register(name.lower(), func)


def load_backend(name: str) -> type[ProcessGroup]:
    """Return what the entry point of a backend gives. TypeError for anything but a class of process groups."""
    given = registry.group("process_groups").get(name)
    if not (isinstance(given, type) and issubclass(given, ProcessGroup)):
        raise TypeError(
            f"the backend '{name}': expected a class that derives from wengert_distributed.extend.ProcessGroup, got "
            f"{given!r}; WENGERT_DISABLE_PLUGINS=process_groups:{name} leaves it out"
        )
    return given


def resolve_backend(name: str) -> str:
    """Return the name of a backend in lower case; for "gloo", unless a plugin has that name, what moves hosts' memory.

    That is "mpi", or "self" for one process without MPI.
    """
    name = name.lower()
    if name != GLOO or name in registry.group("process_groups"):
        return name
    return default_backends()["cpu"]


def find_backend(name: str) -> type[ProcessGroup]:
    """Return the class of a backend.

    Raises AssertionError for a name that nobody offers, as PyTorch does, RuntimeError for one of PyTorch's that is not
    there and for one that lacks what it needs.
    """
    group = registry.group("process_groups")
    if name not in group:
        if name in ELSEWHERE:
            raise RuntimeError(f"Distributed package doesn't have {name.upper()} built in: use 'mpi', by which hosts "
                               "communicate here, or 'nccl' for GPUs")  # fmt: skip
        raise AssertionError(f"Unknown backend type {name}. The backends are {', '.join(group.names())}")
    found = load_backend(name)
    if not found.is_available():
        raise RuntimeError(f"Distributed package doesn't have {name.upper()} built in: what the backend '{name}' needs "
                           f"is not installed; pip install wengert-distributed[{name}]")  # fmt: skip
    return found


def is_backend_available(backend: str) -> bool:
    """Return whether a backend, and what it needs, is installed.

    PyTorch's ``torch.distributed.is_backend_available``.

    >>> import wengert as wg
    >>> wg.distributed.is_backend_available("self"), wg.distributed.is_backend_available("gloo")
    (True, False)
    """
    name = backend.lower()
    group = registry.group("process_groups")
    return name in group and bool(load_backend(name).is_available())


def backends_by_device(backend: str | None) -> dict[str, str]:
    """Return the name of the backend for each kind of device.

    backend: one name, for all devices that it takes; pairs, "cpu:mpi,cuda:nccl"; or None, for what is installed.
    Raises ValueError for any other text, and as ``find_backend``.
    """
    if backend is None:
        return default_backends()
    if not isinstance(backend, str):
        raise ValueError(f"Backend constructor parameter must be string-ish, but got {backend!r}")
    if ":" not in backend:
        name = resolve_backend(backend)
        return {"cpu": name} if backend.lower() == GLOO else dict.fromkeys(find_backend(name).devices, name)
    pairs: dict[str, str] = {}
    for part in backend.lower().split(","):
        device, colon, name = part.strip().partition(":")
        if not (device and colon and name) or device in pairs:
            raise ValueError("Invalid device:backend pairing: the custom backend string argument is invalid: "
                             f"{backend}. It is a name, or a name for each kind of device: 'cpu:mpi,cuda:nccl'"
                             )  # fmt: skip
        name = resolve_backend(name)
        if device not in find_backend(name).devices:
            raise ValueError(f"the backend '{name}' does not take memory of the device type '{device}', but of "
                             f"{', '.join(find_backend(name).devices)}")  # fmt: skip
        pairs[device] = name
    return pairs


def default_backends() -> dict[str, str]:
    """Return the backends that are used where none is named: MPI for hosts and NCCL for GPUs, where they are installed.

    Without MPI it is "self" for one process. With MPI it is "mpi" also where no launcher is seen: MPI knows more of
    launchers than their variables say, and ranks that do not communicate would go unnoticed.
    """
    if not is_backend_available("mpi"):
        if read_launcher().size > 1:
            find_backend("mpi")  # it raises, and says what to install
        return dict.fromkeys(find_backend("self").devices, "self")
    pairs = {"cpu": "mpi"}
    if importlib.util.find_spec("cupy") is not None and is_backend_available("nccl"):
        pairs["cuda"] = "nccl"
    return pairs
