"""Families: the row of an op, its formula, its batching rule and its sample stand in rooms of one name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wengert_core.optable.families import OPS
from wengert_testing import samples

ROOT = Path(__file__).resolve().parents[2]
FORMULAS = ROOT / "packages/formulas/src/wengert_formulas"
FAMILIES = {"pointwise", "reduce", "view", "copy", "index", "linalg", "nn", "loss", "signal", "create"}
ENTRIES = {"elementwise", "linear", "multilinear", "derivative", "zero", "not_differentiable", "not_implemented"}
ELSEWHERE = {"unique_consecutive": "one formula and one rule with unique: neither is differentiable nor batched"}
"""Ops that stand in a room of another family somewhere, with the reason."""


def rows() -> dict[str, set[str]]:
    """The families that bring each op; the names of Tensor's methods and of nn.functional are those of the op."""
    found: dict[str, set[str]] = {}
    for module, names in OPS.items():
        for name in "".join(names).split() if module.partition(".")[0] in FAMILIES else ():
            found.setdefault(plain(name), set()).add(module.partition(".")[0])
    return found


def plain(name: str) -> str:
    """A name without the module it is also found in, the underscore of a primitive and that of an op in place."""
    return name.rpartition(".")[2].strip("_")


def texts(call: ast.Call) -> list[str]:
    return [plain(a.value) for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]


def entries(folder: str) -> Iterator[tuple[str, str]]:
    """(family, op) of the formulas or the batching rules that name their ops in the source."""
    for file in sorted((FORMULAS / folder).glob("*/*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if function in (ENTRIES if folder == "derivatives" else {"rule"}):
                    yield from ((file.parent.name, op) for op in texts(node))


def of_samples() -> Iterator[tuple[str, str]]:
    """(family, op) of the rows of samples."""
    for module in samples.MODULES:
        family = module.__name__.split(".")[-2]
        if family in FAMILIES:
            yield from ((family, plain(case.op)) for case in module.CASES)


@pytest.mark.parametrize(("kind", "at_least"), [("derivatives", 350), ("batching", 180), ("samples", 600)])
def test_each_stands_in_the_room_of_its_row(kind: str, at_least: int) -> None:
    known = rows()
    found = [(family, op) for family, op in (of_samples() if kind == "samples" else entries(kind)) if op in known]
    assert len(found) >= at_least
    wrong = {f"{op}: {family}, its row in {sorted(known[op])}" for family, op in found if family not in known[op]}
    assert {line for line in wrong if line.partition(":")[0] not in ELSEWHERE} == set()


def test_rooms_of_families_have_the_ten_names() -> None:
    for top in (ROOT / "packages/core/src/wengert_core/ops", FORMULAS / "derivatives", FORMULAS / "batching",
                Path(str(samples.__file__)).parent):
        rooms = {init.parent.name for init in top.glob("*/__init__.py")}
        assert rooms - {"calls"} == FAMILIES, top


def test_a_name_is_that_of_its_op() -> None:
    assert [plain(name) for name in ("nn.functional._pad", "add_", "linalg.cross", "_im2col")] == [
        "pad", "add", "cross", "im2col"]
    assert texts(ast.parse('linear("_put", self=1)').body[0].value) == ["put"]  # type: ignore[attr-defined]
    assert re.fullmatch(r"\w+", plain("special.erf"))
