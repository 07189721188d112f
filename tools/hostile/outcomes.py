"""The kind of end that a call came to."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

from tools.hostile.objects import OddError
from tools.hostile.targets import STRICT, Target

EXPECTED = (TypeError, ValueError, RuntimeError, IndexError, OverflowError, MemoryError, ZeroDivisionError)
NEVER = (SystemError, RecursionError, UnboundLocalError)
INNER = re.compile(
    r"object is not (subscriptable|callable|iterable)|has no len\(\)|unsupported operand type|not supported between|"
    r"cannot unpack|not enough values to unpack|too many values to unpack|list index out of range|tuple index out of "
    r"range|does not support item|object has no attribute|assert|Buffer dtype|ufunc|operands could not be broadcast|"
    r"<lambda>\(\)|pop from empty|bad argument type for built-in|an integer is required$"
)
"""Messages of the interpreter or of NumPy: the type may be right, the words say nothing to the caller."""
READ_ONLY = re.compile(
    r"has no (setter|deleter)|can't (set|delete)|read-?only|not writable|cannot be (set|deleted)|immutable type"
)


AS_TORCH = {
    "wengert.autograd.profiler_util.DeviceType.__getitem__": "KeyError",
    "wengert.autograd.profiler.ProfilerActivity.__getitem__": "KeyError",
    "wengert.utils.hooks.unserializable_hook": "AttributeError",
    "wengert.utils.hooks.warn_if_has_hooks": "AttributeError",
}
"""Errors that torch raises there too: Python's own for an enum, or for an object without the attribute."""
OF_NAMES = {"__getattribute__", "__getattr__", "__setattr__", "__delattr__"}
PASSED_ON = {
    "BufferError",  # the protocols of buffers and DLPack ask for it
    "PicklingError", "UnpicklingError", "StopIteration", "ModuleNotFoundError", "ImportError", "OSError",
    "FileNotFoundError", "IsADirectoryError", "PermissionError", "JSONDecodeError", "UnicodeEncodeError",
}  # fmt: skip
"""Errors that come from the system or from a protocol."""


@dataclass
class Outcome:
    """kind: as in the table of the report; the rest says where it came from."""

    kind: str
    error: str = ""
    message: str = ""
    frame: str = ""


def frame_of(error: BaseException) -> str:
    """Return the frame that raised an error: the innermost one, with the file's last folder."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    last = frames[-1]
    return f"{'/'.join(last.filename.split('/')[-2:])}:{last.lineno} {last.name}"


def judge_error(error: BaseException, target: Target) -> Outcome:
    """The outcome of a call that raised."""
    try:
        text = str(error) if isinstance(error, Exception) else repr(error)
    except Exception as wrong:  # the error's argument cannot be printed
        return Outcome("internal error", type(wrong).__name__, "str() of the error fails", frame_of(error))
    return Outcome(kind_of(error, text, target), type(error).__name__, text[:200], frame_of(error))


def kind_of(error: BaseException, text: str, target: Target) -> str:
    """The kind of outcome that an exception is."""
    name = type(error).__name__
    if name in PASSED_ON or (target.owner == "StringTable" and name == "KeyError") or AS_TORCH.get(target.text) == name:
        return "expected"
    if isinstance(error, OddError) or frame_of(error).startswith(("hostile/values.py", "hostile/objects.py")):
        return "raised by an argument"
    return "another self" if frame_of(error).startswith("collections/") else kind_of_ours(error, text, target)


def kind_of_ours(error: BaseException, text: str, target: Target) -> str:
    """The kind of outcome that an exception is which no argument raised, and no method of a namedtuple of Python's."""
    if isinstance(error, NEVER):
        return "internal error"
    if isinstance(error, AssertionError):  # torch has many, with a message; those that find our own mistakes have none
        return "expected" if text else "internal error"
    if isinstance(error, AttributeError):
        if target.op in OF_NAMES or frame_of(error).endswith("<lambda>"):  # the name, or the function, is an argument's
            return "raised by an argument"
        if target.op in text or READ_ONLY.search(text) or not text.endswith("'"):  # Python's own ends with the name
            return "expected"
        return "another self" if target.owner and target.owner not in STRICT else "internal error"
    if isinstance(error, EXPECTED):
        if not text.strip():
            return "no message"
        return "inner wording" if INNER.search(text) else "expected"
    return "internal error"
