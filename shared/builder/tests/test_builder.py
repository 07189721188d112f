"""A package is built by setuptools and wengert-builder: one shared object with all its modules."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import wengert_builder

OPTIONS = """
import json
from wengert_builder import options
print(json.dumps([options.MODE, options.COMPILE, options.LINK, options.CYTHON]))
"""


@pytest.fixture(scope="module")
def unpacked_wheel(project, tmp_path_factory):
    """The folder of an unpacked wheel, and the names in it."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(project.build("build_wheel", WENGERT_JOBS="2")) as wheel:
        wheel.extractall(folder)
        return folder, wheel.namelist()


def ask(project, folder, expression):
    """The value of an expression where the package is installed."""
    program = f"import sys; sys.path.insert(0, {str(folder)!r})\nimport wengert_sample as w, inspect\n"
    program += "from importlib import import_module as module\n"
    return project.run(f"{program}print({expression})")


def test_a_wheel_has_one_shared_object_and_no_sources_of_c(unpacked_wheel):
    names = [name for name in unpacked_wheel[1] if not name.startswith("wengert_sample-")]
    (native,) = [name for name in names if name.endswith(".so")]
    assert native.startswith("wengert_sample/_native.")
    assert not [name for name in names if name.endswith((".pyx", ".c"))]
    assert "wengert_sample/plain.py" in names  # tracebacks show its lines


def test_all_modules_are_in_the_shared_object(project, unpacked_wheel):
    names = "_helpers bare.inner hot loops plain"
    assert ask(project, unpacked_wheel[0], "*(name[15:] for name in sorted(w._native.names()))") == names
    assert ask(project, unpacked_wheel[0], "w.total([1, 2, 3])") == "6"
    assert ask(project, unpacked_wheel[0], "module('wengert_sample.bare.inner').run()") == "1"
    assert ask(project, unpacked_wheel[0], "module('wengert_sample.bare').__doc__") == "A package without code."


def test_modules_named_as_compiled_are_c_and_others_are_bytecode(project, unpacked_wheel):
    kinds = "*(inspect.isfunction(getattr(module('wengert_sample.' + m), f)) for m, f in "
    kinds += "(('hot', 'run'), ('plain', 'where')))"
    assert ask(project, unpacked_wheel[0], kinds) == "False True"
    assert ask(project, unpacked_wheel[0], "w.plain.where().endswith('wengert_sample/plain.py')") == "True"


def test_modules_come_after_what_they_import_and_late_where_nothing_needs_them(project):
    made = next(project.folder.glob("build/temp*/modules.h")).read_text(encoding="utf-8")
    lines = [line.partition('"')[2].partition('"')[0] for line in made.splitlines()]
    assert lines.index("wengert_sample.plain") < lines.index("wengert_sample.loops")
    assert lines.index("wengert_sample.hot") < lines.index("wengert_sample.bare.inner")
    ends = {name: line[-2] for name, line in zip(lines, made.splitlines(), strict=True) if line[:2] in ("MO", "BY")}
    assert {name.rpartition(".")[2]: late for name, late in ends.items()} == {
        "_helpers": "0", "plain": "0", "loops": "0", "hot": "1", "inner": "1",
    }  # fmt: skip


def test_what_is_up_to_date_is_not_compiled_again(project, unpacked_wheel):
    objects = sorted(project.folder.glob("build/temp*/**/*.o"))
    before = [file.stat().st_mtime_ns for file in objects]
    project.build("build_wheel")
    assert [file.stat().st_mtime_ns for file in objects] == before
    assert len(objects) == 4  # native.c, _helpers, loops, hot


@pytest.mark.parametrize("changed", [False, True])
def test_c_files_of_another_python_or_mode_are_taken_unless_a_source_is_newer(project, unpacked_wheel, changed):
    (own,) = project.folder.glob("build/cpython-*-fast-*")
    other = own.with_name(f"cpython-300-quick-{own.name.split('-', 3)[3]}")
    own.rename(other)
    translation = other / "c/src/wengert_sample/loops.c"
    text = translation.read_text(encoding="utf-8")
    translation.write_text(f"{text}/* of Python 3.0 */\n", encoding="utf-8")
    if changed:
        later = translation.stat().st_mtime + 1
        os.utime(project.folder / "src/wengert_sample/plain.py", (later, later))
    project.build("build_wheel")
    made = own / "c/src/wengert_sample/loops.c"
    assert made.read_text(encoding="utf-8").endswith("/* of Python 3.0 */\n") == (not changed)
    shutil.rmtree(other)


def test_an_sdist_has_the_sources_and_needs_the_builder_alone(project):
    with tarfile.open(project.build("build_sdist")) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"src/wengert_sample/loops.pyx", "src/wengert_sample/plain.py", "hot.txt", "pyproject.toml"} <= names
    assert not [name for name in names if name.endswith((".c", ".so"))]


def test_the_checked_build_checks_bounds(project, tmp_path):
    with zipfile.ZipFile(project.build("build_wheel", WENGERT_CHECKED="1")) as wheel:
        wheel.extractall(tmp_path)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport wengert_sample.loops as loops\n"
    program += "try:\n    loops.beyond([1])\nexcept IndexError as error:\n    print(error)"
    assert project.run(program) == "list index out of range"


def test_modes_have_their_options(project):
    mode, options, link, cython = json.loads(project.run(OPTIONS))
    assert (mode, "-O3" in options, "-Wl,-s" in link, cython["boundscheck"]) == ("fast", True, True, False)
    assert "-Wl,-s" not in json.loads(project.run(OPTIONS, WENGERT_SYMBOLS="1"))[2]
    mode, options, _, cython = json.loads(project.run(OPTIONS, WENGERT_CHECKED="1"))
    assert (mode, "-O1" in options, cython["boundscheck"], cython["overflowcheck"]) == ("checked", True, True, True)
    assert "-Werror=int-conversion" in options
    mode, options, _, cython = json.loads(project.run(OPTIONS, WENGERT_QUICK="1"))
    assert (mode, "-O1" in options, "-O3" in options, cython["boundscheck"]) == ("quick", True, False, False)
    mode, options, link, _ = json.loads(project.run(OPTIONS, WENGERT_SANITIZE="thread"))
    assert (mode, "-fsanitize=thread" in options, "-fsanitize=thread" in link) == ("thread", True, True)


def test_an_unknown_sanitizer_is_an_error(project):
    program = "try:\n    import wengert_builder.options\nexcept SystemExit as error:\n    print(error)"
    says = "error: WENGERT_SANITIZE='adress': expected one of address, thread, or nothing"
    assert project.run(program, WENGERT_SANITIZE="adress") == says


def test_packages_without_the_table_are_left_alone(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    wengert_builder.configure(None)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'other'\n", encoding="utf-8")
    wengert_builder.configure(None)


def test_the_version_is_that_of_the_project():
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"] == wengert_builder.__version__
