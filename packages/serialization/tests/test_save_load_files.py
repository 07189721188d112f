"""Paths, streams, mapped files, places of storages, options; and that large files are not held twice."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import pytest
import wengert as wg
from hypothesis import given
from hypothesis import strategies as st

from .archives import again, archive, load_bytes, save_to_bytes, storage, tensor, with_records

PROTO = b"\x80\x02"


# ---- streams
class WriteOnly:
    """A stream that writes, a part at a time, and has no more methods."""

    def __init__(self, part: int | None = None) -> None:
        self.data, self.part = bytearray(), part

    def write(self, data: Any) -> int:
        piece = bytes(data)[: self.part]
        self.data += piece
        return len(piece)


@pytest.mark.parametrize("part", [None, 1, 100])
def test_a_stream_that_only_writes_is_enough(part: int | None) -> None:
    stream = WriteOnly(part)
    x = wg.arange(1000.0)
    wg.save(x, stream)
    assert bytes(stream.data) == save_to_bytes(x)


def test_a_stream_whose_write_returns_nothing() -> None:
    pieces: list[bytes] = []

    class Stream:
        def write(self, data: Any) -> None:
            pieces.append(bytes(data))

    wg.save(wg.ones(3), Stream())
    assert load_bytes(b"".join(pieces)).tolist() == [1, 1, 1]


def test_files_without_readinto_and_with_short_reads() -> None:
    class Source:
        def __init__(self, data: bytes) -> None:
            self.file = io.BytesIO(data)
            self.tell, self.seek = self.file.tell, self.file.seek
            self.readline = self.file.readline

        def read(self, count: int = -1) -> bytes:
            return self.file.read(count)

    class Short(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            return super().readinto(memoryview(buffer)[:7])

    x = wg.arange(100.0)
    assert wg.equal(wg.load(Source(save_to_bytes(x))), x)
    assert wg.equal(wg.load(Short(save_to_bytes(x))), x)
    assert wg.equal(wg.load(Source(save_to_bytes(x, _use_new_zipfile_serialization=False))), x)


def test_unbuffered_files_and_pathlike_objects(tmp_path: Path) -> None:
    class Location(os.PathLike[str]):
        def __fspath__(self) -> str:
            return str(tmp_path / "x.pt")

    wg.save(wg.ones(2), Location())
    with open(tmp_path / "x.pt", "rb", buffering=0) as file:
        assert wg.load(file).tolist() == [1, 1]
    with open(tmp_path / "y.pt", "wb", buffering=0) as file:
        wg.save(wg.ones(2), file)
    assert wg.load(os.fsencode(tmp_path / "y.pt").decode()).tolist() == [1, 1]


@pytest.mark.parametrize(("name", "folder"), [
    ("model.pt", "model"), ("a.b.c", "a.b"), ("plain", "plain"), (".hidden", "hidden"), ("ü.pt", "archive"),
])
def test_the_folder_in_the_archive_has_the_name_of_the_file(tmp_path: Path, name: str, folder: str) -> None:
    wg.save(wg.ones(1), tmp_path / name)
    assert zipfile.ZipFile(tmp_path / name).namelist()[0] == f"{folder}/data.pkl"
    assert wg.load(tmp_path / name).tolist() == [1]


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    wg.save(wg.ones(1), tmp_path / "x.pt")
    with pytest.raises(Exception, match="pickle"):
        wg.save([wg.zeros(1), lambda: 3], tmp_path / "x.pt")
    assert wg.load(tmp_path / "x.pt").tolist() == [1]


def test_several_objects_of_the_legacy_format_and_a_truncated_one() -> None:
    buffer = io.BytesIO()
    for value in (1.0, 2.0):
        wg.save(wg.full((3,), value), buffer, _use_new_zipfile_serialization=False)
    buffer.seek(0)
    assert [wg.load(buffer)[0].item() for _ in range(2)] == [1, 2]
    with pytest.raises(EOFError):
        wg.load(buffer)
    data = save_to_bytes(wg.ones(3), _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="bytes left"):
        load_bytes(data[:-1])


def test_zip_programs_accept_the_archive() -> None:
    data = save_to_bytes({"a": wg.ones(1000), "b": wg.empty(0), "c": list(range(1000))})
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
    alignment = [entry.header_offset for entry in zipfile.ZipFile(io.BytesIO(data)).infolist()]
    assert alignment[0] == 0


@given(st.integers(0, 300), st.integers(0, 40), st.sampled_from([1, 8, 64, 4096]))
def test_records_are_aligned(count: int, length: int, alignment: int) -> None:
    from wengert.utils.serialization import config

    before, config.save.storage_alignment = config.save.storage_alignment, alignment
    try:
        data = save_to_bytes({"k" * length: wg.arange(count, dtype=wg.uint8), "x": wg.tensor([12345678912345])})
    finally:
        config.save.storage_alignment = before
    assert data.index((12345678912345).to_bytes(8, "little")) % alignment == 0
    assert load_bytes(data)["x"].item() == 12345678912345


# ---- large files
class Sink:
    """A stream that keeps small pieces alone, and notes where large ones lie."""

    def __init__(self) -> None:
        self.pieces: dict[int, bytes] = {}
        self.size = 0

    def write(self, data: Any) -> None:
        if len(data) < 1 << 16:
            self.pieces[self.size] = bytes(data)
        self.size += len(data)


class Sparse(io.RawIOBase):
    """A file with the pieces of a Sink, and zeros between them."""

    def __init__(self, sink: Sink) -> None:
        self.sink, self.position = sink, 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.position = offset + (0, self.position, self.sink.size)[whence]
        return self.position

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: Any) -> int:
        count = min(len(buffer), self.sink.size - self.position)
        start, end = self.position, self.position + count
        for place, piece in self.sink.pieces.items():
            low, high = max(place, start), min(place + len(piece), end)
            if low < high:
                buffer[low - start : high - start] = piece[low - place : high - place]
        self.position = end
        return count


@pytest.mark.host("4 GiB of zeros, which take no memory here")
def test_records_and_offsets_beyond_4_gib() -> None:
    from wengert_serialization.archive_reader import ArchiveReader
    from wengert_serialization.archive_writer import ArchiveWriter

    sink = Sink()
    writer = ArchiveWriter(sink, "archive", checksums=False)
    writer.write("first", bytes(4))
    writer.write_zeros("data/0", 1 << 32)
    writer.write("data/1", b"after")
    writer.write("data/2", b"")
    writer.close()
    reader = ArchiveReader(Sparse(sink))
    assert [reader.size(name) for name in ("data/0", "data/1", "data/2")] == [1 << 32, 5, 0]
    assert reader.offset("data/1") % 64 == 0
    assert reader.offset("data/1") > 1 << 32
    assert reader.read("data/1") == b"after"
    wide = b"\1\0\x10\0" + (1 << 32).to_bytes(8, "little") * 2
    assert any(wide in piece for piece in sink.pieces.values())


PROGRAM = """
import resource, sys, wengert as wg
path, task, legacy = sys.argv[1], sys.argv[2], sys.argv[3] == "legacy"
wg.save(wg.ones(2), path + "small", _use_new_zipfile_serialization=not legacy)
wg.load(path + "small")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
x = wg.ones(1 << 24) if task == "save" else None
before = peak()
if task == "save":
    wg.save(x, path, _use_new_zipfile_serialization=not legacy)
