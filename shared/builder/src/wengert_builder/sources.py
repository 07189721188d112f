"""The source files of a package: what they are made into, what they import, and the list of modules for native.c.

Note [What is compiled]
    Cython translates .pyx files, and of the .py files those that `compiled` names: their functions run at everyday
    operations, where a frame of Python costs some per cent. All others, tables that are read once above all, are kept
    in the shared object as the bytecode that marshal writes: no file more to find, no second of compiling, a third of
    the size (decision 18). Functions of Cython's own that every module would hold are in one module, `_helpers`.

Paths are relative to the package's folder, in which setuptools builds.
"""

import ast
import importlib.util
import json
import marshal
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from setuptools import Extension

from wengert_builder.options import COMPILE, DRIVER, LINK, MACROS, SIZES, SMALL

SOURCE = Path("src")
ESCAPED = [chr(i) if 32 <= i < 127 and chr(i) not in '"\\?' else f"\\{i:03o}" for i in range(256)]
IMPORT = re.compile(r"^(?:from +([\w.]+) +c?import +(\([^)]*\)|.*)|c?import +([\w.]+))", re.MULTILINE)


class Sources:
    """The files of a package, as its table [tool.wengert-builder] names them."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.package: str = settings["native"]
        self.helpers = f"{self.package}._helpers"

    def native(self) -> Extension:
        """The one shared object that holds all modules of the package, see native.c."""
        return Extension(
            f"{self.package}._native",
            [str(file) for file in self.cython_files.values()],
            include_dirs=["src", np.get_include(), *map(folder_of, self.settings.get("cimports", []))],
            define_macros=MACROS,
            depends=headers(),
            libraries=["m"],
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        )

    @cached_property
    def files(self) -> dict[str, Path]:
        """The file of each module, by the module's full name."""
        files = sorted({file for pattern in self.settings["extensions"] for file in SOURCE.glob(pattern)})
        return {".".join(file.relative_to(SOURCE).with_suffix("").parts): file for file in files}

    @cached_property
    def cython_files(self) -> dict[str, Path]:
        """The files that Cython makes C of."""
        return {name: file for name, file in self.files.items() if not self.is_bytecode(file)}

    def is_bytecode(self, file: Path) -> bool:
        """Return whether a module is kept as Python's bytecode: all of Python, but for those named as `compiled`."""
        inside = file.relative_to(SOURCE)
        return file.suffix == ".py" and not any(map(inside.match, self.settings.get("compiled", [])))

    def extensions(self) -> list[Extension]:
        """The modules for Cython, each by itself, and that of its own functions, which others would have copies of."""
        modules = [Extension(name, [str(file)], depends=headers()) for name, file in self.cython_files.items()]
        return [*modules, Extension(self.helpers, [str(Path("src", *self.helpers.split(".")).with_suffix(".c"))])]

    def folders(self) -> list[Path]:
        """The folders of this package's files, and of those whose .pxd files they import."""
        return [SOURCE, *(Path(folder_of(name), name) for name in self.settings.get("cimports", []))]

    def options(self, name: str) -> list[str]:
        """Options of the compiler for a module: loops over elements are worth the size of -O3."""
        file = self.files.get(name)
        kind: list[str] = []
        if file is not None and file.suffix == ".py":
            kind = SMALL
        elif file is not None and file not in self.loops:
            kind = DRIVER
        return kind + (SIZES if file is None or "kernels" not in file.parts else [])

    @cached_property
    def loops(self) -> set[Path]:
        """The files whose loops run over elements."""
        return {file for pattern in self.settings.get("loops", []) for file in SOURCE.glob(pattern)}

    def listing(self) -> str:
        """The text of modules.h: all modules, in the order of loading.

        1 for those that the package's __init__ does not reach by its imports: they are loaded when they are needed.
        """
        at_once = {*in_order(imports_of(SOURCE / self.package / "__init__.py"), self.files), self.helpers}
        order = [self.helpers, *in_order(sorted(self.files), self.files)]
        modules = [self.line_of(name, int(name not in at_once)) for name in order]
        return "".join([*modules, *(package_line(name, doc) for name, doc in bare_packages().items())])

    def line_of(self, name: str, later: int) -> str:
        """A module's line in modules.h."""
        file = self.files.get(name)
        if file is None or name in self.cython_files:
            return f'MODULE("{name}", {entry(name)}, {later})\n'
        code = compile(file.read_bytes(), file.name, "exec", dont_inherit=True, optimize=0)
        inside = file.relative_to(SOURCE / self.package)
        return f'BYTECODE("{name}", "{inside}", {c_string(marshal.dumps(code))}, {later})\n'


def entry(module: str) -> str:
    """The name of a module's init function: PyInit_tensor would not be the only one in one shared object."""
    return "PyInit_" + module.replace(".", "__")


def folder_of(package: str) -> str:
    """The folder that holds an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{Path.cwd().name} needs the .pxd files of {package}: install {package} first")
    return str(Path(spec.submodule_search_locations[0]).parent)


def headers() -> list[str]:
    """The C headers of the package."""
    return sorted(map(str, SOURCE.rglob("*.h")))


def imports_of(file: Path) -> list[str]:
    """Full names that a file, and its .pxd, import at the top level."""
    found: list[str] = []
    texts = [one.read_text(encoding="utf-8") for one in (file, file.with_suffix(".pxd")) if one.exists()]
    for module, names, whole in IMPORT.findall("\n".join(texts)):
        found += [whole or module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))]
    return found


def in_order(names: list[str], files: dict[str, Path]) -> list[str]:
    """These modules and what they import, of those in ``files``, each after what it imports."""
    ordered: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in files and name not in ordered and name not in above:
            for other in imports_of(files[name]):
                visit(other, (*above, name))
            ordered[name] = None

    for name in names:
        visit(name, ())
    return list(ordered)


def bare_packages() -> dict[str, str]:
    """Name and docstring of each package whose __init__.py holds nothing else."""
    found = {}
    for file in sorted(SOURCE.rglob("__init__.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if len(tree.body) == 1 and ast.get_docstring(tree):
            found[".".join(file.parent.relative_to(SOURCE).parts)] = str(ast.get_docstring(tree))
    return found


def package_line(name: str, doc: str) -> str:
    """The line of a package without code in modules.h."""
    folder = name.partition(".")[2].replace(".", "/")
    return f'PACKAGE("{name}", "{folder}", {json.dumps(doc)})\n'


def c_string(data: bytes) -> str:
    """Bytes as a string literal of C."""
    return '"' + "".join(map(ESCAPED.__getitem__, data)) + '"'
