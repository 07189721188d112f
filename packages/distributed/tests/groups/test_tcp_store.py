"""TCPStore: keys and values of one process that others reach by TCP, whatever else they send."""

from __future__ import annotations

import gc
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_distributed.stores.tcp_server import is_request
from wengert_distributed.stores.wire import HEAD, MARK, WireError, decode, encode

dist = wg.distributed
SHORT = timedelta(milliseconds=100)


@pytest.fixture
def master() -> Any:
    return dist.TCPStore("127.0.0.1", 0, is_master=True, timeout=timedelta(seconds=10))


def client_of(master: Any) -> Any:
    return dist.TCPStore("127.0.0.1", master.port, timeout=timedelta(seconds=10))


def test_clients_share_the_keys_of_the_master(master: Any) -> None:
    first, second = client_of(master), client_of(master)
    first.set("a", b"\0\xff")
    assert (second.get("a"), master.get("a")) == (b"\0\xff", b"\0\xff")
    assert (first.add("n", 2), second.add("n", -5), master.get("n")) == (2, -3, b"-3")
    assert (master.host, first.port) == ("127.0.0.1", master.port)
    assert (repr(first), repr(master)) == (f"TCPStore(127.0.0.1:{master.port}, client)",
                                           f"TCPStore(127.0.0.1:{master.port}, server)")  # fmt: skip


