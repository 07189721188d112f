"""Parts of storages: they keep the whole alive, and neither of the two gets other memory meanwhile.

What PyTorch does is in tests/torch_parity/recorded/cases/memory/storage_parts.txt.
"""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest
import wengert_core as wg
from wengert_core.api.storage_refusals import refusals

OTHERS = "not resizable: other tensors or arrays look into it"


def test_a_part_keeps_the_memory_alive() -> None:
    t = wg.full((1 << 16,), 7, dtype=wg.uint8)
    part = t.untyped_storage()[16:][:16]
    x = wg.empty(0, dtype=wg.uint8).set_(t.untyped_storage()[32:48])
    del t
    gc.collect()
    others = [wg.zeros(1 << 16, dtype=wg.uint8) for _ in range(4)]
    assert (part.tolist(), x.tolist(), len(others)) == ([7] * 16, [7] * 16, 4)


@pytest.mark.parametrize("look", [
    lambda s: s[:], lambda s: s[0:0], lambda s: s[4:], lambda s: s[1:9][1:4],
    lambda s: wg.empty(0, dtype=wg.uint8).set_(s[4:]),
])  # fmt: skip
def test_the_whole_stays_where_it_is_while_there_is_a_part(look) -> None:
    t = wg.arange(4.0)
    part = look(t.untyped_storage())
    assert not t.untyped_storage().resizable()
    for size in (0, 8, 1 << 20):
        with pytest.raises(RuntimeError, match=OTHERS):
            t.untyped_storage().resize_(size)
    with pytest.raises(RuntimeError, match=OTHERS):
        t.share_memory_()
    with pytest.raises(RuntimeError, match="not resizable: other tensors look into it"):
        t.resize_(100)
    del part
    gc.collect()
    assert t.untyped_storage().resize_(32).nbytes() == 32
    assert t.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_part_is_not_made_larger_or_shared() -> None:
    part = wg.UntypedStorage([1, 2, 3, 4])[1:3]
    for change in (lambda: part.resize_(1), lambda: part.resize_(8), part.share_memory_):
        with pytest.raises(RuntimeError, match="not resizable: it belongs to another object"):
            change()
    assert part.tolist() == [2, 3]


def test_the_whole_and_its_parts_are_different_objects() -> None:
    t = wg.arange(4.0)
    storage = t.untyped_storage()
    first, last = storage[:4], storage[12:]
    assert t.untyped_storage() is t[3:].untyped_storage() is storage
    for part in (first, last):
        assert wg.empty(0).set_(part).untyped_storage() is part
    assert len({storage._cdata, first._cdata, last._cdata}) == 3


def test_identities_of_storages_that_are_not_held() -> None:
    x, y = wg.ones(4), wg.ones(4)
    assert x.untyped_storage()._cdata != y.untyped_storage()._cdata
    assert x.untyped_storage()._cdata == x[2:].untyped_storage()._cdata == x.detach().untyped_storage()._cdata
    assert wg.ones(0).untyped_storage()._cdata != 0


def test_a_write_to_a_part_raises_the_version_of_the_whole() -> None:
    t = wg.ones(4)
    part = t.untyped_storage()[:4]
    part.fill_(0)
    part[1:][0] = 1
    assert t._version == t[1:]._version == 2
    t.zero_()
    del part
    t.zero_()
    assert t._version == 4


def test_making_a_part_is_no_write() -> None:
    t = wg.ones(4)
    wg.empty(0).set_(t.untyped_storage()[4:])
    assert t._version == 0


@pytest.mark.parametrize(("to", "of"), [((0, 5), (1, 6)), ((1, 6), (0, 5))])
def test_parts_that_overlap_are_copied_as_if_they_did_not(to, of) -> None:
    storage, expected = wg.UntypedStorage(range(8)), np.arange(8)
    expected[slice(*to)] = expected[slice(*of)].copy()
    storage[slice(*to)].copy_(storage[slice(*of)])
    assert storage.tolist() == expected.tolist()


@pytest.mark.parametrize(("kind", "step"), [
    (wg.int16, 2), (wg.float32, 4), (wg.float64, 8), (wg.complex64, 4), (wg.complex128, 8), (wg.bfloat16, 2),
])  # fmt: skip
def test_elements_lie_at_multiples_of_their_size(kind, step) -> None:
    data = wg.arange(64, dtype=wg.uint8)
    storage, buffer = data.untyped_storage(), wg.frombuffer(memoryview(data.numpy())[1:49], dtype=wg.uint8)
    pattern = rf"needs memory whose address is a multiple of {step}"
    for start in range(1, step):
        with pytest.raises(RuntimeError, match=pattern):
            wg.empty(0, dtype=kind).set_(storage[start:])
        with pytest.raises(RuntimeError, match=pattern):
            wg.TypedStorage(wrap_storage=storage[start:], dtype=kind, _internal=True).tolist()
    with pytest.raises(RuntimeError, match=pattern):
        buffer.view(kind)
    x = wg.empty(0, dtype=kind).set_(storage[step:])
    assert x.data_ptr() == data.data_ptr() + step
    assert buffer[:0].view(kind).shape == (0,)


@pytest.mark.parametrize("size", [0, 3, 1000])
def test_storages_are_pickled_as_bytes(size) -> None:
    storage = wg.UntypedStorage(size).fill_(200)
    data = pickle.dumps(storage)
    assert len(data) < size + 200
    again = pickle.loads(data)
    assert (type(again), again.tolist()) == (wg.UntypedStorage, storage.tolist())
    one, other = pickle.loads(pickle.dumps([storage, storage]))
    assert one is other


def test_storages_pickled_as_lists_can_be_read() -> None:
    old = b"cwengert_core.api.untyped_storage\nUntypedStorage\n((lI1\naI2\natR."
    assert pickle.loads(old).tolist() == [1, 2]


def test_a_deep_copy_of_a_part_has_memory_of_its_own() -> None:
    storage = wg.UntypedStorage(range(8))
    part, whole = copy.deepcopy([storage[2:4], storage])
    assert (part.tolist(), part.nbytes(), whole.tolist()) == ([2, 3], 2, list(range(8)))
    assert part.resize_(4).nbytes() == 4
    assert whole.resizable()


def test_a_deep_copy_of_a_storage_is_that_of_its_tensors() -> None:
    x = wg.arange(4.0)
    copies = copy.deepcopy({"x": x, "storage": x.untyped_storage(), "view": x[1:]})
    copies["storage"].fill_(0)
    assert copies["x"].tolist() == [0.0] * 4
    assert copies["view"].tolist() == [0.0] * 3
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_methods_that_do_nothing_here_say_why() -> None:
    names = [name for name, _ in refusals()]
    assert len(names) > 15
    for name in names:
        for storage in (wg.UntypedStorage(1), wg.UntypedStorage, wg.ones(1)._typed_storage()):
            with pytest.raises(NotImplementedError, match=rf"{name}\(\): "):
                getattr(storage, name)()
