"""Fake distributions: folders with a dist-info and modules, as pip would leave them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from wengert_registry import Registry


class World:
    """A few folders that stand for sys.path, and the distributions installed there."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self._monkeypatch = root, monkeypatch
        self.paths: list[str] = []
        self.folder("site")

    def folder(self, name: str) -> Path:
        """One more folder at the end of the path; the same one if it exists."""
        path = self.root / name
        if str(path) not in self.paths:
            path.mkdir()
            self.paths.append(str(path))
            self._monkeypatch.syspath_prepend(str(path))
        return path

    def install(self, spec: str, points: Mapping[str, str] | str | bytes, at: str = "site", **modules: str) -> Path:
        """spec: 'acme-gpu 0.3'. points: {'devices:cuda': 'acme:Gpu'}, or the text of entry_points.txt. -> dist-info."""
        name, version = spec.split()
        info = self.folder(at) / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n")
        text = entry_points(points) if isinstance(points, Mapping) else points
        (info / "entry_points.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        for module, source in modules.items():
            (self.folder(at) / f"{module}.py").write_text(source)
        return info

    def registry(self, **environ: str) -> Registry:
        """A registry of its own on these folders and switches."""
        return Registry(self.paths, environ)

    def imported_modules(self) -> set[str]:
        """The modules that have been imported from here."""
        files = {name: getattr(module, "__file__", None) or "" for name, module in list(sys.modules.items())}
        return {name for name, file in files.items() if file.startswith(str(self.root))}


def entry_points(points: Mapping[str, str]) -> str:
    """The text for {'ops:core': 'module:object'}; a group with a dot is taken as it is."""
    lines = []
    for key, target in points.items():
        group, name = key.split(":")
        lines.append(f"[{group if '.' in group else f'wengert.{group}.v1'}]\n{name} = {target}\n")
    return "".join(lines)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World(tmp_path, monkeypatch)
    yield made
    for name in made.imported_modules():
        del sys.modules[name]
