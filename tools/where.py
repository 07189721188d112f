"""Print where everything about an operation stands, as file:line.

    .venv/bin/python -m tools.where softmax linalg.svd      these operations
    .venv/bin/python -m tools.where --json                  all operations, for tests/architecture/test_families.py

Row, formula, batching rule, sample and documentation stand in modules of one name, ``<family>/<module>``, so one name
leads to all of them. A row does not name its driver: the drivers are asked, as rows are loaded, for which ops they are
configured. Kernels are the headers that the driver's source names, for pointwise ops those with the row's kernels.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "packages/core/src/wengert_core"
FORMULAS = ROOT / "packages/formulas/src/wengert_formulas"
SAMPLES = ROOT / "shared/testing/src/wengert_testing/samples"
TESTS = ("tests", "packages/core/tests", "packages/engine/tests", "packages/formulas/tests")
LAYERS = {
    "row": (CORE / "ops", "py"),
    "formula": (FORMULAS / "derivatives", "py"),
    "batching rule": (FORMULAS / "batching", "py"),
    "sample": (SAMPLES, "py"),
    "documentation": (CORE / "documentation", "txt"),
}
"""The folder of each layer, in which an op's module has one name, and what its files end with."""
CONFIGURED: defaultdict[str, list[str]] = defaultdict(list)
"""The driver modules by the name of an op; filled by ``watch_drivers``."""
KERNELS: dict[str, tuple[str, ...]] = {}
"""The kernels of a pointwise row by the name of its op."""
TESTS_SHOWN = 4


def watch_drivers() -> None:
    """Let each driver note the ops that it is configured for. Called before the first row is loaded."""
    for file in sorted((CORE / "drivers").rglob("*.pyx")):
        names = re.findall(r"^def (configure\w*)\(", file.read_text(encoding="utf-8"), re.MULTILINE)
        path = ".".join(file.relative_to(CORE).with_suffix("").parts)
        for name in names:
            module = import_module(f"wengert_core.{path}")
            setattr(module, name, noting(path, getattr(module, name)))


