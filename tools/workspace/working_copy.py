"""Copies of the working tree, in which modules of another kind are built."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tools.workspace.packages import ROOT

LEFT_OUT = {
    ".git", "build", "dist", "__pycache__", "_build", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
    ".asv",
}  # fmt: skip


def source_files(folder: Path) -> list[Path]:
    """The files that make the working tree, relative to its root: nothing that was built."""
    found = []
    for base, folders, files in os.walk(folder):
        folders[:] = sorted({*folders} - LEFT_OUT - {n for n in folders if n.startswith(".venv") or ".egg-info" in n})
        found += [(Path(base) / name).relative_to(folder) for name in files if not name.endswith(".so")]
    return found


def make_copy(tree: Path) -> Path:
    """A copy of the working tree in that folder, brought up to date; times are kept, so little is built again."""
    tree.mkdir(parents=True, exist_ok=True)
    files = source_files(ROOT)
    for file in files:
        source, target = ROOT / file, tree / file
        if not target.exists() or target.stat().st_mtime != source.stat().st_mtime:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    for file in set(source_files(tree)) - set(files):
        (tree / file).unlink()
    return tree
