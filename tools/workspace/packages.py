"""The packages of this repository: where they are, in which order they are built, and whether they changed."""

import hashlib
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("shared", "packages")
COMPILED_FROM = (".pyx", ".pxd", ".pxi", ".h", ".c")  # a change of one of these rebuilds its package
SEEN_BY_OTHERS = (".pxd", ".pxi", ".h")  # and of one of these the packages above it, too
SEEN_OF_TOOLS = (".py", ".c")  # and of one of these, in a package of plain Python that builds others, what it builds


@dataclass(frozen=True)
class Package:
    """One distribution: a folder with a pyproject.toml and src/."""

    folder: Path
    settings: dict[str, Any] = field(repr=False, hash=False, compare=False)

    @property
    def name(self) -> str:
        return normal_name(self.settings["project"]["name"])

    @property
    def module(self) -> str:
        """The import name: one top-level package for each distribution."""
        return self.name.replace("-", "_")

    @property
    def requirements(self) -> list[str]:
        """What it needs to run and to be built."""
        project = self.settings["project"]
        return [*self.settings["build-system"]["requires"], *project.get("dependencies", [])]

    @cached_property
    def modules(self) -> list[Path]:
        """The source files of the compiled modules, relative to src/; empty for a pure Python package."""
        source = self.folder / "src"
        patterns = self.settings.get("tool", {}).get("wengert-builder", {}).get("extensions", [])
        return sorted({file.relative_to(source) for pattern in patterns for file in source.glob(pattern)})

    def sources(self, suffixes: Iterable[str]) -> list[Path]:
        return sorted(file for suffix in suffixes for file in (self.folder / "src").rglob(f"*{suffix}"))

    def native(self, suffix: str) -> Path:
        """The shared object of all compiled modules; suffix: that of this Python's modules."""
        return self.folder / "src" / self.module / f"_native{suffix}"

    def stray_modules(self) -> list[Path]:
        """Built modules in src/ beside the shared object, of an older layout: they would be imported, too."""
        return [file for file in self.sources([".so"]) if file.name.partition(".")[0] != "_native"]


def normal_name(requirement: str) -> str:
    """The distribution's name in a requirement, in its normal form: 'ml_dtypes>=0.5' is 'ml-dtypes'."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def read_settings(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def packages(root: Path = ROOT) -> list[Package]:
    """All packages, each after those it needs; the order is the same in every run."""
    files = sorted(file for folder in FOLDERS for file in root.glob(f"{folder}/*/pyproject.toml"))
    found = {package.name: package for package in (Package(file.parent, read_settings(file)) for file in files)}
    ordered: dict[str, Package] = {}
    while len(ordered) < len(found):
        ready = [p for p in found.values() if p.name not in ordered and not unmet(p, found, ordered)]
        if not ready:
            raise SystemExit(f"workspace: packages need each other in a circle: {sorted(set(found) - set(ordered))}")
        ordered.update((package.name, package) for package in ready)
    return list(ordered.values())


def with_needs(names: Iterable[str], some: list[Package]) -> list[Package]:
    """Of some packages those called so and all that they need, in the order that they have."""
    wanted = set(names)
    for package in reversed(some):
        if package.name in wanted:
            wanted |= set(map(normal_name, package.requirements))
    return [package for package in some if package.name in wanted]


def unmet(package: Package, found: Iterable[str], done: Iterable[str]) -> set[str]:
    """Names of the workspace packages that a package needs and that are not done."""
    return ({normal_name(text) for text in package.requirements} & set(found)) - set(done) - {package.name}


def outside_requirements(some: list[Package]) -> list[str]:
    """What the packages need from outside of this repository, to be built and to run; each once, sorted."""
    own = {package.name for package in some}
    return sorted({text for p in some for text in p.requirements if normal_name(text) not in own})


def group(name: str, root: Path = ROOT) -> list[str]:
    """The requirements of a [dependency-groups] entry of the root's pyproject.toml."""
    groups = read_settings(root / "pyproject.toml")["dependency-groups"]
    if name not in groups:
        raise SystemExit(f"workspace: no dependency group {name!r} in pyproject.toml; there are {sorted(groups)}")
    nested = [group(entry["include-group"], root) if isinstance(entry, dict) else [entry] for entry in groups[name]]
    return [text for texts in nested for text in texts]


def digest(files: Iterable[Path], *facts: object) -> str:
    """A hash of names and contents of files, and of some facts."""
    state = hashlib.sha256(repr(facts).encode())
    for file in files:
        state.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return state.hexdigest()[:16]


def fingerprints(some: list[Package], *facts: object) -> dict[str, str]:
    """For each package a hash of all that its editable install depends on: metadata, sources, headers from below."""
    headers: dict[str, str] = {}  # of a package and of all below it
    prints: dict[str, str] = {}
    tools = {normal_name(text) for package in some for text in package.settings["build-system"]["requires"]}
    mode = [os.environ.get(f"WENGERT_{name}", "") for name in ("CHECKED", "QUICK", "SANITIZE", "SYMBOLS")]
    for package in some:
        below = sorted(headers[name] for text in package.requirements if (name := normal_name(text)) in headers)
        seen = SEEN_OF_TOOLS if package.name in tools and not package.modules else SEEN_BY_OTHERS
        headers[package.name] = digest(package.sources(seen), below)
        rules = [package.folder / name for name in ("pyproject.toml", "hot.txt")]
        files = [file for file in rules if file.exists()]
        if package.modules:
            compiled = [package.folder / "src" / module for module in package.modules]
            files += sorted({*compiled, *package.sources(COMPILED_FROM)})
            prints[package.name] = digest(files, below, mode, facts)
        else:
            prints[package.name] = digest(files)
    return prints
