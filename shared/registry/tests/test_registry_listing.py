"""The table of plugins: text, HTML, JSON, and the program that prints it."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import wengert_registry
from wengert_registry import listing

FIELDS = ["group", "name", "distribution", "version", "state", "value", "import_ms", "error"]


@pytest.fixture
def mixture(world):
    world.install("good 1.0", {"ops:good": "list_good:x"}, list_good="x = 1")
    world.install("bad 2", {"devices:bad": "list_bad:x"}, list_bad="raise OSError('<b>no</b>\\n\\x1b[31m driver')")
    world.install("new 3", {"wengert.ops.v2:new": "m:x"})
    return world


def test_the_table_is_aligned(mixture, capsys):
    assert listing.main([], mixture.registry()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["group", "name", "distribution", "state", "ms", "error"]
    assert [line.split()[:5] for line in lines[1:]] == [
        ["wengert.devices.v1", "bad", "bad", "2", "available"],
        ["wengert.ops.v1", "good", "good", "1.0", "available"],
        ["wengert.ops.v2", "new", "new", "3", "incompatible"],
    ]
    states = ("state", "avail", "avail", "incom")
    assert len({line.index(state) for line, state in zip(lines, states, strict=True)}) == 1
    assert mixture.imported_modules() == set()


def test_json_has_every_field(mixture, capsys):
    assert listing.main(["--json"], mixture.registry()) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [list(row) for row in rows] == [FIELDS] * 3
    assert rows[1] == dict(
        zip(FIELDS, ["wengert.ops.v1", "good", "good", "1.0", "available", "list_good:x", None, ""], strict=True)
    )
    assert rows[2]["error"].startswith("made for wengert.ops.v2")


@pytest.mark.parametrize("strict", ["", "1"])
def test_load_tries_everything_and_tells_what_failed(mixture, capsys, strict):
    assert listing.main(["--load", "--json"], mixture.registry(WENGERT_PLUGINS_STRICT=strict)) == 1
    bad, good, new = json.loads(capsys.readouterr().out)
    assert (bad["state"], good["state"], new["state"]) == ("failed", "loaded", "incompatible")
    assert "OSError" in bad["error"]
    assert good["import_ms"] > 0


@pytest.mark.parametrize("strict", ["", "1"])
def test_what_composing_complains_about_is_on_stderr(world, capsys, strict):
    world.install("sloppy 1", "[wengert.ops.v1]\nnonsense\n")
    assert listing.main([], world.registry(WENGERT_PLUGINS="offf", WENGERT_PLUGINS_STRICT=strict)) == 1
    shown = capsys.readouterr()
    assert "WENGERT_PLUGINS: 'offf' is not understood" in shown.err
    assert "sloppy 1" in shown.out


def test_an_error_stays_on_its_line(mixture):
    table = mixture.registry().table(load=True)
    assert len(str(table).splitlines()) == 4
    assert "\x1b" not in str(table)


def test_html_is_escaped(mixture):
    registry = mixture.registry()
    registry.register("ops", "<script>alert(1)</script>", 1, owner='"&')
    html = registry.table(load=True)._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == 5
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html
    assert "&quot;&amp;" in html


def test_the_module_runs_as_a_program(mixture):
    source = str(Path(wengert_registry.__file__).parents[1])
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([source, *mixture.paths])}
    command = [sys.executable, "-m", "wengert_registry", "--json"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert {"bad", "good", "new"} <= {row["name"] for row in json.loads(done.stdout)}


def test_the_version_is_that_of_the_project():
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == wengert_registry.__version__
