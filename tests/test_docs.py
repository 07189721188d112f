"""The documentation's tools: links that lead nowhere are found, and the landing page shows what was measured."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = """
processor A Processor, python 3.11.7, wengert 0.1.0, torch 2.13.0+cpu, numpy 2.4.6, commit abc1234, load 1.83

**PyTorch's time over wengert's, for each aim**

| line | rows | lowest | median | aim |  |
| :--- | ---: | ---: | ---: | ---: | :--- |
| RK4 example | 1 | 10.04 | 10.24 | 6 | ok |
| a < b | 15 | 1.00 | 2.56 | 8 | below |

**Import, memory, size**

| fact | 1 | 1.14 | 1.25 | ok |  |
"""


@pytest.fixture(scope="module", autouse=True)
def paths() -> Iterator[None]:
    before = list(sys.path)
    sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_ext")]
    yield
    sys.path[:] = before


@pytest.fixture
def speed(paths: None) -> ModuleType:
    import speed

    return speed


@pytest.fixture
def links(paths: None) -> ModuleType:
    from tools.workspace import links

    return links


def test_the_figure_shows_the_medians_of_the_table(speed: ModuleType) -> None:
    lines = speed.lines_of(PAGE)
    assert lines == [("RK4 example", 10.24), ("a < b", 2.56)]
    drawn = speed.figure(lines)
    assert re.findall(r">([^<]+)</text>", drawn) == [
        "fitting a differential equation, scalars", "10.2", "a &lt; b", "2.6", "PyTorch",
    ]  # fmt: skip
    widths = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', drawn)]
    assert widths == [speed.WIDTH, speed.WIDTH / 4]
    assert "\n\n" not in drawn  # an empty line ends HTML in Markdown
    assert "PyTorch 2.13.0+cpu, A Processor, commit abc1234" in speed.source_of(PAGE)


def test_the_figure_has_a_table_to_draw(speed: ModuleType) -> None:
    assert len(speed.lines_of(speed.PAGE.read_text(encoding="utf-8"))) > 5
    with pytest.raises(ValueError, match="make compare"):
        speed.lines_of("")


def test_every_page_is_linked_from_the_landing_page() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    words, _, trees = text.partition("```{toctree}")
    listed = {line for line in trees.splitlines() if re.fullmatch(r"[a-zA-Z][\w/-]*", line)} - {"maxdepth", "hidden"}
    linked = {link.removesuffix(".md") for link in re.findall(r"\]\(([\w/-]+\.md)\)", words)}
    assert listed - linked == set()


def test_the_files_to_read_first_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\d\. `(packages/[^`]+)`", text, re.MULTILINE)
    assert len(listed) == 6
    assert [name for name in listed if not (ROOT / name).is_file()] == []


def test_broken_links_are_found(links: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<h1 id="a b">x</h1><a href="../index.html#top">up</a>')
    good = ["https://example.org/x", "mailto:a@b", "sub/", "sub/index.html#a%20b", "#top", "/sub/index.html", "#"]
    (tmp_path / "index.html").write_text('<p id="top">' + "".join(f'<a href="{one}">x</a>' for one in good))
    assert links.main(str(tmp_path)) == 0
    assert "8 in 2 pages, none broken" in capsys.readouterr().out
    links.page_of.cache_clear()
    bad = '<img src="gone.png"><a href="sub/index.html#b">x</a><a href="#nowhere">x</a><a href="sub/gone.html#b">x</a>'
    (tmp_path / "index.html").write_text(bad)
    assert links.main(str(tmp_path)) == 1
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        "links: index.html: gone.png: there is no such file",
        "links: index.html: sub/index.html#b: the page has no place of that name",
        "links: index.html: #nowhere: the page has no place of that name",
        "links: index.html: sub/gone.html#b: there is no such file",
        "links: sub/index.html: ../index.html#top: the page has no place of that name",
    ]


def test_a_folder_without_pages_is_no_site(links: ModuleType, tmp_path: Path) -> None:
    assert links.main(str(tmp_path)) == 1
