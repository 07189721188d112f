"""The instructions that the restricted unpickler knows, by their code: each is a function of the unpickler."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError, decode_long
from struct import unpack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_serialization.unpickler import Unpickler

__all__ = ["STEPS", "text"]

LONGEST_INT = 1 << 12
Step = Callable[["Unpickler"], None]
STEPS: dict[bytes, Step] = {}


def instruction(code: bytes) -> Callable[[Step], Step]:
    """Return a decorator that makes a function the one for an instruction."""

    def put(function: Step) -> Step:
        STEPS[code] = function
        return function

    return put


def text(data: bytes, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Return bytes as text. UnpicklingError for bytes that are none."""
    try:
        return data.decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise UnpicklingError(f"the pickle has a text that is not in {encoding}: {error}") from error


# ---- instructions: constants
def constant(code: bytes, make: Callable[[], Any]) -> None:
    """Let an instruction put a new value on the stack."""
    STEPS[code] = lambda self: self.stack.append(make())


constant(b"N", lambda: None)
constant(b"\x88", lambda: True)
constant(b"\x89", lambda: False)
constant(b")", tuple)
constant(b"]", list)
constant(b"}", dict)
constant(b"\x8f", set)


def number(code: bytes, count: int, form: str) -> None:
    """Let an instruction put a number on the stack."""
    STEPS[code] = lambda self: self.stack.append(unpack(form, self.read(count))[0])


number(b"J", 4, "<i")
number(b"K", 1, "<B")
number(b"M", 2, "<H")
number(b"G", 8, ">d")


def put_bytes(code: bytes, count: int, convert: Callable[[Unpickler, bytes], Any]) -> None:
    """Let an instruction put bytes on the stack, converted; their number stands before them."""

    def step(self: Unpickler) -> None:
        self.stack.append(convert(self, self.read(int.from_bytes(self.read(count), "little"))))

    STEPS[code] = step


def in_utf8(self: Unpickler, data: bytes) -> str:
    return text(data, "utf-8", "surrogatepass")


def in_python_2(self: Unpickler, data: bytes) -> Any:
    return data if self.encoding == "bytes" else text(data, self.encoding)


for _code, _count in ((b"X", 4), (b"\x8c", 1), (b"\x8d", 8)):
    put_bytes(_code, _count, in_utf8)
for _code, _count in ((b"U", 1), (b"T", 4)):
    put_bytes(_code, _count, in_python_2)
for _code, _count in ((b"C", 1), (b"B", 4), (b"\x8e", 8)):
    put_bytes(_code, _count, lambda self, data: data)
put_bytes(b"\x96", 8, lambda self, data: bytearray(data))
put_bytes(b"\x8a", 1, lambda self, data: decode_long(data))


@instruction(b"\x8b")
def put_long(self: Unpickler) -> None:
    count = int.from_bytes(self.read(4), "little")
    if count > LONGEST_INT:
        raise UnpicklingError(f"the pickle has an int of {count} bytes")
    self.stack.append(decode_long(self.read(count)))


# ---- instructions: containers
@instruction(b"(")
def put_mark(self: Unpickler) -> None:
    self.marks.append(self.stack)
    self.stack = []


@instruction(b"0")
def pop(self: Unpickler) -> None:
    if self.stack:
        self.stack.pop()
    else:
        self.pop_mark()


@instruction(b"1")
def pop_to_mark(self: Unpickler) -> None:
    self.pop_mark()


@instruction(b"t")
def make_tuple(self: Unpickler) -> None:
    items = self.pop_mark()
    self.stack.append(tuple(items))


def short_tuple(code: bytes, count: int) -> None:
    """Let an instruction make a tuple of the last items of the stack."""

    def step(self: Unpickler) -> None:
        if len(self.stack) < count:
            raise IndexError
        self.stack[-count:] = [tuple(self.stack[-count:])]

    STEPS[code] = step


for _count in (1, 2, 3):
    short_tuple(bytes([0x84 + _count]), _count)


