"""Small environments: folders with links to a few packages and copies of their metadata.

They are on PYTHONPATH of an interpreter that runs without its site-packages (-S): what is not linked does not exist for
it.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

OUTSIDE = ("numpy",)


def metadata_of(distribution: str) -> Path:
    """The .dist-info folder of an installed distribution."""
    pattern = f"{distribution.replace('-', '_')}-[0-9]*.dist-info"
    found = [folder for entry in sys.path if entry for folder in Path(entry).glob(pattern)]
    assert found, f"{distribution} is not installed in the environment of the tests: run `make develop`"
    return found[0]


def link_module(name: str, folder: Path) -> None:
    """Link a package, and the folder of shared libraries that its wheel may have beside it."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).parent
    (folder / name).symlink_to(source, target_is_directory=True)
    libraries = source.with_name(f"{name}.libs")
    if libraries.is_dir():
        (folder / libraries.name).symlink_to(libraries, target_is_directory=True)


def environment(folder: Path, distributions: Iterable[str], outside: Iterable[str] = OUTSIDE) -> Path:
    """Make a folder that holds these distributions of ours, and these packages of others."""
    for name in outside:
        link_module(name, folder)
    for distribution in distributions:
        link_module(distribution.replace("-", "_"), folder)
        metadata = metadata_of(distribution)
        shutil.copytree(metadata, folder / metadata.name)
    return folder


def run(folder: Path, program: str) -> str:
    """What a program prints that sees this folder and the standard library alone."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WENGERT_", "PYTHON"))}
    command = [sys.executable, "-S", "-B", "-W", "error", "-c", program]
    variables = clean | {"PYTHONPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def error(folder: Path, setup: str, statement: str) -> str:
    """The type and text of the exception that a statement raises."""
    program = (
        f"{setup}\ntry:\n    {statement}\nexcept Exception as caught:\n"
        "    print([cls.__name__ for cls in type(caught).__mro__], caught)\nelse:\n    print('no error')"
    )
    return run(folder, program)


def requirements_of(distribution: str) -> list[str]:
    """The distributions that come with one: what it requires, what those require, and itself."""
    found = [distribution]
    for name in found:
        required = [text for text in importlib.metadata.requires(name) or () if "extra ==" not in text]
        found += [one for text in required if (one := re.split(r"[^\w.-]", text)[0]) not in found]
    return found
