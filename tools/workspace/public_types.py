"""Check the types that users see, by basedpyright: each public name has one, and tests/typed_use.py has no error.

Exit code 1 if one is missing or wrong. A name counts as typed when all that its type is made of is declared, so that no
type checker has to guess it; what NumPy and others declare is not looked into. Why basedpyright: decision 20.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.workspace.packages import ROOT

BIN = Path(sys.executable).parent
USES = [str(ROOT / "tests" / "typed_use.py"), str(ROOT / "tests" / "typed_plugin.py")]


def report_of(*arguments: str) -> Any:
    """Run basedpyright, and return its report. It looks for packages where the first Python on the PATH does."""
    command = [str(BIN / "basedpyright"), *arguments, "--outputjson"]
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"types: basedpyright gave no report: {done.stdout}{done.stderr}")


def without_type(report: Any) -> Iterator[str]:
    """The faults in a report of --verifytypes: what it could not do, and names whose type is not complete.

    Names that only take or give something without a complete type are left out where the something is among them.
    """
    yield from (one["message"] for one in report["generalDiagnostics"])
    incomplete = [symbol for symbol in report["typeCompleteness"]["symbols"] if not symbol["isTypeKnown"]]
    faults = [
        f"{symbol['name']}: {' '.join(one['message'].split())}"
        for symbol in incomplete for one in symbol["diagnostics"] if one["severity"] == "error"
    ]
    yield from [fault for fault in faults if "partially unknown" not in fault] or faults


def errors(report: Any) -> Iterator[str]:
    """The errors in a report on files."""
    for one in report["generalDiagnostics"]:
        if one["severity"] == "error":
            place = Path(one["file"]).relative_to(ROOT)
            yield f"{place}:{one['range']['start']['line'] + 1}: {' '.join(one['message'].split())}"


def main() -> None:
    complete = report_of("--verifytypes", "wengert", "--ignoreexternal")
    faults = [*without_type(complete), *errors(report_of(*USES))]
    for fault in faults:
        print(f"types: {fault}")
    counts = complete["typeCompleteness"]
    number = sum(counts["exportedSymbolCounts"].values()) + sum(counts["otherSymbolCounts"].values())
    share = counts["completenessScore"]
    print(f"types: {number} names, {share:.1%} with a complete type; faults: {len(faults)}")
    sys.exit(1 if faults or share < 1 or not number else 0)


if __name__ == "__main__":
    main()
