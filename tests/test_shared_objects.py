"""The modules in the shared object of a package: C, or bytecode (wengert_builder, Note [What is compiled])."""

from __future__ import annotations

import inspect
import linecache
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.workspace.packages import fingerprints, packages

NATIVE = ["wengert_core", "wengert_engine", "wengert_formulas"]
COMPILED = [package for package in packages() if package.modules]


@pytest.mark.parametrize("package", NATIVE)
def test_every_module_of_a_shared_object_can_be_imported(package):
    program = (f"import importlib, {package}._native as native\nnames = native.names()\n"
               "print([n for n in names if importlib.import_module(n).__spec__.name != n], len(names) > 60)")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "[] True\n"), run.stderr


@pytest.mark.parametrize("package", COMPILED, ids=lambda package: package.name)
def test_each_pattern_of_compiled_files_names_one_python_file(package):
    for pattern in package.settings["tool"]["wengert-builder"].get("compiled", []):
        found = [file for file in package.modules if file.match(pattern)]
        assert [file.suffix for file in found] == [".py"], (pattern, found)


def test_functions_of_everyday_operations_are_compiled_and_others_are_python():
    from wengert_core.runtime import user_warnings
    from wengert_formulas.derivatives.view import views

    assert inspect.isfunction(user_warnings.warn_user)
    assert type(views.inverse_permute).__name__ == "cython_function_or_method"


def test_a_module_kept_as_bytecode_shows_its_source():
    from wengert_core.runtime import user_warnings

    file = Path(user_warnings.__file__)
    assert file.name == "user_warnings.py"
    assert file.exists()
    assert user_warnings.__spec__.origin == str(file)
    assert user_warnings.__loader__ is user_warnings.__spec__.loader
    assert user_warnings.__package__ == "wengert_core.runtime"
    assert inspect.getsource(user_warnings.warn_user).startswith("def warn_user(")


def test_a_traceback_shows_the_line_of_a_module_kept_as_bytecode():
    from wengert_core.runtime import user_warnings

    with pytest.raises(TypeError) as caught:
        user_warnings.warn_of_lost_hooks(3)
    last = traceback.extract_tb(caught.tb)[-1]
    assert Path(last.filename).name == "user_warnings.py"
    assert last.line == linecache.getline(user_warnings.__file__, last.lineno).strip() == "for hook in hooks:"


def test_a_module_kept_as_bytecode_can_be_loaded_again():
    program = ("import importlib; from wengert_core.runtime import user_warnings as module; before = module.warn_user\n"
               "again = importlib.reload(module)\nprint(again is module, module.warn_user is before)")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "True False\n"), run.stderr


PROJECT = """
[build-system]
requires = [{requires}]
[project]
name = "{name}"
dependencies = [{needs}]
{table}
"""


def test_a_change_of_the_builder_rebuilds_what_it_builds_and_nothing_else(tmp_path):
    """An editable install of plain Python sees its sources; a change of the registry must not compile core."""
    table = '[tool.wengert-builder]\nnative = "core"\nextensions = ["**/*.pyx"]'
    for name, requires, needs, table_of_it in (("builder", "", "", ""), ("registry", "", "", ""),
                                               ("core", '"builder"', '"registry"', table)):
        folder = tmp_path / "shared" / name
        (folder / "src" / name).mkdir(parents=True)
        text = PROJECT.format(name=name, requires=requires, needs=needs, table=table_of_it)
        (folder / "pyproject.toml").write_text(text, encoding="utf-8")
        for file in ("__init__.py", "native.c", "loops.pyx"):
            (folder / "src" / name / file).write_text("", encoding="utf-8")

    def dependents(file):
        before = fingerprints(packages(tmp_path))
        (tmp_path / "shared" / file).write_text("# changed", encoding="utf-8")
        after = fingerprints(packages(tmp_path))
        return [name for name in before if after[name] != before[name]]

    assert dependents("builder/src/builder/__init__.py") == ["core"]
    assert dependents("builder/src/builder/native.c") == ["core"]
    assert dependents("registry/src/registry/__init__.py") == []
    assert dependents("core/src/core/loops.pyx") == ["core"]
