"""Files that wengert and PyTorch exchange: each saves the same objects, the other one loads them.

    python -m tools.compare.checkpoints --torch PYTHON --wengert PYTHON

Prints a table: an object, the bytes by which the two files differ, whether PyTorch reads wengert's file and wengert
PyTorch's as each reads its own. The interpreters may be one. Exit status 1 where an object is read as another one.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from tools.record import ROOT
from tools.record.checkpoints import cases_module, forms


def models(torch: Any) -> dict[str, Any]:
    """Return whole modules, which are loaded with weights_only=False."""
    nn = torch.nn
    small = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    large = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout(), nn.Embedding(3, 2), nn.LayerNorm(3),
                          nn.TransformerEncoderLayer(4, 2, 8), nn.CrossEntropyLoss())
    with torch.no_grad():
        for model in (small, large):
            for parameter in model.parameters():
                parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape) / 8)
    return {"model": small, "model_state": small.state_dict(), "large_model": large}


def cases(torch: Any) -> dict[str, Any]:
    """Return the objects by name."""
    found: dict[str, Any] = cases_module().all_cases(torch)
    try:
        found |= models(torch)
    except (AttributeError, ImportError) as error:
        print(f"no models: {error}", file=sys.stderr)
    return found


def work(task: str, module: str, folder: Path) -> None:
    """Save the objects with a module, or print what its files in a folder are."""
    torch, described = importlib.import_module(module), {}
    warnings.simplefilter("ignore")
    values = cases(torch)
    for name, value in values.items():
        for suffix, keywords in forms(name):
            file = folder / f"{name}{suffix}.pt"
            try:
                if task == "save":
                    torch.save(value, file, **keywords)
                else:
                    loose = name in cases_module().objects(torch) or name in ("model", "large_model")
                    described[file.name] = describe(torch.load(file, weights_only=not loose), torch)
            except Exception as error:
                described[file.name] = f"{type(error).__name__}: {error}"
    print(json.dumps(described))


def describe(value: Any, torch: Any) -> Any:
    """Return what an object is; of a module its text and its state."""
    module = cases_module()
    if isinstance(value, torch.nn.Module):
        return [repr(value), module.describe(value.state_dict(), torch)]
    return module.describe(value, torch)


def ask(python: str, task: str, module: str, folder: Path) -> dict[str, Any]:
    """Run ``work`` in another interpreter."""
    command = [python, "-m", "tools.compare.checkpoints", "--task", task, module, str(folder)]
    answer: dict[str, Any] = json.loads(subprocess.check_output(command, cwd=ROOT, text=True).splitlines()[-1])
    return answer


def differing_bytes(a: Path, b: Path) -> str:
    """Return by how many bytes two files differ, or their sizes."""
    if not (a.exists() and b.exists()):
        return "absent"
    left, right = a.read_bytes(), b.read_bytes()
    return str(sum(x != y for x, y in zip(left, right, strict=True))) if len(left) == len(right) else (
        f"{len(left)}/{len(right)} long")


def without_storages(text: str) -> str:
    """Return a description without what differs by design: conjugates lie in a copy of the storage here."""
    return json.dumps(json.loads(text), sort_keys=True) if '"storage"' not in text else json.dumps(
        strip(json.loads(text)), sort_keys=True)


def strip(value: Any) -> Any:
    """Return a description without the numbers of storages."""
    if isinstance(value, dict):
        return {key: strip(item) for key, item in value.items() if key != "storage"}
    return [strip(item) for item in value] if isinstance(value, list) else value


def main() -> int:
    """Compare, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", default=sys.executable, help="an interpreter that has PyTorch")
    parser.add_argument("--wengert", default=sys.executable, help="an interpreter that has wengert")
    parser.add_argument("--task", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        work(options.task[0], options.task[1], Path(options.task[2]))
        return 0
    with tempfile.TemporaryDirectory() as name:
        return compare(options, Path(name))


def compare(options: argparse.Namespace, folder: Path) -> int:
    """Let each save and load; return 1 where an object is read as another one."""
    pythons = {"torch": options.torch, "wengert": options.wengert}
    problems: dict[str, Any] = {}
    for module, python in pythons.items():
        (folder / module).mkdir()
        problems |= {f"{module} {file}": text for file, text in ask(python, "save", module, folder / module).items()}
    reads = {(reader, writer): ask(pythons[reader], "load", reader, folder / writer)
             for reader in pythons for writer in pythons}
    print("| object | bytes that differ | PyTorch reads wengert's | wengert reads PyTorch's |")
    print("| --- | ---: | --- | --- |")
    for file in [file for file in reads["torch", "torch"] if file in reads["wengert", "wengert"]]:
        own = without_storages(json.dumps(reads["torch", "torch"][file]))
        answers = []
        for pair in (("torch", "wengert"), ("wengert", "torch")):
            same = without_storages(json.dumps(reads[pair][file])) == own or file.startswith("conjugates")
            answers.append("yes" if same else "NO")
            if not same:
                problems[f"{pair[0]} reads {pair[1]}'s {file}"] = (str(reads[pair][file])[:400], own[:400])
        difference = differing_bytes(folder / "torch" / file, folder / "wengert" / file)
        print(f"| {file} | {difference} | {' | '.join(answers)} |")
    for what, problem in problems.items():
        print(f"{what}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
