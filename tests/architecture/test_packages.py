"""Imports go one way: each package imports only those below it, and declares those it imports.

Reads the sources, Python and Cython: late imports inside functions count, doctests do not.
"""

import ast
import re
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import wengert_core.extend as core_face
import wengert_engine.extend as engine_face

ROOT = Path(__file__).resolve().parents[2]
BELOW = {
    "wengert_registry": set(),
    "wengert_builder": set(),
    "wengert_core": {"wengert_registry"},
    "wengert_engine": {"wengert_registry", "wengert_core"},
    "wengert_formulas": {"wengert_registry", "wengert_core", "wengert_engine"},
    "wengert_graph": {"wengert_registry", "wengert_core", "wengert_engine"},
    "wengert_functional": {"wengert_registry", "wengert_core", "wengert_engine"},
    "wengert_gradcheck": {"wengert_registry", "wengert_core", "wengert_engine"},
    "wengert_profiler": {"wengert_registry", "wengert_core", "wengert_engine"},
    "wengert_cuda": {"wengert_registry", "wengert_core"},
    "wengert_special": {"wengert_registry", "wengert_core", "wengert_engine", "wengert_formulas"},
    "wengert_sparse": {"wengert_registry", "wengert_core", "wengert_engine", "wengert_formulas"},
    "wengert_replay": {"wengert_registry", "wengert_core", "wengert_engine"},
    "wengert_compat": {"wengert_registry", "wengert_core", "wengert_engine"},
    "wengert_numpy": {"wengert_registry", "wengert_core", "wengert_engine", "wengert_special", "wengert"},
    "wengert_nn": {"wengert"},
    "wengert_optim": {"wengert_core", "wengert"},
    "wengert_distributions": {"wengert"},
    "wengert_serialization": {"wengert"},
    "wengert_data": {"wengert"},
    "wengert_distributed": {"wengert_registry", "wengert_core", "wengert_engine", "wengert_formulas", "wengert"},
    "wengert": {"wengert_registry", "wengert_core", "wengert_engine", "wengert_formulas"},
    "wengert_testing": {
        "wengert_registry", "wengert_core", "wengert_engine", "wengert_formulas", "wengert", "wengert_distributed",
    },
}
"""What each may import: the picture of docs/architecture.md. wengert_testing is nobody's."""
IN_STUBS = {
    "wengert": {
        f"wengert_{part}"
        for part in ("compat", "data", "distributed", "distributions", "functional", "gradcheck", "graph", "nn",
                     "optim", "profiler", "replay", "serialization")
    },
}
"""What the stubs of each may import besides: names that optional parts bring."""
EXTENDERS = [
    f"wengert_{name}"
    for name in ("compat", "cuda", "data", "distributed", "distributions", "functional", "gradcheck", "graph", "nn",
                 "numpy", "optim", "profiler", "replay", "serialization", "sparse", "special")
]
"""The optional packages."""
FACES = {
    "wengert_core": ("wengert_core.extend", "wengert_core.random", "wengert_core.memory"),
    "wengert_engine": ("wengert_engine.extend", "wengert_engine.namespaces"),
}
"""What is promised to stay of a package's inside, beside its own names."""
TEXTS = re.compile(r'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'', re.DOTALL)
CYTHON_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import\b|c?import[ \t]+([^#\n]+))", re.MULTILINE)


def folders() -> dict[str, Path]:
    """The folder of each package, by its import name."""
    sources = [*ROOT.glob("packages/*/src/*/__init__.py"), *ROOT.glob("shared/*/src/*/__init__.py")]
    return {source.parent.name: source.parents[2] for source in sources}


@cache
def in_python(text: str) -> frozenset[str]:
    """The modules a Python source names in import statements; relative ones left out."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
    return frozenset(found)


@cache
def in_cython(text: str) -> frozenset[str]:
    """The modules a Cython source names in import and cimport statements."""
    found: set[str] = set()
    for module, several in CYTHON_IMPORT.findall(TEXTS.sub("", text)):
        found |= {module} if module else {part.split()[0] for part in several.split(",") if part.strip()}
    return frozenset(found)


@cache
def imports(folder: Path, stubs: bool = True) -> dict[str, set[str]]:
    """Our packages that a package's sources import, each with the files that do."""
    found: dict[str, set[str]] = {}
    for file in sorted((folder / "src").rglob("*")):
        if file.suffix in (".py", ".pyx", ".pxd", ".pxi") or (stubs and file.suffix == ".pyi"):
            read = in_python if file.suffix in (".py", ".pyi") else in_cython
            name = str(file.relative_to(ROOT))
            for module in read(file.read_text(encoding="utf-8")):
                found.setdefault(module.partition(".")[0], set()).add(name)
    return {top: files for top, files in found.items() if top in BELOW}


@pytest.mark.parametrize("package", sorted(folders()))
def test_imports_go_down(package: str) -> None:
    found = imports(folders()[package])
    allowed = BELOW[package] | IN_STUBS.get(package, set())
    up = {top: sorted(files) for top, files in found.items() if top != package and top not in allowed}
    assert not up, f"{package} may import {sorted(BELOW[package])} only"
    assert not set(imports(folders()[package], stubs=False)) & IN_STUBS.get(package, set())


@pytest.mark.parametrize("package", sorted(folders()))
def test_what_is_imported_is_declared(package: str) -> None:
    folder = folders()[package]
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [text for several in project.get("optional-dependencies", {}).values() for text in several]
    for stubs, texts in ((False, project.get("dependencies", [])), (True, project.get("dependencies", []) + extras)):
        declared = {re.split(r"[^\w-]", text)[0].replace("-", "_") for text in texts}
        found = imports(folder, stubs)
        missing = {top: sorted(files) for top, files in found.items() if top not in {package, *declared}}
        assert not missing, f"{package}'s pyproject.toml declares {sorted(declared & set(BELOW))}"


def test_examples_and_special_import_faces_alone() -> None:
    """Examples to copy, and special, import nothing but ``wengert``, core's names for users and the faces."""
    allowed = {"wengert_core", "wengert_registry"}
    allowed |= {f"wengert_{package}.extend" for package in ("core", "formulas", "testing")}
    for folder in ("docs/examples/plugin", "docs/examples/device", "packages/special/src"):
        source = ROOT / folder if folder.endswith("src") else ROOT / folder / "src"
        own = {path.name for path in source.iterdir()}
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "build" in file.parts:
                continue
            found = {module for module in in_python(file.read_text(encoding="utf-8")) if module.startswith("wengert_")}
            outside = {module for module in found if module.partition(".")[0] not in own} - allowed
            assert not outside, f"{file.relative_to(ROOT)} imports {sorted(outside)}"


def inside_imports(package: str, top: str) -> dict[str, list[str]]:
    """The modules of another package that a package imports beside its faces, by file.

    Stubs are left out: they name the module that defines a type.
    """
    inside = {}
    for file in sorted((folders()[package] / "src").rglob("*")):
        if file.suffix not in (".py", ".pyx", ".pxd", ".pxi"):
            continue
        text = file.read_text(encoding="utf-8")
        read = in_python if file.suffix == ".py" else in_cython
        modules = {module for module in read(text) if module.startswith(f"{top}.")}
        found = {module for module in modules if not any(f"{module}.".startswith(f"{face}.") for face in FACES[top])}
        if file.suffix == ".py":
            found |= hidden_names(text, top)
        if found:
            inside[str(file.relative_to(ROOT))] = sorted(found)
    return inside


def hidden_names(text: str, top: str) -> set[str]:
    """Names that a Python source imports from a package or its public modules, but which these do not list."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == top:
            public = getattr(import_module(node.module), "__all__", None)
            found |= {f"{node.module}.{alias.name}" for alias in node.names if public and alias.name not in public}
    return found


@pytest.mark.parametrize("package", EXTENDERS)
def test_extenders_import_the_face_of_core_alone(package: str) -> None:
    """Our own packages use what a stranger's may use."""
    inside = inside_imports(package, "wengert_core")
    assert not inside, "import from wengert_core.extend; a name that is not there is added to it, and described"


@pytest.mark.parametrize("package", [*EXTENDERS, "wengert", "wengert_testing"])
def test_extenders_import_the_face_of_the_engine_alone(package: str) -> None:
    inside = inside_imports(package, "wengert_engine")
    assert not inside, "import from wengert_engine.extend; a name that is not there is added to it, and described"


def test_names_that_a_public_module_does_not_list_are_seen() -> None:
    text = "from wengert_engine import Node\nfrom wengert_engine.extend import pullback"
    assert not hidden_names(text, "wengert_engine")
    text = "from wengert_engine import vmap\nfrom wengert_engine.namespaces.forward_ad import current_level, make_dual"
    expected = {"wengert_engine.vmap", "wengert_engine.namespaces.forward_ad.current_level"}
    assert hidden_names(text, "wengert_engine") == expected


@pytest.mark.parametrize(
    ("face", "section"), [(core_face, "The face of core"), (engine_face, "The face of the engine")]
)
def test_each_name_of_the_face_is_described(face: ModuleType, section: str) -> None:
    text = (ROOT / "docs/plugin-reference.md").read_text(encoding="utf-8")
    text = text.partition(f"## {section}")[2].partition("\n## ")[0]
    described = set(re.findall(r"^\| ((?:`\w+`,? ?)+)\|", text, re.MULTILINE))
    names = {name for cell in described for name in re.findall(r"\w+", cell)}
    assert names == set(face.NAMES)
    assert all(getattr(face, name) is not None for name in face.NAMES)


@pytest.mark.parametrize("face", [core_face, engine_face])
def test_the_stub_of_a_face_has_its_names(face: ModuleType) -> None:
    top = face.__name__.partition(".")[0]
    stub = folders()[top] / "src" / top / "extend.pyi"
    found = set()
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname for alias in node.names if alias.asname and not alias.asname.startswith("_")}
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    assert found == set(face.NAMES)


def test_the_table_holds_every_package() -> None:
    assert set(folders()) == set(BELOW)


def test_the_sources_are_found_and_read() -> None:
    """The checks above would pass on nothing."""
    found = imports(folders()["wengert_engine"])
    assert any(file.endswith(".pyx") for file in found["wengert_core"])
    assert any(file.endswith(".pxd") for file in found["wengert_core"])
    assert any(file.endswith(".py") for file in found["wengert_registry"])


def test_the_readers_see_every_kind_of_import() -> None:
    python = '"""\n>>> import a\n"""\nimport b.c, d as e\ndef f():\n    from g.h import i\n    from . import j\n'
    assert in_python(python) == {"b.c", "d", "g.h"}
    cython = '"""\nfrom a cimport b\n"""\ncimport c.d as e, f  # g\nfrom h.i cimport (j,\n    k)\ncdef int important\n'
    assert in_cython(cython) == {"c.d", "f", "h.i"}
