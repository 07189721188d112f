"""Modules below wengert have no files: what importlib, pkgutil and inspect make of them, and how little they cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import wengert
from wengert.parts import NOT_PARTS
from wengert_testing.plugins import install, run

SPECS = """
import importlib, importlib.resources, importlib.util, inspect, pkgutil, sys
import wengert
for name in ("wengert.linalg", "wengert.nn", "wengert.autograd.graph", "wengert.return_types", "wengert.compose"):
    spec = importlib.util.find_spec(name)
    assert spec.name == name and spec is sys.modules[name].__spec__, name
assert importlib.util.find_spec("wengert.linalg.no_such_module") is None
assert importlib.util.find_spec("wengert.no_such_module") is None
assert repr(wengert.linalg) == "<module 'wengert.linalg' (mounted)>"
assert importlib.import_module(".autograd.forward_ad", wengert.linalg.__package__.partition(".")[0])
assert [*pkgutil.walk_packages(wengert.linalg.__path__, "wengert.linalg.")] == []
assert [*importlib.resources.files("wengert.linalg").iterdir()] == []
try:
    inspect.getfile(wengert.linalg)
except TypeError as error:
    assert "wengert.linalg" in str(error)
else:
    raise AssertionError
"""


def succeed(folder: Path, program: str, **environment: str) -> list[str]:
    """The lines that a program prints."""
    done = run(folder, "-W", "error", "-c", program, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_module_without_a_file_has_a_spec(tmp_path: Path) -> None:
    assert succeed(tmp_path, SPECS) == []


def test_a_module_that_is_reloaded_or_imported_again_keeps_its_names(tmp_path: Path) -> None:
    """Folders of stubs lie where Python looks for packages: they are none."""
    install(tmp_path, "acme", {"namespace:acme": "acme_module"}, acme_module="answer = 42")
    program = """
import importlib, sys
import wengert as wg
before = wg.linalg.norm, wg.acme.answer, wg.autograd.grad
for name in ("linalg", "acme", "autograd"):
    assert importlib.reload(getattr(wg, name)) is getattr(wg, name)
    assert wg.linalg.__path__ == []
assert (wg.linalg.norm, wg.acme.answer, wg.autograd.grad) == before
for name in ("wengert.linalg", "wengert.acme", "wengert.autograd"):
    del sys.modules[name]
    importlib.import_module(name)
assert (wg.linalg.norm, wg.acme.answer, wg.autograd.grad) == before
"""
    assert succeed(tmp_path, program) == []


COUNT = """
import sys
import wengert_core
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
sys.setprofile(count)
import wengert
sys.setprofile(None)
assert "many_module" not in sys.modules
print(calls, sum(one.name.startswith("many") for one in wengert.plugins.group("namespace").known_candidates()))
print(wengert.many.part2.m7, "many_module" in sys.modules)
"""


@pytest.mark.parametrize("marker", ["[wengert.first_party.v1]\nwengert-many = many_module\n\n", ""])
def test_an_import_does_not_look_at_the_entry_points_below_a_head(tmp_path: Path, marker: str) -> None:
    calls = {}
    for number in (10, 410):
        folder = tmp_path / str(number)
        folder.mkdir()
        install(folder, "wengert-many", {}, many_module="x7 = 7")
        lines = [f"many.part{i % 5}.m{i} = many_module:x{i}\n" for i in range(number)]
        text = f"{marker}[wengert.namespace.v1]\n{''.join(lines)}"
        (folder / "wengert_many-1.dist-info" / "entry_points.txt").write_text(text, encoding="utf-8")
        counted, mounted = succeed(folder, COUNT)
        assert mounted == "7 True"
        calls[number], made = map(int, counted.split())
        assert made == 0
    assert calls[410] - calls[10] < 20 * 400  # reading one takes 17, looking at one 70 more


REFUSED = [
    {"namespace:acme.solve": "acme_module:x", "namespace:acme.solve.deep": "acme_module:x"},
    {"namespace:acme.x": "acme_module:x", "namespace:acme.__x": "acme_module:x"},
    {"namespace:acme.x": "acme_module:x", "namespace:linalg.norm": "acme_module:x"},
    {"namespace:acme.x": "acme_module:x", "namespace:Tensor.exp": "acme_module:x"},
]


@pytest.mark.parametrize("points", REFUSED, ids=["in an object", "underscores", "beside a head", "method"])
def test_what_is_refused_is_still_said_by_the_import(tmp_path: Path, points: dict[str, str]) -> None:
    install(tmp_path, "acme", points, acme_module="x = 3")
    done = run(tmp_path, "-c", "import wengert as wg\nprint(wg.acme.x if hasattr(wg.acme, 'x') else wg.acme.solve)")
    assert done.stdout == "3\n"
    assert "PluginWarning: plugin acme 1" in done.stderr
    assert f"'{[*points][1].removeprefix('namespace:')} = acme_module:x'" in done.stderr


def test_two_strangers_below_one_head_keep_their_names(tmp_path: Path) -> None:
    install(tmp_path, "first", {"namespace:acme.a": "first_module:x", "namespace:acme.c": "first_module:x"},
            first_module="x = 1")  # fmt: skip
    install(tmp_path, "second", {"namespace:acme.b.deep": "second_module:x", "namespace:acme.c": "second_module:x"},
            second_module="x = 2")  # fmt: skip
    program = """
import wengert as wg
print(wg.acme.a, wg.acme.b.deep, hasattr(wg.acme, "c"), [name for name in dir(wg.acme) if name[0] != "_"])
wg.plugins.disable("second")
print(wg.acme.a, hasattr(wg.acme, "b"), wg.acme.c)
wg.plugins.enable("second")
print(wg.acme.b.deep, hasattr(wg.acme, "c"))
with wg.plugins.group("namespace").register("acme.d", 4):
    print(wg.acme.d)
print(hasattr(wg.acme, "d"), wg.acme.a)
"""
    assert succeed(tmp_path, program) == [
        "1 2 False ['a', 'b', 'c']", "1 False 1", "2 False", "4", "False 1",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NOT_PARTS)
def test_a_name_that_is_no_part_is_absent_and_says_why(name: str) -> None:
    where: Any = wengert
    *path, last = name.split(".")
    for part in path:
        where = getattr(where, part)
    with pytest.raises(AttributeError) as caught:
        getattr(where, last)
    assert NOT_PARTS[name] in str(caught.value)