else:
    x = wg.load(path, mmap=task == "map" or None)
print(peak() - before)
"""


@pytest.mark.host("memory of a process")
@pytest.mark.parametrize("form", ["archive", "legacy"])
def test_large_tensors_are_not_held_twice(tmp_path: Path, form: str) -> None:
    size = 4 << 24
    limits = {"save": 0.2, "load": 1.2, **({} if form == "legacy" else {"map": 0.2})}
    for task, limit in limits.items():
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / "x.pt"), task, form]
        grown = int(subprocess.check_output(command, text=True))
        assert grown < limit * size, task


# ---- mapped files
def test_mapped_storages_change_in_memory_alone(tmp_path: Path) -> None:
    x = wg.arange(6.0)
    wg.save([x, x[2:], wg.empty(0), wg.ones(3, dtype=wg.bool)], tmp_path / "x.pt")
    content = (tmp_path / "x.pt").read_bytes()
    a, b, c, d = wg.load(tmp_path / "x.pt", mmap=True)
    a[3] = 10
    assert b[1] == 10
    assert a.untyped_storage().data_ptr() % 64 == 0
    assert c.numel() == 0
    assert d.all()
    assert (tmp_path / "x.pt").read_bytes() == content
    assert wg.equal(wg.load(tmp_path / "x.pt")[0], x)


def test_mapping_outlives_its_name(tmp_path: Path) -> None:
    wg.save(wg.arange(1000), tmp_path / "x.pt")
    x = wg.load(str(tmp_path / "x.pt"), mmap=True)
    (tmp_path / "x.pt").unlink()
    assert x.sum() == 499500


def test_records_that_are_not_aligned_are_copied(tmp_path: Path) -> None:
    data = archive(PROTO + tensor(storage("Double", 2), (2,)) + b".", np.array([1.5, 2.5]).tobytes())
    (tmp_path / "x.pt").write_bytes(data)
    x = wg.load(tmp_path / "x.pt", mmap=True)
    assert x.tolist() == [1.5, 2.5]
    assert x.data_ptr() % 8 == 0


def test_mmap_by_the_setting(tmp_path: Path) -> None:
    from wengert.utils.serialization import config

    wg.save(wg.ones(2), tmp_path / "x.pt", _use_new_zipfile_serialization=False)
    config.load.mmap = True
    try:
        with pytest.raises(RuntimeError, match="mmap can only be used"):
            wg.load(tmp_path / "x.pt")
        assert wg.load(tmp_path / "x.pt", mmap=False).tolist() == [1, 1]
    finally:
        config.load.mmap = False


# ---- places
def test_storages_go_where_map_location_says(sim: None) -> None:
    x = wg.arange(3.0)
    for place in ("sim", wg.device("sim"), {"cpu": "sim"}, lambda storage, tag: storage.to(device="sim")):
        found = again([x, x[1:]], map_location=place)
        assert [one.device.type for one in found] == ["sim", "sim"]
        assert found[0].cpu().tolist() == [0, 1, 2]
        found[0][1] = 7
        assert found[1].cpu().tolist() == [7, 2]


@pytest.mark.parametrize("legacy", [False, True])
def test_tensors_come_back_to_their_device(sim: None, legacy: bool) -> None:
    x = wg.arange(3.0).to("sim")
    data = save_to_bytes([x, x.requires_grad_()], _use_new_zipfile_serialization=not legacy)
    assert b"sim" in data
    found = load_bytes(data)
    assert [one.device.type for one in found] == ["sim", "sim"]
    assert load_bytes(data, map_location="cpu")[0].tolist() == [0, 1, 2]
    assert load_bytes(data, map_location=lambda storage, tag: None)[1].device.type == "sim"


def test_a_registered_package_tags_and_restores() -> None:
    from wengert_serialization.locations import PACKAGES

    def tagger(one: Any) -> str | None:
        return "shelf:3" if one.nbytes() == 20 else None

    def restore(one: Any, tag: str) -> Any:
        return wg.full((5,), 4.0).untyped_storage() if tag == "shelf:3" else None

    wg.serialization.register_package(5, tagger, restore)
    try:
        data = save_to_bytes([wg.ones(5), wg.ones(4)])
        assert [one.tolist() for one in load_bytes(data)] == [[4.0] * 5, [1.0] * 4]
    finally:
        PACKAGES[:] = [one for one in PACKAGES if one[1] is not tagger]
    with pytest.raises(RuntimeError, match=r"don't know how to restore data location .* \(tagged with shelf:3\)"):
        load_bytes(data)
    assert load_bytes(data, map_location="cpu")[0].tolist() == [1.0] * 5


def test_values_of_a_device_without_storages_go_to_the_host() -> None:
    """PyTorch saves tensors of some accelerators as tensors of the host, with the device's name."""
    from .archives import name, text

    call = (name("torch._utils._rebuild_device_tensor_from_cpu_tensor") + b"(" + tensor(storage("Float", 2), (2,))
            + name("torch.float32") + text("xla:0") + b"\x88tR.")
    data = archive(PROTO + call, np.ones(2, np.float32).tobytes())
    for place in ("cpu", {"xla:0": "cpu"}, wg.device("cpu")):
        x = load_bytes(data, map_location=place)
        assert x.tolist() == [1, 1]
        assert x.requires_grad
        assert x.is_leaf
    with pytest.raises(UnpicklingError, match="pass map_location='cpu'"):
        load_bytes(data)


