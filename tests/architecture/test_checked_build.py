"""No source has what Cython 3.3 cannot translate with overflowcheck and nonecheck, the directives of `make checked`.

Both fail in Cython itself, in a build that nobody runs every day: a shift in the value of an enum, and an append to a
list that a cast made of an element of a C array.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHIFT = re.compile(r"^ {4}[A-Z][A-Z0-9_]* *= *[^#\n]*<<", re.MULTILINE)
APPEND = re.compile(r"\(<list> \w+\[\w+\]\)\.append\(")


def faults(source: str) -> list[str]:
    return [found[0].strip() for pattern in (SHIFT, APPEND) for found in pattern.finditer(source)]


def test_no_source_has_them() -> None:
    files = sorted(file for end in ("pyx", "pxd", "pxi") for file in ROOT.glob(f"packages/*/src/**/*.{end}"))
    assert len(files) > 200
    found = {str(file.relative_to(ROOT)): faults(file.read_text(encoding="utf-8")) for file in files}
    assert not {name: lines for name, lines in found.items() if lines}


def test_they_are_found() -> None:
    assert faults("cdef enum:\n    LIVE = 4 | 1 << 21     # a bit\n") == ["LIVE = 4 | 1 <<"]
    assert faults("    (<list> made[0]).append(plain)\n") == ["(<list> made[0]).append("]
    assert not faults("cdef enum:\n    LIVE = 0x200004        # 1 << 21 | 4\n\ncdef int f():\n    x = 1 << n\n")
