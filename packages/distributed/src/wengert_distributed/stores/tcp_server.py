"""The thread that holds the keys and values of a TCPStore and answers the processes that use it."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from typing import Any, NamedTuple

from wengert_distributed.errors import DistNetworkError
from wengert_distributed.stores.operations import OPERATIONS, Data, check
from wengert_distributed.stores.wire import HEAD, LIMIT, WireError, content_size, decode, encode

CHUNK = 1 << 16
PAUSE, MINUTE = 0.01, 60.0  # seconds
DONE, FAILED = 0, 1
"""The first item of an answer: the result follows, or the text of an error."""
SIGNATURES = {
    "set": "sb", "add": "si", "append": "sb", "compare_set": "sbb", "check": "S", "delete_key": "s", "list_keys": "",
    "num_keys": "", "multi_get": "S", "multi_set": "SB", "queue_push": "sb", "queue_pop": "s",
    "queue_len": "s", "wait": "Si",
}  # fmt: skip
"""The arguments of each request: strings, bytes, integers, and lists of strings (S) and bytes (B)."""
TYPES = {"s": str, "b": bytes, "i": int, "S": str, "B": bytes}


def is_request(items: list[Any]) -> bool:
    """Return whether a message is the name of an operation with the arguments that it has."""
    if not items or not isinstance(items[0], str) or items[0] not in SIGNATURES:
        return False
    kinds, arguments = SIGNATURES[items[0]], items[1:]
    if len(kinds) != len(arguments):
        return False
    for kind, argument in zip(kinds, arguments, strict=True):
        one = TYPES[kind]
        if kind.isupper():
            if not isinstance(argument, list) or not all(isinstance(each, one) for each in argument):
                return False
        elif not isinstance(argument, one):
            return False
    return items[0] != "multi_set" or len(items[1]) == len(items[2])


class Client:
    """A connection: what has arrived of its next message, and what is still to be sent."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.received, self.unsent = bytearray(), bytearray()


class Wait(NamedTuple):
    """A client that waits for keys until a time."""

    client: Client
    keys: list[str]
    end: float


class TcpServer:
    """Keys and values behind a port. One thread serves all clients; a client that sends nonsense is disconnected.

    port: 0 for one that is free.   Raises DistNetworkError where the port cannot be had.
    """

    def __init__(self, port: int, listener: socket.socket | None = None) -> None:
        self.listener = listener or listen(port)
        self.listener.setblocking(False)
        self.port: int = self.listener.getsockname()[1]
        self.users = 0
        """The number of stores of this process that hold it."""
        self.data: Data = {}
        self.waits: list[Wait] = []
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.waker, waking = socket.socketpair()
        self.selector.register(waking, selectors.EVENT_READ, waking)
        self.thread = threading.Thread(target=self.run, name=f"wengert-store-{self.port}", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End the thread and close all connections."""
        with contextlib.suppress(OSError):
            self.waker.send(b"x")
        if self.thread is not threading.current_thread():
            self.thread.join(5.0)
        self.waker.close()

    def run(self) -> None:
        """Serve until it is stopped."""
        running = True
        while running:
            for key, events in self.selector.select(self.seconds_left()):
                if key.data is None:
                    self.accept()
                elif isinstance(key.data, Client):
                    self.serve(key.data, events)
                else:
                    running = False
            self.end_waits()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self.selector.close()

    def accept(self) -> None:
        """Take a new client."""
        try:
            connection, _ = self.listener.accept()
        except OSError:  # it has gone again, or there are too many
            time.sleep(PAUSE)
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.selector.register(connection, selectors.EVENT_READ, Client(connection))

    def drop(self, client: Client) -> None:
        """Let a client go."""
        with contextlib.suppress(KeyError, ValueError):
            self.selector.unregister(client.connection)
        client.connection.close()
        self.waits = [wait for wait in self.waits if wait.client is not client]

    # ---- one client

    def serve(self, client: Client, events: int) -> None:
        """Read what has come from a client, answer it, and send what is left."""
        try:
            if events & selectors.EVENT_READ:
                part = client.connection.recv(CHUNK)
                if not part:
                    raise ConnectionError
                client.received += part
                self.answer_all(client)
            if len(client.unsent) > 2 * LIMIT:  # it asks and never reads
                raise ConnectionError
            if client.unsent:
                self.send(client)
        except BlockingIOError:
            pass
        except (OSError, WireError):
            self.drop(client)

    def answer_all(self, client: Client) -> None:
        """Answer the messages that are complete. Raises WireError for bytes that are none."""
        while len(client.received) >= HEAD.size:
            end = HEAD.size + content_size(bytes(client.received[: HEAD.size]))
            if len(client.received) < end:
                return
            items = decode(bytes(client.received[HEAD.size : end]))
            del client.received[:end]
            self.answer(client, items)

    def answer(self, client: Client, items: list[Any]) -> None:
        """Run a request. Raises WireError for what is none."""
        if not is_request(items):
            raise WireError("this message is no request")
        name, *arguments = items
        if name == "wait":
            keys, milliseconds = arguments
            self.waits.append(Wait(client, keys, time.monotonic() + min(max(milliseconds, 0), 1 << 40) / 1000))
            return
        try:
            client.unsent += encode([DONE, plain(OPERATIONS[name](self.data, *arguments))])
        except ValueError as error:
            client.unsent += encode([FAILED, str(error)])

    def send(self, client: Client) -> None:
        """Send what the connection takes, and ask to be told when it takes more."""
        del client.unsent[: client.connection.send(client.unsent)]
        more = selectors.EVENT_WRITE if client.unsent else 0
        self.selector.modify(client.connection, selectors.EVENT_READ | more, client)

    # ---- waits

    def seconds_left(self) -> float | None:
        """Return how long nothing happens by itself, a minute at most: selectors take no timeout of years."""
        if not self.waits:
            return None
        return min(max(min(wait.end for wait in self.waits) - time.monotonic(), 0.0), MINUTE)

    def end_waits(self) -> None:
        """Answer the clients whose keys are there, or whose time is over."""
        now, waits, self.waits = time.monotonic(), self.waits, []
        for wait in waits:
            found = check(self.data, wait.keys)
            if not found and now < wait.end:
                self.waits.append(wait)
                continue
            wait.client.unsent += encode([DONE, int(found)])
            self.serve(wait.client, 0)


def plain(result: Any) -> Any:
    """Return a result as what a message holds."""
    return b"" if result is None else result


def listen(port: int) -> socket.socket:
    """Return a socket that listens on a port of all addresses. Raises DistNetworkError where it cannot."""
    try:
        if socket.has_dualstack_ipv6():
            with contextlib.suppress(OSError):
                return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024)
        return socket.create_server(("", port), backlog=1024)
    except OSError as error:
        raise DistNetworkError(
            f"The server socket has failed to listen on any local network address. port: {port}, {error}"
        ) from error
