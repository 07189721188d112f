"""Run the tests of core on the newest Python that is installed, where one is newer than this.

    python3 -m tools.workspace.newest               packages/core/tests, in .venv-newest
    python3 -m tools.workspace.newest packages      what to run instead

The packages are built quickly, not to be quick (WENGERT_QUICK); this Python's are built as users get them. Looked
for: python3.12 and newer on the PATH, and in pyenv's folder of versions. Exit code 0 where there is none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.workspace.packages import ROOT
from tools.workspace.toolchain import python_of

HOME = ROOT / ".venv-newest"
NEEDED = ("wengert", "wengert-gradcheck", "wengert-testing")
"""The packages that the tests of core import; with what these need they are built, the others are not."""
NEWEST = 20
"""A minor version that is not there for years."""
VERSION = """
import os, sys, sysconfig
print(*sys.version_info[:2], os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
"""


def candidates() -> Iterator[str]:
    """Commands that may be a newer Python."""
    for minor in range(NEWEST, sys.version_info.minor, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            yield found
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    yield from map(str, pyenv.glob("3.*/bin/python3"))


def version_of(command: str) -> tuple[int, int] | None:
    """(3, minor) of a Python that runs and has its headers; None of another."""
    result = subprocess.run([command, "-c", VERSION], capture_output=True, text=True, check=False)
    found = re.fullmatch(r"(\d+) (\d+) True\s*", result.stdout)
    return (int(found[1]), int(found[2])) if found and not result.returncode else None


def newest() -> str | None:
    """The command of the newest Python that is newer than this one."""
    known = {command: version_of(command) for command in candidates()}
    some = {command: version for command, version in known.items() if version and version > sys.version_info[:2]}
    return max(some, key=lambda command: some[command]) if some else None


def main() -> int:
    python = newest()
    if python is None:
        print(f"newest: left out, no Python newer than {sys.version_info.major}.{sys.version_info.minor} was found")
        return 0
    setup = [python, "-m", "tools.workspace.bootstrap", "--venv", str(HOME), "--groups", "test"]
    setup += [] if sys.argv[1:] else ["--packages", *NEEDED]
    code = subprocess.run(setup, check=False, env={**os.environ, "WENGERT_QUICK": "1"}).returncode
    if code:
        return code
    asked = sys.argv[1:] or ["packages/core/tests"]
    print(f"newest: {' '.join(asked)} with {python}", flush=True)
    spread = ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]
    return subprocess.run([python_of(HOME), "-m", "pytest", *spread, *asked], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
