"""Check what must be alike in all packages: version, licence, build rules, length of lines in C.

Exit code 1 if something differs.
"""

import sys

from tools.workspace.packages import ROOT, Package, packages

MOST_COLUMNS = 120


def faults(package: Package, licence: str) -> list[str]:
    """Return the faults of one package; licence: the text of all."""
    found = []
    project = package.settings["project"]
    for key, value in (("version", "0.1.0"), ("license", "BSD-3-Clause"), ("requires-python", ">=3.11")):
        if project.get(key) != value:
            found.append(f"pyproject.toml has {key} = {project.get(key)!r}, the others {value!r}")
    for name in ("README.md", "LICENSE", f"src/{package.module}/__init__.py", f"src/{package.module}/py.typed"):
        if not (package.folder / name).exists():
            found.append(f"{name} is missing")
    if (package.folder / "setup.py").exists():
        found.append("setup.py is in the way: packages are built from pyproject.toml, compiled ones by wengert-builder")
    text = package.folder / "LICENSE"
    if text.exists() and text.read_text(encoding="utf-8") != licence:
        found.append("LICENSE is not the same as the root's")
    return found + long_lines(package)


def long_lines(package: Package) -> list[str]:
    """Name the lines of C files and headers that are too long; no linter reads these files."""
    return [
        f"{file.relative_to(package.folder)}:{number}: {len(line)} columns, at most {MOST_COLUMNS}"
        for file in sorted([*package.folder.glob("src/**/*.c"), *package.folder.glob("src/**/*.h")])
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > MOST_COLUMNS
    ]


def main() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    some = packages()
    wrong = [f"{package.name}: {text}" for package in some for text in faults(package, licence)]
    for line in wrong:
        print(f"layout: {line}")
    print(f"layout: {len(some)} packages, {'alike' if not wrong else f'{len(wrong)} faults'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
