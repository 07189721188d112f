"""Ask PyTorch again what the calls in packages/functional/tests/recorded_{products,jacobians,func}.json give.

Run it with a Python that has torch 2.13: ``python -m tools.record functional``. To add a case, add ``["code", null]``
to a file's facts first.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2] / "packages" / "functional" / "tests"
FILES = ("products", "jacobians", "func")


def main() -> None:
    """Rewrite the files."""
    import torch

    sys.path.insert(0, str(TESTS))
    outcome = importlib.import_module("functional_facts").outcome

    warnings.simplefilter("ignore")
    for name in FILES:
        path = TESTS / f"recorded_{name}.json"
        record: dict[str, Any] = json.loads(path.read_text())
        record["torch"] = torch.__version__
        record["facts"] = [[code, outcome(code, record["setup"], torch)] for code, _ in record["facts"]]
        lines = ",\n".join(json.dumps(case) for case in record["facts"])
        head = json.dumps({key: record[key] for key in ("torch", "setup")})[:-1]
        path.write_text(f'{head}, "facts": [\n{lines}\n]}}\n')
        print(path.name, len(record["facts"]))


if __name__ == "__main__":
    main()