@instruction(b"a")
def append(self: Unpickler) -> None:
    item = self.stack.pop()
    self.target((list,), "append to lists").append(item)


@instruction(b"e")
def extend(self: Unpickler) -> None:
    items = self.pop_mark()
    self.target((list,), "extend lists").extend(items)


@instruction(b"s")
def set_item(self: Unpickler) -> None:
    value, key = self.stack.pop(), self.stack.pop()
    put_items(self, [key, value], "SETITEM")


@instruction(b"u")
def set_items(self: Unpickler) -> None:
    put_items(self, self.pop_mark(), "SETITEMS")


def put_items(self: Unpickler, items: list[Any], name: str) -> None:
    """Put keys and values, one after another, into the dict on the stack."""
    kinds = (dict, OrderedDict, Counter)
    container = self.target(kinds, f"{name} for dict, collections.OrderedDict, collections.Counter")
    if len(items) % 2:
        raise UnpicklingError("a dict has a key without a value")
    for key, value in zip(items[::2], items[1::2], strict=True):
        self.check_key(key)
        container[key] = value


@instruction(b"\x90")
def add_items(self: Unpickler) -> None:
    items = self.pop_mark()
    container = self.target((set,), "add to sets")
    for item in items:
        self.check_key(item)
        container.add(item)


@instruction(b"\x91")
def make_frozenset(self: Unpickler) -> None:
    items = self.pop_mark()
    for item in items:
        self.check_key(item)
    self.stack.append(frozenset(items))


# ---- instructions: objects
@instruction(b"c")
def put_global(self: Unpickler) -> None:
    module = self.read_line()
    self.stack.append(self.find_global(module, self.read_line()))


@instruction(b"\x93")
def put_stack_global(self: Unpickler) -> None:
    name, module = self.stack.pop(), self.stack.pop()
    if type(name) is not str or type(module) is not str:
        raise UnpicklingError("a name must be of type str")
    self.stack.append(self.find_global(module, name))


@instruction(b"R")
def reduce(self: Unpickler) -> None:
    args = self.stack.pop()
    self.stack[-1] = self.call(self.stack[-1], args)


@instruction(b"\x81")
def new_object(self: Unpickler) -> None:
    args, cls = self.stack.pop(), self.stack.pop()
    self.make(cls, args, {})


@instruction(b"\x92")
def new_object_with_keywords(self: Unpickler) -> None:
    kwargs, args, cls = self.stack.pop(), self.stack.pop(), self.stack.pop()
    if type(kwargs) is not dict or not all(type(name) is str for name in kwargs):
        raise UnpicklingError("keyword arguments must be a dict")
    self.make(cls, args, kwargs)


@instruction(b"b")
def build(self: Unpickler) -> None:
    state = self.stack.pop()
    self.build(self.stack[-1], state)


@instruction(b"Q")
def put_storage(self: Unpickler) -> None:
    self.stack.append(self.persistent_load(self.stack.pop()))


# ---- instructions: memo, and those that only readers of streams need
def memo(get: bytes, put: bytes, count: int) -> None:
    """Let instructions get a value of the memo, and put the last item of the stack there."""

    def recall(self: Unpickler) -> None:
        key = int.from_bytes(self.read(count), "little")
        if key not in self.memo:
            raise UnpicklingError(f"Memo value not found at index {key}")
        self.stack.append(self.memo[key])

    def keep(self: Unpickler) -> None:
        self.memo[int.from_bytes(self.read(count), "little")] = self.stack[-1]

    STEPS[get], STEPS[put] = recall, keep


memo(b"h", b"q", 1)
memo(b"j", b"r", 4)


@instruction(b"\x94")
def memoize(self: Unpickler) -> None:
    self.memo[len(self.memo)] = self.stack[-1]


@instruction(b"\x80")
def check_protocol(self: Unpickler) -> None:
    protocol = self.read(1)[0]
    if protocol > 5:
        raise UnpicklingError(f"unsupported pickle protocol: {protocol}")


@instruction(b"\x95")
def skip_frame(self: Unpickler) -> None:
    self.read(8)
