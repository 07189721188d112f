"""Storages as users hold them: who may get other memory, what is left where it is, and what autograd sees of writes.

What PyTorch does is in tests/torch_parity/recorded/cases/memory/storages.txt; these are the cases where it reads memory
that is gone.
"""

from __future__ import annotations

import gc
import os
import threading
import warnings
import weakref

import numpy as np
import pytest
import wengert_core as wg

PATTERN = "not resizable: other tensors or arrays look into it"


def test_a_tensor_gets_the_memory_that_its_storage_gets() -> None:
    t = wg.arange(4.0)
    storage = t.untyped_storage()
    for size in (64, 1 << 16, 16):
        assert storage.resize_(size) is storage
        assert storage.nbytes() == size
        assert t.data_ptr() == storage.data_ptr()
        assert t.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert t.untyped_storage() is storage


@pytest.mark.parametrize("look", [
    lambda t: t[1:], lambda t: t.detach(), lambda t: t.numpy(), lambda t: t.__dlpack__(),
    lambda t: wg.from_dlpack(t), lambda t: wg.empty(0).set_(t.untyped_storage()), lambda t: wg.empty(0).set_(t),
    lambda t: wg.from_numpy(t.numpy()), lambda t: memoryview(t.numpy()),
])  # fmt: skip
def test_memory_that_others_look_into_stays(look) -> None:
    t = wg.arange(4.0)
    other = look(t)
    assert not t.untyped_storage().resizable()
    for size in (0, 8, 1 << 20):
        with pytest.raises(RuntimeError, match=PATTERN):
            t.untyped_storage().resize_(size)
    with pytest.raises(RuntimeError, match=PATTERN):
        t.share_memory_()
    assert t.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert t.untyped_storage().nbytes() == 16
    del other
    gc.collect()
    assert t.untyped_storage().resize_(32).nbytes() == 32


def test_a_tensor_does_not_reach_beyond_its_storage() -> None:
    t = wg.arange(4.0)
    for size in (0, 4, 15):
        with pytest.raises(RuntimeError, match=r"a tensor of shape \[4\] looks into it, up to byte 16"):
            t.untyped_storage().resize_(size)
    t.resize_(2)
    t.untyped_storage().resize_(8)
    assert (t.untyped_storage().nbytes(), t.tolist()) == (8, [0.0, 1.0])


def test_a_storage_that_outlives_its_tensor() -> None:
    t = wg.arange(4.0)
    storage = t.untyped_storage()
    del t
    gc.collect()
    assert storage.resize_(4).tolist() == [0, 0, 0, 0]
    assert storage.resize_(1 << 20).nbytes() == 1 << 20


def test_a_storage_asked_of_a_view_that_is_gone() -> None:
    t = wg.arange(4.0)
    storage = t[1:].untyped_storage()
    gc.collect()
    with pytest.raises(RuntimeError, match=PATTERN):
        storage.resize_(64)
    assert t.untyped_storage().resize_(64) is storage


@pytest.mark.parametrize("make", [
    lambda: wg.from_numpy(np.ones(4)), lambda: wg.frombuffer(bytearray(16), dtype=wg.float32),
    lambda: wg.from_dlpack(np.ones(4)),
])  # fmt: skip
def test_memory_of_others_stays(make) -> None:
    t = make()
    with pytest.raises(RuntimeError, match="not resizable"):
        t.untyped_storage().resize_(1 << 20)
    assert not t.untyped_storage().resizable()


def test_a_part_of_a_storage_has_no_memory_of_its_own() -> None:
    part = wg.UntypedStorage([1, 2, 3])[1:]
    with pytest.raises(RuntimeError, match="not resizable: it belongs to another object"):
        part.resize_(5)
    assert part.tolist() == [2, 3]


def test_set_into_a_part_of_a_storage() -> None:
    storage = wg.UntypedStorage(range(8))
    t = wg.empty(0, dtype=wg.uint8).set_(storage[2:6])
    assert t.tolist() == [2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="not resizable"):
        t.set_(storage[2:6], 0, (5,), (1,))
    assert t.tolist() == [2, 3, 4, 5]


