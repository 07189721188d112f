"""The table of docs/projects.md."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from tools.compare.facts import processor
from tools.projects.table import Project
from tools.workspace.packages import ROOT

PAGE = ROOT / "docs" / "projects.md"
BEGIN, END = "<!-- projects: begin -->", "<!-- projects: end -->"
HEADER = ("project", "version", "what the program does", "results equal", "time", "tests that pass",
          "time of the tests", "what does not run, and why")  # fmt: skip


def ratio(seconds: list[float]) -> str:
    """Return wengert's time over PyTorch's, as text."""
    return f"{seconds[0] / seconds[1]:.2f}"


def row(project: Project, outcome: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of a project."""
    program, tests = outcome.get("program"), outcome.get("tests")
    equal = time = passed = test_time = ""
    if program:
        equal = "does not run"
        if "error" not in program:
            equal = f"{program['results'] - len(program['differing'])} of {program['results']}"
        time = ratio(program["seconds"]) if "seconds" in program else ""
    if tests:
        passed = "do not run" if "error" in tests else f"{tests['passed'][0]:,} of {tests['passed'][1]:,}"
        test_time = ratio(tests["seconds"]) if "seconds" in tests else ""
    return (project.name, project.version, project.task, equal, time, passed, test_time, project.notes)


def table(outcomes: dict[Project, dict[str, Any]]) -> str:
    """Return the table as Markdown, with a line about the machine and one of sums."""
    rows = [row(project, outcome) for project, outcome in outcomes.items()]
    lines = [HEADER, ("---", "---", "---", "---:", "---:", "---:", "---:", "---"), *rows]
    counts = [outcome["tests"]["passed"] for outcome in outcomes.values() if "passed" in outcome.get("tests", {})]
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    passed, known = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    facts = f"processor {processor()}, Python {platform.python_version()}, {os.cpu_count()} cores, one thread"
    total = f"Of {known:,} tests of the projects that pass on PyTorch, {passed:,} pass on wengert."
    return f"{facts}\n\n{text}\n\n{total}\n"


def write(outcomes: dict[Project, dict[str, Any]], page: Path = PAGE) -> None:
    """Put the table between the markers of the page."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n{table(outcomes)}{END}{after}", encoding="utf-8")
