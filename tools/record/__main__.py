"""Ask PyTorch again and write its answers, in an environment that has PyTorch 2.13 (CPU) and NumPy.

    python -m tools.record --all                    all subjects
    python -m tools.record snippets programs        some of them
    python -m tools.record nn/pooling               the snippets of one file

An answer whose question has not changed stays as it was recorded, to the last digit: these differ between processors.
The exit status is 1 if PyTorch now says something else, which is printed; --replace writes it. The subject sample_table
takes the samples from wengert, which runs in an environment of its own (--wengert).
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from tools.record import ROOT

SUBJECTS = ("snippets", "promotion", "sample_table", "programs", "transforms", "core", "functional", "printing",
            "two_ranks", "bad_calls")
VERSION = "2.13"


def main() -> int:
    """Record the subjects of the command line, each in a process of its own."""
    from parity.snippets import subjects  # type: ignore[import-not-found,unused-ignore]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", choices=[*SUBJECTS, *subjects(), []], default=[], metavar="SUBJECT",
                        help=f"{', '.join(SUBJECTS)}, or a file of snippets: ROOM/NAME")
    parser.add_argument("--all", action="store_true", help="all subjects")
    parser.add_argument("--replace", action="store_true", help="write every answer as it is given now")
    parser.add_argument("--wengert", type=Path, default=ROOT / ".venv" / "bin" / "python", metavar="PYTHON",
                        help="the interpreter of the environment that has wengert (%(default)s)")
    options = parser.parse_args()
    asked = list(SUBJECTS) if options.all else options.subjects
    if not asked:
        parser.error("name a subject, or --all")
    if len(asked) == 1:
        return record(asked[0], options)
    common = [*(["--replace"] if options.replace else []), "--wengert", str(options.wengert)]
    return max([subprocess.call([sys.executable, "-m", "tools.record", one, *common], cwd=ROOT) for one in asked])


def record(subject: str, options: argparse.Namespace) -> int:
    """Record one subject; print a line for each answer that is another one now, or that its question contradicts."""
    module = importlib.import_module(f"tools.record.{'snippets' if '/' in subject else subject}")
    problems = module.record(load_torch(), subject, options)
    print(f"{subject}: {len(problems)} answers differ from those that were recorded", *problems, sep="\n  ")
    return 1 if problems else 0


def load_torch() -> Any:
    """PyTorch, of the version that the answers are for."""
    torch = importlib.import_module("torch")
    if not torch.__version__.startswith(VERSION):
        raise SystemExit(f"the answers are PyTorch {VERSION}'s; this environment has {torch.__version__}")
    torch.set_num_threads(1)
    torch.set_warn_always(True)
    with warnings.catch_warnings(), torch.autograd.forward_ad.dual_level():  # PyTorch's first use of it warns of itself
        warnings.simplefilter("ignore")
        torch.autograd.forward_ad.make_dual(torch.ones(1), torch.ones(1)).exp()
    return torch


if __name__ == "__main__":
    sys.exit(main())
