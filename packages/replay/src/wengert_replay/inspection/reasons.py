"""Reasons why calls run as usual, in words: modes around a call, arguments without a value, and ways out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from wengert_core.extend import active_mode
from wengert_engine.extend import current_tracer, is_dual_level_open

from wengert_replay.inspection.signatures import changed_objects, name_parameters, parts_of
from wengert_replay.recording.tracing import is_unusual, thread_modes
from wengert_replay.signature import MAPPINGS, Unhashable, field_names, flatten, has_fields_only, is_named_tuple

BATCHED, OBSERVED, GUARDED, CAST, STRONG, TOLD = 1 << 2, 1 << 4, 1 << 19, 1 << 21, 1 << 22, 1 << 24
"""Modes of a thread: bits of WG_* in wengert_core/runtime/state.h."""

AROUND = (
    (BATCHED | GUARDED, "it was called inside of vmap, grad or another transform: capture the function around it"),
    (CAST, "autocast is on around the call: turn it on inside of the function"),
    (STRONG, "strong zeros are on around the call: turn them on inside of the function"),
    (OBSERVED, "a profile or another observer was on, and there was no program yet: calls after it are recorded"),
)  # fmt: skip
"""Modes that are unusual around a call, and words for a call that runs as usual because of them."""

ADVICE = (
    (r"two arguments share memory|an argument shares memory", "pass a clone()"),
    (r"view of an argument|share memory|shares the memory of", "return a clone()"),
    (r"has stored a result", "return what is to be kept, or write it in place (state.copy_(...))"),
    (r"has stored \d+ tensor",
     "nothing is to be done for what is made once, as an optimizer's state; else return it, or write it in place"),
    (r"has stored (an argument|a leaf)", "store a clone() outside of the function"),
    (r"memory of a tensor, or the state of a generator",
     "do that outside of the function, with what it returns; a DataLoader that shuffles does it, too"),
    (r"gradients that it reads are other", "keep them, and set them to zero in place: zero_grad(set_to_none=False)"),
    (r"requires_grad of tensors", "set it outside of the function, to the same before each of its calls"),
    (r"outside are replaced", "write to them in place (copy_()), or give them to the function as arguments"),
    (r"depends on Python's state|Python's state that it depends on|state of Python",
     "make what changes an argument, or a tensor that is written in place"),
    (r"random numbers outside of wengert", "draw them by wengert.rand or wengert.randn, or give them as arguments"),
    (r"of Python that it reads, or may read",
     "give them to the function as arguments, count outside of it, or in a tensor that is written in place"),
    (r"under compiler.disable that it calls share", "let such a function read and set it, and give what it reads"),
    (r"list, a dict or a dataclass in it (that|twice)", "return a new one (list(...))"),
    (r"attribute of Python", "return what it holds, or set it outside of the function"),
    (r"result (has an object|is nested)", "return tensors, numbers, and tuples, lists and dicts of them"),
    (r"result is of the class", "return a plain tensor, as detach() or as_subclass(Tensor) gives one"),
    (r"a list, a dict or a dataclass among", "return what changes, in a new object"),
    (r"that no operation uses", "read a clone() of it, or give it to the function as an argument"),
    (r"no operation has used", "leave it out of the result"),
    (r"keeps? its gradient", "call retain_grad() on it outside of the function"),
    (r"registers a hook", "register it once, outside of the function"),
    (r"leaves a mode changed", "use the mode as a context, or change it outside of the function"),
    (r"made outside of the function", "run the operations that lead to it inside of the function"),
    (r"runs backward, and a result has a graph", "return loss.detach()"),
    (r"is written to, and a result has a graph", "write to a clone() of it"),
    (r"history of an argument", "call requires_grad_() and change histories outside of the function"),
)  # fmt: skip
"""Patterns of reasons, and what to do then."""


def with_advice(reason: str) -> str:
    """Return a reason, and behind a colon what to do."""
    advice = next((words for pattern, words in ADVICE if re.search(pattern, reason)), "")
    return f"{reason}: {advice}" if advice else reason


def why_as_usual() -> str:
    """Return what is around a call that cannot be recorded for that, in words; "" where nothing is."""
    mode = active_mode()
    if mode is not None:
        return f"a function mode is on around the call ({type(mode).__qualname__}): turn it on inside of the function"
    modes = thread_modes()
    if modes & TOLD or current_tracer() is not None:
        return "it was called while another captured function was recorded, and is a part of that one's program"
    for bits, words in AROUND[:-1]:
        if modes & bits:
            return words
    if is_dual_level_open():
        return "a level of forward mode is open around the call: open it inside of the function"
    bits, words = AROUND[-1]
    if modes & bits:
        return words
    if not is_unusual():
        return "a graph of the device is captured around the call, and has its operations"
    return "anomaly mode or hooks for saved tensors are on around the call: turn them on inside of the function"


def why_unhashable(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """Return words for the first argument whose value cannot be compared with that of another call."""
    named = [*zip(name_parameters(function, len(args)), args, strict=True), *kwargs.items()]
    path, value = next((found for name, value in named for found in unhashable_parts(name, value)), ("", None))
    if not path:  # a hash that raises an error at times
        return "an argument has no value to compare"
    return f"argument '{path}' of type {type(value).__name__} has no value to compare: {advice_for(value)}"


def unhashable_parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of an argument that are the reason why it is unhashable, with what Python calls them."""
    kind = type(value)
    names = field_names(kind)
    inner: list[tuple[str, Any]] = []
    if kind in (tuple, list) or is_named_tuple(kind):
        inner = [(f"{path}[{i}]", item) for i, item in enumerate(value)]
    elif names and has_fields_only(value, names):
        inner = [(f"{path}.{name}", getattr(value, name)) for name in names]
    elif kind in MAPPINGS:
        inner = [(f"{path}[{key!r}]", item) for key, item in value.items()]
    try:
        flatten(value, [])
    except Unhashable:
        yield from [found for name, item in inner for found in unhashable_parts(name, item)] or [(path, value)]


