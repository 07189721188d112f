"""Run the commands of README.md and CONTRIBUTING.md as a newcomer does: each in a fresh clone, with a bare environment.

    python3 -m tools.fresh --list                the commands
    python3 -m tools.fresh                       run all, one after the other: hours, most of it building
    python3 -m tools.fresh --only docs lint      those that hold one of these texts
    python3 -m tools.fresh --skip sanitize       all but those

Cloned is what is committed. The environment has PATH, HOME and LANG alone. Ends with a table of command, exit code and
seconds, and with exit code 1 where one failed; what a failed one said last stands above the table. What needs a GPU is
left out, and named, where there is none.

A command is a line of a code block, or a code span that begins with `make` or `.venv/bin/` (this one needs `make
develop` first, and gets it). Not run: examples in Python, and lines with a word in capitals or with dots in place of
something that the reader has to choose. A block that is not of `make` alone is one command: its lines need each other.
They have a virtual environment of their own, as they call pip.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.workspace.packages import ROOT

PAGES = ("README.md", "CONTRIBUTING.md")
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?: {4}[^\n]*\n)+")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
SPAN = re.compile(r"`((?:make |\.venv/bin/)[^`]+)`")
SHELL = ("", "sh", "bash", "shell", "console")
CHOICE = re.compile(r"\.\.\.|\b(?!HEAD\b)[A-Z]{3,}\b(?!=)")
GPU = re.compile(r"-cuda\b")
ITSELF = "make fresh"
KEPT_VARIABLES = ("PATH", "HOME", "LANG")
LAST_LINES = 40


class Row(NamedTuple):
    """A command that was run: exit code and seconds; None where it was left out, with the reason."""

    command: str
    code: int | None
    seconds: float
    reason: str = ""


def lines_of(block: str) -> list[str]:
    """The command lines of a block, without comments and prompts."""
    found = (re.sub(r"(^|\s+)#\s.*$", "", line).strip().removeprefix("$ ") for line in block.splitlines())
    return [line for line in found if line]


def commands_of_block(block: str) -> list[str]:
    """A block's commands: each line when all are of make, otherwise all lines as one."""
    lines = lines_of(block)
    if all(line.startswith("make ") for line in lines):
        return lines
    return [" && ".join(lines)] if lines else []


def commands(text: str) -> list[str]:
    """The commands of a page, each once, in its order."""
    text = COMMENT.sub("", text)
    places: list[tuple[int, list[str]]] = []
    for found in FENCE.finditer(text):
        if found[1] in SHELL:
            places.append((found.start(), commands_of_block(found[2])))
    prose = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]).replace(" ", "\0"), text)  # as long as it was
    for found in INDENTED.finditer(prose):
        places.append((found.start(), commands_of_block(found[0])))
    for found in SPAN.finditer(prose):
        places.append((found.start(), [" ".join(found[1].split())]))
    every = [command for _, some in sorted(places, key=lambda place: place[0]) for command in some]
    return [one for one in dict.fromkeys(every) if not CHOICE.search(one) and not one.startswith(ITSELF)]


def select_commands(some: Sequence[str], only: Sequence[str], skip: Sequence[str]) -> list[str]:
    """The commands that hold one of the texts in ``only``, if there are any, and none of those in ``skip``."""
    kept = [one for one in some if not only or any(text in one for text in only)]
    return [one for one in kept if not any(text in one for text in skip)]


def script_of(command: str, folder: Path) -> str:
    """The line that the shell runs: with what a command needs before it."""
    if command.startswith("make "):
        return command
    if command.startswith(".venv/bin/"):
        return f"make develop && {command}"
    environment = folder / "environment"
    return f"python3 -m venv {environment} && PATH={environment}/bin:$PATH && {command}"


def run(command: str, source: Path = ROOT) -> Row:
    """Clone, run, and print the last lines where it fails."""
    if GPU.search(command) and shutil.which("nvidia-smi") is None:
        return Row(command, None, 0.0, "no GPU")
    with tempfile.TemporaryDirectory(prefix="fresh-") as name:
        folder = Path(name)
        clone, log = folder / "clone", folder / "log"
        subprocess.run(["git", "clone", "--quiet", str(source), str(clone)], check=True)
        variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        start = time.perf_counter()
        with log.open("wb") as file:
            shell = ["bash", "-c", script_of(command, folder)]
            code = subprocess.run(shell, cwd=clone, env=variables, stdin=subprocess.DEVNULL, stdout=file,
                                  stderr=subprocess.STDOUT, check=False).returncode  # fmt: skip
        seconds = time.perf_counter() - start
        if code:
            print(*log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:], sep="\n    | ")
    return Row(command, code, seconds)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Command, exit code, seconds."""
    width = max(len(row.command) for row in rows)
    yield f"{'command':{width}}  exit code  seconds"
    for row in rows:
        code = "-" if row.code is None else row.code
        yield f"{row.command:{width}}  {code:>9}  {row.seconds:7.0f}{'  left out: ' + row.reason if row.reason else ''}"


def main(arguments: Sequence[str] | None = None) -> int:
    """List or run."""
    parser = argparse.ArgumentParser(prog="fresh", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="say which commands there are")
    parser.add_argument("--only", nargs="+", default=[], metavar="TEXT", help="those that hold one of these texts")
    parser.add_argument("--skip", nargs="+", default=[], metavar="TEXT", help="but not those that hold one of these")
    wanted = parser.parse_args(arguments)
    every = [one for page in PAGES for one in commands((ROOT / page).read_text(encoding="utf-8"))]
    some = select_commands(list(dict.fromkeys(every)), wanted.only, wanted.skip)
    if wanted.list or not some:
        print(*some or ["fresh: no command holds such a text"], sep="\n")
        return 0 if some else 1
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=True).stdout:
        print("fresh: the working tree has changes that are not committed; they are not in the clones", file=sys.stderr)
    rows = []
    for command in some:
        print(f"fresh: {command}", flush=True)
        rows.append(run(command))
    print(*table(rows), sep="\n")
    return int(any(row.code for row in rows))


if __name__ == "__main__":
    sys.exit(main())
