"""Build the extension modules that pyproject.toml names under [tool.wengert]; the same file in every compiled package.

WENGERT_CHECKED=1 builds slow modules that check bounds, integer overflow and None, for debugging.
Nothing is generated inside src/ but the modules of an editable install: C files and objects stay in build/.
"""

import hashlib
import importlib.util
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import Cython
import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["wengert"]
CHECKED = os.environ.get("WENGERT_CHECKED", "") not in ("", "0")
JOBS = int(os.environ.get("WENGERT_JOBS", "0")) or os.cpu_count() or 1

# For .pyx files: the language of a kernel. A plain .py module keeps the meaning it has in Python.
CYTHON = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,  # with boundscheck a negative index is then an IndexError
    "initializedcheck": CHECKED,
    "nonecheck": CHECKED,
    "overflowcheck": CHECKED,
    "cdivision": True,  # the meaning of // and % is C's in both builds
    "embedsignature": False,  # inspect.signature works as it is; docstrings stay as they were written
}
PLAIN_PYTHON = {"language_level": 3, "annotation_typing": False, "infer_types": False}

# No -ffast-math: NaN, infinities and signed zeros keep their meaning. Nobody reads errno or the floating-point flags.
COMPILE = ["-O1", "-g"] if CHECKED else ["-O3", "-g0"]
COMPILE += ["-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-Wno-unused-function"]
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]


def build_folder() -> Path:
    """A folder for each Python, build mode and version of the tools: nothing built by other rules is ever reused."""
    rules = (Path(__file__).read_text(encoding="utf-8"), Cython.__version__, np.__version__, CHECKED)
    key = hashlib.sha256(repr(rules).encode()).hexdigest()[:8]
    mode = "checked" if CHECKED else "fast"
    return Path("build") / f"{sys.implementation.cache_tag}-{mode}-{key}"


def source_folder(package: str) -> str:
    """The folder that holds an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{ROOT.name} is built with the .pxd files of {package}: install {package} first")
    return str(Path(spec.submodule_search_locations[0]).parent)


def extensions() -> list[Extension]:
    """One extension for each file that a pattern of [tool.wengert] finds, named after its module path."""
    source = ROOT / "src"
    files = sorted({file for pattern in SETTINGS["extensions"] for file in source.glob(pattern)})
    include = ["src", np.get_include(), *map(source_folder, SETTINGS.get("cimports", []))]
    headers = [str(header.relative_to(ROOT)) for header in sorted(source.rglob("*.h"))]
    return [
        Extension(
            ".".join(file.relative_to(source).with_suffix("").parts),
            [str(file.relative_to(ROOT))],
            include_dirs=include,
            define_macros=MACROS,
            depends=headers,
            libraries=["m"],
            extra_compile_args=COMPILE,
            extra_link_args=["-pthread"],
        )
        for file in files
    ]


def translate(modules: list[Extension]) -> dict[str, Extension]:
    """Write the C file of every module that is out of date; several at a time."""
    done: dict[str, Extension] = {}
    for suffix, directives in ((".pyx", CYTHON), (".py", PLAIN_PYTHON)):
        some = [module for module in modules if module.sources[0].endswith(suffix)]
        if some:
            options: dict[str, Any] = {"compiler_directives": directives, "include_path": ["src"], "nthreads": JOBS}
            results = cythonize(some, build_dir=str(build_folder() / "c"), **options)
            done.update((module.name, module) for module in results)
    return done


class BuildModules(build_ext):
    """build_ext which runs Cython only when modules are really built, and keeps the objects of editable builds."""

    def run(self) -> None:
        if self.inplace or self.editable_mode:
            self.build_lib, self.build_temp = str(build_folder() / "lib"), str(build_folder() / "temp")
        self.parallel = self.parallel or JOBS
        super().run()

    def build_extensions(self) -> None:
        translated = translate(self.extensions)
        for module in self.extensions:
            module.sources = translated[module.name].sources
            module.depends = [*module.depends, *translated[module.name].depends]
        super().build_extensions()

    def copy_extensions_to_source(self) -> None:
        self.force = True  # also over a newer module of the other build mode
        super().copy_extensions_to_source()


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildModules})
