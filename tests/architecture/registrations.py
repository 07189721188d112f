"""Print, as JSON, which module registers the formula and the batching rule of each op; run in a process of its own.

Each module is imported behind those that it imports, and what is in the table after it but not before is its own.
"""

import ast
import importlib
import importlib.util
import json
import sys
import types
from pathlib import Path

import wengert_formulas

ROOT = Path(wengert_formulas.__file__).parent


def in_order(folder: str) -> list[str]:
    """The modules of a folder's rooms, each behind those that it imports."""
    files = {
        ".".join(("wengert_formulas", *file.relative_to(ROOT).with_suffix("").parts)): file
        for file in sorted((ROOT / folder).glob("*/*.py")) if file.stem != "__init__"
    }
    ordered: list[str] = []

    def add(name: str) -> None:
        if name in files and name not in ordered:
            for node in ast.walk(ast.parse(files[name].read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    for needed in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                        add(needed)
            ordered.append(name)

    for name in files:
        add(name)
    return ordered


def modules_by_op(folder: str, table: dict[str, object]) -> dict[str, str]:
    """``family.module`` by the name of the op."""
    found: dict[str, str] = {}
    for name in in_order(folder):
        before = set(table)
        importlib.import_module(name)
        found |= dict.fromkeys(set(table) - before, ".".join(name.split(".")[-2:]))
    return found


def package_without_imports(name: str) -> None:
    """Put a package into ``sys.modules`` whose ``__init__`` has not run: it would import all modules at once."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = types.ModuleType(name)
    package.__path__, package.__spec__ = list(spec.submodule_search_locations), spec
    sys.modules[name] = package


if __name__ == "__main__":
    from wengert_formulas.derivatives.base import TABLE

    formulas = modules_by_op("derivatives", TABLE.entries)
    package_without_imports("wengert_formulas.batching")
    from wengert_formulas.batching.calls.call import RULES

    print(json.dumps({"derivatives": formulas, "batching": modules_by_op("batching", RULES)}))
