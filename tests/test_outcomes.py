"""The outcome of a test in a process of pytest-xdist, which sends nothing of steps that passed (conftest.py)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("xdist")
ROOT = Path(__file__).parents[1]
TESTS = """
import os, warnings
import pytest

@pytest.fixture
def broken_setup():
    raise ValueError("of a setup")

@pytest.fixture
def broken_teardown():
    yield
    raise ValueError("of a teardown")

@pytest.fixture
def absent():
    pytest.skip("in a setup")

def test_passes(): pass
def test_fails(): raise ValueError("of a test")
def test_setup(broken_setup): pass
def test_teardown(broken_teardown): pass
def test_skips(): pytest.skip("in a test")
def test_skips_in_setup(absent): pass
def test_prints(): print("said before"); raise ValueError("of a test that prints")
@pytest.mark.xfail(strict=True, reason="open")
def test_known(): raise ValueError
@pytest.mark.xfail(strict=True, reason="is done")
def test_known_no_more(): pass
"""
OUTCOMES = {
    "test_passes": ["PASSED"],
    "test_fails": ["FAILED"],
    "test_setup": ["ERROR"],
    "test_teardown": ["ERROR", "PASSED"],
    "test_prints": ["FAILED"],
    "test_known": ["XFAIL"],
    "test_known_no_more": ["FAILED"],
}


def run(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on a file of tests, in processes of pytest-xdist with the settings that all our tests have."""
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -ra\n", encoding="utf-8")
    (folder / "test_some.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider", *options]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False, timeout=120)


def test_every_outcome_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, TESTS, "-rA")
    found: dict[str, list[str]] = {}
    for outcome, name in re.findall(r"^([A-Z]+) test_some\.py::(\w+)", done.stdout, re.MULTILINE):
        found.setdefault(name, []).append(outcome)
    assert {name: sorted(outcomes) for name, outcomes in found.items()} == OUTCOMES
    assert "3 failed, 2 passed, 2 skipped, 1 xfailed, 2 errors" in done.stdout
    assert done.returncode == 1
    for said in ("of a setup", "of a teardown", "of a test", "said before", "in a setup", "in a test"):
        assert said in done.stdout, said


def test_the_end_of_a_process_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, "import os\ndef test_ends(): os._exit(3)\ndef test_is_next(): pass\n")
    assert "crashed while running 'test_some.py::test_ends'" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


def test_times_of_all_steps_are_told_where_they_are_asked_for(tmp_path: Path) -> None:
    done = run(tmp_path, "def test_passes(): pass\n", "--durations=0", "-vv")
    assert {"setup", "call", "teardown"} <= set(re.findall(r"s (\w+) +test_some", done.stdout))
