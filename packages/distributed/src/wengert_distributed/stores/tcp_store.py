"""A store in one process, that the others reach by TCP."""

from __future__ import annotations

import contextlib
import operator
import socket
import threading
import time
import weakref
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from wengert_distributed.errors import DistNetworkError, DistStoreError
from wengert_distributed.interface.work import seconds_of
from wengert_distributed.stores.store import Store
from wengert_distributed.stores.tcp_server import DONE, TcpServer
from wengert_distributed.stores.wire import HEAD, content_size, decode, encode

WORKERS = "init/"
"""The key that counts the processes that have connected; ``num_keys`` counts it, as PyTorch's does."""
RETRY_SECONDS = 0.05
WAIT_SECONDS, PAUSE = 0.1, 1e-3
SLACK_SECONDS = 10.0  # how much longer than a wait its answer may take
LOST = "Connection was likely closed. Did the remote server shutdown or crash?"

LONGEST = 2e6  # seconds: the longest timeout of sockets

_shared: dict[int, TcpServer] = {}
"""The servers of this process that several stores use, by their ports."""


class TCPStore(Store):
    """A store that one process holds and others reach by TCP, as ``torch.distributed.TCPStore``.

    host_name, port: where the process with ``is_master=True`` listens; there port 0 is one that is free.
    world_size: how many processes use it; the master waits for them, unless wait_for_workers is False; None: any.
    timeout: how long the connection, and afterwards a key, is waited for.
    multi_tenant: several masters of one process share a port.   master_listen_fd: a socket that listens already.
    use_libuv: accepted, without an effect.
    Everyone who reaches the port can read and write the keys. Bytes that are no message end their connection only.
    Raises DistNetworkError where the port is taken or nobody answers in time, DistStoreError where processes are
    missing, ValueError for a world of 0, TypeError for arguments of other types.

    >>> import wengert as wg
    >>> store = wg.distributed.TCPStore("127.0.0.1", 0, 1, is_master=True)
    >>> other = wg.distributed.TCPStore("127.0.0.1", store.port)
    >>> other.set("step", "3")
    >>> store.get("step"), store.add("count", 2)
    (b'3', 2)
    """

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300), wait_for_workers: bool = True, multi_tenant: bool = False,
        master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        number = check_address(host_name, port)
        if world_size == 0:
            raise ValueError("TCPStore world size cannot be 0")
        seconds = seconds_of(timeout)
        self._timeout = timeout
        self._lock = threading.Lock()
        server = find_server(number, multi_tenant, master_listen_fd) if is_master else None
        self._server: TcpServer | None = None
        if server is not None:
            self._hold(server)
        self._host, self._port = host_name, number if server is None else server.port
        self._connection: socket.socket | None = connect(host_name, self._port, seconds)
        weakref.finalize(self, self._connection.close)
        if world_size is not None and world_size > 0:
            self.add(WORKERS, 1)
            if is_master and wait_for_workers:
                self._wait_for_workers(world_size, seconds)

    def __repr__(self) -> str:
        return f"TCPStore({self._host}:{self._port}, {'server' if self._server else 'client'})"

    def clone(self) -> TCPStore:
        """Return a store with a connection of its own to the same process."""
        other = TCPStore(self._host, self._port, timeout=self._timeout)
        if self._server is not None:
            other._hold(self._server)
        return other

    def _hold(self, server: TcpServer) -> None:
        """Keep the server of this process as long as this store is there."""
        self._server = server
        server.users += 1
        weakref.finalize(self, release, server)

    @property
    def host(self) -> str:
        """The address of the process that holds the keys."""
        return self._host

    @property
    def port(self) -> int:
        """The port where it listens."""
        return self._port

    def list_keys(self) -> list[str]:
        """Return all keys."""
        return [key for key in super().list_keys() if key != WORKERS]

    def _wait_for_workers(self, count: int, seconds: float) -> None:
        """Wait until all processes have connected. DistStoreError where some have not in time."""
        end = time.monotonic() + seconds
        while (joined := self.add(WORKERS, 0)) < count:
            if time.monotonic() > end:
                raise DistStoreError(
                    f"Timed out after {seconds:g} seconds waiting for clients. {joined}/{count} clients joined."
                )
            time.sleep(RETRY_SECONDS)

    # ---- requests

    def _run(self, name: str, *arguments: Any) -> Any:
        return self._ask(SLACK_SECONDS + self._timeout.total_seconds(), name, *arguments)

    def _wait(self, keys: Sequence[str], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while True:  # other threads of this process have the connection between the parts of a wait
            part = min(max(end - time.monotonic(), 0.0), WAIT_SECONDS)
            if self._ask(SLACK_SECONDS, "wait", list(keys), round(part * 1000)):
                return True
            if time.monotonic() >= end:
                return False
            time.sleep(PAUSE)

    def _late(self, keys: Sequence[str], seconds: float) -> DistStoreError:
        named = ", ".join(f"/{key}" for key in keys)
        return DistStoreError(f"wait timeout after {round(seconds * 1000)}ms, keys: {named}")

    def _ask(self, seconds: float, *request: Any) -> Any:
        """Return the answer to a request. Raises DistNetworkError where none comes, ValueError where it is an error."""
        message = encode(request)
        with self._lock:
            if self._connection is None:
                raise DistNetworkError(f"Broken pipe: the connection to {self._host}:{self._port} is lost. {LOST}")
            try:
                self._connection.settimeout(min(seconds, LONGEST))
                self._connection.sendall(message)
                items = decode(receive(self._connection, content_size(receive(self._connection, HEAD.size))))
                state, result = items
            except BaseException as error:  # the answer may still come: nobody could tell it from the next
                self._connection.close()
                self._connection = None
                if isinstance(error, (OSError, ValueError)):
                    raise DistNetworkError(f"Failed to recv: {error}. {LOST}") from error
                raise
        if state != DONE:
            raise ValueError(result)
        return result


def check_address(host: object, port: Any) -> int:
    """Return a port as an int. Raises TypeError for a host that is no str and a port that is none."""
    try:
        number = operator.index(port)
    except TypeError:
        number = -1
    if not isinstance(host, str) or not 0 <= number < 1 << 16:
        raise TypeError("TCPStore(): incompatible constructor arguments. host_name has to be a str, and port an int "
                        f"from 0 to 65535, but got {host!r} and {port!r}")  # fmt: skip
    return int(number)


def find_server(port: int, multi_tenant: bool, descriptor: int | None) -> TcpServer:
    """Return a new server, or the one on a port of this process for multi_tenant."""
    if multi_tenant and port in _shared:
        return _shared[port]
    server = TcpServer(port, None if descriptor is None else socket.socket(fileno=descriptor))
    if multi_tenant:
        _shared[server.port] = server
    return server


def release(server: TcpServer) -> None:
    """End a server with the last store that uses it."""
    server.users -= 1
    if not server.users:
        if _shared.get(server.port) is server:
            del _shared[server.port]
        server.stop()


def connect(host: str, port: int, seconds: float) -> socket.socket:
    """Return a connection. Raises DistNetworkError where nobody answers in time."""
    end = time.monotonic() + seconds
    while True:
        try:
            left = min(max(end - time.monotonic(), RETRY_SECONDS), LONGEST)
            connection = socket.create_connection((host, port), timeout=left)
        except OSError as error:
            if time.monotonic() >= end:
                raise DistNetworkError(
                    f"The client socket has timed out after {seconds * 1000:g}ms while trying to connect to ({host}, "
                    f"{port}): {error}"
                ) from error
            time.sleep(RETRY_SECONDS)
            continue
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


def receive(connection: socket.socket, size: int) -> bytes:
    """Return some bytes of a connection. Raises ConnectionError where it ends before them."""
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise ConnectionError(f"got {len(parts)} bytes of {size}")
        parts += part
    return bytes(parts)