def advice_for(value: Any) -> str:
    """Return what to pass in place of a value that has no hash."""
    if isinstance(value, np.ndarray):
        return "pass a tensor (wengert.from_numpy)"
    if isinstance(value, (set, bytearray, memoryview)):
        return f"pass {'a frozenset' if isinstance(value, set) else 'bytes'}"
    if isinstance(value, Mapping):
        return "pass a dict (dict(...))"
    if hasattr(type(value), "__next__") or isinstance(value, Iterable):
        return "pass a list or a tuple"
    return "pass its tensors and numbers, or give its class a __hash__"


def why_full(max_programs: int, keys: Sequence[Any], function: Callable[..., Any]) -> str:
    """Return why further signatures are not recorded, and in what those that there are differ. keys: the signatures."""
    parts = [parts_of(key, function) for key in keys]
    names = {name: None for one in parts for name in one}
    varying = [name for name in names if len({one.get(name) for one in parts}) > 1]
    are_tensors = all(re.match(r"\w+\[", one.get(name, "")) for name in varying for one in parts)
    advice = "Pad tensors to few shapes" if are_tensors else "Pass numbers that change as tensors"
    if not varying and len(keys) > 1:
        varying = changed_objects(keys[-1], keys[-2], function)
        advice = "Make the object once, and pass it to all calls"
    of_what = f", which differ in {', '.join(varying[:4])}{', ...' * (len(varying) > 4)}" if varying else ""
    return (f"there are {max_programs} programs (max_programs){of_what}: further signatures run as usual. {advice}; "
            "wengert.replay.explain() lists the signatures")  # fmt: skip


def why_raised(error: Exception) -> str:
    """Return words for an error that a function raised while it was recorded, with the line in its file."""
    traceback, line = error.__traceback__, ""
    while traceback is not None:
        if not traceback.tb_frame.f_globals.get("__name__", "").startswith("wengert_"):
            line = f" ({traceback.tb_frame.f_code.co_filename}:{traceback.tb_lineno})"
        traceback = traceback.tb_next
    return f"the function raised {type(error).__name__} while it was recorded{line}"
