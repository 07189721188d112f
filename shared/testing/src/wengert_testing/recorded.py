"""PyTorch's recorded answers and the known differences from them: their two formats, read and written here alone.

Answers are JSON lines. The first line is a header, ``{"torch": "2.13.0+cpu", ...}``; each further line is a case,
``{"case": NAME, "question": ..., "answer": ...}``. The question says what was asked, where the name does not: the
arguments, or a digest of the text that stands elsewhere. An answer to another question is out of date.

Differences are text. A line ``## REASON`` heads the cases that it is about; what stands before the first describes the
file. ``NAME`` is a case, ``NAME: a, b`` is the cases "NAME: a" and "NAME: b".

This module imports nothing of wengert's, so that it also runs beside PyTorch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """A line of a file of answers."""

    case: str
    question: Any
    answer: Any


class Recording(NamedTuple):
    """A file of answers."""

    header: dict[str, Any]
    entries: list[Entry]

    @property
    def answers(self) -> dict[str, Any]:
        """The answers by the names of their cases."""
        return {entry.case: entry.answer for entry in self.entries}

    @property
    def questions(self) -> dict[str, Any]:
        """The questions by the names of their cases."""
        return {entry.case: entry.question for entry in self.entries}


def read_answers(path: Path) -> Recording:
    """Return the header and the cases of a file. Raises ValueError for a case that it has twice."""
    header, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    entries = [Entry(line["case"], line.get("question"), line["answer"]) for line in lines]
    if twice := duplicates(entry.case for entry in entries):
        raise ValueError(f"{path.name} has these cases twice: {', '.join(twice)}")
    return Recording(header, entries)


def write_answers(path: Path, header: dict[str, Any], entries: Iterable[Entry]) -> None:
    """Write a file of answers, in the order of the cases."""
    lines = [json.dumps(header)]
    for case, question, answer in entries:
        asked = {} if question is None else {"question": question}
        lines.append(json.dumps({"case": case, **asked, "answer": answer}, separators=(",", ":")))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def update_answers(
    path: Path,
    header: dict[str, Any],
    entries: Iterable[Entry],
    agree: Callable[[Entry, Entry], bool],
    replace: bool = False,
) -> list[str]:
    """Write new answers, but keep those of questions that were asked before; return the names of those that disagree.

    Kept answers stay as they are to the last digit, which differs between processors. agree(old, new) says whether the
    answers of two lines are the same but for that. replace: write every new answer.
    """
    before = {} if replace or not path.exists() else {entry.case: entry for entry in read_answers(path).entries}
    written, unlike = [], []
    for entry in entries:
        old = before.get(entry.case)
        if old is None or old.question != entry.question or old.answer is None:
            written.append(entry)
            continue
        written.append(old)
        if not agree(old, entry._replace(answer=as_read(entry.answer))):
            unlike.append(entry.case)
    write_answers(path, header, written)
    return unlike


def are_equal(old: Entry, new: Entry) -> bool:
    """Return whether two lines have the same answer, to the last digit."""
    return bool(old.answer == new.answer)


def as_read(answer: Any) -> Any:
    """Return an answer as it is read from a file, where tuples are lists and all keys are texts."""
    return json.loads(json.dumps(answer))


def read_differences(*paths: Path) -> dict[str, str]:
    """Return the reasons by the names of the cases. Raises ValueError for a case without a reason or with two."""
    found: list[tuple[str, str]] = []
    for path in paths:
        found += parse_differences(path.read_text(encoding="utf-8"), path.name)
    if twice := duplicates(case for case, _ in found):
        raise ValueError(f"{', '.join(path.name for path in paths)}: these cases are given twice: {', '.join(twice)}")
    return dict(found)


def parse_differences(text: str, name: str = "differences") -> list[tuple[str, str]]:
    """Return (case, reason) for each case of a text.

    >>> parse_differences("About the file.\\n\\n## rounds otherwise\\nexp: float16, bfloat16\\nlog\\n")
    [('exp: float16', 'rounds otherwise'), ('exp: bfloat16', 'rounds otherwise'), ('log', 'rounds otherwise')]
    """
    found = []
    for reason, line in lines_with_reasons(text, name):
        case, colon, parts = line.partition(": ")
        found += [(f"{case}: {part}" if colon else case, reason) for part in parts.split(", ")]
    return found


def lines_with_reasons(text: str, name: str = "differences") -> Iterator[tuple[str, str]]:
    """Yield (reason, line) for each line below a reason. Raises ValueError for a reason without a line."""
    for block in ("\n" + text).split("\n## ")[1:]:
        reason, *lines = map(str.strip, block.splitlines())
        if not reason or not any(lines):
            raise ValueError(f"{name}: expected '## REASON' with lines below, got {block!r}")
        yield from ((reason, line) for line in lines if line)


def duplicates(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, sorted."""
    seen: set[str] = set()
    return sorted({name for name in names if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
