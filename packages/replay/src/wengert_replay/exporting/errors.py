"""Errors of files of programs, and of programs that came from files."""

from __future__ import annotations


class ProgramFileError(ValueError):
    """A file holds no program that can run here, or a program cannot be written to a file; the message says why."""


class ProgramGuardError(RuntimeError):
    """A call of a program from a file would leave the recorded way: there is no Python function to go on with."""
