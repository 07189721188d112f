"""Records what PyTorch answers to the snippets of tests/torch_parity/recorded/cases, and its type promotion table.

    python -m tools.record oracle              all subjects
    python -m tools.record oracle views        one (or several)

Run it in an environment that has PyTorch 2.13 (CPU), after a change to the cases; it writes
tests/torch_parity/recorded/answers/*.json. It refuses a case whose snippet does not end as its header says: it
prints what PyTorch did, and exits with 1.
"""

import argparse
import importlib
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

ORACLE = Path(__file__).resolve().parents[2] / "tests" / "torch_parity" / "recorded"
sys.path.insert(0, str(ORACLE))

from oracle_format import ANSWERS, Case, read_cases, subjects  # type: ignore[import-not-found,unused-ignore] # noqa: E402
from oracle_promotion import SUBJECT as PROMOTION  # type: ignore[import-not-found,unused-ignore] # noqa: E402
from oracle_promotion import tables  # type: ignore[import-not-found,unused-ignore] # noqa: E402
from oracle_run import Outcome, prepare, run  # type: ignore[import-not-found,unused-ignore] # noqa: E402

VERSION = "2.13"


def main() -> int:
    """Records the subjects of the command line; the exit status is 1 if a case was refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", choices=[*subjects(), PROMOTION, []], default=[], metavar="subject")
    wanted = parser.parse_args().subjects or [*subjects(), PROMOTION]
    torch = load_torch()
    problems = [problem for subject in wanted for problem in record(subject, torch)]
    print(*problems, sep="\n")
    return 1 if problems else 0


def load_torch() -> ModuleType:
    """PyTorch, of the version that the answers are for."""
    torch = importlib.import_module("torch")
    if not torch.__version__.startswith(VERSION):
        raise SystemExit(f"the answers are PyTorch {VERSION}'s; this environment has {torch.__version__}")
    torch.set_num_threads(1)
    prepare(torch)
    with warnings.catch_warnings(), torch.autograd.forward_ad.dual_level():  # PyTorch's first use of it warns of itself
        warnings.simplefilter("ignore")
        torch.autograd.forward_ad.make_dual(torch.ones(1), torch.ones(1)).exp()
    return torch


def record(subject: str, torch: ModuleType) -> list[str]:
    """Writes one answer file; returns a sentence for each case that did not end as its header says."""
    if subject == PROMOTION:
        write(subject, torch, "tables", tables(torch))
        return []
    answers, problems = {}, []
    for case in read_cases(subject):
        outcome = without_places(run(case, torch))
        answers[case.name] = {"code": case.digest} | outcome
        problems += [f"{case}: {problem}" for problem in faults(case, outcome)]
    write(subject, torch, "cases", answers)
    print(f"{subject}: {len(answers)} cases")
    return problems


def without_places(outcome: Outcome) -> Outcome:
    """The outcome without the C++ files and frames which PyTorch adds to some messages."""
    if "message" in outcome:
        outcome["message"] = outcome["message"].partition("\nException raised from ")[0]
    for warning in outcome.get("warnings", []):
        warning[1] = warning[1].partition(" (Triggered internally at ")[0]
    return outcome


def faults(case: Case, outcome: Outcome) -> list[str]:
    """What the header of a case does not announce, or announces wrongly."""
    error, message = outcome.get("error", [None])[0], outcome.get("message", "")
    if error != case.error:
        return [f"the header says {case.error}, torch gave {error or outcome['value']}: {message}"]
    if error:
        return [] if case.phrase in message else [f"no {case.phrase!r} in torch's message: {message}"]
    given = outcome.get("warnings", [])
    unannounced = [item for item in given if item[0] != case.warning or case.phrase not in item[1]]
    if unannounced or (case.warning and not given):
        return [f"the header says the warning {case.warning} ({case.phrase}), torch gave {given}"]
    return []


def write(subject: str, torch: ModuleType, key: str, entries: dict[str, Any]) -> None:
    """Writes an answer file with one line an entry, so that a difference is readable."""
    lines = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    text = f'{{"torch": {json.dumps(torch.__version__)}, "{key}": {{\n' + ",\n".join(lines) + "\n}}\n"
    (ANSWERS / f"{subject}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
