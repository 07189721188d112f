"""Rooms: docs/architecture.md lists those of a package in order, and a room imports only those listed above it.

Reads the sources, Python and Cython. Imports that go the other way are listed here, with the reason, and so are folders
with more files than a room may have.
"""

import ast
import os
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 25
TEXTS = re.compile(r'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'', re.DOTALL)
CYTHON = re.compile(
    r"^([ \t]*)(?:from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^#\n]+)|c?import[ \t]+([^#\n]+))", re.MULTILINE
)
LATE = {
    "wengert_core.binding.checked_methods": {
        "dispatch.argument_errors": "looked up when a call has failed",
        "dispatch.overrides": "looked up when a call has failed",
        "drivers.refused_writes": "looked up when a call has failed",
    },
    "wengert_core.binding.torch_function": {"dispatch.overrides": "asked for tensors of subclasses alone"},
    "wengert_core.tensors.operators": {
        "dispatch.overrides": "asked when an operand is no tensor, or of a subclass",
        "exchange.numpy_bridge": "an operand that is an array: the bridge is loaded by the first of them",
    },
    "wengert_core.dtypes.dtypes": {"exchange.device_memory": "NumPy's dtype, which NumPy asks a dtype for"},
    "wengert_core.dispatch.op": {"drivers.refused_writes": "looked up when a call that writes has failed"},
    "wengert_core.dispatch.composite": {
        "drivers.out_argument": "out= of a composite is rare",
        "drivers.refused_writes": "looked up when a call that writes has failed",
    },
    "wengert_core.dispatch.overrides": {
        "ops.operators": "the operators, by name, for classes with __torch_function__",
        "optable.lazy_names": "the function of a method's name, for classes with __torch_function__",
    },
    "wengert_core.devices.device": {
        "backends.default_device": "`with device:` loads what switches the default",
        "backends.intercept": "loaded by the first device",
        "backends.pinning": "loaded by the first pinned memory",
    },
    "wengert_core.drivers.view.inplace_views": {"api.untyped_storage": "set_ of a storage loads storages"},
    "wengert_engine.graph.node": {
        "record.node_attributes": "an attribute of a node that users look at: saved tensors, metadata",
        "reverse.vjp": "a node that is called",
    },
    "wengert_engine.graph.formula": {"record.node_attributes": "made with the first property that shows a saved value"},
    "wengert_engine.record.saved_hooks_stack": {"anomaly.saved_errors": "the error for a write to a saved tensor"},
    "wengert_engine.record.saved_values": {"anomaly.saved_errors": "the error for a write to a saved tensor"},
    "wengert_engine.function.apply": {"vmap.batched_function": "a Function that is called inside of vmap"},
    "wengert_engine.reverse.api": {"vmap.batched_grad": "gradients that are asked for inside of vmap"},
    "wengert_engine.forward.dual": {"vmap.batched_grad": "tangents inside of vmap"},
    "wengert_replay.recording.tracing": {"loops.constructs": "a construct of control flow that is recorded"},
    "wengert_replay.programs.program": {
        "exporting": "a program that is saved",
        "inspection.counting": "counts that are asked for",
        "inspection.drawing": "a program that is drawn",
        "inspection.printing": "a program that is printed",
    },
    "wengert_replay.inspection.device_facts": {"exporting.errors": "the error for a device's program that is saved"},
    "wengert_distributed.interface.work": {"faults.diagnosis": "the message of a collective that has failed"},
    "wengert_nn.modules.rnn": {"utils.rnn": "the class of packed sequences, for an input that may be one"},
    "wengert_profiler.events.event_list": {"export.chrome": "loaded by the first trace that is written"},
    "wengert_profiler.views.compare": {"export.trace_files": "loaded by the first trace that is compared"},
}
"""Modules that load one below when they first need it: what a program without it does not pay for."""
EARLY = {
    "wengert_distributions.continuous.beta": {
        "multivariate.dirichlet": "Beta is computed by a Dirichlet distribution of two components",
    },
}
"""Modules that import one below at once."""
WITHOUT_TABLE = {
    "wengert_sparse": "its rooms ops and compressed import each other, because the conversions of a layout are ops",
}
"""Packages with rooms that docs/architecture.md does not list."""
NO_SOURCES = re.compile(r"\..*|__pycache__|_?build|dist|output|.*\.egg-info")
"""Names of folders that hold what programs have made."""
LARGE = {
    "docs": "a page for each subject, whose address is its name",
    "docs/decisions": "decisions are numbered",
    "docs/examples/numpy_programs": "a program each, which one test runs",
    "packages/core/tests": "the tests of a package are in one folder",
    "packages/engine/tests": "the tests of a package are in one folder",
    "packages/numpy/tests": "the tests of a package are in one folder",
    "packages/serialization/tests/recorded": "files that PyTorch has written",
    "packages/wengert/src/wengert": "stubs with the names of PyTorch's modules",
    "packages/wengert/src/wengert/distributions": "stubs with the names of PyTorch's modules",
    "tests": "the tests of all packages together are in one folder",
    "tests/torch_parity/recorded/answers/snippets/modules": "recorded, for each file of cases/modules",
    "tests/torch_parity/recorded/cases/modules": "a file for each module of torch.nn.modules",
    "tests/torch_parity/reference": "a file for each subject of PyTorch's reference",
}
"""Folders with more files than a room may have."""


@cache
def rooms(package: str) -> dict[str, str]:
    """The rooms of a package, in order, with their purposes: the table of docs/architecture.md."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    block = re.search(rf"^```rooms {package}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert block, f"docs/architecture.md lists no rooms of {package}"
    return dict(re.split(r"/ +", line, maxsplit=1) for line in block[1].splitlines())


PACKAGES = re.findall(r"^```rooms (\w+)", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"), re.MULTILINE)


def folder(package: str) -> Path:
    return next(ROOT.glob(f"packages/*/src/{package}"))


def in_python(text: str) -> list[tuple[str, bool]]:
    """The names that a Python source imports from, and whether it does so inside of a function."""
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, late: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend((alias.name, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.extend((f"{node.module}.{alias.name}", late) for alias in node.names)
        inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(text), False)
    return found


def in_cython(text: str) -> list[tuple[str, bool]]:
    """The same of a Cython source; what is indented is inside of a function."""
    found = []
    for indent, module, names, modules in CYTHON.findall(TEXTS.sub("", text)):
        each = [part.split()[0] for part in (names or modules).strip("() ").split(",") if part.strip()]
        found += [(f"{module}.{name}" if module else name, bool(indent)) for name in each]
    return found


@cache
def imports(package: str) -> list[tuple[str, str, bool]]:
    """(importing module, module imported, whether late) of all sources of a package, package's name left out."""
    top = folder(package)
    modules = {
        str(file.relative_to(top).with_suffix("")).replace("/", ".")
        for file in top.rglob("*") if file.suffix in (".py", ".pyx", ".pxd", ".pxi")
    }
    found = []
    for file in sorted(top.rglob("*")):
        if file.suffix not in (".py", ".pyx", ".pxd", ".pxi"):
            continue
        importer = str(file.relative_to(top).with_suffix("")).replace("/", ".")
        read = in_python if file.suffix == ".py" else in_cython
        for name, late in read(file.read_text(encoding="utf-8")):
            if not name.startswith(package + "."):
                continue
            inside = name.removeprefix(package + ".")
            while inside and inside not in modules and f"{inside}.__init__" not in modules:
                inside = inside.rpartition(".")[0]
            if inside:
                found.append((importer, inside, late))
    return found


def room_of(package: str, module: str) -> str:
    """The innermost room that a module is in; '' for one of the package itself."""
    name = module.replace(".", "/")
    while name and name not in rooms(package):
        name = name.rpartition("/")[0]
    return name


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_up_the_list(package: str) -> None:
    order = {room: place for place, room in enumerate(rooms(package))}
    wrong = []
    for importer, imported, late in imports(package):
        here, there = room_of(package, importer), room_of(package, imported)
        if not here or not there or order[there] <= order[here]:
            continue
        allowed = (LATE if late else EARLY).get(f"{package}.{importer}", {})
        if imported not in allowed:
            wrong.append(f"{importer} imports {imported}{' late' if late else ''}: {there} stands below {here}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exception_is_needed(package: str) -> None:
    found = set(imports(package))
    for exceptions, late in ((LATE, True), (EARLY, False)):
        for importer, several in exceptions.items():
            if importer.startswith(package + "."):
                for imported in several:
                    assert (importer.removeprefix(package + "."), imported, late) in found, f"{importer}: {imported}"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_list_is_that_of_the_folders(package: str) -> None:
    top = folder(package)
    found = {}
    for init in top.rglob("__init__.py"):
        if init.parent != top:
            doc = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
            found[str(init.parent.relative_to(top))] = doc.splitlines()[0] if doc else ""
    assert found == rooms(package)


def test_every_package_with_rooms_lists_them() -> None:
    rooms_of = {init.relative_to(ROOT).parts[3] for init in ROOT.glob("packages/*/src/*/*/__init__.py")}
    assert rooms_of - {*PACKAGES, *WITHOUT_TABLE} == set()


def sizes() -> dict[str, int]:
    """The number of files in each folder; files that make a folder a typed package and what is built do not count."""
    found = {}
    for top in ("asv_benchmarks", "docs", "packages", "shared", "tests", "tools"):
        for path, folders, files in os.walk(ROOT / top):
            folders[:] = [name for name in folders if not NO_SOURCES.fullmatch(name)]
            counted = [name for name in files if not name.startswith("__init__.py") and name != "py.typed"
                       and not name.endswith((".so", ".pyd"))]
            found[str(Path(path).relative_to(ROOT))] = len(counted)
    return found


def test_no_folder_is_too_large() -> None:
    found = sizes()
    assert len(found) > 300
    assert {folder: number for folder, number in found.items() if number > MOST_FILES} == {
        folder: found[folder] for folder in LARGE
    }


def test_the_readers_see_every_kind_of_import() -> None:
    python = '"""\n>>> import a\n"""\nimport b.c\ndef f():\n    from g.h import i, j\n'
    assert in_python(python) == [("b.c", False), ("g.h.i", True), ("g.h.j", True)]
    cython = '"""\nfrom a cimport b\n"""\ncimport c.d\nfrom h.i cimport (j,\n    k)\ncdef f():\n    from l import m\n'
    assert in_cython(cython) == [("c.d", False), ("h.i.j", False), ("h.i.k", False), ("l.m", True)]


def test_there_is_something_to_read() -> None:
    found = imports("wengert_core")
    assert len(found) > 1500
    assert any(late for _, _, late in found)
