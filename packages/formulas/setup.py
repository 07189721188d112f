"""Build the modules that pyproject.toml names under [tool.wengert] into one shared object (native.c finds them in it).

The same file in every compiled package.

WENGERT_CHECKED=1 builds slow modules that check bounds, integer overflow and None, for debugging.
WENGERT_SANITIZE=address or thread builds modules for AddressSanitizer with UndefinedBehaviorSanitizer, or for
ThreadSanitizer; tools/sanitize.py does so, in a copy of the working tree.
WENGERT_SYMBOLS=1 leaves the names of functions in, for a profiler; tools/hot_functions.py asks for it.

Note [Hot functions]
    The functions of an everyday call are some hundreds of thirty thousand, and lie all over megabytes. Where too many
    of them share lines of the first-level cache they push each other out: which ones do is chance, and changes with
    every commit (a recorded select: 0 to 40 misses). hot.txt names them, and the linker of Linux puts them side by
    side: recorded operations take 7 % less time. tools/hot_functions.py writes it; a name that is gone does no harm.

Note [What is compiled]
    Cython translates .pyx files, and of the .py files those that `compiled` names: their functions run at everyday
    operations, where a frame of Python costs some per cent. All others, tables that are read once above all, are kept
    in the shared object as the bytecode that marshal writes: no file more to find, no second of compiling, a third of
    the size (decision 18). Functions of Cython's own that every module would hold are in one module, `_helpers`.

Nothing is generated inside src/ but the modules of an editable install: C files and objects stay in build/.
"""

import ast
import gc
import hashlib
import importlib.util
import json
import marshal
import math
import os
import re
import shlex
import shutil
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import Cython
import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import LinkError

ROOT = Path(__file__).resolve().parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["wengert"]
CHECKED = os.environ.get("WENGERT_CHECKED", "") not in ("", "0")
SANITIZERS = {
    "address": ["-fsanitize=address,undefined", "-fno-omit-frame-pointer"],
    "thread": ["-fsanitize=thread", "-fno-omit-frame-pointer"],
}
SANITIZE = os.environ.get("WENGERT_SANITIZE", "")
if SANITIZE and SANITIZE not in SANITIZERS:
    raise SystemExit(f"error: WENGERT_SANITIZE={SANITIZE!r}: expected one of {', '.join(SANITIZERS)}, or nothing")
MODE = SANITIZE or ("checked" if CHECKED else "fast")
FAST = MODE == "fast"
SYMBOLS = os.environ.get("WENGERT_SYMBOLS", "") not in ("", "0")
HOT = ROOT / "hot.txt"
GATHERS = FAST and sys.platform == "linux" and HOT.exists()  # Note [Hot functions]
JOBS = int(os.environ.get("WENGERT_JOBS", "0")) or os.cpu_count() or 1

# For .pyx files: the language of a kernel. A plain .py module keeps the meaning it has in Python.
CYTHON = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "wraparound": False,  # with boundscheck a negative index is then an IndexError
    "initializedcheck": CHECKED,
    "nonecheck": CHECKED,
    "allow_none_for_extension_args": False,  # a parameter of one of our types is None only where it says `or None`
    "embedsignature.format": "clinic",  # of classes that ask for it: help() and inspect.signature() read it
    "overflowcheck": CHECKED,
    "cdivision": True,  # the meaning of // and % is C's in both builds
    "embedsignature": False,  # inspect.signature works as it is; docstrings stay as they were written
}
PLAIN_PYTHON = {"language_level": 3, "annotation_typing": False, "infer_types": False}

# No -ffast-math: NaN, infinities and signed zeros keep their meaning. Nobody reads errno or the floating-point flags.
COMPILE = ["-O3", "-g0"] if FAST else ["-O1", "-g"]
COMPILE += ["-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-Wno-unused-function"]
# Nobody but a debugger unwinds through us or looks for names: without tables of them wheels are a tenth smaller.
COMPILE += ["-fno-asynchronous-unwind-tables"] if FAST else []
COMPILE += ["-ffunction-sections"] if GATHERS else []
COMPILE += SANITIZERS.get(SANITIZE, [])
COMPILE += ["-MMD"]  # the compiler notes beside each object what it read for it: a header recompiles what includes it
LINK = ["-pthread", *(["-Wl,-s"] if FAST and not SYMBOLS else []), *SANITIZERS.get(SANITIZE, [])]
SMALL = ["-Os"] if FAST else []  # for .py: mostly calls, where pages to load cost more than instructions
SMALL += ["-O0", "-fno-sanitize=all"] if SANITIZE else []  # Python in C has no memory of its own to look after
# For .pyx without loops over elements: a sixth smaller, as quick. Their loops copy two or three arguments or dims,
# which costs less than the call of memcpy that the compiler would make of it.
DRIVER = ["-O2", "-fno-tree-loop-distribute-patterns"] if FAST else []
SIZES = ["-fno-wrapv"] if SANITIZE == "address" else []  # outside of kernels what wraps around is a size: reported
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"), ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION")]
MACROS += [("CYTHON_COMPRESS_STRINGS", "0")]  # a wheel is compressed anyway, and unpacking costs time at every import


