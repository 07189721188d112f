"""Write the stubs of the modules of ``wengert`` that pure Python packages fill: ``wengert.nn``, ``wengert.optim``, ...

    python -m tools.generate.module_stubs            write them
    python -m tools.generate.module_stubs --check    exit code 1 if one is not up to date

Such a module gives the names in ``__all__`` of the module that its entry point names. The stub imports them from the
modules that define them, whose sources have the types.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from tools.workspace.packages import ROOT

PACKAGES = ("data", "distributed", "distributions", "nn", "optim", "serialization")
STUBS = ROOT / "packages" / "wengert" / "src" / "wengert"
GROUP = "wengert.namespace.v1"
HEAD = "# Written by tools/generate/module_stubs.py."


def entries() -> dict[str, str]:
    """The modules that are mounted below wengert, with the modules that fill them; and single names."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        project = ROOT / "packages" / package / "pyproject.toml"
        found |= tomllib.loads(project.read_text(encoding="utf-8"))["project"]["entry-points"][GROUP]
    return {name: target for name, target in found.items() if not is_private(name.rpartition(".")[0] or name)
            and not (":" not in target and is_private(name))}


def is_private(name: str) -> bool:
    """Return whether a part of a dotted name begins with an underscore."""
    return any(part[0] == "_" for part in name.split("."))


def home_of(module: ModuleType, name: str) -> str:
    """Return the module that defines a name, or the module that gives it where another one cannot be told."""
    value = getattr(module, name)
    home = getattr(value, "__module__", None)
    if isinstance(home, str) and home.startswith("wengert_") and getattr(value, "__name__", None) == name:
        there = sys.modules.get(home)
        if there is not None and getattr(there, name, None) is value:
            return home
    return module.__name__


def imports_of(target: str) -> Iterator[str]:
    """The import statements for the public names of a module."""
    module = import_module(target)
    for name in sorted(name for name in module.__all__ if not name.startswith("__")):
        value = getattr(module, name, module)
        if isinstance(value, ModuleType):  # or one of PyTorch's that says why it is absent
            parent, _, own = value.__name__.rpartition(".")
            if parent.startswith("wengert_") and value is not module:
                yield f"from {parent} import {own} as {name}"
            continue
        yield f"from {home_of(module, name)} import {name} as {name}"


def contents() -> dict[str, str]:
    """The text of each stub, by its path below the package wengert."""
    import wengert  # noqa: F401 - so that the modules can be imported

    lines: dict[str, list[str]] = {}
    points = entries()
    for name, target in points.items():
        module, _, own = target.partition(":")
        if not own:
            lines.setdefault(name, []).extend(imports_of(module))
        elif "." in name and name.rpartition(".")[0] not in ("nn.functional", "func"):
            parent, _, last = name.rpartition(".")
            lines.setdefault(parent, []).append(f"from {module} import {own} as {last}")
    for name in list(lines):
        parent, _, own = name.rpartition(".")
        if "." in parent:
            lines.setdefault(parent, [])  # one that no entry point fills
        takes_name = any(line.endswith(f" as {own}") for line in lines.get(parent, ()))  # a function is called so
        if (parent in lines or parent == "utils") and not takes_name:
            lines.setdefault(parent, []).append(f"from wengert.{parent} import {own} as {own}")
    lines["nn"].append("from wengert.nn import functional as functional")
    lines.pop("utils", None)  # which has a stub of its own
    packages = {name.rpartition(".")[0] for name in lines}
    return {
        f"{name.replace('.', '/')}/__init__.pyi" if name in packages else f"{name.replace('.', '/')}.pyi":
        "\n".join([HEAD, *sorted(set(found)), "", list_of_names(name, found), ""])
        for name, found in lines.items()
    }


def list_of_names(name: str, found: list[str]) -> str:
    """The assignment of ``__all__`` for a module of wengert: for type checkers also private names of its imports."""
    private = {line.rpartition(" ")[2] for line in found if " as _" in line}
    names = ", ".join(f'"{one}"' for one in sorted({*import_module(f"wengert.{name}").__all__, *private}))
    return "\n".join(["__all__ = [", *textwrap.wrap(names, 116, initial_indent="    ", subsequent_indent="    "), "]"])


def main() -> int:
    """Write the stubs, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    stale = []
    for path, text in contents().items():
        file = STUBS / path
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    print("module_stubs:", "all up to date" if not stale else f"{'stale' if check else 'written'}: {' '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
