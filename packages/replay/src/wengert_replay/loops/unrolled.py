"""Constructs that are recorded operation by operation, and why."""

from __future__ import annotations

from typing import Any

from wengert_replay.recording.tracing import Recording

MOST_UNROLLED = 1000
"""Constructs that are remembered as such that cannot be one instruction."""
CHANGES = "it changes something outside of it"
UNROLLED: dict[Any, str] = {}
"""Reasons why a construct is recorded operation by operation, by where its function is and what it is called with."""


def remember(key: Any, why: str) -> None:
    """Let a construct be recorded operation by operation from now on."""
    if len(UNROLLED) >= MOST_UNROLLED:
        UNROLLED.clear()
    UNROLLED[key] = why


def is_unrolled(recording: Recording, construct: str, key: Any) -> bool:
    """Return whether a construct is recorded operation by operation, and note why."""
    if key not in UNROLLED:
        return False
    add_note(recording, words_for(construct, key))
    return True


def add_note(recording: Recording, words: str) -> None:
    """Let the program of a recording say in ``explain`` how it differs from what one expects."""
    while recording.around is not None:
        recording = recording.around
    if words not in recording.notes:
        recording.notes.append(words)


def words_for(construct: str, key: Any) -> str:
    """Return the words that say why a construct is recorded operation by operation."""
    return f"func.{construct} is recorded operation by operation: {UNROLLED[key]}"


def code_of(function: Any) -> Any:
    """Return the code of a function, which equals that of the same function made again; None where it has none."""
    return getattr(getattr(function, "__func__", function), "__code__", None)


def source_of(function: Any) -> str:
    """Return where a function begins, as words that stay."""
    code = code_of(function)
    if code is None:
        return f"{type(function).__module__}.{type(function).__qualname__}"
    return f"{code.co_filename}:{code.co_firstlineno}:{code.co_name}"
