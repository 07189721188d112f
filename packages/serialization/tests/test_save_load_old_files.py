"""Files of old versions of PyTorch, written by hand here: pickles that no version since 2018 writes."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from typing import Any

import pytest
import wengert as wg
from wengert_serialization.storages import SavedStorages

from .archives import PROTO, archive, load_bytes, name, number, save_to_bytes, storage, tensor, text


def test_tensors_of_torch_0_3() -> None:
    """A tensor was made empty by its class, a parameter by its class, and both got a state."""
    state = b"(" + storage("Float", 4) + number(1) + b"(" + number(3) + b"t" + b"(" + number(1) + b"tt"
    data = archive(PROTO + name("torch.FloatTensor") + b")\x81" + state + b"b.", bytes(16))
    assert load_bytes(data).tolist() == [0, 0, 0]
    assert load_bytes(data).dtype is wg.float32
    parameter = name("torch.nn.parameter.Parameter") + tensor(storage("Float", 4), (4,)) + b"\x85\x81"
    state = b"(\x88N" + name("collections.OrderedDict") + b")Rt"
    found = load_bytes(archive(PROTO + parameter + state + b"b.", bytes(16)))
    assert type(found) is wg.nn.Parameter
    assert found.requires_grad
    plain = name("torch._utils._rebuild_tensor") + b"(" + storage("Int", 2) + b"K\0K\2\x85K\1\x85tR."
    assert load_bytes(archive(PROTO + plain, b"\1\0\0\0\2\0\0\0")).tolist() == [1, 2]


def test_ordered_dicts_of_python_2() -> None:
    pairs = b"](](" + text("a") + b"K\1e](" + text("b") + b"K\2ee\x85R."
    found = load_bytes(archive(PROTO + name("collections.OrderedDict") + pairs))
    assert found == OrderedDict(a=1, b=2)
    assert load_bytes(archive(PROTO + b"U\3abcT\2\0\0\0de\x86.")) == ("abc", "de")


def test_parts_of_storages_in_legacy_files() -> None:
    """Before PyTorch 1.0 a file could say that a storage is a part of another one."""
    class Parts(SavedStorages):
        def describe(self, one: Any) -> Any:
            return (*super().describe(one), ("part", 2, 3))

    from wengert_serialization import legacy

    before, legacy.AddressedStorages = legacy.AddressedStorages, Parts  # type: ignore[misc,assignment]
    try:
        data = save_to_bytes(wg.arange(6.0)[:3], _use_new_zipfile_serialization=False)
    finally:
        legacy.AddressedStorages = before  # type: ignore[misc]
    assert load_bytes(data).tolist() == [2, 3, 4]


def test_sources_of_modules_in_legacy_files() -> None:
    """PyTorch writes a class of modules with its source: the class alone counts."""
    cls = name("torch.nn.modules.linear.Linear")
    module = b"(" + text("module") + cls + text("linear.py") + text("class ...") + b"tQ."
    header = save_to_bytes(1, _use_new_zipfile_serialization=False)[:137]
    data = header + PROTO + module + pickle.dumps([], 2)
    assert load_bytes(data, weights_only=False) is wg.nn.Linear
    with pytest.raises(pickle.UnpicklingError, match="not an allowed global"):
        load_bytes(data)


def test_tar_files_are_refused() -> None:
    import tarfile

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as file:
        file.addfile(tarfile.TarInfo("storages"), io.BytesIO())
    with pytest.raises(RuntimeError, match=r"\.tar format"):
        load_bytes(buffer.getvalue())
