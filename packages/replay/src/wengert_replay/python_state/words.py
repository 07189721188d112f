"""States of Python in words: the first thing in which two of them differ, by its name."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from wengert_core.extend import short_repr

if TYPE_CHECKING:
    from wengert_replay.python_state.states import PythonStates
    from wengert_replay.python_state.values import Mark

SHOWN = (int, str, bool, type(None))
"""Types of values that stand in a state behind their type, as they are; a float stands there as its bits."""


def compare_states(states: PythonStates, number: int, earlier: int) -> str:
    """Return the first thing in which two states differ, in words; "" where it has no name.

    A name is that of a variable, with attributes and keys behind it: "model.part.training".
    """
    (now, marks), (before, earlier_marks) = states.facts(number), states.facts(earlier)
    i = next((k for k, (one, other) in enumerate(zip(now, before, strict=False)) if one != other), -1)
    if i < 0:
        return ""
    path, earlier_path = path_at(marks, i), path_at(earlier_marks, i)
    name = path[1] or earlier_path[1]
    if path[1] != earlier_path[1]:  # what begins before i has the same name in both
        return f"{max(path, earlier_path)[1]} is another one"
    words = [value_words(found, i) for found in (now, before)]
    if not name:
        return ""
    return f"{name} is {words[0]}, not {words[1]}" if all(words) else f"{name} is another one"


def path_at(marks: list[Mark], i: int) -> tuple[bool, str]:
    """Return whether the innermost thing with a name, among those in which value i lies, begins before it, and the
    names of these. marks: (first, behind the last, name, class).
    """
    spans = sorted((first - behind, first, name) for first, behind, name, _ in marks if name and first <= i < behind)
    return (spans[-1][1] < i, ".".join(name for _, _, name in spans)) if spans else (False, "")


def value_words(state: list[Any], i: int) -> str:
    """Return value i of a state, or the one whose type that is, as Python writes it; "" for an object."""
    if i < len(state) and (state[i] is float or any(state[i] is kind for kind in SHOWN)):
        i += 1
    if not 0 < i < len(state):
        return ""
    kind, value = state[i - 1], state[i]
    if kind is float:
        return repr(struct.unpack("d", struct.pack("q", value))[0])
    return short_repr(value) if any(kind is one for one in SHOWN) and type(value) is kind else ""
