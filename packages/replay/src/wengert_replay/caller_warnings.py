"""Warnings that point at the line that called a captured function."""

from __future__ import annotations

import sys
import warnings


def warn_caller(message: str) -> None:
    """Warn with a RuntimeWarning at the innermost frame outside of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("wengert_"):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"wengert.capture: {message}", RuntimeWarning, stacklevel=level)
