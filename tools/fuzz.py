"""Run hostile calls and say how they ended: python -m tools.fuzz [--seed 0] [--calls 2000] [--batch 500].

Exits with 1 where a call crashed, hung, leaked an internal error or broke a tensor. One call alone, by its text:
python -m tools.fuzz --call 'wengert.cat([T(2), None])'
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes are forked from this one: it has no other threads

from tools.hostile import batches, values
from tools.hostile.report import Report
from tools.hostile.sources import Writer
from tools.hostile.targets import collect, load_all


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=500, help="calls of one process")
    parser.add_argument("--call", help="the text of one call, run in this process")
    parser.add_argument("--write", type=Path, help="a file for the findings")
    parser.add_argument("--soft", action="store_true", help="list also messages in the interpreter's words")
    parser.add_argument("--only", default="", help="targets that have this in their text")
    given = parser.parse_args()
    if given.call:
        load_all()
        print(eval(given.call, values.namespace()))
        return 0
    report = run_fuzzer(given)
    return 1 if report.failures() else 0


def run_fuzzer(given: argparse.Namespace) -> Report:
    """Run the calls, print the table and the findings."""
    report, start = Report(), time.monotonic()
    writer = Writer([target for target in collect() if given.only in target.text])
    print(f"fuzz: {len(writer.targets)} targets, {given.calls} calls, seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        for batch in range(-(-given.calls // given.batch)):
            size = min(given.batch, given.calls - batch * given.batch)
            for call in batches.run(writer, given.seed * 100_000 + batch, size, Path(folder) / "batch"):
                report.add(call)
            if given.write:
                given.write.write_text(report.table() + "\n" + report.listing(given.soft) + "\n")
        report.confirm(lambda call: batches.alone(writer, call, Path(folder) / "batch"))
    if given.write:
        given.write.write_text(report.table() + "\n" + report.listing(given.soft) + "\n")
    print(report.table() + report.listing(given.soft))
    print(f"fuzz: {time.monotonic() - start:.0f} s, {report.failures()} calls that must not end as they did")
    return report


if __name__ == "__main__":
    sys.exit(main())
