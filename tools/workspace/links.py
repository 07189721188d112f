"""Check the links inside of a built site: each names a file that is there, and a place in it that is there.

    python3 -m tools.workspace.links docs/_build/html

Links to other sites are not followed. Exit code 1 where a link is broken; each is named with its page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FOREIGN = ("performance",)
"""Folders of pages that other programs made: links into them are checked, not those of their own."""


class Page(HTMLParser):
    """The links of a page, and the names of its places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)


@cache
def page_of(file: Path) -> Page:
    return Page(file.read_text(encoding="utf-8"))


def broken_links(file: Path, site: Path) -> Iterator[str]:
    """The links of a page that lead nowhere, with the reason."""
    for link in dict.fromkeys(page_of(file).links):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        path = unquote(parts.path)
        base = site if path.startswith("/") else file.parent
        target = (base / path.lstrip("/")).resolve() if path else file
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            yield f"{link}: there is no such file"
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in page_of(target).places:
            yield f"{link}: the page has no place of that name"


def pages(site: Path) -> list[Path]:
    """The pages of a site that are looked at."""
    found = (file for file in site.rglob("*.html") if file.relative_to(site).parts[0] not in ("_static", *FOREIGN))
    return sorted(found)


def main(folder: str) -> int:
    """Name each broken link."""
    site = Path(folder).resolve()
    found = {file: list(broken_links(file, site)) for file in pages(site)}
    for file, reasons in found.items():
        for reason in reasons:
            print(f"links: {file.relative_to(site)}: {reason}", file=sys.stderr)
    number = sum(len(page_of(file).links) for file in found)
    broken = sum(map(len, found.values()))
    print(f"links: {number} in {len(found)} pages, {broken or 'none'} broken")
    return int(broken > 0 or not found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
