"""Docstrings as this project writes them, plain text with ``code``, as reStructuredText.

Lines of the kind ``name: what it is`` keep their line breaks, examples stay examples, and nothing in the text is markup
but double backquotes.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

CODE = re.compile(r"(``.+?``)")
MARKUP = re.compile(r"([*|_\\`])")
LABEL = re.compile(r"\s*[\w ,.*]+:\s")


def escape_markup(text: str) -> str:
    """The text with what would be markup escaped, but for ``code``."""
    parts = CODE.split(text)
    return "".join(part if i % 2 else MARKUP.sub(r"\\\1", part) for i, part in enumerate(parts))


def paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    """Runs of lines without an empty one between them."""
    run: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            run.append(line)
        elif run:
            yield run
            run = []


def as_items(run: list[str]) -> list[str]:
    """A list of items that begin with a hyphen: what follows one is indented below it."""
    return [
        "- " + escape_markup(line.strip()[2:]) if is_item(line) else "  " + escape_markup(line.strip()) for line in run
    ]


def is_item(line: str) -> bool:
    return line.lstrip().startswith("- ")


def as_rst(run: list[str]) -> list[str]:
    """One paragraph: an example, a list, labeled lines, or running text."""
    first = next((i for i, line in enumerate(run) if line.lstrip().startswith(">>>")), None)
    if first is not None:
        indent = len(run[first]) - len(run[first].lstrip())
        before = [*as_rst(run[:first]), ""] if first else []
        return [*before, *(line[indent:] for line in run[first:])]
    item = next((i for i, line in enumerate(run) if is_item(line)), None)
    if item is not None:
        return [*(as_rst(run[:item]) if item else []), "", *as_items(run[item:])]
    if any(LABEL.match(line) for line in run[1:]) or (len(run) > 1 and LABEL.match(run[0])):
        return [f"| {escape_markup(line.strip())}" for line in run]
    return [escape_markup(line.strip()) for line in run]


def convert_docstring(lines: Iterable[str]) -> list[str]:
    """A whole docstring."""
    result: list[str] = []
    for run in paragraphs(lines):
        result += [*as_rst(run), ""]
    return result


def process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Autodoc's event: change the lines in place."""
    lines[:] = convert_docstring(lines)


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True}
