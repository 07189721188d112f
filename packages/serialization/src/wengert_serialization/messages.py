"""Texts of errors about files, with PyTorch's key phrases."""

from __future__ import annotations

import re

__all__ = ["UNSAFE", "weights_only_message"]

UNSAFE = ("With `weights_only=False` the file may load, but it can then run any code: pass that only if you trust its "
          "source")


def weights_only_message(problem: str) -> str:
    """Return the message for a file that cannot be loaded with ``weights_only=True``."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default", problem):
        return ("Weights only load failed. This file can still be loaded, to do so you have two options, do those "
                f"steps only if you trust the source of the checkpoint.\n\t(1) {UNSAFE}.\n\t(2) Allow the name that "
                f"it uses; WeightsUnpickler error: {problem}")
    return f"Weights only load failed. {UNSAFE}. WeightsUnpickler error: {problem}"
