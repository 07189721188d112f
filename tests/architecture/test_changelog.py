"""The changelog: every package has fragments that tools/workspace/changelog.py understands, and it composes them."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
[build-system]
requires = []
[project]
name = "{name}"
version = "0.2.0"
dependencies = [{needs}]
"""


@pytest.fixture(scope="module")
def changelog(tool):
    return tool("workspace.changelog")


def package(root: Path, name: str, needs: str = "", **changes: str) -> None:
    folder = root / "packages" / name
    (folder / "changes").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(PROJECT.format(name=name, needs=needs))
    for file, text in changes.items():
        (folder / "changes" / (file.replace("__", ".") + ".md")).write_text(text)


def test_every_package_has_fragments_and_they_are_sound(changelog) -> None:
    some = changelog.packages()
    assert {one.name: changelog.faults(one) for one in some} == {one.name: [] for one in some}
    assert [one.name for one in some if not changelog.fragments(one)] == []
    text = changelog.compose()
    assert [one.name for one in some if f"### {one.name}\n" not in text] == []


def test_sections_go_by_package_and_kind(changelog, tmp_path: Path) -> None:
    package(tmp_path, "below", faster__perf="Twice.\n", bug__fix="One line,\nanother.\n")
    package(tmp_path, "above", '"below"', name__feature="A name.\n")
    package(tmp_path, "quiet")
    assert changelog.compose(tmp_path) == (
        "## 0.2.0\n\n### above\n\n**New**\n\n- A name.\n\n"
        "### below\n\n**Faster**\n\n- Twice.\n\n**Fixed**\n\n- One line,\n  another.\n"
    )


def test_a_bad_fragment_is_named(changelog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changelog, "ROOT", tmp_path)
    package(tmp_path, "one", a__news="Text.", b__fix="# Heading", c__fix=" ", good__fix="Text.")
    faults = changelog.faults(changelog.packages(tmp_path)[0])
    assert [fault.partition(":")[0].rpartition("/")[2] for fault in faults] == ["a.news.md", "b.fix.md", "c.fix.md"]
