"""Run random programs with wengert and with PyTorch and report the differences, by kind and operation.

    .venv/bin/python -m tools.differential --torch PYTHON [--seed 0] [--programs 5000] [--folder DIR] [--only KIND]

PYTHON: an interpreter that has PyTorch 2.13 and NumPy. Each program is text (2 to 8 statements over random leaves);
compared are values, dtypes, shapes, errors and their messages, warnings, and metadata: strides, versions, views,
leaves, names of nodes. ``--again`` runs wengert alone on the programs of DIR; ``--show N`` prints program N with what
both sides say of it. Differences that stay are named in tools/random_programs/differences.txt; ``--strict`` counts
these too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.random_programs.generate import random_program
from tools.random_programs.report import report

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run what the command line asks for; the exit code is 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", help="an interpreter that has PyTorch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--folder", type=Path, default=ROOT / ".differential")
    parser.add_argument("--again", action="store_true", help="run wengert alone, on the programs that are there")
    parser.add_argument("--compare", action="store_true", help="run nothing, report once more")
    parser.add_argument("--show", type=int, help="print one program")
    parser.add_argument("--only", default="", help="list differences of this kind or fact")
    parser.add_argument("--strict", action="store_true", help="count the differences that stay, too")
    parser.add_argument("--groups", type=int, default=60, help="how many groups are listed")
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(exist_ok=True)
    if options.torch:
        written = (random_program(options.seed * 1_000_000 + i) for i in range(options.programs))
        text = "".join(json.dumps(lines) + "\n" for lines in written)
        (folder / "programs.jsonl").write_text(text, encoding="utf-8")
        record_programs(options.torch, "torch", folder)
    if options.torch or options.again:
        record_programs(sys.executable, "wengert", folder)
    programs, theirs, ours = (read(folder / f"{name}.jsonl") for name in ("programs", "torch", "wengert"))
    if options.show is not None:
        show(programs[options.show], theirs[options.show], ours[options.show])
    else:
        print(report(programs, theirs, ours, options.groups, options.only, strict=options.strict))
    return 0


def record_programs(python: str, module: str, folder: Path) -> None:
    """Run all programs with one module."""
    files = [str(folder / "programs.jsonl"), str(folder / f"{module}.jsonl")]
    command = [python, "-m", "tools.random_programs.record", module, *files]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})


def read(path: Path) -> list[Any]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def show(lines: list[str], theirs: Any, ours: Any) -> None:
    """Print a program, how its statements ended, and the facts that differ."""
    from tools.random_programs.compare import differences

    print("\n".join(lines))
    for difference in differences(lines, theirs, ours):
        print(f"\n{difference.kind}: {difference.what} of {difference.name or difference.line}")
        print(f"    torch   {difference.theirs}\n    wengert {difference.ours}")


if __name__ == "__main__":
    sys.exit(main())
