"""Families: row, formula, batching rule, sample and documentation of an op stand in modules of one name."""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from wengert_core import TABLE
from wengert_core.dispatch.op import Op
from wengert_core.dispatch.op_docs import parse
from wengert_core.optable.families import METHODS, OPS
from wengert_testing import samples

from tools import where

HERE = Path(__file__).resolve().parent
FAMILIES = {"pointwise", "reduce", "view", "copy", "index", "linalg", "nn", "loss", "signal", "create"}
LAYERS = {"derivatives": 400, "batching": 200, "samples": 900, "documentation": 650}
"""Layers beside the rows, and how many entries each has at least."""
OF_FAMILIES = {
    "batching/pointwise/broadcast.py": "the rule of all pointwise ops",
    "batching/reduce/dimwise.py": "the rule of all ops along one dim",
}
"""Modules without a row module of their name, with the reason."""


def modules_of(listed: dict[str, str]) -> dict[str, str]:
    return {name: module for module, names in listed.items() for name in names.split()}


@cache
def rows() -> dict[str, set[str]]:
    """The modules that bring a row, by its name in the table, and by that of its op."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for table, listed in ((TABLE.ops, OPS), (TABLE.methods, METHODS)):
        for name, module in modules_of(listed).items():
            op = table[name]
            found[name].add(module)
            if isinstance(op, Op):
                found[op.name].add(module)
                if op.out_of_place is not None:
                    found[op.out_of_place.name].add(module)
    return found


@cache
def registrations() -> dict[str, dict[str, str]]:
    """The module that registers each formula and each batching rule, by the name of the op."""
    command = [sys.executable, str(HERE / "registrations.py")]
    found: dict[str, dict[str, str]] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return found


def entries(layer: str) -> Iterator[tuple[str, str]]:
    """(op, module) of all entries of a layer."""
    if layer == "samples":
        for module in samples.MODULES:
            yield from ((case.op, ".".join(module.__name__.split(".")[-2:])) for case in module.CASES)
    elif layer == "documentation":
        for file in sorted((where.CORE / layer).glob("*/*.txt")):
            for name in parse(file.read_text(encoding="utf-8")).entries:
                yield name, f"{file.parent.name}.{file.stem}"
    else:
        yield from registrations()[layer].items()


@pytest.mark.parametrize("layer", LAYERS)
def test_each_stands_in_a_module_with_the_name_of_its_rows(layer: str) -> None:
    found = list(entries(layer))
    assert len(found) >= LAYERS[layer]
    wrong = [(op, module) for op, module in found if module not in rows()[op]]
    assert [f"{op}: {module}, its row in {sorted(rows()[op])}" for op, module in wrong] == []


def test_each_module_has_the_name_of_a_module_of_rows() -> None:
    lonely = set()
    for folder, end in where.LAYERS.values():
        for file in folder.glob(f"*/*.{end}"):
            path = file.relative_to(folder)
            if path.parts[0] in FAMILIES and not (where.CORE / "ops" / path).with_suffix(".py").exists():
                lonely.add(f"{folder.name}/{path}")
    assert lonely == set(OF_FAMILIES)


def test_rooms_of_families_have_the_ten_names() -> None:
    for top, end in where.LAYERS.values():
        rooms = {file.parent.name for file in top.glob(f"*/*.{end}")}
        assert rooms - {"calls"} == FAMILIES, top


# ---- everything about an op, from its name
@cache
def locations() -> dict[str, dict[str, list[str]]]:
    """Return the output of ``python -m tools.where`` for all ops."""
    command = [sys.executable, "-m", "tools.where", "--json"]
    run = subprocess.run(command, capture_output=True, check=True, cwd=where.ROOT)
    found: dict[str, dict[str, list[str]]] = json.loads(run.stdout)
    return found


def in_tree(places: list[str]) -> list[str]:
    """Those of the places that are files, which exist."""
    return [place for place in places if (where.ROOT / place.partition(":")[0]).is_file()]


def test_row_and_driver_of_each_op_are_found_from_its_name() -> None:
    assert set(locations()) == set(TABLE.ops)
    for name, places in locations().items():
        assert in_tree(places["row"]), name
        assert in_tree(places["driver"]) or not isinstance(TABLE.ops[name], Op), name
        assert places["driver"], name
        assert places["kernel"], name


def test_formula_rule_sample_and_documentation_of_each_op_are_found_from_its_name() -> None:
    by_layer = {"formula": "derivatives", "batching rule": "batching", "sample": "samples"}
    for layer, folder in by_layer.items():
        names = {name for name, module in entries(folder) if name in TABLE.ops and module == modules_of(OPS)[name]}
        assert [name for name in sorted(names) if not in_tree(locations()[name].get(layer, []))] == []
    described = {name for name, _ in entries("documentation")} & set(TABLE.ops)
    lines = {name: locations()[name].get("documentation", [""])[0] for name in described}
    assert [name for name, line in sorted(lines.items()) if ":" not in line] == []


def test_places_are_printed() -> None:
    run = subprocess.run([sys.executable, "-m", "tools.where", "softmax"], capture_output=True, check=True, text=True,
                         cwd=where.ROOT)
    for path in ("ops/reduce/softmax.py:", "drivers/reduce/softmax.pyx", "kernels/reduce/softmax.h",
                 "derivatives/reduce/softmax.py:", "batching/reduce/softmax.py:", "samples/reduce/softmax.py:",
                 "documentation/reduce/softmax.txt:", "test_softmax.py:"):
        assert path in run.stdout
