"""Signatures in words: what a program was recorded for, and in what that differs from earlier programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from wengert_core.extend import DEVICES, Tensor, short_repr

from wengert_replay.arguments import facts_of
from wengert_replay.inspection.device_facts import ProgramFacts
from wengert_replay.inspection.printing import OUTSIDE, format_guard
from wengert_replay.python_state.states import PythonStates
from wengert_replay.python_state.words import compare_states
from wengert_replay.signature import MAPPINGS, PLAIN, Fields, field_names, is_sequence, mentions_tensor
from wengert_replay.structures import rebuild

GRAD_MODE = 1
TANGENTS = 2
INFERENCE_MODE = 32
SHOWN = ("builtins", "datetime", "decimal", "fractions", "numpy", "pathlib", "uuid", "wengert_core")
"""Modules whose objects are shown where they are compared by their values."""
ALWAYS = 1 << 3 | 1 << 17
"""Modes of a thread that are always on: bits of WG_* in wengert_core/runtime/state.h."""


def name_parameters(function: Callable[..., Any], n: int) -> list[str]:
    """Return names of the first n positional arguments; those of ``*args`` by their number."""
    if hasattr(type(function), "forward"):  # of a module, whose call has no names
        function = function.forward  # type: ignore[attr-defined]
    try:
        parameters = list(inspect.signature(function).parameters.values())[getattr(function, "n_bound", 0) :]
    except (TypeError, ValueError):
        parameters = []
    names = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return [names[i] if i < len(names) else f"argument {i}" for i in range(n)]


def parts_of(key: Any, function: Callable[..., Any]) -> dict[str, str]:
    """Return the parts of a signature by their names, in words. function: the captured one."""
    structure, described, modes, (dtype, n_threads, device), *state = key
    parts: dict[str, str] = {}
    _, positional, keywords = structure
    for name, value in zip(name_parameters(function, len(positional) - 1), positional[1:], strict=True):
        add_parts(parts, name, value, described)
    for name, value, _ in keywords[1:]:
        add_parts(parts, str(name), value, described)
    recorded = modes & GRAD_MODE and not modes & INFERENCE_MODE
    parts["grad mode"] = "off (inference mode)" if modes & INFERENCE_MODE else "on" if recorded else "off"
    parts["tangents"] = "on" if modes & TANGENTS else "off, as inside of a custom Function"
    other = modes & ~(GRAD_MODE | TANGENTS | INFERENCE_MODE | ALWAYS)
    parts["other modes of the thread"] = hex(other)
    parts["default dtype"] = str(dtype).removeprefix("torch.")
    parts["threads"] = str(n_threads)
    parts["default device"] = str(DEVICES[device])
    if state:
        parts["Python's state"] = f"number {state[0]}"
    return parts


def add_parts(parts: dict[str, str], name: str, value: Any, described: Any) -> None:
    """Add an argument, and what is nested in it."""
    kind = value[0]
    if kind is Tensor:
        parts[name] = tensor_words(described[value[1]])
    elif kind is Fields:
        fields = field_names(value[1][1])
        parts[name] = f"{value[1][1].__name__} of {len(fields)}"
        for field, item in zip(fields, value[2:], strict=True):
            add_parts(parts, f"{name}.{field}", item, described)
    elif kind in (slice, range) and not mentions_tensor(value):
        parts[name] = repr(rebuild(value, []))
    elif is_sequence(kind):
        parts[name] = f"{kind.__name__} of {len(value) - 1}"
        for i, item in enumerate(value[1:]):
            add_parts(parts, f"{name}[{i}]", item, described)
    elif kind in MAPPINGS:
        parts[name] = f"{kind.__name__} of {len(value) - 1}"
        for key, item, _ in value[1:]:
            add_parts(parts, f"{name}[{key!r}]", item, described)
    else:
        parts[name] = words_of_value(kind, value[1])


def words_of_value(kind: Any, value: Any) -> str:
    """Return words for an argument that is no tensor and no container."""
    if kind in PLAIN or kind in (float, complex):
        return getattr(value, "__qualname__", None) or short_repr(value)
    if issubclass(kind, Enum):
        return str(value)
    if kind.__hash__ is not object.__hash__ and kind.__module__.partition(".")[0] in SHOWN:
        return short_repr(value)
    return f"an object of type {kind.__name__}"


def tensor_words(row: Any) -> str:
    """Return words for a tensor among the arguments. row: of ``describe_tensors``, or the words."""
    if isinstance(row, str):
        return row
    dtype, shape, strides, facts = facts_of(row)
    return words_of_tensor(dtype.name, shape, strides, facts)


def words_of_tensor(dtype: str, shape: Sequence[int], strides: Sequence[int], facts: Sequence[str]) -> str:
    """Return words for a tensor. facts: beside its geometry."""
    step, same = 1, True
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        same = same and (size == 1 or stride == step)
        step *= size
    same = same or 0 in shape
    words = f"{dtype}{list(shape)}" + ("" if same else f" with strides {strides}")
    return ", ".join([words, *facts])


def signature_words(parts: dict[str, str]) -> str:
    """Return a signature as one line: the arguments, and modes that are not usual."""
    usual = {"grad mode": "on", "tangents": None, "other modes of the thread": None, "default dtype": "float32",
             "threads": None, "default device": str(DEVICES[0]), "Python's state": None}  # fmt: skip
    nested = {name for name in parts if name not in usual}
    shown = [f"{name}: {words}" for name, words in parts.items() if name in nested]
    shown += [
        f"{name} {parts[name]}"
        for name, plain in usual.items()
        if plain is not None and name in parts and parts[name] != plain
    ]
    return ", ".join(shown) if shown else "no arguments"


def explain_signatures(
    pairs: list[tuple[Any, Any]], function: Callable[..., Any], states: PythonStates
) -> tuple[list[str], list[str]]:
    """Return the signature of each program in words, and its difference from the most similar program before it.

    pairs: signatures and programs.   function: the captured one, whose parameters have names.   states: those of Python
    whose numbers are in signatures.
    """
    parts = [parts_of(key, function) for key, _ in pairs]
    words = [""] if pairs else []
    for number in range(1, len(pairs)):
        others = [changed_parts(parts[number], earlier) for earlier in parts[:number]]
        nearest = min(range(number), key=lambda i: len(others[i]))
        changed = [words_of_state(one, pairs[number][0], pairs[nearest][0], states) for one in others[nearest]]
        changed = changed or words_of_objects(pairs[number][0], pairs[nearest][0], function) \
            or [changed_state(pairs[number][1], pairs[nearest][1])]  # fmt: skip
        words.append(f"unlike program {nearest}: {'; '.join(changed)}")
    return [signature_words(one) for one in parts], words


def changed_parts(parts: dict[str, str], earlier: dict[str, str]) -> list[str]:
    """Return the parts that two signatures do not have in common, in words."""
    words = []
    for name in {**earlier, **parts}:
        now, before = parts.get(name), earlier.get(name)
        if now != before:
            words.append(f"{name} is not given" if now is None else f"{name} is given: {now}" if before is None else
                         f"{name} is {now}, not {before}")  # fmt: skip
    return words


def words_of_state(words: str, key: Any, earlier: Any, states: PythonStates) -> str:
    """Return a difference of two signatures; for states of Python that have numbers, their first difference."""
    if not words.startswith("Python's state is number"):
        return words
    return compare_states(states, key[-1], earlier[-1]) or words


def words_of_objects(key: Any, earlier: Any, function: Callable[..., Any]) -> list[str]:
    """Return the difference in objects of two signatures that have the same words, in words."""
    if any(len(now) != len(before) for now, before in zip(key[0][1:], earlier[0][1:], strict=True)):
        return ["an argument is given by name in one of them, by position in the other"]
    return [f"{name} is another object, or has others in it" for name in changed_objects(key, earlier, function)]


def changed_objects(key: Any, earlier: Any, function: Callable[..., Any]) -> list[str]:
    """Return the names of arguments that are other objects in one of two signatures that have the same words."""
    (_, now, keywords), (_, before, other_keywords) = key[0], earlier[0]
    if len(now) != len(before) or len(keywords) != len(other_keywords):
        return []
    rows = [*zip(name_parameters(function, len(now) - 1), now[1:], before[1:], strict=True)]
    rows += [(name, value, other) for (name, value, _), (_, other, _) in
             zip(keywords[1:], other_keywords[1:], strict=True)]  # fmt: skip
    return [name for name, value, other in rows if are_unlike(value, other)]


def are_unlike(value: Any, other: Any) -> bool:
    """Return whether two flattened arguments differ; also where objects in them cannot be compared."""
    try:
        return bool(value != other)
    except Exception:  # of tensors in a dataclass
        return True


def changed_state(program: Any, earlier: Any) -> str:
    """Return why a signature has two programs, in words."""
    if isinstance(program, ProgramFacts):
        return program.difference(earlier)
    if type(program) is not type(earlier):
        return "a result has a graph: this program has its gradients too"
    number = differing_number(program, earlier)
    if number is not None:
        return f"Python reads {number[0]}, not {number[1]} ({number[2]})"
    before = {id(one.leaf): one.had_grad for one in earlier.leaves if one.leaf is not None}
    changed = [one for one in program.leaves if one.leaf is not None and before.get(id(one.leaf)) == (not one.had_grad)]
    if changed:
        n = sum(one.had_grad for one in changed)
        return f"of {len(changed)} leaves from outside, {n} had a gradient before the call, not {len(changed) - n}"
    return "a tensor from outside was replaced, or has another shape or other memory"


def differing_number(program: Any, earlier: Any) -> tuple[str, str, str] | None:
    """Return the first number that Python reads and in which two programs differ, and its line."""
    for one, other in zip(guards_of(program), guards_of(earlier), strict=False):
        now, before = number_words(one), number_words(other)
        if one.line != other.line:
            return None
        if now != before:
            return now, before, one.line
    return None


def guards_of(program: Any) -> list[Any]:
    """Return the operations of a program that compare what Python reads."""
    return [step for step in program.steps if step.way == "guard"]


def number_words(step: Any) -> str:
    """Return what a guard expects."""
    words = format_guard(step).removeprefix(OUTSIDE)
    name, _, value = words.partition(" ")
    return short_repr(value.removeprefix("is "), str) if value else name


def differing_guard(programs: list[Any]) -> str:
    """Return the line in which the last of some programs reads another number than the one before; "" for none."""
    for one, other in zip(programs[-1:0:-1], programs[-2::-1], strict=False):
        number = differing_number(one, other)
        if number is not None:
            return number[2]
    return ""
