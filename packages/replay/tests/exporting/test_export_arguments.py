"""Wrong arguments of save and load: names that fit nothing, files that are closed, of another kind, or at their end."""

from __future__ import annotations

import errno
import io
import stat
import zipfile

import pytest
import wengert as wg
from wengert_replay import ProgramFileError
from wengert_replay.exporting import document

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


def test_keywords_come_in_any_order():
    f = wg.capture(lambda x, *, scale, shift, options: x * scale * weight + shift + options["b"])
    arguments = {"scale": wg.tensor(2.0), "shift": wg.tensor(5.0), "options": {"a": None, "b": 1}}
    f(wg.ones(2), **arguments)
    file = io.BytesIO()
    wg.replay.explain(f).programs[0].save(file)
    file.seek(0)
    loaded = wg.replay.load(file)
    for names in (["scale", "shift", "options"], ["options", "shift", "scale"], ["shift", "scale", "options"]):
        for _ in range(2):
            assert loaded(wg.ones(2), **{name: arguments[name] for name in names}).tolist() == [8, 10]
    with pytest.raises(TypeError, match="was called with"):
        loaded(wg.ones(2), shift=wg.tensor(5.0), scale=wg.tensor(2.0))
    with pytest.raises(TypeError, match="was called with"):
        loaded(wg.ones(2), **arguments, more=1)


def test_a_file_stays_where_the_disk_is_full(program, tmp_path, monkeypatch):
    path = tmp_path / "program"
    program.save(path)
    data = path.read_bytes()

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(document, "write_parts", fail)
    for target in (path, tmp_path / "new"):
        with pytest.raises(OSError, match="No space left"):
            program.save(target)
    assert path.read_bytes() == data
    assert [one.name for one in tmp_path.iterdir()] == ["program"]


def test_a_file_that_is_replaced_has_its_permissions_and_its_links(program, tmp_path):
    path, link, plain = tmp_path / "program", tmp_path / "link", tmp_path / "plain"
    plain.touch()
    program.save(path)
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o640)
    link.symlink_to("program")
    program.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert wg.replay.load(link)(wg.ones(2)).item() == 3
    (tmp_path / "later").symlink_to("missing")
    program.save(tmp_path / "later")
    assert (tmp_path / "missing").is_file()
    assert len([*tmp_path.iterdir()]) == 5


class Part(io.RawIOBase):
    """A file that takes 100 bytes at a time."""

    def __init__(self, most=100):
        self.data, self.most = b"", most

    def writable(self):
        return True

    def write(self, data):
        taken = bytes(data)[: self.most]
        self.data += taken
        return len(taken)


def test_a_file_that_takes_a_part_at_a_time(program, data):
    file = Part()
    program.save(file)
    assert file.data == data
    with pytest.raises(OSError, match="the file takes 0 of"):
        program.save(Part(0))


class Silent:
    """A file that does not say what it takes."""

    data = b""

    def write(self, data):
        self.data += bytes(data)


def test_a_file_that_does_not_say_what_it_takes(program, data):
    file = Silent()
    program.save(file)
    assert file.data == data


@pytest.mark.parametrize("value", [
    complex("nan"), complex(1, float("nan")), complex(float("nan"), -0.0), complex(-0.0, float("inf")), float("nan"),
    -0.0,
])  # fmt: skip
def test_numbers_that_are_none_stay_what_they_are(value):
    f = wg.capture(lambda x, number: (x * 2, number, [number]))
    f(wg.ones(2), value)
    file = io.BytesIO()
    wg.replay.explain(f).programs[0].save(file)
    file.seek(0)
    loaded = wg.replay.load(file)
    for _ in range(3):
        _, number, (same,) = loaded(wg.ones(2), value)
        assert repr(number) == repr(same) == repr(value)
        assert type(number) is type(value)


def test_complex_numbers_that_python_reads_stay_what_they_are():
    f = wg.capture(lambda x: (x.sum(), x.tolist(), x[0].item()))
    x = wg.tensor([complex(1, float("nan")), complex(float("nan"), 2)])
    expected = repr(f(x)[1:])
    file = io.BytesIO()
    wg.replay.explain(f).programs[0].save(file)
    file.seek(0)
    loaded = wg.replay.load(file)
    assert [repr(loaded(x)[1:]) for _ in range(3)] == [expected] * 3


def test_modes_that_change_results_are_told(data):
    loaded = wg.replay.load(io.BytesIO(data))
    for _ in range(2):
        with wg.autocast("cpu"), pytest.raises(RuntimeError, match="turn autocast off around the call"):
            loaded(wg.ones(2))
        with wg.autocast("cpu"), wg.autocast("cpu", enabled=False):
            assert loaded(wg.ones(2)).item() == 3
        with wg.device("sim"), pytest.raises(RuntimeError, match="default device 'cpu'"):
            loaded(wg.ones(2, device="cpu"))
        assert loaded(wg.ones(2)).item() == 3


def test_a_tensor_of_another_dtype_is_told(data):
    loaded = wg.replay.load(io.BytesIO(data))
    loaded.tensors["w0"].data = wg.ones(2, dtype=wg.float64)
    with pytest.raises(RuntimeError, match=r"tensors\['w0'\] has other data .*: float64, and not float32; write"):
        loaded(wg.ones(2))


def test_a_transform_around_a_call(data):
    loaded = wg.replay.load(io.BytesIO(data))
    assert wg.vmap(loaded)(wg.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist() == [5, 11]
