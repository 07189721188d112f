"""Run the calls of one part of SciPy with SCIPY_ARRAY_API=1, in a process of its own: SciPy reads it when imported."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys, types
package = types.ModuleType("wengert_numpy_tests")
package.__path__ = [sys.argv[1]]
sys.modules[package.__name__] = package
from wengert_numpy_tests.scipy_clients import main
main(sys.argv[2])
"""


def run_part(part: str) -> dict[str, str]:
    """Return, for each call of a part, what is wrong with it: the empty string for nothing."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), part],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    problems: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return problems


def main(part: str) -> None:
    """Write the problems of a part's calls as JSON."""
    import wengert as wg

    from .client_calls import problem

    wg.set_default_dtype(wg.float64)  # so that dtypes are those of arrays
    calls = importlib.import_module(f".scipy_calls_{part}", __package__).CALLS
    print(json.dumps({f"{i} {call}": problem(call) for i, call in enumerate(calls)}))
