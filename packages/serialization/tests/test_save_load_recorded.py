"""Files that PyTorch saved are read, and the files written here are PyTorch's, byte for byte."""

from __future__ import annotations

import io
import json
import pickletools
from pathlib import Path
from typing import Any

import pytest
import wengert as wg

from .archives import record, save_to_bytes
from .checkpoint_cases import all_cases, describe, objects

FOLDER = Path(__file__).parent / "recorded"
CONTENTS = json.loads((FOLDER / "checkpoints.json").read_text())
CASES = all_cases(wg)
OTHER_BYTES = {"conjugates", "compressed", "blocks"}
"""Objects whose tensors lie otherwise in memory here: conjugates are computed, indices do not share a storage."""
WRITTEN_ALIKE = sorted(name for name in CASES if name not in OTHER_BYTES)


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("name", sorted(CONTENTS))
def test_files_of_torch_are_read(name: str) -> None:
    loose = name.partition(".")[0] in objects(wg)
    found = as_json(describe(wg.load(FOLDER / name, weights_only=not loose), wg))
    expected = CONTENTS[name]
    if name.startswith("conjugates"):  # which lie in storages of their own
        for description in (found, expected):
            for tensor in description[1]:
                tensor.pop("storage")
    assert found == expected


@pytest.mark.parametrize("name", sorted(CONTENTS))
def test_mapped_files_have_the_same_contents(name: str) -> None:
    if ".legacy." in name:
        with pytest.raises(RuntimeError, match="mmap can only be used with"):
            wg.load(FOLDER / name, mmap=True)
        return
    loose = name.partition(".")[0] in objects(wg)
    found = [describe(wg.load(FOLDER / name, weights_only=not loose, mmap=mmap), wg) for mmap in (True, False)]
    assert found[0] == found[1]


@pytest.mark.parametrize("name", WRITTEN_ALIKE)
def test_files_are_those_of_torch(name: str, tmp_path: Path) -> None:
    """All bytes but the identity at the end: its 40 digits, and its checksum in two places."""
    wg.save(CASES[name], tmp_path / f"{name}.pt")
    ours, theirs = (tmp_path / f"{name}.pt").read_bytes(), (FOLDER / f"{name}.pt").read_bytes()
    assert len(ours) == len(theirs)
    identity = theirs.rindex(b"PK\3\4")
    assert ours[:identity] == theirs[:identity]
    differing = [place for place in range(identity, len(ours)) if ours[place] != theirs[place]]
    assert len(differing) <= 48


@pytest.mark.parametrize("name", sorted(OTHER_BYTES))
def test_other_files_name_what_those_of_torch_name(name: str) -> None:
    files = save_to_bytes(CASES[name]), (FOLDER / f"{name}.pt").read_bytes()
    pickles = [record(data, "data.pkl") for data in files]
    names = [{arg for code, arg, _ in pickletools.genops(data) if code.name == "GLOBAL"} for data in pickles]
    assert names[0] == names[1]


def test_pickles_of_other_protocols_are_those_of_torch() -> None:
    ours = record(save_to_bytes(CASES["state_dict"], pickle_protocol=3), "data.pkl")
    assert ours == record((FOLDER / "state_dict.protocol3.pt").read_bytes(), "data.pkl")


@pytest.mark.parametrize("name", sorted(name for name in CONTENTS if ".legacy." in name))
def test_legacy_files_have_the_headers_and_names_of_torch(name: str) -> None:
    ours = save_to_bytes(CASES[name.partition(".")[0]], _use_new_zipfile_serialization=False)
    theirs = (FOLDER / name).read_bytes()
    assert ours[:137] == theirs[:137]  # magic number, version, facts of the system
    assert names_in_fourth_pickle(ours) == names_in_fourth_pickle(theirs)
    loaded = [as_json(describe(wg.load(io.BytesIO(data)), wg)) for data in (ours, theirs)]
    assert loaded[0] == loaded[1]


def names_in_fourth_pickle(data: bytes) -> set[str]:
    stream = io.BytesIO(data)
    return [{str(arg) for code, arg, _ in pickletools.genops(stream) if code.name == "GLOBAL"} for _ in range(4)][3]
