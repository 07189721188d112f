"""Runs of a project's tests and of its program on one side, and the comparison of both sides."""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.projects.installation import Installation
from tools.projects.table import Project

HERE = Path(__file__).resolve().parent
SIDES = ("wengert", "torch")
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
TOLERANCE = 1e-6
"""The difference that is allowed, as part of the largest number in a result."""
LIMIT = 1800
"""Seconds after which a run is ended."""
ROUNDS = 3
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--tb=no", "-W", "ignore")


def start(
    installation: Installation, side: str, arguments: list[str], folder: Path, variables: dict[str, str] | None = None
) -> str:
    """Run a script or a module on one side; return the end of what it prints, with its errors."""
    command = [installation.pythons[side], "-W", "ignore", str(HERE / "child" / "start.py"), side,
               str(installation.site), *arguments]  # fmt: skip
    here = {"PYTHONPATH": str(HERE / "child"), "MPLBACKEND": "agg"}
    environment = {**os.environ, **ONE_THREAD, **here, **(variables or {})}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return f"ended after {LIMIT} s"
    return (done.stdout + done.stderr)[-2000:]


def run_tests(installation: Installation, project: Project, side: str) -> dict[str, Any]:
    """Return the names of the tests that passed and failed, and their seconds, without the imports of their modules."""
    assert project.tests is not None
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        end = start(installation, side, [*PYTEST, f"--junitxml={report}", *project.tests.paths],
                    installation.source(project), project.tests.variables)  # fmt: skip
        if not report.exists():
            return {"error": end}
        outcomes: dict[str, list[str]] = {"passed": [], "failed": [], "skipped": []}
        seconds = 0.0
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            tags = {child.tag for child in case}
            kind = "failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"
            seconds += float(case.get("time", 0))
            outcomes[kind].append(f"{case.get('classname')}.{case.get('name')}")
    return {**outcomes, "seconds": seconds}


def run_program(installation: Installation, project: Project, side: str) -> dict[str, Any]:
    """Return what the program found, and the median of its times."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        program = HERE / "programs" / f"{project.file}.py"
        arguments = [str(HERE / "child" / "measure.py"), str(program), str(result), str(ROUNDS)]
        end = start(installation, side, arguments, Path(folder))
        if not result.exists():
            return {"error": end}
        answer: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return answer


def leaves(value: Any) -> Iterator[float]:
    """Yield the numbers of nested lists."""
    if isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif value is not None:
        yield float(value)


def difference(found: Any, expected: Any) -> float:
    """Return the largest difference of two results, over the largest number of the second; inf for other shapes."""
    ours, theirs = [*leaves(found)], [*leaves(expected)]
    if len(ours) != len(theirs) or any(math.isnan(a) != math.isnan(b) for a, b in zip(ours, theirs, strict=False)):
        return math.inf
    size = max((abs(one) for one in theirs if math.isfinite(one)), default=1.0) or 1.0
    pairs = ((a, b) for a, b in zip(ours, theirs, strict=True) if not (math.isnan(a) or a == b))
    return max((abs(a - b) for a, b in pairs), default=0.0) / size


def compare_programs(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return the times of both sides and the results that differ."""
    for side, answer in (("wengert", ours), ("torch", theirs)):
        if "error" in answer:
            return {"error": f"{side}: {answer['error']}"}
    allowed = theirs["tolerance"]
    distances = {name: difference(ours["found"].get(name), value) for name, value in theirs["found"].items()}
    differing = {name: one for name, one in distances.items() if not one <= allowed.get(name, TOLERANCE)}
    return {"seconds": [ours["seconds"], theirs["seconds"]], "results": len(distances), "differing": differing}


def compare_tests(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of tests that pass on each side and those that pass on PyTorch only."""
    for side, answer in (("wengert", ours), ("torch", theirs)):
        if "error" in answer:
            return {"error": f"{side}: {answer['error']}"}
    reference = set(theirs["passed"])
    return {
        "passed": [len(reference & set(ours["passed"])), len(reference)],
        "missing": sorted(reference - set(ours["passed"])),
        "seconds": [ours["seconds"], theirs["seconds"]],
    }


def known_outcome(installation: Installation, project: Project) -> dict[str, Any]:
    """Compare the results that there are; run nothing."""
    outcome: dict[str, Any] = {}
    for kind, compare in (("program", compare_programs), ("tests", compare_tests)):
        files = [installation.results / f"{project.file}.{kind}.{side}.json" for side in SIDES]
        if all(file.exists() for file in files):
            outcome[kind] = compare(*(json.loads(file.read_text(encoding="utf-8")) for file in files))
    return outcome


def run_project(installation: Installation, project: Project, again: tuple[str, ...]) -> dict[str, Any]:
    """Run what there is of a project on both sides; what has been run is read from the folder of results.

    again: the sides that are run although there are results.
    """
    runs = [("program", run_program, compare_programs)] if project.program else []
    runs += [("tests", run_tests, compare_tests)] if project.tests else []
    outcome: dict[str, Any] = {}
    for kind, run, compare in runs:
        answers = {}
        for side in SIDES:
            file = installation.results / f"{project.file}.{kind}.{side}.json"
            if side in again or not file.exists() or "error" in json.loads(file.read_text(encoding="utf-8")):
                print(f"projects: {project.name}: {kind} on {side} ...", flush=True)
                answer = run(installation, project, side)
                file.write_text(json.dumps(answer) + "\n", encoding="utf-8")
            answers[side] = json.loads(file.read_text(encoding="utf-8"))
        outcome[kind] = compare(answers["wengert"], answers["torch"])
    return outcome
