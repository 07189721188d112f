"""Side effects of Python functions that run while a program is recorded, and not when it is replayed.

Note [When a side effect is warned about]
    Hooks and custom Functions are Python, and most do nothing but operations, which a program has: a warning for each
    would be noise. So their code is read for what cannot be an operation: a call of ``print`` and the like, a global or
    nonlocal variable that is assigned, a list, dict, set or object from outside that is changed. That is a guess by the
    code of the function itself: what functions that it calls do is not seen, and a change that cannot happen may be.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from wengert_core.extend import Tensor

OUTPUTS = frozenset(("print", "input", "open", "breakpoint"))
"""Built-in functions whose calls are seen by somebody else."""

MUTATORS = frozenset((
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update", "setdefault",
    "popitem", "appendleft", "put", "write", "debug", "info", "warning", "error", "log", "increment",
))  # fmt: skip
"""Methods that change an object, or tell somebody."""

BACKWARDS = ("backward", "vjp")
"""Functions of a custom Function that a graph which is kept calls several times."""

STORES = frozenset(("STORE_ATTR", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR"))


def side_effect(function: Any) -> str:
    """Return what a function does that a replay does not: words for a message; "" where nothing is seen."""
    plain = plain_function(function)
    return "" if plain is None else effect_of_code(plain.__code__, plain)


def plain_function(function: Any) -> FunctionType | None:
    """Return the Python function that a callable is made of; None for compiled ones and other objects."""
    function = inspect.unwrap(getattr(function, "__func__", function))
    return function if isinstance(function, FunctionType) else None


def location_of(function: Any) -> str:
    """Return the name of a function and the line where it begins."""
    plain = plain_function(function)
    if plain is None:
        return str(getattr(function, "__qualname__", type(function).__name__))
    return f"{plain.__qualname__} ({plain.__code__.co_filename}:{plain.__code__.co_firstlineno})"


def effect_of_code(code: CodeType, function: FunctionType) -> str:
    objects: list[str] = []
    stores = mutates = False
    for step in dis.get_instructions(code):
        name = step.argval
        if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") or (
            step.opname in ("STORE_DEREF", "DELETE_DEREF") and name in code.co_freevars
        ):
            return f"assigns the variable '{name}' from outside"
        if step.opname == "LOAD_GLOBAL" and name in OUTPUTS and name not in function.__globals__:
            return f"calls {name}()"
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF") and is_state(variable(function, str(name))):
            objects.append(str(name))
        stores = stores or step.opname in STORES
        mutates = mutates or (step.opname in ("LOAD_METHOD", "LOAD_ATTR") and name in MUTATORS)
    if objects and (stores or mutates):
        return f"may change '{objects[0]}'"
    return ""


def effect_on_context(function: Any) -> str:
    """Return words for a backward that changes a number which its context keeps for the next one (``ctx.n += 1``).

    That is a second backward of a graph that is kept: a replay is not another one.
    """
    plain = plain_function(function)
    if plain is None:
        return ""
    steps = list(dis.get_instructions(plain.__code__))
    reads = {step.argval for step in steps if step.opname == "LOAD_ATTR"}
    for number, step in enumerate(steps):
        if step.opname == "STORE_ATTR" and step.argval in reads and steps[number - 2].opname != "LOAD_CONST":
            return f"changes '{step.argval}' of an object, and reads it"
    return ""


def variable(function: FunctionType, name: str) -> Any:
    """Return the value that a function sees in a variable from outside; None where there is none."""
    if name in function.__code__.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[function.__code__.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:
            return None
    return function.__globals__.get(name)


def is_state(value: Any) -> bool:
    """Return whether a value is an object of Python that can be changed; tensors are recorded."""
    if value is None or isinstance(value, (Tensor, ModuleType, type, FunctionType, BuiltinFunctionType)):
        return False
    return isinstance(value, (list, dict, set, bytearray)) or hasattr(value, "__dict__")


def functions_of(source: Any) -> list[Callable[..., Any]]:
    """Return the Python functions of a hook, or of a custom Function, whose code is to be read."""
    if not isinstance(source, type):
        return [source]
    if getattr(source, "_is_all_operations", False):
        return []
    names = ("forward", "setup_context", "backward", "vjp", "jvp")
    return [getattr(source, name) for name in names if hasattr(source, name)]


def effects_of(source: Any) -> list[str]:
    """Return a sentence for each side effect of a hook or custom Function."""
    found = [(function, side_effect(function)) for function in functions_of(source)]
    if isinstance(source, type):
        found += [(getattr(source, name), effect_on_context(getattr(source, name))) for name in BACKWARDS
                  if hasattr(source, name)]  # fmt: skip
    return [f"{location_of(function)} {effect}" for function, effect in found if effect]


class Effects:
    """Effects of the hooks and custom Functions that run while a function is recorded.

    Their code is read at once, and they are not held: what their variables refer to would live as long.
    """

    words: list[str]
    have_run: bool
    needs_whole_backward: bool

    __slots__ = ("have_run", "needs_whole_backward", "seen", "words")

    def __init__(self) -> None:
        self.words, self.have_run, self.needs_whole_backward = [], False, False
        self.seen: set[CodeType] = set()

    def note(self, source: Any) -> None:
        """Note what a hook or a custom Function does beside operations."""
        self.have_run = True
        if isinstance(source, type):
            self.needs_whole_backward = self.needs_whole_backward or getattr(source, "_needs_whole_backward", False)
        plain = [one for one in map(plain_function, functions_of(source)) if one is not None]
        if not self.seen.issuperset(one.__code__ for one in plain):
            self.seen.update(one.__code__ for one in plain)
            self.add_words(effects_of(source))

    def join(self, other: Effects) -> None:
        """Note what have run in the body of a loop."""
        self.have_run = self.have_run or other.have_run
        self.needs_whole_backward = self.needs_whole_backward or other.needs_whole_backward
        self.seen |= other.seen
        self.add_words(other.words)

    def add_words(self, words: list[str]) -> None:
        self.words += [one for one in words if one not in self.words]
