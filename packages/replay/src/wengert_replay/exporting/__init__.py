"""Programs in files, without Python objects, and what runs them in another process."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wengert_replay.exporting.errors import ProgramFileError, ProgramGuardError

if TYPE_CHECKING:
    from wengert_replay.exporting.loading import load
    from wengert_replay.exporting.portable import PortableProgram
    from wengert_replay.exporting.saving import save_program

__all__ = ["PortableProgram", "ProgramFileError", "ProgramGuardError", "load", "save_program"]

MODULES = {"PortableProgram": "portable", "load": "loading", "save_program": "saving"}
"""The modules of names that are loaded later."""


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
    return found
