"""Reports that sanitizers wrote: each once, with the first frame that is ours."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

START = re.compile(
    r"(?:ERROR|WARNING): (\w+Sanitizer): ([\w-]+(?: [a-z]+)?)|^(.*?): runtime error: (.*)$", re.MULTILINE
)
NUMBER = re.compile(r"0x[0-9a-f]+|-?\d{3,}")
FRAME = re.compile(r"#\d+ (?:0x[0-9a-f]+ in )?(\S+) (\S*(?:wengert|_native)\S*)")


def reports(text: str) -> list[tuple[str, str]]:
    """Kind and place of each report in a log."""
    found = list(START.finditer(text))
    ends = [*(match.start() for match in found), len(text)][1:]
    return [describe_report(match, text[match.end() : end]) for match, end in zip(found, ends, strict=True)]


def describe_report(match: re.Match[str], rest: str) -> tuple[str, str]:
    """Kind and place of one report: the rest of it holds the frames."""
    if match[3]:
        return f"runtime error: {NUMBER.sub('N', match[4])}", match[3].rpartition("/")[2]
    frame = FRAME.search(rest)
    place = f"{frame[1]} {frame[2].rpartition('/')[2]}" if frame else "no frame of ours: see the log"
    return f"{match[1]}: {match[2]}", place


def summary(folder: Path) -> tuple[str, int]:
    """A table of all reports in the logs of a folder, and their number."""
    counts: Counter[tuple[str, str]] = Counter()
    logs: dict[tuple[str, str], str] = {}
    for file in sorted(folder.glob("*.*")):
        for report in reports(file.read_text(encoding="utf-8", errors="replace")):
            counts[report] += 1
            logs.setdefault(report, file.name)
    lines = [f"{n:6}  {kind} at {place} ({logs[kind, place]})" for (kind, place), n in counts.most_common()]
    return "\n".join(lines) + "\n", sum(counts.values())
