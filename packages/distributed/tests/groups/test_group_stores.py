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
    ],
)  # fmt: skip
def test_keys_and_values_of_other_types_are_refused(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="incompatible function arguments"):
        call(dist.HashStore())
