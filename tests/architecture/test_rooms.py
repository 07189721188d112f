"""Rooms: docs/architecture.md lists those of a package in order, and a room imports only those listed above it.

Reads the sources, Python and Cython. Imports inside functions that go the other way are listed here, with the reason.
"""

import ast
import re
from collections import Counter
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
    "wengert_profiler.events.event_list": {"export.chrome": "loaded by the first trace that is written"},
    "wengert_profiler.views.compare": {"export.trace_files": "loaded by the first trace that is compared"},
}
"""Modules that load one below when they first need it: what a program without it does not pay for."""


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
    found = []

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
        if not (late and imported in LATE.get(f"{package}.{importer}", {})):
            wrong.append(f"{importer} imports {imported}{' late' if late else ''}: {there} stands below {here}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_exception_is_needed(package: str) -> None:
    late = {(importer, imported) for importer, imported, late in imports(package) if late}
    for importer, several in LATE.items():
        if importer.startswith(package + "."):
            for imported in several:
                assert (importer.removeprefix(package + "."), imported) in late, f"{importer}: {imported}"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_list_is_that_of_the_folders(package: str) -> None:
    top = folder(package)
    found = {}
    for init in top.rglob("__init__.py"):
        if init.parent != top:
            doc = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
            found[str(init.parent.relative_to(top))] = doc.splitlines()[0] if doc else ""
    assert found == rooms(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_room_is_too_large(package: str) -> None:
    top = folder(package)
    compiled = (".so", ".pyd")
    files = Counter(
        str(file.parent.relative_to(top)) for file in top.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.suffix not in compiled
    )
    assert {room: number for room, number in files.items() if number > MOST_FILES} == {}


def test_the_readers_see_every_kind_of_import() -> None:
    python = '"""\n>>> import a\n"""\nimport b.c\ndef f():\n    from g.h import i, j\n'
    assert in_python(python) == [("b.c", False), ("g.h.i", True), ("g.h.j", True)]
    cython = '"""\nfrom a cimport b\n"""\ncimport c.d\nfrom h.i cimport (j,\n    k)\ncdef f():\n    from l import m\n'
    assert in_cython(cython) == [("c.d", False), ("h.i.j", False), ("h.i.k", False), ("l.m", True)]


def test_there_is_something_to_read() -> None:
    found = imports("wengert_core")
    assert len(found) > 1500
    assert any(late for _, _, late in found)