def build_folder() -> Path:
    """A folder for each Python, build mode and version of the tools: nothing built by other rules is ever reused."""
    text = Path(__file__).read_text(encoding="utf-8")
    rules = (text, SETTINGS, Cython.__version__, np.__version__, CHECKED, SANITIZE, SYMBOLS)
    key = hashlib.sha256(repr(rules).encode()).hexdigest()[:8]
    return Path("build") / f"{sys.implementation.cache_tag}-{MODE}-{key}"


def source_folder(package: str) -> str:
    """The folder that holds an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{ROOT.name} is built with the .pxd files of {package}: install {package} first")
    return str(Path(spec.submodule_search_locations[0]).parent)


def units() -> list[Extension]:
    """One for each file that a pattern of [tool.wengert] finds, named after its module path; for Cython only."""
    source = ROOT / "src"
    files = sorted({file for pattern in SETTINGS["extensions"] for file in source.glob(pattern)})
    names = [".".join(file.relative_to(source).with_suffix("").parts) for file in files]
    return [Extension(n, [str(f.relative_to(ROOT))], depends=headers()) for n, f in zip(names, files, strict=True)]


def is_bytecode(unit: Extension) -> bool:
    """Whether a module is kept as Python's bytecode: all of Python, but for those named in [tool.wengert] compiled."""
    source = Path(unit.sources[0]).relative_to("src")
    return source.suffix == ".py" and not any(source.match(pattern) for pattern in SETTINGS.get("compiled", []))


def translated() -> list[Extension]:
    """Units that Cython makes C of."""
    return [unit for unit in units() if not is_bytecode(unit)]


def helpers() -> Extension:
    """The module of Cython's own functions, which the others would each have a copy of."""
    return Extension(HELPERS, [str(Path("src", *HELPERS.split(".")).with_suffix(".c"))])


ESCAPED = [chr(i) if 32 <= i < 127 and chr(i) not in '"\\?' else f"\\{i:03o}" for i in range(256)]
HELPERS = f"{SETTINGS['native']}._helpers"
IMPORT = re.compile(r"^(?:from +([\w.]+) +c?import +(\([^)]*\)|.*)|c?import +([\w.]+))", re.MULTILINE)


def imported(source: Path) -> list[str]:
    """Full names that a file, and its .pxd, import at the top level."""
    found: list[str] = []
    texts = [file.read_text(encoding="utf-8") for file in (source, source.with_suffix(".pxd")) if file.exists()]
    for module, names, whole in IMPORT.findall("\n".join(texts)):
        found += [whole or module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))]
    return found


def in_order(names: list[str], sources: dict[str, Path]) -> list[str]:
    """These modules and what they import, of those in ``sources``, each after what it imports."""
    ordered: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in sources and name not in ordered and name not in above:
            for other in imported(sources[name]):
                visit(other, (*above, name))
            ordered[name] = None

    for name in names:
        visit(name, ())
    return list(ordered)


def listing() -> str:
    """modules.h: all modules, in the order of loading.

    1 for those that the package's __init__ does not reach by its imports: they are loaded when something needs them.
    """
    sources = {unit.name: ROOT / unit.sources[0] for unit in units()}
    at_once = in_order(imported(ROOT / "src" / SETTINGS["native"] / "__init__.py"), sources)
    order = [HELPERS, *in_order(sorted(sources), sources)]
    inside = {unit.name for unit in units() if is_bytecode(unit)}
    at_once.append(HELPERS)
    modules = [line_of(name, int(name not in at_once), sources[name] if name in inside else None) for name in order]
    return "".join([*modules, *(package_line(name, doc) for name, doc in bare_packages().items())])


def package_line(name: str, doc: str) -> str:
    """The line of a package without code in modules.h."""
    folder = name.partition(".")[2].replace(".", "/")
    return f'PACKAGE("{name}", "{folder}", {json.dumps(doc)})\n'


def line_of(name: str, later: int, source: Path | None) -> str:
    """A module's line in modules.h; source: the file of one that is kept as bytecode."""
    if source is None:
        return f'MODULE("{name}", {entry(name)}, {later})\n'
    code = compile(source.read_bytes(), source.name, "exec", dont_inherit=True, optimize=0)
    file = source.relative_to(ROOT / "src" / SETTINGS["native"])
    return f'BYTECODE("{name}", "{file}", {c_string(marshal.dumps(code))}, {later})\n'


def c_string(data: bytes) -> str:
    """Bytes as a string literal of C."""
    return '"' + "".join(map(ESCAPED.__getitem__, data)) + '"'


