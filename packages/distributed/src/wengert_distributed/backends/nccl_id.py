"""NCCL's unique id from rank 0 to the others, before they can talk by NCCL: over MPI, a file, or a TCP port.

NCCL connects ranks that hold the same 128 bytes, which one of them made. Where an MPI launcher started the processes,
MPI carries them; otherwise ``init_method`` says how, as in torch.distributed: ``file:///path`` names a file that all
see, ``tcp://host:port`` and ``env://`` (MASTER_ADDR, MASTER_PORT) a port where rank 0 listens. A store carries
them as well.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from wengert_distributed.errors import DistNetworkError
from wengert_distributed.stores.store import PrefixStore, Store

POLL = 0.02  # seconds between two looks


def exchange_id(make: Callable[[], bytes], rank: int, size: int, init_method: Any, seconds: float) -> bytes:
    """Return rank 0's bytes on every rank; ``make`` makes them there.   init_method: a URL, a Store, or None.

    Raises DistNetworkError where they do not arrive within some seconds, RuntimeError for an unknown init_method.
    """
    if size == 1:
        return make()
    if isinstance(init_method, Store):
        return exchange_by_store(init_method, make() if rank == 0 else None, rank, seconds)
    url = urlparse(init_method or "env://")
    if url.scheme == "file":
        return exchange_by_file(Path(url.path), make() if rank == 0 else None, seconds)
    if url.scheme == "tcp":
        host, port = url.hostname, url.port
    elif url.scheme == "env":
        host, port = os.environ.get("MASTER_ADDR"), int(os.environ.get("MASTER_PORT", 0))
    else:
        raise RuntimeError(f"No rendezvous handler for {url.scheme}:// ({init_method!r}): use file://, tcp:// or env://"
                           )  # fmt: skip
    if not host or not port:
        raise ValueError(
            f"Error initializing torch.distributed using {url.scheme}:// rendezvous: no address of rank 0. Set "
            "MASTER_ADDR and MASTER_PORT, pass init_method='tcp://host:port', or start the ranks with mpiexec"
        )
    if rank == 0:
        payload = make()
        serve(port, payload, size - 1, seconds)
        return payload
    return fetch(host, port, seconds)


def exchange_by_store(store: Store, payload: bytes | None, rank: int, seconds: float) -> bytes:
    """Set the bytes in a store (rank 0), or get them there; each group that meets in it has a key of its own."""
    own = PrefixStore("nccl", store)
    key = f"id/{own.add(f'groups of rank {rank}', 1)}"
    if payload is not None:
        own.set(key, payload)
        return payload
    own.wait([key], timedelta(seconds=seconds))
    return own.get(key)


def exchange_by_file(path: Path, payload: bytes | None, seconds: float) -> bytes:
    """Write the bytes into a file (rank 0), or read them there; a file of an older job is the caller's to remove."""
    if payload is not None:
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_bytes(payload)
        part.replace(path)
        return payload
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and (content := path.read_bytes()):
            return content
        time.sleep(POLL)
    raise DistNetworkError(f"rank 0 has not written NCCL's id into {path} within {seconds:g} s")


def serve(port: int, payload: bytes, clients: int, seconds: float) -> None:
    """Send the bytes to all other ranks."""
    with socket.create_server(("", port)) as server:
        server.settimeout(seconds)
        for number in range(clients):
            try:
                client, _ = server.accept()
            except TimeoutError:
                raise DistNetworkError(
                    f"{number} of {clients} other ranks have asked rank 0 for NCCL's id on port {port} "
                    f"within {seconds:g} s"
                ) from None
            with client:
                client.sendall(payload)


def fetch(host: str, port: int, seconds: float) -> bytes:
    """Receive the bytes from rank 0, which may not listen yet."""
    end = time.monotonic() + seconds
    while True:
        try:
            with socket.create_connection((host, port), timeout=max(end - time.monotonic(), POLL)) as connection:
                parts = []
                while part := connection.recv(4096):
                    parts.append(part)
                return b"".join(parts)
        except OSError as error:
            if time.monotonic() > end:
                raise DistNetworkError(
                    f"rank 0 does not answer at {host}:{port} within {seconds:g} s: {error}"
                ) from error
            time.sleep(POLL)
