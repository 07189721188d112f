"""The restricted unpickler: it reads pickles of weights without running anything that the file says.

Note [Why an interpreter of our own]
    Python's unpickler with a list of allowed names is not safe: a file may set attributes of allowed classes and
    functions, call them with any arguments, and let it allocate a memo of 32 GB by one instruction. This one knows the
    instructions that data need, calls what ``builders`` checks, and pays for copies out of a budget that grows with the
    file, so that memory does too. It does not recurse.
"""

from __future__ import annotations

from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

import wengert
from wengert import Tensor

from wengert_serialization import builders
from wengert_serialization.instructions import STEPS, text
from wengert_serialization.safe_globals import user_globals

__all__ = ["Unpickler"]

BLOCKED = ("sys", "os", "posix", "nt")
"""Modules whose names are refused even if the user allows them."""
FEW_BYTES = FREE = 1 << 16
LONGEST_NAME = 1 << 12
DEEPEST_KEY = 50
ATOMS = (str, int, bytes, float, bool, complex, type(None))


class Unpickler:
    """Reads one pickle from a file.

    size: how many bytes the pickle can have at most.
    persistent_load(id): the storage that the pickle names.
    """

    def __init__(
        self, file: Any, size: int, persistent_load: Callable[[Any], Any], encoding: str = "utf-8"
    ) -> None:
        self.file, self.persistent_load, self.encoding = file, persistent_load, encoding
        self.left = size
        self.budget = FREE + 4 * size
        self.patience = 16 * self.budget
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.allowed = user_globals()
        self.is_calling = False

    def load(self) -> Any:
        """Return the object. UnpicklingError for a pickle that is damaged, or that asks for more than data."""
        read, step_of = self.file.read, STEPS.get
        code = read(1)
        if not code:
            raise EOFError("Ran out of input")
        try:
            while code != b".":
                step = step_of(code)
                if step is None:
                    raise UnpicklingError(f"Unsupported operand {code[0]}" if code else "the pickle is cut off")
                step(self)
                code = read(1)
            return self.stack.pop()
        except IndexError as error:
            if self.is_calling:
                raise
            raise UnpicklingError("the pickle takes more from its stack than lies there") from error

    # ---- reading
    def read(self, count: int) -> bytes:
        """Return bytes of the file."""
        if count > FEW_BYTES and count > self.left:
            raise UnpicklingError(f"the pickle is cut off: it announces {count} bytes")
        data = self.file.read(count)
        if len(data) != count:
            raise UnpicklingError(f"the pickle is cut off: it announces {count} bytes, {len(data)} are there")
        return bytes(data)

    def read_line(self) -> str:
        line = self.file.readline(LONGEST_NAME)
        if not line.endswith(b"\n"):
            raise UnpicklingError("the pickle is cut off in a name")
        return text(line[:-1])

    def pop_mark(self) -> list[Any]:
        """Return what was put on the stack since the last mark."""
        items, self.stack = self.stack, self.marks.pop()
        return items

    def target(self, kinds: tuple[type, ...], task: str) -> Any:
        """Return the last item of the stack. UnpicklingError where it is of another type."""
        found = self.stack[-1]
        if type(found) not in kinds:
            raise UnpicklingError(f"Can only {task}, but got {type(found)}")
        return found

    # ---- limits
    def spend(self, amount: int) -> None:
        """Pay for a copy of so many items."""
        self.budget -= amount
        if self.budget < 0:
            raise UnpicklingError("the pickle asks for more copies than its own size allows")

    def check_key(self, key: Any, depth: int = 0) -> None:
        """Raise UnpicklingError for a key that cannot be hashed, or only by deep recursion."""
        if type(key) in ATOMS:
            return
        if type(key) in (tuple, frozenset, wengert.Size):
            if depth == DEEPEST_KEY:
                raise UnpicklingError(f"a key is nested more than {DEEPEST_KEY} times")
            self.patience -= len(key)
            if self.patience < 0:
                raise UnpicklingError("the pickle has keys that take longer to hash than its own size allows")
            for item in key:
                self.check_key(item, depth + 1)
        elif type(key).__hash__ is None:
            raise UnpicklingError(f"a key must be hashable, but is of type {type(key).__name__}")

    # ---- names and calls
    def find_global(self, module: str, name: str) -> Any:
        """Return the object that a name means. UnpicklingError for one that is not allowed."""
        module, name = self.python_3(module, name)
        full = f"{module}.{name}"
        if module in BLOCKED:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked.")
        if full in self.allowed:
            return self.allowed[full]
        found = builders.find_global(full)
        if found is None:
            shown = full.removeprefix("builtins.")
            raise UnpicklingError(
                f"Unsupported global: GLOBAL {shown} was not an allowed global by default. If you trust it, allow it "
                f"by `torch.serialization.add_safe_globals([{shown}])` or in the context "
                f"`torch.serialization.safe_globals([{shown}])`."
            )
        return found

    def python_3(self, module: str, name: str) -> tuple[str, str]:
        """Return the name that Python 3 has for one of Python 2, which pickles of protocol 2 have."""
        if (module, name) in NAME_MAPPING:
            return NAME_MAPPING[module, name]
        return IMPORT_MAPPING.get(module, module), name

    def is_allowed(self, obj: Any) -> bool:
        """Return whether the user has allowed a function or class."""
        return any(obj is one for one in self.allowed.values())

    def call(self, function: Any, args: Any) -> Any:
        """Return the result of a call that the file asks for. UnpicklingError for one that is not allowed."""
        if type(args) is not tuple:
            raise UnpicklingError(f"arguments must be a tuple, but are of type {type(args).__name__}")
        build = builders.builder_of(function)
        if build is None:
            if not self.is_allowed(function):
                raise UnpicklingError(f"Trying to call reduce for unrecognized function {function!r:.200}")
            return self.run(function, *args)
        self.spend(len(args) + sum([len(one) for one in args if type(one) in SIZED]))
        return self.guard(build, self, *args)

    def guard(self, function: Any, *args: Any) -> Any:
        """Call a function of ours with values of the file; its errors are about the file."""
        try:
            return function(*args)
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
            raise UnpicklingError(f"{function.__name__} refuses values of the file: {error}") from error

    def run(self, function: Any, *args: Any) -> Any:
        """Call a function that the user has allowed; what it raises is passed on."""
        self.is_calling = True
        result = function(*args)
        self.is_calling = False
        return result

    def make(self, cls: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """Put a new object of a class on the stack."""
        if builders.builder_of(cls) is not None and not kwargs:
            self.stack.append(self.call(cls, args))
        elif self.is_allowed(cls) and type(args) is tuple:
            self.stack.append(self.run(lambda: cls.__new__(cls, *args, **kwargs)))
        else:
            raise UnpicklingError("Can only create new object for nn.Parameter or classes allowlisted via "
                                  f"`add_safe_globals` but got {cls!r:.200}")

    def build(self, obj: Any, state: Any) -> None:
        """Give an object its state."""
        if self.is_allowed(type(obj)):
            self.run(set_state, obj, state)
        elif type(obj) is OrderedDict:
            builders.set_attributes(self, obj, state)
        elif isinstance(obj, Tensor):
            self.guard(builders.build_old_tensor, obj, state)
        else:
            raise UnpicklingError("Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                                  f"`add_safe_globals`, but got {type(obj)}")


SIZED = (str, bytes, bytearray, tuple, list, dict, set, frozenset)


def set_state(obj: Any, state: Any) -> None:
    """Give an object of an allowed class its state, as pickle does."""
    if hasattr(obj, "__setstate__"):
        obj.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if attributes:
        vars(obj).update(attributes)
    for name, value in (slots or {}).items():
        setattr(obj, name, value)