def headers() -> list[str]:
    return [str(header.relative_to(ROOT)) for header in sorted((ROOT / "src").rglob("*.h"))]


def native() -> Extension:
    """The one shared object that holds all modules of the package, see native.c."""
    return Extension(
        f"{SETTINGS['native']}._native",
        ["native.c", *(unit.sources[0] for unit in translated())],
        include_dirs=["src", np.get_include(), *map(source_folder, SETTINGS.get("cimports", []))],
        define_macros=MACROS,
        depends=headers(),
        libraries=["m"],
        extra_compile_args=COMPILE,
        extra_link_args=LINK,
    )


def bare_packages() -> dict[str, str]:
    """Name and docstring of each package whose __init__.py holds nothing else."""
    found = {}
    for file in sorted((ROOT / "src").rglob("__init__.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if len(tree.body) == 1 and ast.get_docstring(tree):
            found[".".join(file.parent.relative_to(ROOT / "src").parts)] = str(ast.get_docstring(tree))
    return found


def translate(modules: list[Extension]) -> list[Extension]:
    """Write the C file of every module that is out of date; several at a time."""
    gc.set_threshold(200_000, 20, 100)  # Cython's trees are large and live long: looking for garbage took a quarter
    done: list[Extension] = []
    for suffixes, directives in (((".pyx", ".c"), CYTHON), ((".py",), PLAIN_PYTHON)):
        some = [module for module in modules if module.sources[0].endswith(suffixes)]
        if some:
            options: dict[str, Any] = {"compiler_directives": directives, "include_path": ["src"], "nthreads": JOBS}
            options |= {"shared_utility_qualified_name": HELPERS, "shared_utility_features_disabled": ["MemoryView"]}
            done += cythonize(some, build_dir=str(build_folder() / "c"), **options)
    return done


def entry(module: str) -> str:
    """The name of a module's init function: PyInit_tensor would not be the only one in one shared object."""
    return "PyInit_" + module.replace(".", "__")


def newest(files: list[str]) -> float:
    return max(os.path.getmtime(file) if os.path.exists(file) else math.inf for file in files)


def was_read(made: Path) -> list[str]:
    """The files that an object was compiled from, as the compiler noted in make's language."""
    note = made.with_suffix(".d").read_text(encoding="utf-8").replace("\\\n", " ").replace("$$", "$")
    return shlex.split(note.partition(": ")[2])


class BuildNative(build_ext):
    """build_ext that makes one shared object of all modules, and compiles only what is out of date."""

    def run(self) -> None:
        if self.inplace or self.editable_mode:
            self.build_lib, self.build_temp = str(build_folder() / "lib"), str(build_folder() / "temp")
        super().run()

    def build_extension(self, ext: Extension) -> None:
        if shutil.which("ccache") and Path(self.compiler.compiler_so[0]).name != "ccache":
            self.compiler.set_executables(compiler_so=["ccache", *self.compiler.compiler_so])
        modules = translate([*translated(), helpers()])
        list_of_modules, lines = Path(self.build_temp) / "modules.h", listing()
        if not list_of_modules.exists() or list_of_modules.read_text(encoding="utf-8") != lines:
            list_of_modules.parent.mkdir(parents=True, exist_ok=True)
            list_of_modules.write_text(lines, encoding="utf-8")
        ext.include_dirs.append(str(list_of_modules.parent))
        python = {unit.name for unit in units() if unit.sources[0].endswith(".py")}
        loops = {file for pattern in SETTINGS.get("loops", []) for file in (ROOT / "src").glob(pattern)}
        drivers = {unit.name for unit in units() if ROOT / unit.sources[0] not in loops}
        jobs = [("native.c", [], [])]
        for module in modules:
            short = "PyInit_" + module.name.rpartition(".")[2]
            options = SMALL if module.name in python else DRIVER if module.name in drivers else []
            options = options + (SIZES if "kernels" not in Path(module.sources[0]).parts else [])
            jobs.append((module.sources[0], [(short, entry(module.name))], options))
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
        """Write a script for the linker, and return the option that names it."""
        file = Path(self.build_temp) / "hot.ld"
        names = HOT.read_text(encoding="utf-8").split()
        lines = "".join(f"    *(.text.{name})\n" for name in names)
        text = f"SECTIONS\n{{\n  .text.wengert : ALIGN(64)\n  {{\n{lines}  }}\n}}\nINSERT BEFORE .text;\n"
        file.write_text(text, encoding="utf-8")
        return [f"-Wl,-T,{file}"]

    def compile_one(self, ext: Extension, source: str, macros: list[tuple[str, str]], options: list[str]) -> str:
        """Compile a C file, unless its object is newer than all it is made from; returns the object."""
        made = Path(self.build_temp) / Path(source).with_suffix(".o")
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


setup(ext_modules=[native()], cmdclass={"build_ext": BuildNative})
