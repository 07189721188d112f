"""Run asv: the benchmarks of asv_benchmarks/, once for a look, between two commits, or for the history as a site.

    .venv/bin/python -m tools.bench once               each benchmark once, a line for each; exit code 2: some failed
    .venv/bin/python -m tools.bench compare main       this commit beside another one; exit code 1: something is slower
    .venv/bin/python -m tools.bench keep v0.1.0        measure a commit and keep the results, in asv_benchmarks/results/
    .venv/bin/python -m tools.bench publish            the kept results as a site, for `make docs` to bring

What follows is given to asv: `once --bench small_ops`, `keep HEAD^! --bench instructions`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from tools.workspace.packages import ROOT

FOLDER = ROOT / "asv_benchmarks"
CONFIG = FOLDER / "asv.conf.json"
SITE = ".asv/site/performance"
KEPT = FOLDER / "kept.conf.json"
"""The same settings with another folder for results; written when it is needed."""
ELSEWHERE = {
    '"results_dir": ".asv/results"': '"results_dir": "results"',
    '"html_dir": ".asv/html"': f'"html_dir": "{SITE}"',
}
RESULT = re.compile(r"^\[ *[\d.]+%\] ··· (\S+\.\S+) +(\S.*)$")
ERRORS = re.compile(r"^\[ *[\d.]+%\] ···· ?(.*)$")
PARAMETERS = "For parameters: "
SKIPPED = "asv: skipped: "
FAILED = "asv: benchmark failed"


def say(text: str) -> None:
    print(f"bench: {text}", flush=True)


def asv(command: str, *arguments: str, config: Path = CONFIG) -> list[str]:
    """An asv command line with this environment's asv."""
    return [str(Path(sys.executable).with_name("asv")), command, "--config", str(config), *arguments]


def shorten_report(lines: Iterable[str]) -> Iterator[str]:
    """Of asv's report a line for each benchmark, and what it says of those that failed: no tables, nothing of skips."""
    block: list[str] | None = None
    seen: set[str] = set()  # asv may say all of it twice
    for text in chain(lines, ["[100%] end"]):
        line = text.rstrip()
        begins = ERRORS.match(line)
        if begins or line.startswith("[") or line.strip().startswith((PARAMETERS, FAILED)):
            told = "\n".join(without_skips(block or []))
            if told and told not in seen:
                yield told
            seen.add(told)
            block = [begins[1] if begins else line.strip()] if begins or not line.startswith("[") else None
        elif block is not None:
            block.append(line.strip())
        found = RESULT.match(line)
        if found and not found[2].startswith("="):
            seen.clear()
            yield f"{found[1]:60} {found[2]}"


def without_skips(block: Sequence[str]) -> list[str]:
    """A block of messages, indented; empty when all it says is that a benchmark was skipped."""
    told = [line for line in block if line and not line.startswith(SKIPPED)]
    only_heading = len(told) == 1 and told[0].startswith(PARAMETERS)
    return [] if only_heading else [f"    {line}" for line in told]


def once(arguments: Sequence[str]) -> int:
    """Run each benchmark once in this environment. All in forks of one process: a new one for each takes minutes."""
    start, benchmarks = time.perf_counter(), 0
    command = asv("run", "--python=same", "--quick", "--show-stderr", "--launch-method=forkserver", *arguments)
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "PYTHONUNBUFFERED": "1"}
    last: list[str] = []
    out, err = subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(command, env=settings, stdout=out, stderr=err, text=True) as process:
        assert process.stdout is not None
        for line in shorten_report(add_to_list(process.stdout, last)):
            benchmarks += not line.startswith(" ")
            print(line, flush=True)
    if process.returncode and not benchmarks:
        print(*last, sep="", end="", file=sys.stderr)  # asv itself has failed
    say(f"{benchmarks} benchmarks in {time.perf_counter() - start:.0f} s, "
        f"{'some failed: see above' if process.returncode else 'all ran'}")  # fmt: skip
    return process.returncode


def add_to_list(lines: Iterable[str], last: list[str]) -> Iterator[str]:
    """The lines; the last twenty are in the list as well."""
    for line in lines:
        last[:] = [*last[-19:], line]
        yield line


def compare(base: str, factor: str, arguments: Sequence[str]) -> int:
    """Time another commit and this one in turns, and list what differs by more than the factor."""
    command = asv("continuous", "--factor", factor, "--interleave-rounds", *arguments, base, "HEAD")
    return subprocess.run(command, check=False).returncode


def with_kept_results() -> Path:
    """The configuration whose results are those in the repository."""
    text = CONFIG.read_text(encoding="utf-8")
    for own, kept in ELSEWHERE.items():
        if own not in text:
            raise SystemExit(f"bench: {CONFIG.name} does not say {own}")
        text = text.replace(own, kept)
    KEPT.write_text(text, encoding="utf-8")
    return KEPT


def keep(commit: str, arguments: Sequence[str]) -> int:
    """Measure one commit in full; its results are to be committed."""
    spec = commit if commit.endswith("^!") else f"{commit}^!"
    code = subprocess.run(asv("run", *arguments, spec, config=with_kept_results()), check=False).returncode
    say(f"commit what is new in {FOLDER.name}/results/, and the site shows it: make bench-publish")
    return code


def publish(arguments: Sequence[str]) -> int:
    """Make the site of the kept results."""
    if not any(FOLDER.glob("results/*/machine.json")):
        say(f"there is nothing to publish: make bench-keep COMMIT=... brings results into {FOLDER.name}/results/")
        return 0
    code = subprocess.run(asv("publish", *arguments, config=with_kept_results()), check=False).returncode
    if not code:
        say(f"{FOLDER.name}/{SITE}; `make docs` brings it and links to it")
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask for this machine's facts once, then do what is asked."""
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").splitlines()[0])
    whats = parser.add_subparsers(dest="what", required=True)
    parts = {what: whats.add_parser(what) for what in ("once", "compare", "keep", "publish")}
    parts["compare"].add_argument("commit", help="the one before")
    parts["compare"].add_argument("--factor", default="1.2", help="what counts as slower")
    parts["keep"].add_argument("commit", help="the one to measure")
    wanted, rest = parser.parse_known_args(arguments)
    subprocess.run(asv("machine", "--yes"), stdout=subprocess.DEVNULL, check=True)
    match wanted.what:
        case "compare":
            return compare(wanted.commit, wanted.factor, rest)
        case "keep":
            return keep(wanted.commit, rest)
        case "publish":
            return publish(rest)
    return once(rest)


if __name__ == "__main__":
    sys.exit(main())
