"""Memory of files: what writes do, what keeps it alive, and what is left when it is gone.

What PyTorch does is in tests/torch_parity/recorded/cases/memory/storage_files.txt.
"""

from __future__ import annotations

import gc
import io
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
import wengert_core as wg


@pytest.fixture
def name(tmp_path: Path) -> str:
    """A file of four float32, which are 0, 1, 2, 3."""
    file = tmp_path / "numbers"
    file.write_bytes(np.arange(4, dtype=np.float32).tobytes())
    return str(file)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_memory_outlives_the_storage_and_the_file(name) -> None:
    x = wg.from_file(name, size=4)
    y = wg.empty(0).set_(wg.UntypedStorage.from_file(name, True, 16)[8:])
    os.remove(name)
    gc.collect()
    assert (x.tolist(), y.tolist()) == ([0.0, 1.0, 2.0, 3.0], [2.0, 3.0])


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files in Linux's /proc")
def test_files_do_not_stay_open(name) -> None:
    gc.collect()
    before = descriptors()
    for shared in (False, True):
        for _ in range(10):
            wg.from_file(name, shared, 4)
            with pytest.raises(RuntimeError, match="unable to mmap"):
                wg.from_file(name, shared, -1)
        with pytest.raises(RuntimeError, match="file <"):
            wg.UntypedStorage.from_file(name, shared, 1 << 62)
        assert os.path.getsize(name) == 16
    gc.collect()
    assert descriptors() <= before


def test_two_mappings_of_a_file_see_each_other(name) -> None:
    one, other, own = (wg.from_file(name, shared, 4) for shared in (True, True, False))
    own[1] = -1
    one[0] = 7
    assert (other[0].item(), one[1].item()) == (7.0, 1.0)
    assert np.fromfile(name, np.float32).tolist() == [7.0, 1.0, 2.0, 3.0]


def test_a_forked_process_writes_to_the_file(name) -> None:
    x = wg.from_file(name, True, 4)
    pid = os.fork()
    if not pid:
        x.fill_(5.0)
        os._exit(0)
    os.waitpid(pid, 0)
    assert x.tolist() == np.fromfile(name, np.float32).tolist() == [5.0] * 4


def test_all_on_the_memory_knows_the_file(name) -> None:
    x = wg.from_file(name, True, 4)
    for t in (x, x[1:], x.detach(), x.view(wg.int32), wg.empty(0).set_(x.untyped_storage())):
        assert (t.untyped_storage().filename, t.is_shared()) == (name, True)
    assert x.clone().untyped_storage().filename is None
    assert wg.from_file(name, False, 4).untyped_storage().filename is None


def test_a_part_of_a_file_is_no_file(name) -> None:
    part = wg.UntypedStorage.from_file(name, True, 16)[4:8]
    assert (part.filename, part.is_shared(), part.resizable()) == (None, False, False)
    part.fill_(0)
    assert np.fromfile(name, np.float32).tolist() == [0.0, 0.0, 2.0, 3.0]


def test_an_array_in_a_file_is_not_shared_memory(name) -> None:
    assert not wg.from_numpy(np.memmap(name, np.float32, "r+")).is_shared()


def test_a_file_that_cannot_be_written_to(tmp_path) -> None:
    with pytest.raises(RuntimeError, match=r"unable to open file <.*> in read-write mode: Is a directory"):
        wg.from_file(str(tmp_path), True, 4)
    with pytest.raises(ValueError, match="null"):
        wg.from_file("a\0b", False, 4)
    assert os.listdir(tmp_path) == []


def test_a_size_of_nothing_makes_no_file(tmp_path) -> None:
    name = str(tmp_path / "new")
    assert wg.from_file(name, True).shape == (0,)
    with pytest.raises(RuntimeError, match=r"unable to mmap -4 bytes .* must not be negative"):
        wg.from_file(name, True, -1)
    with pytest.raises(RuntimeError, match="can require gradients"):
        wg.from_file(name, True, 4, dtype=wg.int32, requires_grad=True)
    assert os.listdir(tmp_path) == []


def test_writes_raise_the_version(name) -> None:
    x = wg.from_file(name, size=4)
    x.untyped_storage().fill_(0)
    assert x._version == 1


def test_legacy_classes_map_elements(name) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        storage = wg.FloatStorage.from_file(name, True, 4)
        storage[3] = 9
        assert (storage.filename, storage.tolist()) == (name, [0.0, 1.0, 2.0, 9.0])
    assert wg.from_file(name, size=4)[3].item() == 9.0


def test_a_storage_in_a_file_that_claims_too_many_bytes() -> None:
    with pytest.raises(RuntimeError, match=rf"unexpected EOF, expected {2**62 - 3} more bytes"):
        wg.UntypedStorage._new_with_file(io.BytesIO((1 << 60).to_bytes(8, "little") + b"abc"), 4)


def test_storages_are_written_and_read_one_after_the_other() -> None:
    file, storage, other = io.BytesIO(), wg.UntypedStorage(range(6)), wg.UntypedStorage(range(4))
    storage._write_file(file, False, True, 2)
    wg.ones(1, dtype=wg.int32)._typed_storage()._write_file(file, False, True, 4)
    file.seek(0)
    assert wg.UntypedStorage._new_with_file(file, 2).tolist() == storage.tolist()
    assert other._set_from_file(file, None, False, 4).tolist() == [1, 0, 0, 0]
    with pytest.raises(RuntimeError, match="size does not match"):
        other._set_from_file(file, 0, False, 2)
    typed = wg.zeros(2, dtype=wg.int32)._typed_storage()
    file.seek(8 + storage.nbytes())
    assert typed.untyped().nbytes() == 8
    with pytest.raises(RuntimeError, match="self was 8 bytes but src was 4 bytes"):
        typed._set_from_file(file, None, False, 4)
