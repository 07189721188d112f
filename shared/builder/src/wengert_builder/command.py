"""The command build_ext that makes one shared object of all modules, and does again only what is out of date.

Nothing is generated inside src/ but the modules of an editable install: C files and objects stay in build/.
"""

import gc
import hashlib
import math
import os
import shlex
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension
from setuptools.command.build_ext import build_ext
from setuptools.errors import LinkError

from wengert_builder.options import CYTHON, GATHERS, HOT, JOBS, MODE, PLAIN_PYTHON, SYMBOLS
from wengert_builder.sources import Sources, entry

OWN = Path(__file__).resolve().parent
TRANSLATED = {".pyx", ".pxd", ".pxi", ".py", ".h"}
"""The suffixes of files that a C file is made from, or depends on."""


class BuildNative(build_ext):
    """build_ext for the shared object of a package."""

    sources: Sources

    def run(self) -> None:
        if self.inplace or self.editable_mode:
            self.build_lib, self.build_temp = (str(build_folder(self.sources) / part) for part in ("lib", "temp"))
        super().run()

    def build_extension(self, ext: Extension) -> None:
        if shutil.which("ccache") and Path(self.compiler.compiler_so[0]).name != "ccache":
            self.compiler.set_executables(compiler_so=["ccache", *self.compiler.compiler_so])
        modules = translate(self.sources)
        made = Path(self.build_temp)
        write(made / "modules.h", self.sources.listing())
        write(made / "native.c", (OWN / "native.c").read_text(encoding="utf-8"))
        jobs: list[tuple[str, list[tuple[str, str]], list[str]]] = [(str(made / "native.c"), [], [])]
        for module in modules:
            short = "PyInit_" + module.name.rpartition(".")[2]
            jobs.append((module.sources[0], [(short, entry(module.name))], self.sources.options(module.name)))
        jobs.sort(key=lambda job: job[2])  # kernels at -O3 first, which take longest: none is waited for at the end
        with ThreadPoolExecutor(JOBS) as pool:
            objects = list(pool.map(lambda job: self.compile_one(ext, *job), jobs))
        target = self.get_ext_fullpath(ext.name)
        read = [*objects, str(HOT)] if GATHERS else objects
        if not os.path.exists(target) or newest(read) > os.path.getmtime(target):
            self.link(ext, objects, target)

    def link(self, ext: Extension, objects: list[str], target: str) -> None:
        """Link with the hot functions side by side, or as they come where the linker takes no such script."""
        Path(target).unlink(missing_ok=True)  # the compiler's driver sees no reason to link where no object is newer
        scripts = [self.order_of_functions(), []] if GATHERS else [[]]
        for script in scripts:
            options: dict[str, Any] = {"extra_postargs": [*ext.extra_link_args, *script], "build_temp": self.build_temp}
            try:
                self.compiler.link_shared_object(objects, target, libraries=ext.libraries, **options)
                return
            except LinkError:
                if not script:
                    raise
                print(f"{ext.name}: this linker does not order functions: the module is slower by some per cent")

    def order_of_functions(self) -> list[str]:
        """Write a script for the linker, and return the option that names it. Note [Hot functions]"""
        file = Path(self.build_temp) / "hot.ld"
        names = HOT.read_text(encoding="utf-8").split()
        lines = "".join(f"    . = ALIGN(64);\n    *(.text.{name})\n" for name in names)
        text = f"SECTIONS\n{{\n  .text.wengert : ALIGN(64)\n  {{\n{lines}  }}\n}}\nINSERT BEFORE .text;\n"
        file.write_text(text, encoding="utf-8")
        return [f"-Wl,-T,{file}"]

    def compile_one(self, ext: Extension, source: str, macros: list[tuple[str, str]], options: list[str]) -> str:
        """Compile a C file, unless its object is newer than all it is made from; returns the object."""
        made = Path(self.compiler.object_filenames([source], output_dir=self.build_temp)[0])
        if not made.exists() or newest(was_read(made)) > made.stat().st_mtime:
            self.compiler.compile(
                [source],
                output_dir=self.build_temp,
                macros=[*ext.define_macros, *macros],
                include_dirs=ext.include_dirs,
                extra_postargs=[*ext.extra_compile_args, *options],
            )
        return str(made)

    def copy_extensions_to_source(self) -> None:
        self.force = True  # also over a newer module of the other build mode
        super().copy_extensions_to_source()


def build_folder(sources: Sources) -> Path:
    """A folder for each Python, build mode and version of the tools: nothing built by other rules is ever reused."""
    object_rules = key_of(version("numpy"), SYMBOLS)
    return Path("build") / f"{sys.implementation.cache_tag}-{MODE}-{rules_of(sources)}-{object_rules}"


def rules_of(sources: Sources) -> str:
    """A key of what a C file depends on beside the sources: not of Python or NumPy, nor of the compiler's options."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(OWN.glob("*.py"))]
    return key_of(texts, sources.settings, version("cython"), CYTHON)


def key_of(*facts: object) -> str:
    """A short name for some facts."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:8]


def take_translations(sources: Sources) -> None:
    """Copy the C files of another build, which are the same, where they are newer than all that they may be made from.

    The copies are dated now: Cython's own files, of a new environment, must not be newer. What uses NumPy's .pxd is
    left out: another Python may have another NumPy.
    """
    own = build_folder(sources) / "c"
    if own.exists():
        return
    read = [file for folder in sources.folders() for file in folder.rglob("*.*") if file.suffix in TRANSLATED]
    changed = newest([*map(str, read), *map(str, OWN.glob("*.py"))])
    for other in sorted(Path("build").glob(f"*-{rules_of(sources)}-*/c")):
        for file in other.rglob("*.[ch]"):
            if file.stat().st_mtime > changed and b'"numpy/' not in file.read_bytes():
                copy = own / file.relative_to(other)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)


def translate(sources: Sources) -> list[Extension]:
    """Write the C file of every module that is out of date, several at a time; returns the modules of these files."""
    take_translations(sources)
    gc.set_threshold(200_000, 20, 100)  # Cython's trees are large and live long: looking for garbage took a quarter
    modules, done = sources.extensions(), []
    for suffixes, directives in (((".pyx", ".c"), CYTHON), ((".py",), PLAIN_PYTHON)):
        some = [module for module in modules if module.sources[0].endswith(suffixes)]
        if some:
            options: dict[str, Any] = {"compiler_directives": directives, "include_path": ["src"], "nthreads": JOBS}
            options |= {"shared_utility_qualified_name": sources.helpers}
            options |= {"shared_utility_features_disabled": ["MemoryView"]}
            done += cythonize(some, build_dir=str(build_folder(sources) / "c"), **options)
    return done


def write(file: Path, text: str) -> None:
    """Write a file, unless it has that text: what is made from it stays newer."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def newest(files: list[str]) -> float:
    """The time of the newest of these files; infinity where one is missing."""
    return max(os.path.getmtime(file) if os.path.exists(file) else math.inf for file in files)


def was_read(made: Path) -> list[str]:
    """The files that an object was compiled from, as the compiler noted in make's language."""
    note = made.with_suffix(".d").read_text(encoding="utf-8").replace("\\\n", " ").replace("$$", "$")
    return shlex.split(note.partition(": ")[2])
