"""A small package to build: a module in Cython, a compiled and an uncompiled one in Python, a package without code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "pyproject.toml": """
[build-system]
requires = ["setuptools", "wengert-builder"]
build-backend = "setuptools.build_meta"
[project]
name = "wengert-sample"
version = "1.0"
[tool.setuptools]
package-dir = { "" = "src" }
include-package-data = false
[tool.setuptools.packages.find]
where = ["src"]
[tool.setuptools.exclude-package-data]
"*" = ["*.pyx", "*.c"]
[tool.wengert-builder]
native = "wengert_sample"
extensions = ["**/*.pyx", "**/[!_]*.py"]
compiled = ["*/hot.py"]
""",
    "hot.txt": "no_such_function\n",
    "MANIFEST.in": "recursive-include src *.pyx\ninclude hot.txt\nglobal-exclude *.c *.so\n",
    "src/wengert_sample/__init__.py": "from wengert_sample import _native\nfrom wengert_sample.loops import total\n",
    "src/wengert_sample/loops.pyx": (
        "from wengert_sample.plain import START\n\n"
        "def total(list x):\n    cdef long s = START\n    for one in x:\n        s += one\n    return s\n\n"
        "def beyond(list x):\n    cdef Py_ssize_t i = len(x)\n    return x[i]\n"
    ),
    "src/wengert_sample/plain.py": "START = 0\n\ndef where():\n    return __file__\n",
    "src/wengert_sample/hot.py": "def run():\n    return 1\n",
    "src/wengert_sample/bare/__init__.py": '"""A package without code."""\n',
    "src/wengert_sample/bare/inner.py": "from wengert_sample.hot import run\n",
}


class Project:
    """A folder with a package, and the hooks of PEP 517 in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in FILES.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def run(self, program: str, **variables: str) -> str:
        """Run a program in the folder; returns what it printed last."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith("WENGERT_")}
        command = [sys.executable, "-W", "ignore", "-c", program]
        done = subprocess.run(command, cwd=self.folder, env=environ | variables, capture_output=True, text=True,
                              check=False, timeout=300)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip().rpartition("\n")[2]

    def build(self, hook: str, **variables: str) -> Path:
        """Return the value that a hook of the backend makes."""
        program = f"from setuptools import build_meta\nprint(build_meta.{hook}('dist'))"
        return self.folder / "dist" / self.run(program, **variables)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("sample"))
