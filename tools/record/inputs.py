"""Records what PyTorch gives for every row of the sample table, with inputs of every kind.

    .venv/bin/python -m tools.record inputs ask FILE
    python -m tools.record inputs answer FILE

Files are those of tests/torch_parity/recorded. The first, in wengert's environment, writes the sample table as calls
(oracle_inputs.py); the second, where there is PyTorch 2.13, writes answers/inputs.json; arguments.json: which of these
calls are refused when an argument has another type (oracle_arguments.py); forms.json: what methods, in-place variants
and out= give (oracle_forms.py); and autocast.json: dtypes inside of autocast (oracle_autocast.py).
"""

import argparse
import importlib
import json
import pickle
import sys
from pathlib import Path
from typing import Any

ORACLE = Path(__file__).resolve().parents[2] / "tests" / "torch_parity" / "recorded"
sys.path.insert(0, str(ORACLE))

from oracle_arguments import outcome  # type: ignore[import-not-found,unused-ignore] # noqa: E402
from oracle_autocast import autocast_dtypes  # type: ignore[import-not-found,unused-ignore] # noqa: E402
from oracle_forms import forms  # type: ignore[import-not-found,unused-ignore] # noqa: E402
from oracle_inputs import Call, answer, found  # type: ignore[import-not-found,unused-ignore] # noqa: E402


def main() -> None:
    """Asks or answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["ask", "answer"])
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    if arguments.step == "ask":
        rows = importlib.import_module("oracle_rows")
        questions = {op: (list(rows.calls_of(op)), rows.names_of(op)) for op in rows.names()}
        arguments.file.write_bytes(pickle.dumps(questions))
    else:
        record(pickle.loads(arguments.file.read_bytes()))


def record(questions: dict[str, tuple[list[Call], tuple[str, ...]]]) -> None:
    """Writes the answers, a line for each op that PyTorch has."""
    torch: Any = importlib.import_module("torch")
    if not torch.__version__.startswith("2.13"):
        raise SystemExit(f"the answers are PyTorch 2.13's; this environment has {torch.__version__}")
    torch.set_num_threads(1)
    lines, refusals, shapes, casts, n = [], [], [], [], 0
    for op, (asked, names) in sorted(questions.items()):
        place = found(op, torch)
        if place is None or not asked:
            continue
        answers = {str(call): [call.digest, answer(call, place[0], torch)] for call in asked}
        n += len(answers)
        lines.append(f"  {json.dumps(op)}: {json.dumps({'path': place[0], 'answers': answers})}")
        samples = [call.sample for call in asked if call.kind == "given"]
        refusals.append(f"  {json.dumps(op)}: {json.dumps({'path': place[0], **outcome(place[0], samples, torch)})}")
        shown = {"path": place[0], "forms": forms(place[0], samples, names, torch)}
        shapes.append(f"  {json.dumps(op)}: {json.dumps(shown)}")
        dtypes = {"path": place[0], "dtypes": autocast_dtypes(place[0], samples, torch)}
        casts.append(f"  {json.dumps(op)}: {json.dumps(dtypes)}")
    for name, written in (("inputs", lines), ("arguments", refusals), ("forms", shapes), ("autocast", casts)):
        text = f'{{"torch": {json.dumps(torch.__version__)}, "ops": {{\n' + ",\n".join(written) + "\n}}\n"
        (ORACLE / "answers" / f"{name}.json").write_text(text, encoding="utf-8")
    print(f"{len(lines)} ops, {n} calls")


if __name__ == "__main__":
    main()
