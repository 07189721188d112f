"""Messages name pages of docs/errors that exist, every page is named by a message, and shows it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "errors"
PAGES = sorted(page.stem for page in FOLDER.glob("*.md") if page.stem != "index")
LINK = re.compile(r"\(see docs/errors/([\w-]+)\)")
SUFFIXES = {".py", ".pyx", ".pxd", ".h"}


def pages_named_in_messages() -> set[str]:
    """The names of pages in the sources of all packages."""
    sources = [*ROOT.glob("packages/*/src/**/*"), *ROOT.glob("shared/*/src/**/*")]
    texts = [source.read_text(encoding="utf-8") for source in sources if source.suffix in SUFFIXES]
    return {name for text in texts for name in LINK.findall(text)}


def test_messages_and_pages_name_each_other() -> None:
    assert pages_named_in_messages() == set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_a_message_that_names_it(page: str) -> None:
    assert page in LINK.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8"))


def test_the_index_lists_every_page() -> None:
    text = (FOLDER / "index.md").read_text(encoding="utf-8")
    words, _, tree = text.partition("```{toctree}")
    assert sorted(re.findall(r"\]\(([\w-]+)\.md\)", words)) == PAGES
    assert sorted(line for line in tree.splitlines() if re.fullmatch(r"[a-z][\w-]*", line)) == PAGES
