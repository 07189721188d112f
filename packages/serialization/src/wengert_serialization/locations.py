"""The locations of storages: tags such as ``cpu`` and ``cuda:0`` in files, and ``map_location``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from threading import local
from typing import Any

import wengert

__all__ = [
    "default_restore_location", "location_tag", "register_package", "restore_function", "validate_cuda_device",
    "validate_hpu_device",
]  # fmt: skip

PACKAGES: list[tuple[int, Callable[[Any], str | None], Callable[[Any, str], Any]]] = []
"""Functions that tag and restore storages, the first priority first."""
KNOWN = ("cuda", "hpu", "xpu", "mtia", "mps")
"""Types of devices that PyTorch has, and says more about when they are absent."""


class Current(local):
    """The map_location of the ``load`` that runs in this thread."""

    map_location: Any = None


CURRENT = Current()


def register_package(
    priority: int, tagger: Callable[[Any], str | None], deserializer: Callable[[Any, str], Any]
) -> None:
    """Add functions that name the place of a storage, and that restore a storage to a place.

    tagger(storage): a tag, or None.   deserializer(storage, tag): a storage, or None.   The first one that does not
    return None decides; those with smaller priorities are asked first.
    """
    PACKAGES.append((priority, tagger, deserializer))
    PACKAGES.sort(key=lambda one: one[0])


def location_tag(storage: Any) -> str:
    """Return the tag for the place of a storage.

    >>> import wengert as wg
    >>> wg.serialization.location_tag(wg.ones(2).untyped_storage())
    'cpu'
    """
    for _, tagger, _ in PACKAGES:
        tag = tagger(storage)
        if tag:
            return tag
    raise RuntimeError(f"don't know how to determine data location of {name_of(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """Return a storage at the place that a tag names. RuntimeError for an unknown or absent one."""
    for _, _, deserializer in PACKAGES:
        restored = deserializer(storage, location)
        if restored is not None:
            return restored
    raise RuntimeError(
        f"don't know how to restore data location of {name_of(storage)} (tagged with {location}). Pass map_location to "
        "load(), e.g. map_location='cpu'"
    )


def name_of(storage: Any) -> str:
    return str(storage.type() if wengert.is_storage(storage) else type(storage).__name__)


# ---- map_location
def restore_function(map_location: Any) -> Callable[[Any, str], Any]:
    """Return the function of storage and tag that ``map_location`` stands for."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes, wengert.device)):
        tag = map_location.decode() if isinstance(map_location, bytes) else str(map_location)
        return lambda storage, location: default_restore_location(storage, tag)

    def restore(storage: Any, location: str) -> Any:
        restored = map_location(storage, location)
        return default_restore_location(storage, location) if restored is None else restored

    return restore


@contextmanager
def mapping(map_location: Any) -> Any:
    """Let ``target_device`` know the map_location of the load that runs."""
    before, CURRENT.map_location = CURRENT.map_location, map_location
    try:
        yield
    finally:
        CURRENT.map_location = before


def target_device(device: Any) -> Any:
    """Return where a tensor goes whose device is not that of a storage."""
    chosen = CURRENT.map_location
    if chosen is None:
        return device
    if isinstance(chosen, dict):
        return chosen.get(device, device)
    if isinstance(chosen, (str, wengert.device)):
        return chosen
    raise RuntimeError("Callable map_location not supported for tensors whose values lie in no storage")


# ---- devices
def validate_cuda_device(location: str) -> int:
    """Return the index of the CUDA device that a tag names. RuntimeError where it is absent."""
    check_available(location, "cuda")
    return wengert.device(location).index or 0


def validate_hpu_device(location: str) -> int:
    """Raise RuntimeError: there are no HPU devices."""
    check_available(location, "hpu")
    return 0


def check_available(location: str, kind: str) -> None:
    """Raise PyTorch's RuntimeError for a device that is not there."""
    advice = ("If you are running on a CPU-only machine, please use torch.load with "
              "map_location=torch.device('cpu') to map your storages to the CPU.")
    module = getattr(wengert, kind, None) if kind == "cuda" else None
    if module is None or not module.is_available():
        raise RuntimeError(f"Attempting to deserialize object on a {kind.upper()} device but "
                           f"torch.{kind}.is_available() is False. {advice}")
    index, count = wengert.device(location).index or 0, module.device_count()
    if index >= count:
        raise RuntimeError(f"Attempting to deserialize object on {kind.upper()} device {index} but "
                           f"torch.{kind}.device_count() is {count}. {advice}")


def tag_of_host(storage: Any) -> str | None:
    return "cpu" if storage.device.type == "cpu" else None


def restore_to_host(storage: Any, location: str) -> Any:
    return storage.cpu() if location == "cpu" else None


def tag_of_device(storage: Any) -> str:
    return str(storage.device)


def restore_to_device(storage: Any, location: str) -> Any:
    """Return a storage on the device that a tag names; None for a tag that names none."""
    kind = location.partition(":")[0]
    if kind in KNOWN:
        check_available(location, kind)
    try:
        device = wengert.device(location)
    except RuntimeError:
        return None
    return storage.to(device=device)


register_package(10, tag_of_host, restore_to_host)
register_package(20, tag_of_device, restore_to_device)
