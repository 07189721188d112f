"""Archives and pickles written by hand, to load what save() never writes."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from typing import Any

import wengert as wg


def save_to_bytes(obj: Any, **keywords: Any) -> bytes:
    """Return the file that save() writes."""
    buffer = io.BytesIO()
    wg.save(obj, buffer, **keywords)
    return buffer.getvalue()


def load_bytes(data: bytes, **keywords: Any) -> Any:
    """Return the object that load() reads."""
    return wg.load(io.BytesIO(data), **keywords)


def again(obj: Any, **keywords: Any) -> Any:
    """Return an object that was saved and loaded."""
    return load_bytes(save_to_bytes(obj), **keywords)


def archive(pickled: bytes, *records: bytes, compression: int = zipfile.ZIP_STORED) -> bytes:
    """Return an archive with a pickle and the bytes of storages, whose keys are 0, 1, ..."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        file.writestr("archive/data.pkl", pickled)
        file.writestr("archive/version", b"3\n")
        for key, record in enumerate(records):
            file.writestr(f"archive/data/{key}", record)
    return buffer.getvalue()


def with_records(data: bytes, records: dict[str, bytes | None]) -> bytes:
    """Return an archive with other records; None leaves one out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as file, zipfile.ZipFile(buffer, "w") as copy:
        for name in file.namelist():
            content = records.get(name.partition("/")[2], file.read(name))
            if content is not None:
                copy.writestr(name, content)
    return buffer.getvalue()


def record(data: bytes, name: str) -> bytes:
    """Return a record of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return file.read(f"{file.namelist()[0].partition('/')[0]}/{name}")


# ---- pieces of pickles
PROTO = b"\x80\x02"


def text(value: str) -> bytes:
    """Return the instruction that puts a str on the stack."""
    encoded = value.encode()
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def name(full: str) -> bytes:
    """Return the instruction that puts what has a name on the stack."""
    module, _, last = full.rpartition(".")
    return f"c{module}\n{last}\n".encode()


def number(value: int) -> bytes:
    """Return the instruction that puts an int on the stack."""
    encoded = pickle.encode_long(value)  # type: ignore[attr-defined]  # typeshed does not have it
    return b"\x8a" + bytes([len(encoded)]) + encoded


def numbers(values: Any) -> bytes:
    """Return the instructions that put a tuple of ints on the stack."""
    return b"(" + b"".join(map(number, values)) + b"t"


def storage(kind: str, count: int, key: str = "0", place: str = "cpu") -> bytes:
    """Return the instructions that put a storage on the stack."""
    return b"(" + text("storage") + name(f"torch.{kind}Storage") + text(key) + text(place) + number(count) + b"tQ"


def tensor(
    store: bytes, size: Any = (1,), stride: Any = (1,), offset: int = 0, requires_grad: bool = False, extra: bytes = b""
) -> bytes:
    """Return the instructions that put a tensor on the stack."""
    flag = b"\x88" if requires_grad else b"\x89"
    hooks = name("collections.OrderedDict") + b")R"
    return (name("torch._utils._rebuild_tensor_v2") + b"(" + store + number(offset) + numbers(size) + numbers(stride)
            + flag + hooks + extra + b"tR")


def call_of(function: str, *args: bytes) -> bytes:
    """Return the instructions for a call."""
    return name(function) + b"(" + b"".join(args) + b"tR"