def test_set_does_not_grow_memory_that_others_look_into() -> None:
    t, u = wg.empty(0), wg.ones(4)
    view = u[2:]
    with pytest.raises(RuntimeError, match=PATTERN):
        t.set_(u.untyped_storage(), 0, (8,), (1,))
    with pytest.raises(RuntimeError, match=PATTERN):
        t.set_(u, 0, (8,), (1,))
    assert (t.shape, u.tolist(), view.tolist()) == ((0,), [1.0] * 4, [1.0] * 2)


def test_set_to_its_own_memory_that_grows() -> None:
    t = wg.arange(4.0)
    t.set_(t.untyped_storage(), 0, (8,), (1,))
    assert (t.shape, t[:4].tolist()) == ((8,), [0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize("place", [
    (1 << 62, (1,), (1,)), (0, (1 << 62,), (1,)), (0, (2, 2), (1 << 62, 1)), (0, (1 << 45,), (1,)),
])  # fmt: skip
def test_set_beyond_all_memory(place) -> None:
    storage = wg.UntypedStorage(8)
    with pytest.raises((RuntimeError, MemoryError)):
        wg.empty(0).set_(storage, *place)
    assert storage.nbytes() == 8


def test_one_object_stands_for_one_memory() -> None:
    t = wg.ones(4)
    assert t.untyped_storage() is t[1:].untyped_storage() is t.detach().untyped_storage()
    assert t.untyped_storage() is not wg.ones(4).untyped_storage()
    assert wg.ones(0).untyped_storage() is not wg.ones(0).untyped_storage()


def test_memory_that_is_used_again_is_another_storage() -> None:
    for _ in range(50):
        t = wg.ones(64)
        watched = weakref.ref(t.untyped_storage())
        storage = t.untyped_storage()
        storage.resize_(1 << 12)
        assert watched() is None or watched() is storage
        assert t.untyped_storage() is storage
        del t, storage


def test_a_write_raises_the_version() -> None:
    t = wg.ones(4)
    t.untyped_storage().fill_(0)
    t.untyped_storage()[0] = 1
    assert t._version == 2
    assert t[1:]._version == 2


def test_writing_to_memory_that_is_only_read_warns_as_for_tensors() -> None:
    array = np.ones(2)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t = wg.from_numpy(array)
    assert t.untyped_storage().nbytes() == 16


def test_sharing_memory_with_a_forked_process() -> None:
    t = wg.zeros(4).share_memory_()
    assert t.is_shared()
    pid = os.fork()
    if not pid:
        t.fill_(7.0)
        os._exit(0)
    os.waitpid(pid, 0)
    assert t.tolist() == [7.0] * 4
    assert t.share_memory_() is t


def test_a_typed_storage_warns() -> None:
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        wg.ones(1).storage()
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        wg.FloatStorage(1)


def test_threads_that_resize_one_storage() -> None:
    t = wg.ones(1 << 14)
    storage, stop, seen = t.untyped_storage(), threading.Event(), []

    def work(sizes) -> None:
        while not stop.is_set():
            for size in sizes:
                try:
                    storage.resize_(size)
                except RuntimeError as error:
                    seen.append(str(error))

    threads = [threading.Thread(target=work, args=(sizes,)) for sizes in ((1 << 16, 1 << 20), (1 << 17, 1 << 18))]
    for thread in threads:
        thread.start()
    for _ in range(200):
        assert t.sum().item() == 1 << 14
        assert (t + t).sum().item() == 1 << 15
    stop.set()
    for thread in threads:
        thread.join()
    assert all("not resizable" in text for text in seen)


@pytest.mark.parametrize("bad", [None, "a", 1.5, [1], object(), wg.ones(2)])
def test_bad_sizes(bad) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        wg.UntypedStorage(3).resize_(bad)
    with pytest.raises((RuntimeError, TypeError)):
        wg.UntypedStorage([1, 2])[bad]


def test_a_sequence_that_lies_about_its_length() -> None:
    class Lying(list):
        def __len__(self) -> int:
            return 1 << 60

    assert wg.UntypedStorage(Lying([1, 2])).tolist() == [1, 2]


@pytest.mark.parametrize("name", ["UntypedStorage", "FloatStorage"])
def test_a_sequence_of_too_many_items_is_not_read(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=r"says that it has 2147483648 items: at most 268435456 are read"):
            getattr(wg, name)(range(2**31))
