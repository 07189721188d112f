"""Wrong arguments of save and load: names that fit nothing, files that are closed, of another kind, or at their end."""

from __future__ import annotations

import io
import zipfile

import pytest
import wengert as wg
from wengert_replay import ProgramFileError

weight = wg.tensor([1.0, 2.0])


@pytest.fixture
def program():
    f = wg.capture(lambda x: (x * weight).sum())
    f(wg.ones(2))
    return wg.replay.explain(f).programs[0]


@pytest.fixture
def data(program):
    file = io.BytesIO()
    program.save(file)
    return file.getvalue()


NAMES = {
    "list": ([weight], TypeError, "'names' must be a mapping of names to tensors, .*not list"),
    "word": ("weight", TypeError, "'names' must be a mapping .*not str"),
    "number": ({"weight": 3}, TypeError, "must have tensors as values, got int as 'weight'"),
    "none": ({"weight": None}, TypeError, "must have tensors as values, got NoneType as 'weight'"),
    "key": ({1: weight}, TypeError, "must have strings as keys, got 1"),
    "other": ({"weight": wg.ones(2)}, ProgramFileError, r"uses none of the tensors weight; it uses 1 .*: float32\[2\]"),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_that_are_none(program, kind, tmp_path):
    names, error, words = NAMES[kind]
    with pytest.raises(error, match=words):
        program.save(tmp_path / "program", names=names)
    assert not (tmp_path / "program").exists()


def test_a_name_that_another_tensor_gets():
    other = wg.ones(2)
    f = wg.capture(lambda x: x * weight + other)
    f(wg.ones(2))
    with pytest.raises(ProgramFileError, match="'w1' would be the name of two tensors"):
        wg.replay.explain(f).programs[0].save(io.BytesIO(), names={"w1": weight})


def test_files_that_cannot_be_written(program, tmp_path):
    path = tmp_path / "program"
    with pytest.raises(TypeError, match=r"save\(\): argument 'path' \(position 1\) must be a path or .*, not int"):
        program.save(3)
    with path.open("w") as file, pytest.raises(TypeError, match="open for text: open it with 'wb'"):
        program.save(file)
    with path.open("rb") as file, pytest.raises(io.UnsupportedOperation, match="open for reading: open it with 'wb'"):
        program.save(file)
    file = path.open("wb")
    file.close()
    with pytest.raises(ValueError, match="closed file"):
        program.save(file)
    with pytest.raises(FileNotFoundError):
        program.save(tmp_path / "missing" / "program")
    with pytest.raises(IsADirectoryError):
        program.save(tmp_path)


def test_a_loaded_program_checks_its_file_as_well(data, tmp_path):
    loaded = wg.replay.load(io.BytesIO(data))
    with (tmp_path / "program").open("w") as file, pytest.raises(TypeError, match="open it with 'wb'"):
        loaded.save(file)


def test_files_that_cannot_be_read(data, tmp_path):
    path = tmp_path / "program"
    path.write_bytes(data)
    with pytest.raises(TypeError, match=r"load\(\): argument 'path' .*, not bytes: io.BytesIO makes a file of them"):
        wg.replay.load(data)
    with pytest.raises(TypeError, match=r"not NoneType$"):
        wg.replay.load(None)
    with path.open("ab") as file, pytest.raises(io.UnsupportedOperation, match="open for writing: open it with 'rb'"):
        wg.replay.load(file)
    with path.open() as file, pytest.raises(ProgramFileError, match="open it in binary mode"):
        wg.replay.load(io.StringIO("text"))
    with pytest.raises(FileNotFoundError):
        wg.replay.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        wg.replay.load(tmp_path)


def test_a_file_at_its_end():
    with pytest.raises(ProgramFileError, match=r"nothing is left to read: .*seek\(0\)"):
        wg.replay.load(io.BytesIO())


def test_a_file_of_wengert_save(tmp_path):
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        archive.writestr("a", b"a")
    with pytest.raises(ProgramFileError, match=r"a zip archive, .*wengert\.load reads those"):
        wg.replay.load(tmp_path / "archive")


def test_an_error_names_the_file(data, tmp_path):
    path = tmp_path / "program"
    path.write_bytes(data[:-1])
    for source in (path, str(path)):
        with pytest.raises(ProgramFileError, match=str(path)):
            wg.replay.load(source)
    with path.open("rb") as file, pytest.raises(ProgramFileError, match=str(path)):
        wg.replay.load(file)
    with pytest.raises(ProgramFileError, match=r"^the array"):
        wg.replay.load(io.BytesIO(data[:-1]))


def test_another_version(data):
    with pytest.raises(ProgramFileError, match=r"version '9' of its format, .*versions 1 and 2: a newer one may"):
        wg.replay.load(io.BytesIO(data.replace(b'"version":"1"', b'"version":"9"')))


def test_a_call_of_another_signature_is_told_with_dtypes_and_shapes(data):
    loaded = wg.replay.load(io.BytesIO(data))
    with pytest.raises(TypeError, match=r"the program takes \(a0: float32\[2\]\), and was called with \(a0, a1\)"):
        loaded(wg.ones(2), wg.ones(2))
    with pytest.raises(TypeError, match="a program from a file has the attribute explanation"):
        wg.replay.explain(loaded)


def test_tensors_are_written_in_place(data):
    tensors = wg.replay.load(io.BytesIO(data)).tensors
    assert list(tensors) == ["w0"]
    assert len(tensors) == 1
    with pytest.raises(TypeError, match=r"write them in place, tensors\['w0'\]\.copy_"):
        tensors["w0"] = weight
    with pytest.raises(KeyError, match="'weight': the program's tensors are w0"):
        tensors["weight"]
