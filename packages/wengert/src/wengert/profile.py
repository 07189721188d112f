"""``python -m wengert.profile script.py``: profile a program. The work is that of the optional part ``profiler``."""

import sys
from typing import Any

from wengert.compose import find


def main(argv: list[str] | None = None) -> int:
    """Profile the program that the arguments name; its exit code. ImportError when the part is not installed."""
    part: Any = find("profiler")
    return int(part.profile_program(argv))


if __name__ == "__main__":
    sys.exit(main())
