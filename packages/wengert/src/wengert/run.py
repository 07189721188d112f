"""``python -m wengert.run script.py [arguments]``: run a program written for PyTorch, which imports torch, on wengert.

``python -m wengert.run -m module [arguments]`` runs a module. The program runs as under ``python script.py``: it is the
module ``__main__``, with its own ``sys.argv`` and ``sys.path``, exit status and tracebacks.
"""

from __future__ import annotations

import builtins
import importlib
import io
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

USAGE = "usage: python -m wengert.run [-m module | script.py] [arguments]"
CHILDREN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children")
"""A directory with a module ``torch``, for worker processes that multiprocessing starts anew with our ``sys.path``."""


def main(arguments: list[str]) -> int:
    """Run the program that the arguments name. Returns the exit status where there is none to run."""
    if arguments in ([], ["-m"], ["-h"], ["--help"]):
        asks = arguments[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asks else sys.stderr)
        return 0 if asks else 2
    importlib.import_module("wengert.torch_alias").as_torch()
    sys.path.insert(0 if sys.flags.safe_path else 1, CHILDREN)
    try:
        load = load_module if arguments[0] == "-m" else load_script
        code, facts = load(arguments)
    except ProgramNotFoundError as error:
        print(f"{sys.executable}: {error}", file=sys.stderr)
        return error.status
    except BaseException:
        hide_runner()
        raise
    run(code, facts)
    return 0


class ProgramNotFoundError(Exception):
    """There is no such program. ``status`` is the exit status of Python in this case."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def load_script(arguments: list[str]) -> tuple[CodeType, dict[str, Any]]:
    """Return the code of a script and the attributes of its module; set ``sys.argv`` and ``sys.path``."""
    path = os.path.abspath(arguments[0])
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        raise ProgramNotFoundError(f"can't open file {path!r}: [Errno {error.errno}] {error.strerror}", 2) from error
    sys.argv[:] = arguments
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    facts = {"__file__": path, "__spec__": None, "__package__": None, "__loader__": SourceFileLoader("__main__", path)}
    return compile(source, path, "exec", dont_inherit=True), facts


def load_module(arguments: list[str]) -> tuple[CodeType, dict[str, Any]]:
    """Return the code of a module, of a package its ``__main__``, and its attributes; set ``sys.argv``."""
    name = arguments[1]
    spec = spec_of(name)
    if spec.submodule_search_locations is not None:
        spec = spec_of(f"{name}.__main__", f"; '{name}' is a package and cannot be directly executed")
    loader: Any = spec.loader
    code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    if code is None:
        raise ProgramNotFoundError(f"No code object available for {name}", 1)
    sys.argv[:] = [spec.origin or name, *arguments[2:]]
    facts = {
        "__file__": spec.origin, "__spec__": spec, "__package__": spec.parent, "__loader__": loader,
        "__cached__": spec.cached,
    }  # fmt: skip
    return code, facts


def spec_of(name: str, reason: str = "") -> ModuleSpec:
    """Return where a module is found."""
    import importlib.util

    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if not name.startswith(error.name or " "):
            raise
        spec, reason = None, f"{reason} ({error})"
    if spec is None:
        raise ProgramNotFoundError(f"No module named {name}{reason}", 1)
    return spec


def run(code: CodeType, facts: dict[str, Any]) -> None:
    """Run code as the module ``__main__``."""
    module = ModuleType("__main__")
    vars(module).update({"__builtins__": builtins, "__annotations__": {}, "__cached__": None, **facts})
    sys.modules["__main__"] = module
    try:
        exec(code, vars(module))
    except SystemExit:
        raise
    except BaseException:
        hide_runner()
        raise


def hide_runner() -> None:
    """Let the traceback of the exception that ends the program begin with the program's own frames."""
    hook = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        error.__traceback__ = without_runner(trace)
        hook(kind, error, error.__traceback__)

    sys.excepthook = show


def without_runner(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the first frames, which are those of this file and of Python's modules for imports."""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file != main.__code__.co_filename and "importlib" not in file and "runpy" not in file:
            break
        trace = trace.tb_next
    return trace


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
