"""A store in a file, for the processes of one machine or of a shared file system."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any, SupportsIndex

from wengert_registry import fork_lock

from wengert_distributed.stores.operations import OPERATIONS
from wengert_distributed.stores.store import Store

THREADS = fork_lock()
"""Files are locked for processes; the threads of one wait here."""


class FileStore(Store):
    """A store in a file, for processes that can all lock and read it, as ``torch.distributed.FileStore``.

    file_name: a file that is not there, or that other processes of this run have made.
    world_size: how many processes use it; the file is left where it is.

    >>> import tempfile
    >>> import wengert as wg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wg.distributed.FileStore(f"{folder}/store", 2).set("step", "3")
    ...     wg.distributed.FileStore(f"{folder}/store", 2).get("step")
    b'3'
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        if not isinstance(world_size, SupportsIndex):
            raise TypeError(f"incompatible constructor arguments. world_size has to be an int, but got {world_size!r}")
        super().__init__()
        self.path: str = str(Path(file_name))

    def clone(self) -> FileStore:
        """Return a store of the same file."""
        other = FileStore(self.path)
        other.set_timeout(self.timeout)
        return other

    def _run(self, name: str, *arguments: Any) -> Any:
        with THREADS, open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            text = file.read()
            data = {key: value.encode("latin-1") for key, value in json.loads(text or "{}").items()}
            before = dict(data)
            result = OPERATIONS[name](data, *arguments)
            if data != before:
                file.seek(0)
                file.truncate()
                json.dump({key: value.decode("latin-1") for key, value in data.items()}, file)
                file.flush()
            return result