# ---- options
def test_files_that_do_not_say_their_byte_order() -> None:
    data = with_records(save_to_bytes(wg.tensor([1, 256], dtype=wg.int16)), {"byteorder": None})
    expected = {None: [1, 256], "NATIVE": [1, 256], "LITTLE": [1, 256], "BIG": [256, 1]}
    orders = wg.serialization.LoadEndianness
    try:
        for order, values in expected.items():
            wg.serialization.set_default_load_endianness(None if order is None else orders[order])
            assert load_bytes(data).tolist() == values
    finally:
        wg.serialization.set_default_load_endianness(None)


def test_environment_variables_decide_about_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    data = save_to_bytes(range(2))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert load_bytes(data) == range(2)
    with pytest.raises(UnpicklingError):
        load_bytes(data, weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "yes")
    with pytest.raises(RuntimeError, match="both were set"):
        load_bytes(data)
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(UnpicklingError):
        load_bytes(data, weights_only=False)


def test_skipped_data_can_be_filled_in_later(tmp_path: Path) -> None:
    x = wg.arange(4.0)
    with wg.serialization.skip_data():
        wg.save(x, tmp_path / "x.pt")
    assert wg.load(tmp_path / "x.pt").tolist() == [0.0] * 4
    with wg.serialization.set_default_mmap_options(1):
        wg.load(tmp_path / "x.pt", mmap=True).copy_(x)
    assert wg.equal(wg.load(tmp_path / "x.pt"), x)
    with wg.serialization.skip_data():
        assert wg.load(tmp_path / "x.pt").shape == (4,)


def test_files_of_another_format(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Attempting to load a safetensors file"):
        wg.load(tmp_path / "x.safetensors")


def test_only_what_a_tensor_lies_in_is_saved() -> None:
    x = wg.zeros(10000)
    assert len(save_to_bytes(x[:2])) > 40000
    assert len(save_to_bytes(x[:2].clone())) < 2000


def test_loading_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again({"a": wg.ones(1), "b": wg.eye(2).to_sparse()})


def test_a_default_device_changes_nothing(sim: None) -> None:
    """Memory for reading is the host's, whatever the default device is."""
    data = [save_to_bytes(wg.arange(3.0), _use_new_zipfile_serialization=new) for new in (True, False)]
    wg.set_default_device("sim")
    try:
        found = [load_bytes(one) for one in data]
        assert load_bytes(save_to_bytes(wg.ones(2))).device.type == "sim"
    finally:
        wg.set_default_device(None)
    assert [one.device.type for one in found] == ["cpu", "cpu"]
    assert [one.tolist() for one in found] == [[0, 1, 2]] * 2
