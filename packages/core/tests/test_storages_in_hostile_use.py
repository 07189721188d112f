"""Storages that a review found wrong: empty ones that grow, read-only memory, copies, and chains of owners."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
import wengert_core as wg


@pytest.mark.parametrize("make", [
    lambda: wg.UntypedStorage([]), lambda: wg.UntypedStorage([]).clone(),
    lambda: pickle.loads(pickle.dumps(wg.UntypedStorage(0))),
])  # fmt: skip
def test_an_empty_storage_that_grows_has_its_bytes_one_after_the_other(make) -> None:
    storage = make().resize_(4).fill_(7)
    storage[1] = 2
    storage[2:4] = 3
    storage.byteswap(wg.int16)
    assert storage.tolist() == [2, 7, 3, 3]


def test_memory_that_is_read_only_stays_so_in_what_a_storage_is_set_to() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        storage = wg.from_numpy(np.frombuffer(b"12345678", np.uint8)).untyped_storage()
    empty = wg.empty(0, dtype=wg.uint8)
    for x in (empty.set_(storage), empty.set_(storage[4:]), empty.set_(storage, 4, (4,), (1,))):
        assert not x.numpy().flags.writeable


@pytest.mark.parametrize("pick", [lambda s: s, lambda s: s[4:20]])
@pytest.mark.parametrize("turn", [1, -1])
def test_deep_copies_of_tensors_set_to_a_storage_share_its_copy(pick, turn) -> None:
    whole = wg.arange(8.0).untyped_storage()
    storage = pick(whole)
    x = wg.empty(0).set_(storage)
    y = wg.empty(0).set_(x)
    copies = copy.deepcopy([storage, x, y][::turn])[::turn]
    copies[0].fill_(0)
    assert copies[1].tolist() == copies[2].tolist() == [0.0] * x.numel()
    assert copies[1].untyped_storage() is copies[0]
    assert whole.tolist()[4:8] == [0, 0, 128, 63]


def test_a_deep_copy_of_a_part_is_not_that_of_the_whole() -> None:
    whole = wg.UntypedStorage(range(8))
    x, y = (wg.empty(0, dtype=wg.uint8).set_(s) for s in (whole, whole[2:6]))
    a, b = copy.deepcopy([x, y])
    a.fill_(0)
    assert b.tolist() == [2, 3, 4, 5]


def test_a_tensor_set_to_its_own_storage_again_and_again_does_not_keep_each_one() -> None:
    """Each Storage stayed alive, with the version counter of all others to set: time went with the square."""
    x = wg.ones(4)
    for _ in range(20_000):
        x.set_(x.untyped_storage())
    x.fill_(2)
    assert x.untyped_storage().tolist()[3:8] == [64, 0, 0, 0, 64]


@pytest.mark.parametrize("size", [-1, 1 << 62, 1 << 70])
def test_shared_memory_of_impossible_sizes(size) -> None:
    with pytest.raises(RuntimeError, match="negative number: -1" if size < 0 else "unable to map"):
        wg.UntypedStorage._new_shared(size)
