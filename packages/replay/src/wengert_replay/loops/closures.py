"""Closures: functions as they are now, for calls that come later.

Note [A body is called again]
    Backward of a loop calls its body again, when variables around it may have other values: in ``for cell in cells: h,
    xs = scan(lambda h, x: cell(h, x), h, xs)`` the variable ``cell`` is the last one by then. So backward has a copy of
    the function with cells of its own, of functions that it calls by its closure too. What else it depends on, such as
    attributes of objects, must be as it was: the last iteration has to give the same bits again.
Note [What a construct has read may be written to]
    A function may write to what a construct has read before it calls backward. An eager call has saved some of that,
    and raises an error for a write there alone. So the recording has a copy of the memory that the bodies read, which
    is made of large memory before the first write (Note [Listeners for writes] in recording/watch.pyx). Where that has
    been written to since, no loop can be its gradient: the plain construct runs with the memory as it was, the graph of
    that is differentiated with the memory as it is now, and the next recording has the construct operation by
    operation.
Note [Results of a construct may be written to]
    An eager call may have saved a result, such as that of ``tanh``, and raises an error where it was written to. A
    construct saves none. So backward runs the plain construct, lets its results count the writes, and asks for the
    gradients of that, which raises the eager error; where it does not, the loop is the gradient all the same.
    A write by ``.data`` counts nothing, and an eager call differentiates with what it finds there. Then backward runs
    the plain construct, whose results get the numbers that these have now, and the next recording has the construct
    operation by operation. An operation that writes so lets a result be held, as its graph would hold it.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Sequence
from types import CellType, FunctionType, MethodType
from typing import Any
from weakref import ref

from wengert_core import bfloat16
from wengert_core.extend import Tensor
from wengert_engine.extend import current_tracer

from wengert_replay.history.outside import (
    OutsideState,
    address_of_memory,
    count_writes,
    hold_memory,
    is_foreign,
    shares_memory,
    versions_of,
)
from wengert_replay.loops.loop import refuse_once
from wengert_replay.loops.unrolled import remember, words_for
from wengert_replay.recording.tracing import Recording
from wengert_replay.recording.watch import listen_for_write

CONSTRUCTS = "wengert_functional.control_flow."
MOST_BYTES = 1 << 24
"""Of memory that is copied at once; larger memory is copied before an operation writes to it."""


def with_own_cells(value: Any, known: dict[int, Any] | None = None) -> Any:
    """Return a function whose closure, and those of functions in it, later assignments do not change.

    known: copies that were made, by ``id``. Other values are returned as they are.
    """
    known = {} if known is None else known
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, FunctionType):
        return copy_function(value, known)
    if isinstance(value, MethodType):
        return MethodType(with_own_cells(value.__func__, known), value.__self__)
    if isinstance(value, functools.partial):
        return functools.partial(with_own_cells(value.func, known), *value.args, **value.keywords)
    if type(value).__module__.startswith(CONSTRUCTS) and hasattr(value, "__dict__"):
        known[id(value)] = made = copy.copy(value)
        for name, one in vars(value).items():
            setattr(made, name, with_own_cells(one, known))
        return made
    return value


def copy_function(function: FunctionType, known: dict[int, Any]) -> FunctionType:
    """Return a function with cells of its own. A cell that several functions share is shared by the copies."""
    if not function.__closure__:
        return function
    cells = [known.setdefault(id(cell), CellType()) for cell in function.__closure__]
    made = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(cells))
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    known[id(function)] = made
    for cell, own in zip(function.__closure__, cells, strict=True):
        try:
            content = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
        own.cell_contents = with_own_cells(content, known)
    return made


def bits_of(tensors: list[Any]) -> list[bytes]:
    """Return the bits of some tensors."""
    found = [one.detach() for one in tensors]
    return [(one.float() if one.dtype is bfloat16 else one).numpy().tobytes() for one in found]


def check_bits(construct: str, source: str, expected: list[bytes], tensors: list[Tensor]) -> None:
    """Raise RuntimeError unless tensors have the bits that the last iteration gave before."""
    if bits_of(tensors) != expected:
        raise RuntimeError(
            f"wengert.capture: backward of {construct} calls its body ({source}) again, which now gives other numbers "
            "than before: it depends on Python's state, which has changed in between. Give what changes to the "
            "construct as an argument, or compute the gradient before it changes"
        )


class Surroundings:
    """The memory that a construct reads, as it was then. Note [What a construct has read may be written to]"""

    def __init__(self, recording: Recording, construct: str, key: Any, tensors: Sequence[Any]) -> None:
        """key: by which the construct is remembered. An argument of the captured function is not held."""
        self.construct, self.key = construct, key
        arguments = {address_of_memory(one): one for one in recording.outermost().inputs}
        memory = {address_of_memory(one): one.detach() for one in tensors}
        self.parts: dict[int, Any] = {address: ref(arguments[address]) if address in arguments else one
                      for address, one in memory.items()}  # fmt: skip
        self.owners = [(ref(one), address_of_memory(one)) for one in tensors]
        self.replaced: list[tuple[Any, Any, Any]] = []  # with other memory now: a tensor, on that, on that of then
        self.then = OutsideState(())
        self.now: OutsideState | None = None
        self.late: dict[int, int] = {}  # the version of memory that is copied before a write, by its address
        for address, one in memory.items():
            if one.untyped_storage().nbytes() <= MOST_BYTES:
                self.before_write(address, None)
            else:
                (self.late[address],) = versions_of([one])
                listen_for_write(recording, address, ref(self))

    def before_write(self, address: int, _written: Any) -> None:
        """Copy memory, to which nobody has written yet."""
        part = self.parts[address]
        tensor = part() if isinstance(part, ref) else part
        if tensor is not None and self.late.get(address) in (None, *versions_of([tensor])):
            self.late.pop(address, None)
            self.then.add(part, tensor)

    def were_written(self) -> bool:
        """Whether somebody has written there, or given a tensor other memory by ``tensor.data = ...``. The next
        recording has the construct operation by operation then.

        Raises RuntimeError where there is no copy of what was written to.
        """
        written = self.then.differs() or any(True for _ in self.others_now())
        for address, version in self.late.items():
            part = self.parts[address]
            tensor = part() if isinstance(part, ref) else part
            if tensor is not None and versions_of([tensor]) != [version]:
                self.remember()
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"func.{self.construct} reads a tensor of {tensor.untyped_storage().nbytes()} bytes, which was "
                    "written to outside of the captured function before backward. Write to it behind backward, or give "
                    "the construct a clone"
                )
        if written:
            self.remember()
        return written

    def remember(self, why: str = "what it reads is written to before backward") -> None:
        """Let the next recording have the construct operation by operation."""
        remember(self.key, why)
        tracer = current_tracer()
        if isinstance(tracer, Recording):
            refuse_once(tracer, words_for(self.construct, self.key))

    def go_back(self) -> None:
        """Let the memory be as it was, until ``go_on``."""
        self.replaced = [(one, hold_memory(one), then) for one, then in self.others_now()]
        for one, _, then in self.replaced:
            one.data = then
        self.now = self.then.now()
        self.then.put_back()

    def go_on(self) -> None:
        now, self.now = self.now, None
        if now is not None:
            now.put_back()
            for one, other, _ in self.replaced:
                one.data = other

    def others_now(self) -> Iterator[tuple[Any, Any]]:
        """Yield tensors that have other memory now, and tensors on the memory that they had. An argument of the
        captured function, which is not held, has its numbers back without that.
        """
        for part, address in self.owners:
            one, then = part(), self.parts[address]
            if one is not None and not isinstance(then, ref) and address_of_memory(one) != address:
                yield one, then

    def follow(self, made: Sequence[Any]) -> None:
        """Let tensors that stand for replaced ones have the same memory, as those that an eager call has saved."""
        for one in made:
            for _, other, then in self.replaced:
                if isinstance(one, Tensor) and address_of_memory(one) == address_of_memory(then):
                    one.data = other


class Results:
    """Results of a construct, which are not held. Note [Results of a construct may be written to]"""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        """Remember tensors, in the recording that runs."""
        self.parts, self.versions = [ref(one) for one in tensors], versions_of(tensors)
        self.addresses = [address_of_memory(one) for one in tensors]
        self.memory = {i: hold_memory(one) for i, one in enumerate(tensors) if is_foreign(one)}  # else it tells itself
        self.then: dict[int, OutsideState] = {}  # what memory held before somebody wrote to it, by its address
        self.held: dict[int, Any] = {}
        tracer = current_tracer()
        for one, address in zip(tensors, self.addresses, strict=True):
            nbytes = one.untyped_storage().nbytes()
            if nbytes and nbytes <= MOST_BYTES and address not in self.then:
                self.then[address] = OutsideState((), [one])
            if nbytes and isinstance(tracer, Recording):
                listen_for_write(tracer, address, ref(self))

    def before_write(self, address: int, written: Any) -> None:
        """Copy memory that an operation is about to write to; hold it where it does so by ``.data``, uncounted."""
        for i, part in enumerate(self.parts):
            one = part() if self.addresses[i] == address else None
            if one is None or self.is_replaced(i, one):
                continue
            if address not in self.then:
                self.then[address] = OutsideState((), [one])
            if not shares_memory(written, [one]):
                self.held[i] = one.detach()

    def is_replaced(self, number: int, one: Any) -> bool:
        """Whether a result has other memory by ``result.data = ...``, which nobody has saved. It may lie where that of
        the result was, which is free then.
        """
        return address_of_memory(one) != self.addresses[number] or (number not in self.memory and is_foreign(one))

    def were_written(self) -> bool:
        """Whether somebody has written to one of them."""
        found = [(one, version) for one, version in zip([part() for part in self.parts], self.versions, strict=True)]
        return any(one is not None and versions_of([one]) != [version] for one, version in found)

    def were_overwritten(self) -> bool:
        """Whether somebody has written to one of them, and no version tells."""
        return any(self.overwritten(i) is not None for i in range(len(self.parts)))

    def overwritten(self, number: int) -> Any:
        """Return a result whose memory has other numbers, though its version is the same; None where it has not."""
        one, address = self.held.get(number), self.addresses[number]
        one = self.parts[number]() if one is None else one
        if one is None or address not in self.then or self.is_replaced(number, one):
            return None
        return one if self.then[address].differs_unnoticed(one) else None

    def write_to(self, tensors: Sequence[Tensor]) -> None:
        """Let the same results of another run count the writes, each memory once, and have the numbers of now."""
        written: set[int] = set()
        for i, (made, part, version) in enumerate(zip(tensors, self.parts, self.versions, strict=True)):
            one, address, changed = part(), address_of_memory(made), self.overwritten(i)
            if changed is not None:
                made.data.copy_(changed.data)
            elif one is not None and address not in written and versions_of([one]) != [version]:
                written.add(address)
                count_writes(made, one, version)
