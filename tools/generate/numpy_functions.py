"""The page docs/numpy-functions.md: NumPy's functions, and what each does with tensors.

`python -m tools.generate.numpy_functions` writes it from the table of wengert-numpy and from the calls of its tests.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from wengert_numpy.functions import table
from wengert_numpy.ufuncs import rows as ufuncs

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "numpy-functions.md"
TESTS = ROOT / "packages" / "numpy" / "tests"
VERSION = ".".join(np.__version__.split(".")[:2])
BEGIN = """# NumPy's functions on tensors

Every function of `numpy`, `numpy.linalg` and `numpy.fft` that looks at the types of its arguments, and every ufunc.
The calls are those of the tests: each is compared with NumPy's value, dtype and shape for arrays. Derivatives are
compared with differences, in reverse and in forward mode and for batches of gradients; functions without are those of
integers, booleans or texts, or have none by their nature. This page is written by
`tools/generate/numpy_functions.py`, with the names of NumPy {version}.
"""


def names_of(module: Any, prefix: str) -> list[str]:
    """Return the functions of a module of NumPy that look at the types of their arguments."""
    kind = type(np.sum)
    return [prefix + name for name in sorted(dir(module)) if isinstance(getattr(module, name), kind)]


def load_tests() -> dict[str, ModuleType]:
    """Return the modules of the calls, by name, as members of a package that is made for them."""
    package = ModuleType("numpy_calls_package")
    package.__path__ = [str(TESTS)]
    sys.modules[package.__name__] = package
    found = {}
    for file in sorted(TESTS.glob("numpy_calls_*.py")):
        name = f"{package.__name__}.{file.stem}"
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        found[file.stem] = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found[file.stem])
    return found


def counts() -> tuple[Counter[str], Counter[str]]:
    """Return how many calls of each function the tests make, and of how many they check derivatives."""
    calls: Counter[str] = Counter()
    derivatives: Counter[str] = Counter()
    for module in load_tests().values():
        for call in [*module.CALLS, *getattr(module, "FUNCTIONS", ())]:
            calls[call.name] += 1
            floating = any(one.array.dtype.kind in "fc" for one in call.inputs())
            derivatives[call.name] += call.gradient and floating
    return calls, derivatives


def row(name: str, calls: Counter[str], derivatives: Counter[str]) -> str:
    """Return the line of a function."""
    function = table.numpy_function(name)
    implementation = table.FUNCTIONS.get(function)
    if implementation is None:
        return f"| `{name}` | no | {table.ABSENT.get(name, '')} | | |"
    module = implementation.__module__.removeprefix("wengert_numpy.functions.")
    return f"| `{name}` | yes | `{module}` | {calls[name] or ''} | {derivatives[name] or ''} |"


def ufunc_rows(calls: Counter[str], derivatives: Counter[str]) -> list[str]:
    """Return the lines of NumPy's ufuncs."""
    lines = []
    for name in sorted(name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)):
        ufunc = getattr(np, name)
        own = ufunc.__name__
        if ufuncs.ROWS.get(ufunc) is None:
            lines.append(f"| `{name}` | no | {ufuncs.ABSENT[own]} | |")
        else:
            lines.append(f"| `{name}` | yes | {calls[own] or ''} | {derivatives[own] or ''} |")
    return lines


def page() -> str:
    """Return the text of the page."""
    table.load()
    calls, derivatives = counts()
    parts = [BEGIN.format(version=VERSION)]
    for title, module, prefix in (
        ("numpy", np, ""), ("numpy.linalg", np.linalg, "linalg."), ("numpy.fft", np.fft, "fft."),
    ):  # fmt: skip
        lines = [row(name, calls, derivatives) for name in names_of(module, prefix)]
        parts.append(f"\n## {title}\n\n| function | on tensors | module, or what to use instead | calls | of these "
                     "with derivatives |\n| --- | --- | --- | --- | --- |\n" + "\n".join(lines) + "\n")
    lines = ufunc_rows(calls, derivatives)
    parts.append("\n## Ufuncs\n\nBesides these calls, every ufunc is called with all pairs of dtypes, operands in both "
                 "orders, `out=`, `where=`, `dtype=`, and by its methods.\n\n| ufunc | on tensors | calls | of these "
                 "with derivatives |\n| --- | --- | --- | --- |\n" + "\n".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"numpy_functions: {PAGE.relative_to(ROOT)} written")