def noting(path: str, configure: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a driver, which also notes its op."""
    def run(op: Any, *args: Any, **words: Any) -> Any:
        if path not in CONFIGURED[op.name]:
            CONFIGURED[op.name].append(path)
        if path == "drivers.pointwise.pointwise":
            each = (kernel[0] if isinstance(kernel, tuple) else kernel for kernel in args[2])
            KERNELS[op.name] = tuple(k if isinstance(k, str) else f"numpy.{k.__name__}" for k in each)
        return configure(op, *args, **words)

    return run


@cache
def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def line_of(file: Path, *words: str) -> str:
    """``file:line`` of the first line that declares one of the words; the file where a loop makes the name."""
    for word in words:
        if word not in text(file):
            continue
        for pattern in (rf'"{word}[("]', rf"^def {word}\(", rf"^## {word}$", rf"\b{word}\b"):
            if found := re.search(pattern.replace(".", r"\."), text(file), re.MULTILINE):
                return f"{file.relative_to(ROOT)}:{text(file).count(chr(10), 0, found.start()) + 1}"
    return str(file.relative_to(ROOT))


@cache
def sources(module: str) -> str:
    """The text of a Cython module and of its declarations."""
    files = (CORE / f"{module.replace('.', '/')}.{end}" for end in ("pyx", "pxd"))
    return "\n".join(text(file) for file in files if file.exists())


@cache
def cimports(module: str, room: str) -> list[str]:
    """The modules of drivers or of kernels that a module cimports."""
    return re.findall(rf"^from wengert_core\.({room}(?:\.\w+)+) cimport", sources(module), re.MULTILINE)


@cache
def headers_of(module: str) -> list[str]:
    return re.findall(r'extern from "wengert_core/(kernels/[^"]+)"', sources(module))


def kernels_of(drivers: Iterable[str], op_name: str) -> list[str]:
    """The sources of an op's kernels: those that its driver names; of a pointwise row those that have its kernels."""
    if names := KERNELS.get(op_name):
        headers = sorted((CORE / "kernels/pointwise").glob("*.h"))
        own = [line_of(h, n) for n in names for h in headers if re.search(rf"\b{n}\b", text(h))]
        return [*dict.fromkeys(own), *(n for n in names if n.startswith("numpy."))]
    near = [*drivers]
    for driver in drivers:
        near += [*cimports(driver, "drivers"), *cimports(driver, "kernels")]
    near += [kernel for module in near for kernel in cimports(module, "kernels")]
    loops = [f"{module.replace('.', '/')}.pyx" for module in near if module.startswith("kernels.")]
    loops += [header for module in near for header in headers_of(module)]
    found = dict.fromkeys(path for path in loops if (CORE / path).exists())
    return [f"packages/core/src/wengert_core/{path}" for path in found if not path.endswith("/dtypes.h")]


@cache
def rule_of_family(family: str) -> list[str]:
    """Return the location of the batching rule that all ops of a family have."""
    for file in sorted((FORMULAS / "batching").glob("*/*.py")):
        if file.parent.name != "calls" and re.search(rf'(family\(|FAMILIES\[)"{family}"', text(file)):
            return [line_of(file, family)]
    return ["none: a loop over the batch"]


def bare(name: str) -> str:
    """A name without the module that it is also found in, and without the underscores of primitives and variants."""
    return name.rpartition(".")[2].strip("_")


def locations(name: str) -> dict[str, list[str]]:
    """Return the files and lines of an op or composite, by layer."""
    from wengert_core import TABLE
    from wengert_core.dispatch.op import Op
    from wengert_core.optable.families import METHODS, OPS

    brought = {op: module for listed in (METHODS, OPS) for module, ops in listed.items() for op in ops.split()}
    op = TABLE.ops[name] if name in TABLE.ops else TABLE.methods[name]
    op = getattr(op, "func", op)  # an alias
    out_of_place = getattr(op, "out_of_place", None)
    module = brought[name].replace(".", "/")
    words = dict.fromkeys([name, getattr(op, "name", bare(name)), *([out_of_place.name] if out_of_place else []),
                           bare(name)])
    found: dict[str, list[str]] = {}
    for layer, (folder, end) in LAYERS.items():
        file = folder / f"{module}.{end}"
        if file.exists() and (not isinstance(op, Op) or any(word in in_layer(layer) for word in words)):
            found[layer] = [line_of(file, *words)]
    if isinstance(op, Op):
        calls = [op.name]
        found.setdefault("batching rule", rule_of_family(op.family))
    else:
        rows = [TABLE.ops[other] for other, brought_by in brought.items() if brought_by == brought[name]
                and other in TABLE.ops]
        calls = [row.name for row in rows if isinstance(row, Op)]
    drivers = dict.fromkeys(driver for call in calls for driver in CONFIGURED[call])
    found["driver"] = [f"packages/core/src/wengert_core/{path.replace('.', '/')}.pyx" for path in drivers]
    found["driver"] = found["driver"] or ["those of the ops that it calls, which have rows in other modules"]
    found["kernel"] = list(dict.fromkeys(kernel for call in calls for kernel in kernels_of(CONFIGURED[call], call)))
    found["kernel"] = found["kernel"] or ["the row's reference, or the ops that it calls"]
    most = sorted(words_of_tests(), key=lambda file: -words_of_tests()[file][bare(name)])[:TESTS_SHOWN]
    found["tests"] = [line_of(file, bare(name)) for file in most if words_of_tests()[file][bare(name)]]
    return {layer: found[layer] for layer in ("row", "driver", "kernel", *[*LAYERS][1:], "tests") if layer in found}


@cache
def in_layer(layer: str) -> Container[str]:
    """The names of the ops that have an entry of their own in a layer."""
    from wengert_core import TABLE
    from wengert_core.dispatch.op_docs import entries_of_package
    from wengert_formulas.batching.calls.call import RULES
    from wengert_formulas.composed import TABLE as FORMULA_TABLE
    from wengert_testing.samples import CASES

    return {"row": {*TABLE.ops, *TABLE.methods}, "formula": FORMULA_TABLE.entries, "batching rule": RULES,
            "sample": {case.op for case in CASES}, "documentation": entries_of_package("wengert_core")}[layer]


@cache
def words_of_tests() -> dict[Path, Counter[str]]:
    """Count the words of each file of tests."""
    files = [file for folder in TESTS for file in sorted((ROOT / folder).rglob("test_*.py"))]
    return {file: Counter(re.findall(r"\w+", text(file))) for file in files}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="names as in wengert: add_, nn.functional.conv2d")
    parser.add_argument("--json", action="store_true", help="all operations as JSON")
    options = parser.parse_args()
    watch_drivers()
    from wengert_core import TABLE

    if options.json:
        print(json.dumps({name: locations(name) for name in TABLE.ops}))
        return 0
    for name in options.names:
        if name not in TABLE.ops and name not in TABLE.methods:
            near = sorted(known for known in TABLE.ops if bare(known) == bare(name))
            print(f"{name}: no operation; {', '.join(near) or 'see dir(wengert)'}")
            return 1
        print(name)
        for layer, lines in locations(name).items():
            print("\n".join(f"  {layer if i == 0 else '':14}{line}" for i, line in enumerate(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
