"""Stores of keys and values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import wengert as wg

dist = wg.distributed
KINDS: dict[str, Callable[[Path], Any]] = {
    "HashStore": lambda folder: dist.HashStore(),
    "FileStore": lambda folder: dist.FileStore(str(folder / "store"), 2),
    "PrefixStore": lambda folder: dist.PrefixStore("run", dist.HashStore()),
    "PrefixStore of a FileStore": lambda folder: dist.PrefixStore("a/b", dist.FileStore(str(folder / "store"))),
    "TCPStore": lambda folder: dist.TCPStore("127.0.0.1", 0, is_master=True),
    "PrefixStore of a TCPStore": lambda folder: dist.PrefixStore("a/b", dist.TCPStore("127.0.0.1", 0, is_master=True)),
}


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return KINDS[request.param](tmp_path)


def test_values_are_bytes(store: Any) -> None:
    store.set("a", "b")
    store.set("raw", bytes(range(256)))
    assert store.get("a") == b"b"
    assert store.get("raw") == bytes(range(256))
    assert store.num_keys() == 2
    assert sorted(store.list_keys()) == ["a", "raw"]


def test_numbers_are_added(store: Any) -> None:
    assert (store.add("n", 3), store.add("n", 4)) == (3, 7)
    assert store.get("n") == b"7"


def test_keys_are_checked_deleted_and_compared(store: Any) -> None:
    store.set("a", "b")
    assert store.check(["a"])
    assert not store.check(["a", "q"])
    assert store.delete_key("a")
    assert not store.delete_key("a")
    assert store.compare_set("k", "", "v") == b"v"
    assert store.compare_set("k", "v", "w") == b"w"
    assert store.compare_set("k", "other", "x") == b"w"
    store.append("k", "x")
    store.multi_set(["u", "v"], ["1", "2"])
    assert store.multi_get(["k", "u", "v"]) == [b"wx", b"1", b"2"]


def test_a_key_that_is_not_set_in_time(store: Any) -> None:
    store.set_timeout(timedelta(seconds=0.02))
    assert store.timeout == timedelta(seconds=0.02)
    with pytest.raises(dist.DistStoreError, match=r"(?i)wait timeout.*zz"):
        store.get("zz")
    with pytest.raises(dist.DistStoreError, match=r"(?i)wait timeout"):
        store.wait(["zz"], timedelta(0))


def test_bad_timeouts(store: Any) -> None:
    with pytest.raises(TypeError, match=r"type datetime\.timedelta"):
        store.set_timeout(3)
    with pytest.raises(RuntimeError, match="Invalid timeout"):
        store.wait(["a"], timedelta(seconds=-1))


def test_a_value_that_is_no_number_is_not_added_to(store: Any) -> None:
    store.set("a", "b")
    with pytest.raises(ValueError, match="no integer"):
        store.add("a", 1)
    assert store.get("a") == b"b"


def test_lists_of_keys_and_values_have_one_length(store: Any) -> None:
    with pytest.raises(dist.DistStoreError, match="multiSet keys and values vectors must be of same size"):
        store.multi_set(["a", "b"], ["1"])
    store.multi_set([], [])
    assert store.multi_get([]) == []
    assert store.check([])
    assert store.num_keys() == 0


def test_a_key_is_waited_for(store: Any) -> None:
    timer = threading.Timer(0.03, store.set, ("late", "here"))
    timer.start()
    assert store.get("late") == b"here"
    timer.join()


def test_a_file_is_shared(tmp_path: Path) -> None:
    first, second = (dist.FileStore(str(tmp_path / "store"), 2) for _ in range(2))
    first.set("a", "1")
    assert second.add("a", 1) == 2
    assert first.get("a") == b"2"


def test_queues_are_first_in_first_out(store: Any) -> None:
    assert store.queue_len("q") == 0
    store.queue_push("q", "a")
    store.queue_push("q", b"")
    store.queue_push("q", bytes(range(256)))
    store.set("q", "a key")
    assert store.queue_len("q") == 3
    assert store.check(["q"])
    assert [store.queue_pop("q") for _ in range(2)] == [b"a", b""]
    assert store.queue_pop("q", block=False) == bytes(range(256))
    assert store.queue_len("q") == 0
    assert store.list_keys() == ["q"]
    assert store.delete_key("q")


def test_an_empty_queue_is_waited_for(store: Any) -> None:
    with pytest.raises(dist.QueueEmptyError, match="queue is empty"):
        store.queue_pop("q", False)
    timer = threading.Timer(0.03, store.queue_push, ("q", "late"))
    timer.start()
    store.wait(["q"], timedelta(seconds=20))
    assert store.queue_pop("q") == b"late"
    timer.join()
    store.set_timeout(timedelta(seconds=0.02))
    with pytest.raises(dist.DistStoreError, match=r"(?i)wait timeout"):
        store.queue_pop("q")
    assert not store.check(["q"])
    store.queue_push("q", "x")
    assert store.num_keys() == 0
    assert not store.delete_key("q")


def test_clones_share_keys_and_values(store: Any) -> None:
    store.set_timeout(timedelta(seconds=20))
    other = store.clone()
    assert type(other) is type(store)
    assert other.timeout == timedelta(seconds=20)
    store.set("a", "1")
    other.queue_push("q", "2")
    assert (other.get("a"), store.queue_pop("q")) == (b"1", b"2")


def test_a_clone_keeps_the_server() -> None:
    store = dist.TCPStore("127.0.0.1", 0, is_master=True)
    other = store.clone()
    store.set("a", "1")
    del store
    assert other.get("a") == b"1"


def test_a_barrier_waits_for_a_number_of_processes(store: Any) -> None:
    with pytest.raises(dist.DistStoreError, match=r"(?i)wait timeout"):
        store.barrier("b", 2, timedelta(seconds=0.01))
    thread = threading.Thread(target=store.clone().barrier, args=("c", 2, timedelta(seconds=20)))
    thread.start()
    store.barrier("c", 2, timedelta(seconds=20))
    thread.join()
    store.barrier("d", 1)
    assert sorted(store.list_keys()) == ["b/num_members", "c/last_member", "c/num_members", "d/last_member",
                                         "d/num_members"]  # fmt: skip


def test_prefixes_of_prefixes() -> None:
    store = dist.HashStore()
    inner = dist.PrefixStore("outer", store)
    nested = dist.PrefixStore("inner", inner)
    nested.set("x", "1")
    nested.queue_push("q", "2")
    assert store.get("outer/inner/x") == b"1"
    assert store.queue_pop("outer/inner/q") == b"2"
    assert nested.list_keys() == ["x"]
    assert nested.underlying_store is inner
    assert nested._underlying_non_prefix_store is store
    nested.set_timeout(timedelta(seconds=3))
    assert store.timeout == inner.timeout == timedelta(seconds=3)


def test_a_prefix_keeps_keys_apart() -> None:
    whole = dist.HashStore()
    one, other = (dist.PrefixStore(name, whole) for name in ("one", "other"))
    one.set("a", "1")
    other.set("a", "2")
    assert (one.get("a"), other.get("a"), whole.get("one/a")) == (b"1", b"2", b"1")
    assert one.num_keys() == 1
    assert one.delete_key("a")
    assert whole.list_keys() == ["other/a"]


def test_threads_count_together() -> None:
    store = dist.HashStore()
    threads = [threading.Thread(target=lambda: [store.add("n", 1) for _ in range(100)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get("n") == b"400"


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.set(1, "a"), lambda store: store.set("a", 2), lambda store: store.append("a", 3),
        lambda store: store.wait("ab"), lambda store: store.check("ab"), lambda store: store.add(1, 1),
        lambda store: store.get(3), lambda store: store.compare_set(4, "", "v"), lambda store: store.add("a", 1.5),
        lambda store: store.delete_key(5), lambda store: store.multi_set(["a"], [1]),
        lambda store: store.queue_push(1, "a"), lambda store: store.queue_push("a", 2),
        lambda store: store.queue_pop(3), lambda store: store.queue_len(4),
    ],
)  # fmt: skip
def test_keys_and_values_of_other_types_are_refused(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="incompatible function arguments"):
        call(dist.HashStore())
