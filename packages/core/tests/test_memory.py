"""The caching allocator: what its figures say, and that memory is reused and given back."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
import wengert_core as wg
from wengert_core import memory

MEGABYTE = 1 << 20


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Start with an empty cache, and leave the limit as it was."""
    gc.collect()
    memory.empty_cache()
    limit = memory.set_cache_limit(1 << 40)
    memory.set_cache_limit(limit)
    yield
    memory.set_cache_limit(limit)


def used() -> int:
    """Bytes in live buffers."""
    return memory.stats()["bytes_in_use"]


def test_names_of_the_figures() -> None:
    figures = {"bytes_in_use", "bytes_peak", "bytes_cached", "bytes_limit", "allocations", "reuses", "frees"}
    assert set(memory.stats()) == figures


@pytest.mark.parametrize("nbytes", [1, 16, 17, 128, 129, 1000, 4096, 100_000, MEGABYTE + 1, 5 * MEGABYTE])
def test_a_buffer_is_counted_with_at_most_a_quarter_more(nbytes: int) -> None:
    before = used()
    t = wg.empty(nbytes, dtype=wg.uint8)
    taken = used() - before
    assert nbytes <= taken <= max(1.25 * nbytes, nbytes + 16)
    del t
    assert used() == before


def test_views_hold_the_buffer_but_take_none() -> None:
    before = used()
    t = wg.empty(MEGABYTE, dtype=wg.uint8)
    taken = used()
    view = t[5:6]
    assert used() == taken
    del t
    assert used() == taken
    del view
    assert used() == before


def test_a_freed_buffer_is_used_again() -> None:
    t = wg.empty(100_000)
    address = t.data_ptr()
    del t
    before = memory.stats()
    assert before["bytes_cached"] >= 400_000
    u = wg.empty(100_000)
    after = memory.stats()
    assert u.data_ptr() == address
    assert after["reuses"] == before["reuses"] + 1
    assert after["bytes_cached"] < before["bytes_cached"]


def test_the_peak_is_remembered_until_it_is_reset() -> None:
    memory.reset_peak()
    before = used()
    t = wg.empty(8 * MEGABYTE, dtype=wg.uint8)
    del t
    assert memory.stats()["bytes_peak"] >= before + 8 * MEGABYTE
    memory.reset_peak()
    assert memory.stats()["bytes_peak"] == used()


def test_nothing_is_kept_beyond_the_limit() -> None:
    memory.set_cache_limit(MEGABYTE)
    small, large = wg.empty(MEGABYTE // 2, dtype=wg.uint8), wg.empty(4 * MEGABYTE, dtype=wg.uint8)
    del large
    assert memory.stats()["bytes_cached"] == 0
    del small
    assert 0 < memory.stats()["bytes_cached"] <= MEGABYTE
    assert memory.set_cache_limit(0) == MEGABYTE
    assert memory.stats()["bytes_cached"] == 0
    with pytest.raises(ValueError, match="at least 0"):
        memory.set_cache_limit(-1)


def test_emptying_the_cache_leaves_tensors_alone() -> None:
    kept, freed = wg.ones(1000), wg.ones(1000)
    del freed
    memory.empty_cache()
    assert memory.stats()["bytes_cached"] == 0
    assert kept.tolist() == [1.0] * 1000


def test_many_sizes_come_back_whole() -> None:
    before = used()
    tensors = [wg.full((n,), n, dtype=wg.int32) for n in range(1, 400, 7)]
    assert all(t.tolist() == [n] * n for n, t in zip(range(1, 400, 7), tensors, strict=True))
    tensors.clear()
    assert used() == before


def test_large_blocks_are_aligned() -> None:
    assert wg.empty(5 * MEGABYTE, dtype=wg.uint8).data_ptr() % (2 * MEGABYTE) == 0
    assert wg.empty(1000).data_ptr() % 64 == 0


def test_what_does_not_fit_into_memory() -> None:
    with pytest.raises(RuntimeError, match="can't allocate memory: you tried to allocate"):
        wg.empty(1 << 50, dtype=wg.uint8)
    assert wg.ones(2).tolist() == [1, 1]
