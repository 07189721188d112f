"""Distributions that are not there: folders as pip would leave them, and processes that see them.

>>> import tempfile
>>> folder = Path(tempfile.mkdtemp())
>>> install(folder, "acme", {"namespace:acme": "acme_names"}, acme_names="answer = 42")
>>> run(folder, "-c", "import wengert; print(wengert.acme.answer)").stdout
'42\\n'
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, distribution: str, points: Mapping[str, str], **modules: str) -> None:
    """Leave a distribution of version 1 in a folder, with its entry points and its modules.

    points: {'ops:acme': 'module:object'}; a group with a dot is taken as it is.
    """
    info = folder / f"{distribution.replace('-', '_')}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {distribution}\nVersion: 1\n", encoding="utf-8")
    lines = []
    for key, target in points.items():
        group, _, entry = key.partition(":")
        lines.append(f"[{group if '.' in group else f'wengert.{group}.v1'}]\n{entry} = {target}\n")
    (info / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source, encoding="utf-8")


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of Python that has ended, which saw what is installed in the folder, and no switches but these."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("WENGERT_")}
    path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = clean | {"PYTHONPATH": os.pathsep.join(path)} | environment
    command = [sys.executable, "-B", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=variables, check=False)
