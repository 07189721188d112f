"""Record files that PyTorch saves, packages/serialization/tests/recorded/*.pt, and their contents, checkpoints.json.

    python -m tools.record.checkpoints              those that are absent
    python -m tools.record.checkpoints --replace    all

Each object of checkpoint_cases.py is saved in the zip format, and a few in the format before PyTorch 1.6 (*.legacy.pt).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from tools.record import ROOT

TESTS = ROOT / "packages" / "serialization" / "tests"
FOLDER = TESTS / "recorded"
LEGACY = ("dtypes", "views", "state_dict", "coo", "compressed", "parameters", "shapes")
ANOTHER_PROTOCOL = ("state_dict",)


def cases_module() -> ModuleType:
    """Return the module with the objects, which tests import as well."""
    spec = importlib.util.spec_from_file_location("checkpoint_cases", TESTS / "checkpoint_cases.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{TESTS / 'checkpoint_cases.py'} is absent")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the files that are absent, or all; return the names of those whose contents are other ones now."""
    cases = cases_module()
    FOLDER.mkdir(exist_ok=True)
    contents_file = FOLDER / "checkpoints.json"
    before = json.loads(contents_file.read_text()) if contents_file.exists() else {}
    contents, problems = {}, []
    for name, value in cases.all_cases(torch).items():
        for suffix, keywords in forms(name):
            file = FOLDER / f"{name}{suffix}.pt"
            if options.replace or not file.exists():
                torch.save(value, file, **keywords)
            loaded = torch.load(file, weights_only=name not in cases.objects(torch))
            contents[file.name] = cases.describe(loaded, torch)
            if file.name in before and before[file.name] != json.loads(json.dumps(contents[file.name])):
                problems.append(file.name)
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(contents.items()))
    contents_file.write_text(f"{{\n{lines}\n}}\n")
    return problems


def forms(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return endings of file names, and the arguments of ``save`` for them."""
    found: list[tuple[str, dict[str, Any]]] = [("", {})]
    if name in LEGACY:
        found.append((".legacy", {"_use_new_zipfile_serialization": False}))
    if name in ANOTHER_PROTOCOL:
        found.append((".protocol3", {"pickle_protocol": 3}))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replace", action="store_true", help="write all files again")
    warnings.simplefilter("ignore")
    changed = record(importlib.import_module("torch"), "checkpoints", parser.parse_args())
    print(*changed, sep="\n")
    print(f"{sum(file.stat().st_size for file in Path(FOLDER).iterdir()) >> 10} KiB in {FOLDER}")
    sys.exit(bool(changed))