def test_processes_meet(master: Any) -> None:
    program = (
        "import datetime, sys, wengert as wg\n"
        "store = wg.distributed.TCPStore('127.0.0.1', int(sys.argv[1]), timeout=datetime.timedelta(0, 30))\n"
        "store.set('there', str(store.add('n', 1)))\n"
        "print(store.get('here'))\n"
    )
    command = [sys.executable, "-c", program, str(master.port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert master.get("there") == b"1"
        master.set("here", "yes")
        out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "b'yes'\n")


def test_the_messages_of_timeouts_are_those_of_torch(master: Any) -> None:
    master.set_timeout(timedelta(milliseconds=50))
    with pytest.raises(dist.DistStoreError, match=r"^wait timeout after 50ms, keys: /zz$"):
        master.get("zz")
    with pytest.raises(dist.DistStoreError, match=r"^wait timeout after 20ms, keys: /zz, /yy$"):
        master.wait(["zz", "yy"], timedelta(milliseconds=20))
    with pytest.raises(dist.DistStoreError, match=r"keys: /run/zz$"):
        dist.PrefixStore("run", master).get("zz")


def test_workers_are_waited_for() -> None:
    with pytest.raises(dist.DistStoreError, match=r"Timed out after 0\.1 seconds waiting for clients\. 1/2 clients"):
        dist.TCPStore("127.0.0.1", 0, 2, True, timeout=SHORT)
    master = dist.TCPStore("127.0.0.1", 0, 2, True, wait_for_workers=False)
    assert (master.num_keys(), master.list_keys()) == (1, [])  # the key that counts workers, as in torch
    found: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        descriptor = socket.dup(listener.fileno())
        waiting = threading.Thread(target=lambda: found.append(
            dist.TCPStore("127.0.0.1", port, 2, True, master_listen_fd=descriptor)))  # fmt: skip
        waiting.start()
        dist.TCPStore("127.0.0.1", port, 2)
        waiting.join(10)
    assert found[0].port == port


@pytest.mark.parametrize(
    ("call", "error", "pattern"),
    [
        (lambda: dist.TCPStore("127.0.0.1", 1, timeout=SHORT), "DistNetworkError",
         r"The client socket has timed out after 100ms while trying to connect to \(127\.0\.0\.1, 1\)"),
        (lambda: dist.TCPStore("127.0.0.1", 0, 0, True), "ValueError", "TCPStore world size cannot be 0"),
        (lambda: dist.TCPStore("127.0.0.1", 70000, 1, True), "TypeError", "incompatible constructor arguments"),
        (lambda: dist.TCPStore("127.0.0.1", -1, 1, True), "TypeError", "incompatible constructor arguments"),
        (lambda: dist.TCPStore(1, 0, 1, True), "TypeError", "incompatible constructor arguments"),
        (lambda: dist.TCPStore("127.0.0.1", "0", 1, True), "TypeError", "incompatible constructor arguments"),
        (lambda: dist.TCPStore("127.0.0.1", 0, None, True, 3), "TypeError", r"of type datetime\.timedelta"),
    ],
)  # fmt: skip
def test_bad_arguments(call: Callable[[], Any], error: str, pattern: str) -> None:
    with pytest.raises((dist.DistNetworkError, ValueError, TypeError), match=pattern) as raised:
        call()
    assert raised.type.__name__ == error


def test_a_port_is_taken_once_or_shared_by_a_process(master: Any) -> None:
    with pytest.raises(dist.DistNetworkError, match="has failed to listen on any local network address"):
        dist.TCPStore("127.0.0.1", master.port, 1, True)
    first = dist.TCPStore("127.0.0.1", 0, is_master=True, multi_tenant=True)
    second = dist.TCPStore("127.0.0.1", first.port, is_master=True, multi_tenant=True)
    first.set("a", "1")
    del first
    gc.collect()
    assert second.get("a") == b"1"


def test_a_server_ends_with_its_store() -> None:
    before = threading.active_count()
    master = dist.TCPStore("127.0.0.1", 0, is_master=True)
    other = client_of(master)
    assert threading.active_count() == before + 1
    del master
    gc.collect()
    assert threading.active_count() == before
    with pytest.raises(dist.DistNetworkError, match="Did the remote server shutdown or crash"):
        other.get("a")
    with pytest.raises(dist.DistNetworkError, match="Broken pipe"):
        other.get("a")


# ---- bytes that no store has sent


def raw(master: Any) -> socket.socket:
    return socket.create_connection(("127.0.0.1", master.port), timeout=10)


HOSTILE = [
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 4096, MARK, MARK + b"\xff" * 4, HEAD.pack(MARK, 3) + b"abc",
    HEAD.pack(MARK, 5) + struct.pack("!cI", b"s", 1 << 31), HEAD.pack(MARK, 7) + struct.pack("!cI", b"i", 2) + b"1x",
    HEAD.pack(MARK, 6) + struct.pack("!cI", b"q", 1) + b"1", encode(["set", "a"]), encode(["set", b"a", b"b"]),
    encode(["__import__", "os"]), encode(["check", "a"]), encode(["check", ["a", 1]]), encode([]), encode([1]),
    encode(["multi_set", ["a"], []]), encode(["wait", ["a"], "soon"]), encode(["add", "a", 1 << 70])[:-2],
    HEAD.pack(MARK, 15) + struct.pack("!cI", b"l", 10) + struct.pack("!cI", b"l", 5) + struct.pack("!cI", b"l", 0),
    HEAD.pack(MARK, 6) + struct.pack("!cI", b"s", 1) + b"\xff", HEAD.pack(MARK, 1 << 27),
]  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bytes_end_their_connection_only(master: Any, content: bytes) -> None:
    other = client_of(master)
    other.set("a", "1")
    with raw(master) as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert (master.get("a"), other.get("a"), master.num_keys()) == (b"1", b"1", 1)


def test_random_bytes_end_their_connection_only(master: Any) -> None:
    random_bytes = random.Random(0)
    message = encode(["set", "key", b"value"])
    for _ in range(200):
        content = bytearray(message)
        for _ in range(random_bytes.randrange(1, 4)):
            content[random_bytes.randrange(len(content))] = random_bytes.randrange(256)
        with raw(master) as connection:
            connection.sendall(bytes(content))
            connection.shutdown(socket.SHUT_WR)
            connection.recv(100)
    master.set("a", "1")
    assert client_of(master).get("a") == b"1"


def test_a_client_that_never_ends_its_message_delays_nobody(master: Any) -> None:
    with raw(master) as connection:
        connection.sendall(encode(["set", "a", b"1"])[:-1])
        start = time.monotonic()
        master.set("b", "2")
        assert time.monotonic() - start < 5
        assert not master.check(["a"])


def test_a_client_that_goes_while_it_waits_is_forgotten(master: Any) -> None:
    with raw(master) as connection:
        connection.sendall(encode(["wait", ["never"], 1 << 50]))
        master.set("a", "1")
    for _ in range(100):
        if not master._server.waits:
            break
        time.sleep(0.02)
    assert not master._server.waits
    assert master.get("a") == b"1"


ITEMS = st.lists(
    st.text() | st.binary() | st.integers() | st.lists(st.text() | st.binary() | st.integers()), max_size=6
)


@given(ITEMS)
def test_messages_are_read_as_they_were_written(items: list[Any]) -> None:
    assert decode(encode(items)[HEAD.size :]) == items


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_an_error(content: bytes) -> None:
    try:
        items = decode(content)
    except WireError:
        return
    assert isinstance(is_request(items), bool)
