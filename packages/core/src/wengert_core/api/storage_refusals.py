"""Methods of PyTorch's storages that say here why they do nothing: memory for other processes, addresses, float8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

FLOAT8 = "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"
HANDLES = """_new_shared_cuda _new_shared_fd_cpu _new_shared_filename_cpu _get_shared_fd _release_ipc_counter
             _release_ipc_counter_cuda _share_cuda_ _share_fd_cpu_ _share_filename_cpu_ _shared_decref _shared_incref"""
ADDRESSES = """_expired _fix_weakref _free_weak_ref _new_with_weak_ptr _resize_with_addr_ _set_cdata _swap_data_ptr_
               _weak_ref"""


def refusals() -> Iterator[tuple[str, Any]]:
    """Return an iterator over the names and methods."""
    for names, reason in (
        (FLOAT8, "there are no dtypes of 8 bits with a fraction"),
        (HANDLES, "memory has no handles for other processes; share_memory_() shares it with those forked from now on"),
        (ADDRESSES, "storages are not reached by address; use weakref.ref(storage), and set_() or resize_()"),
    ):
        for name in names.split():
            yield name, refusing(name, reason)


def refusing(name: str, reason: str) -> Any:
    """Return a method, which may be called of the class too, that raises NotImplementedError with a reason."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}(): {reason}")

    refuse.__name__, refuse.__qualname__ = name, f"UntypedStorage.{name}"
    refuse.__doc__ = f"Raise NotImplementedError: {reason}."
    return staticmethod(refuse)
