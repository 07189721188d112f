"""The changelog: towncrier composes it of fragments in changes/, and each of them is one sentence of a known kind."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
FOLDER = ROOT / SETTINGS["directory"]
KINDS = [kind["directory"] for kind in SETTINGS["type"]]
NAME = re.compile(rf"\+[a-z0-9][a-z0-9-]*\.({'|'.join(KINDS)})\.md")
ENDS = re.compile(r"[.!?]\s+(?=[A-Z`])")


def fault(name: str, text: str) -> str:
    """Return the defect of a fragment; '' if it has none."""
    if not NAME.fullmatch(name):
        return f"{name}: the name should be +short-title.KIND.md, KIND one of {', '.join(KINDS)}"
    sentence = text.strip()
    if not re.match(r"[A-Z`]", sentence) or not sentence.endswith(".") or "\n\n" in sentence or ENDS.search(sentence):
        return f"{name}: should hold one sentence, from its capital letter to its full stop"
    return ""


def compose(root: Path) -> str:
    """Return the text that towncrier makes of the fragments below a folder."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9", "--date", "2030-01-02"]
    command += ["--config", str(ROOT / "pyproject.toml"), "--dir", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_fragments_are_sound() -> None:
    files = [file for file in FOLDER.iterdir() if file.name != "README.md"]
    assert [text for file in files if (text := fault(file.name, file.read_text(encoding="utf-8")))] == []


def test_fragments_lie_in_one_folder() -> None:
    assert sorted(map(str, [*ROOT.glob("packages/*/changes"), *ROOT.glob("shared/*/changes")])) == []


@pytest.mark.parametrize(("name", "text"), [
    ("+title.news.md", "A sentence."), ("title.fix.md", "A sentence."), ("+Two words.fix.md", "A sentence."),
    ("+title.fix.md", "# A heading"), ("+title.fix.md", " "), ("+title.fix.md", "One. Two."),
    ("+title.fix.md", "no end"), ("+title.fix.md", "One.\n\nTwo."),
])
def test_a_bad_fragment_is_named(name: str, text: str) -> None:
    assert fault(name, text).startswith(name)
    assert fault("+a-title.fix.md", "`x.size()` is right,\nalso of 2.5 dims.\n") == ""


def test_sections_go_by_kind(tmp_path: Path) -> None:
    folder = tmp_path / SETTINGS["directory"]
    folder.mkdir()
    for kind, text in (("perf", "Twice."), ("fix", "One line,\nanother."), ("feature", "A name.")):
        (folder / f"+title.{kind}.md").write_text(text + "\n", encoding="utf-8")
    text = compose(tmp_path)
    assert re.findall(r"^##.*|^- .*(?:\n  .*)?", text, re.MULTILINE) == [
        "## 9.9 (2030-01-02)", "### New", "- A name.", "### Faster", "- Twice.", "### Fixed", "- One line,\n  another.",
    ]


def test_the_newest_section_is_of_the_packages_version() -> None:
    text = (ROOT / SETTINGS["filename"]).read_text(encoding="utf-8").partition(SETTINGS["start_string"])[2]
    project = tomllib.loads((ROOT / "packages/wengert/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.search(r"^## (\S+)", text, re.MULTILINE)[1] == project["version"]
