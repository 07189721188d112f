"""capture: a function whose calls are recorded once for each signature, and replayed.

Note [When a call is not replayed]
    It runs as usual where a function mode is on or the thread is observed, inside of ``vmap`` or of another capture,
    where arguments are not what a program can take (another device, shared memory, a value without a hash), and where a
    recording was refused for good. It also does past ``max_programs`` recordings and ``max_branches`` branches of one.
    A recording is refused for this time where the function stored a tensor that it made somewhere (the state that an
    optimizer makes at its first step): the next call is recorded again, RETRIES times at most.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, overload

from wengert_core.extend import DisableTorchFunctionSubclass, Tensor, active_mode
from wengert_engine.extend import is_dual_level_open

from wengert_replay.arguments import describe_tensors
from wengert_replay.call_record import CallRecord
from wengert_replay.caller_warnings import warn_caller
from wengert_replay.collecting import without_collector
from wengert_replay.devices.programs import DevicePrograms
from wengert_replay.entries import ENTRIES, RETRIES, WAYS, Entry, Explanation
from wengert_replay.history.histories import History, rebuilt_call
from wengert_replay.history.watch import Watch
from wengert_replay.inspection.reasons import why_raised, why_unhashable, with_advice
from wengert_replay.inspection.signatures import explain_signatures
from wengert_replay.inspection.validation import replay_validated
from wengert_replay.instructions.turns import PythonTurn, Turn
from wengert_replay.loops.unrolled import settle_sharing
from wengert_replay.making import make_program
from wengert_replay.methods import BoundCapture, Methods, callable_error, capture_inside, is_method, name_like
from wengert_replay.programs.profiling import profiled_modes, replay_profiled
from wengert_replay.programs.program import Program
from wengert_replay.python_state.states import PythonStates
from wengert_replay.recording.tracing import Recording, is_unusual, thread_modes
from wengert_replay.refusal import NO_TURN, Miss, Refusal
from wengert_replay.result_objects import has_name
from wengert_replay.shortcut import Shortcut, make_shortcut
from wengert_replay.signature import Unhashable, flatten, objects_in, surroundings
from wengert_replay.structures import rebuild
from wengert_replay.usual_calls import READ_OUTSIDE, UsualCalls, line_of

WAITED = 2
"""A turn that a thread has waited for: WAITED in instructions/turns.pxd."""


class Capture(UsualCalls):
    """A function whose calls are recorded and replayed. Made by ``capture``."""

    eager: int
    max_programs: int
    max_branches: int
    guard_python: bool
    validate: bool
    states: PythonStates
    methods: Methods

    def __init__(self, function: Callable[..., Any], max_programs: int = 16, max_branches: int = 64,
                 guard_python: bool = False, strict: bool = False, quiet: bool = False,
                 validate: bool = False) -> None:  # fmt: skip
        super().__init__(function, strict, quiet)
        self.max_programs, self.max_branches = max_programs, max_branches
        self.guard_python, self.validate = guard_python, validate
        self.entries: dict[Any, Entry] = {}
        self.states = PythonStates(max_programs)
        self.replayed: int = 0
        self.methods = Methods(self)
        self.turn: Turn = Turn()
        self.devices: DevicePrograms = DevicePrograms(self)
        self.shortcut: Shortcut | None = None
        self.facts: tuple[str, ...] = ()  # of arguments, which Python reads
        name_like(self, function)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the function that the capture does not have itself."""
        if name.startswith("__") or name == "function":
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self.function, name)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """The attributes of the function, which ``functools.wraps`` copies; not the capture's own."""
        return getattr(self.function, "__dict__", {})

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.methods.bind(instance) if instance is not None and is_method(self.function) else self

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Let copies and pickles have the function, and no programs; one that its module has by its name is itself, as
        a function is.
        """
        if has_name(self):
            return str(self.__qualname__)
        return type(self), (self.function, *self.options())

    def options(self) -> tuple[Any, ...]:
        return (self.max_programs, self.max_branches, self.guard_python, self.strict, self.quiet, self.validate)

    def capture_alike(self, function: Callable[..., Any]) -> Capture:
        """Capture another function with the same options."""
        return type(self)(function, *self.options())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tensors: list[Tensor] = []
        shortcut = self.shortcut
        program = None if shortcut is None else shortcut.match(args, kwargs, tensors)
        if shortcut is not None and program is not None:
            return self.replay_or_record(shortcut.entry, tensors, args, kwargs, program)
        tensors = []
        try:
            structure = flatten((args, kwargs), tensors)
        except Unhashable:
            return self.run_eagerly(why_unhashable(self.function, args, kwargs), args, kwargs, warn=True)
        except RecursionError:
            return self.run_eagerly("arguments are nested too deeply, or contain themselves", args, kwargs, warn=True)
        modes = profiled_modes() if is_unusual() else thread_modes()
        if modes < 0 or is_dual_level_open() or active_mode() is not None:
            return self.run_inside(args, kwargs)
        described, why = describe_tensors(tensors, self.facts)
        if why:
            return self.devices.call(structure, tensors, modes, why, args, kwargs)
        state = self.python_state(args, kwargs)
        if state is None:
            return self.run_stateful(args, kwargs)
        key = (structure, described, modes, surroundings(), *state)
        try:
            entry = self.entries.get(key)
        except Exception as error:  # of a hash or an == of the user's
            why = f"the hash or the == of an argument raised {type(error).__name__}"
            return self.run_eagerly(why, args, kwargs, warn=True)
        if entry is None:
            why = self.why_no_more(None)
            if why:
                return self.run_eagerly(why, args, kwargs, warn=True)
            entry = Entry(key)
            with contextlib.suppress(Exception):  # the same: further calls are recorded, too
                self.entries[key] = entry
        return self.replay_or_record(entry, tensors, args, kwargs)

    def replay_or_record(
        self, entry: Entry, tensors: list[Tensor], args: Any, kwargs: Any, program: Program | History | None = None
    ) -> Any:
        """Return the result of a call. program: of the call before it, which had the same signature."""
        entry.calls += 1
        if program is not None and not entry.refusal:
            found = program.replay(tensors)
            if type(found) is tuple:
                self.replayed += 1
                return rebuild(*found)
            if isinstance(found, Miss):
                return self.record_branch(entry, found, tensors, args, kwargs)
        self.shortcut = None
        if entry.refusal:
            return self.run_eagerly(entry.refusal, args, kwargs)
        for one in entry.candidates():
            found = self.replay(one, tensors, args, kwargs)
            if isinstance(found, Miss):
                return self.record_branch(entry, found, tensors, args, kwargs)
            if found:
                self.replayed += 1
                entry.used = entry.attempts
                self.note_shortcut(args, kwargs, tensors, entry, one)
                return rebuild(*found)
            if found is False:
                return self.run_in_turn(bool(one.written), self.why_no_way(one), args, kwargs, warn=True)
            entry.note_cause(one.why_not_fitting(tensors) if isinstance(one, Program) else "")
            if one.is_stale():
                with contextlib.suppress(ValueError):  # another thread has removed it
                    entry.programs.remove(one)
        why = self.why_no_more(entry)
        return self.run_eagerly(why, args, kwargs, warn=True) if why else self.record(entry, tensors, args, kwargs)

    def note_shortcut(self, args: Any, kwargs: Any, tensors: list[Tensor], entry: Entry, program: Any) -> None:
        """Let the next call begin with this program, or history, if it has the same signature."""
        if not (self.validate or self.guard_python or self.facts or is_unusual()):
            self.shortcut = make_shortcut(args, kwargs, tensors, entry, program)

    def replay(self, program: Program, tensors: list[Tensor], args: Any, kwargs: Any) -> Any:
        """Return what ``program.replay`` does."""
        if self.validate:
            return replay_validated(program, tensors, self.function, args, kwargs)
        return replay_profiled(program, tensors, self.name) if is_unusual() else program.replay(tensors)

    def why_no_more(self, entry: Entry | None) -> str:
        """Return why a call that no program fits is not recorded; "" where it is. entry: None for a new signature."""
        full = sum(one.n_programs for one in list(self.entries.values())) >= self.max_programs
        if full or (entry is None and len(self.entries) >= ENTRIES * self.max_programs):
            return self.why_full(self.max_programs, list(self.entries))
        if entry is not None and entry.is_storm():
            cause = entry.cause or "tensors from outside are replaced"
            entry.refusal = f"{cause} between calls: {entry.attempts} of {entry.calls} calls were recorded"
            return entry.refusal
        return ""

    def record_branch(self, entry: Entry, miss: Miss, tensors: list[Tensor], args: Any, kwargs: Any) -> Any:
        """Run a call that took another way than its program, and record it as a branch."""
        if isinstance(miss.seen, Refusal) and not self.why_no_more(entry):  # a loop that goes on where it ended before
            self.shortcut = None
            entry.programs.clear()
            return self.record(entry, tensors, args, kwargs)
        if miss.number == -2:
            if miss.seen == NO_TURN:
                return self.run_out_of_turn(args, kwargs)
            return self.run_eagerly(miss.seen, args, kwargs)
        writes = miss.node.takes_turn_of(self.turn)
        if miss.number < 0:
            why = f"{type(miss.seen).__name__} in a replay: {miss.where}"
            return self.run_in_turn(writes, why, args, kwargs)
        seen = [value for number, value in list(miss.node.fork_table) if number == miss.number]
        if len(seen) >= WAYS and isinstance(miss.seen, bytes) and len(miss.seen) > 1:
            why = f"a number that Python reads ({line_of(miss)}) differs in each call: {READ_OUTSIDE}"
            with PythonTurn(self.turn):  # no replay is in its midst
                entry.end(why)
                return self.run_eagerly(why, args, kwargs, warn=True)
        if entry.branches >= self.max_branches:
            why = (f"there are {self.max_branches} branches of a program (max_branches); the last new way begins at "
                   f"{line_of(miss)}")  # fmt: skip
            return self.run_in_turn(writes, why, args, kwargs, warn=True)
        return self.record(entry, tensors, args, kwargs, miss)

    def python_state(self, args: Any, kwargs: Any) -> tuple[int, ...] | None:
        """Return what Python's state adds to the signature of a call; None where it is another one in each call."""
        if not self.guard_python:
            return ()
        number = self.states.number(self.function, objects_in((args, kwargs)))
        return (number,) if number >= 0 else None

    def record(self, entry: Entry, tensors: list[Tensor], args: Any, kwargs: Any, miss: Miss | None = None) -> Any:
        """Run the function and record it; what it does is the same where the recording is refused."""
        if is_unusual():
            return self.run_inside(args, kwargs)  # a profile observes the thread
        with PythonTurn(self.turn) as turn:
            if not turn:
                return self.run_out_of_turn(args, kwargs)
            if turn == WAITED and entry.attempts:  # another thread may have recorded the same meanwhile
                entry.calls -= 1
                return self.replay_or_record(entry, tensors, args, kwargs)
            with without_collector():
                return self.run_and_record(entry, tensors, args, kwargs, miss)

    def run_in_turn(self, writes: bool, why: str, args: Any, kwargs: Any, warn: bool = False) -> Any:
        """Run a call as usual; not in the midst of replays that write to tensors from outside: they might undo that."""
        if not writes:
            return self.run_eagerly(why, args, kwargs, warn)
        with PythonTurn(self.turn):
            return self.run_eagerly(why, args, kwargs, warn)

    def run_out_of_turn(self, args: Any, kwargs: Any) -> Any:
        """Run a call as usual, while another thread's is in code of Python. Note [Turns] in instructions/turns.pyx"""
        self.note_reason(NO_TURN)
        return self.run_eagerly("", args, kwargs)

    def run_and_record(
        self, entry: Entry, tensors: list[Tensor], args: Any, kwargs: Any, miss: Miss | None
    ) -> Any:
        """Return the result of a call, whose recording becomes a program unless it is refused."""
        record = CallRecord(self, entry, tensors, args, kwargs)
        recording = record.recording
        self.eager += 1
        program = None
        try:
            holder = self.run_recorded(recording, args, kwargs)
            looked = settle_sharing(recording, holder[0]) or self.add_facts(recording)
            entry.attempts += miss is None  # a branch does not begin anew
            with DisableTorchFunctionSubclass():  # which would hear of what is no call of the function
                try:
                    record.refuse(holder, looked, miss is not None)
                    program = self.keep(entry, record, holder, miss)
                    if program is not None:
                        program.key, entry.refusals = entry.key, 0
                    if program is not None or recording.pauses:
                        self.warn_of_effects(recording)
                except Refusal as refused:
                    self.note_refusal(entry, refused)
        finally:
            if not recording.pauses:
                recording.close()
        recording.changes = None
        del recording, record  # and with them what has lived for the recording only
        if program is not None:
            program.drop_temporaries()
        return holder[0]

    def keep(self, entry: Entry, record: CallRecord, holder: list[Any], miss: Miss | None) -> Program | None:
        """Make a program of a recording, or what gives results with a graph; ``holder`` then has those in it."""
        if miss is None and record.watch.finds_graph(holder[0]):
            holder[:] = [self.adopt(entry, record.recording, holder, record.watch)]  # which takes the result out
            return entry.history_program()
        program = make_program(record.recording, holder[0], entry.key[0], miss)
        if miss is None:
            entry.programs.append(program)
        entry.branches += miss is not None
        return program

    def run_recorded(self, recording: Recording, args: Any, kwargs: Any) -> list[Any]:
        """Run the function while it is recorded; return its result alone in a list."""
        try:
            recording.start()
            return [self.function(*args, **kwargs)]
        except Exception as error:
            self.note_reason(why_raised(error))
            raise
        finally:
            recording.stop()

    def add_facts(self, recording: Recording) -> str:
        """Let facts of arguments that Python has read be part of signatures; return why the recording is dropped.

        Note [Facts that Python reads] in arguments.pyx
        """
        found = [kind for kind in recording.facts if kind not in self.facts]
        if not found:
            return ""
        self.facts, self.shortcut = tuple(sorted((*self.facts, *found))), None
        self.entries.clear()  # no signature is one of these any more
        return f"Python reads {recording.facts[found[0]]}, which is part of the signature from now on"

    def warn_of_effects(self, recording: Recording) -> None:
        """Warn once of each Python function among hooks and custom Functions that does more than operations."""
        for words in recording.python.words:
            why = f"{words}: Python code runs when a program is recorded, not when it is replayed"
            if self.note_reason(why) and not self.quiet:
                warn_caller(why)

    def adopt(self, entry: Entry, recording: Recording, holder: list[Any], watch: Watch) -> Any:
        """Return a recorded result that has a graph, where that can be as the result of one node of a graph."""
        if entry.history is None:
            entry.history = History(rebuilt_call(self.function, entry.key[0]), self.name, self.reasons)
            entry.history.turn = self.turn
            entry.history.may_pause = not self.strict  # which reports what is found when a program is made
        result = entry.history.adopt(recording, holder, watch)
        why = entry.history.refusal
        if not why and not entry.history.ways and entry.attempts >= RETRIES:
            why = "each call stores tensors that it made, or writes to other tensors from outside than the one before"
        if why:
            self.note_refusal(entry, Refusal(why))
        return result

    def forget(self) -> None:
        """Drop all programs: later calls are recorded again."""
        self.shortcut = None
        self.forget_words()
        self.entries.clear()
        self.devices.forget()
        self.states = PythonStates(self.max_programs)

    def note_refusal(self, entry: Entry, refused: Refusal) -> None:
        why = str(refused)
        entry.refusals += 1
        if refused.begins_anew:
            self.shortcut = entry.history = None
            entry.programs.clear()
        if refused.begins_anew or (refused.transient and entry.refusals < RETRIES):
            self.note_reason(why)
            return
        entry.end(why)
        if self.strict:
            raise self.strict_error(why)
        is_new = self.note_reason(why)
        if not self.quiet and (is_new or refused.transient):
            warn_caller(f"calls of {self.name} with these arguments run as usual: {with_advice(why)}")

    def __repr__(self) -> str:
        return f"<wengert.capture of {self.name}>"


@overload
def capture(
    function: Callable[..., Any], *, max_programs: int = ..., max_branches: int = ..., guard_python: bool = ...,
    strict: bool = ..., quiet: bool = ..., validate: bool = ...,
) -> Capture: ...
@overload
def capture(
    function: None = None, *, max_programs: int = ..., max_branches: int = ..., guard_python: bool = ...,
    strict: bool = ..., quiet: bool = ..., validate: bool = ...,
) -> Callable[[Callable[..., Any]], Capture]: ...
def capture(
    function: Callable[..., Any] | None = None, *, max_programs: int = 16, max_branches: int = 64,
    guard_python: bool = False, strict: bool = False, quiet: bool = False, validate: bool = False,
) -> Any:
    """Return a function that records its first call of each signature and replays later ones without Python.

    function: runs operations of wengert, ``backward()`` and writes to tensors from outside included; None: for use as
    a decorator with options.   max_programs: recordings that are kept; further signatures run as usual, with a warning.
    max_branches: recordings of other ways through one program that are kept.   guard_python: Python's state that the
    function depends on is part of the signature (numbers and objects in globals, closures, attributes; not inside of
    large containers), at the cost of a look at it in each call.   strict: RuntimeError for a call that cannot be
    replayed, behind its run where only that has shown it.   quiet: no warnings.   validate: run the function beside
    each replay, from the same state, give its results, and raise ReplayDiffersError where the two differ.
    A signature is shapes, dtypes, strides and ``requires_grad`` of arguments that are tensors, the values of others,
    and the modes of the thread. Tensors from outside are used by their memory, so that writes to them are seen. Python
    code runs in recordings only: a number of a tensor that it reads is a guard, and where such a number differs, the
    function runs as usual and is recorded once more, as a branch that later replays take.

    >>> import wengert as wg
    >>> @wg.capture
    ... def scaled_sum(x, factor):
    ...     return (x * factor).sum()
    >>> [float(scaled_sum(wg.ones(3), 2.0)), float(scaled_sum(wg.ones(3) * 2, 2.0))]
    [6.0, 12.0]
    """
    for name, value in (("max_programs", max_programs), ("max_branches", max_branches)):
        if type(value) is not int or value < 1:
            raise ValueError(f"capture(): {name} must be an int of at least 1, got {value!r}")
    flags = (("guard_python", guard_python), ("strict", strict), ("quiet", quiet), ("validate", validate))
    for name, value in flags:
        if type(value) is not bool:
            raise TypeError(f"capture(): argument '{name}' must be bool, not {type(value).__name__}")
    checked = functools.partial(capture, max_programs=max_programs, max_branches=max_branches,
                                guard_python=guard_python, strict=strict, quiet=quiet, validate=validate)  # fmt: skip
    descriptor = None if function is None else capture_inside(function, checked)
    if function is None or descriptor is not None:
        return descriptor or checked
    if not callable(function):
        raise callable_error(function)
    return Capture(function, max_programs, max_branches, guard_python, strict, quiet, validate)


def explain(function: Capture | BoundCapture) -> Explanation:
    """Return what a captured function has recorded, and why: programs, signatures, counts of calls, reasons.

    Raises TypeError for another function.

    >>> import wengert as wg
    >>> double = wg.capture(lambda x: x * 2)
    >>> _ = double(wg.ones(2)), double(wg.zeros(2)), double(wg.ones(3))
    >>> found = wg.replay.explain(double)
    >>> len(found.programs), found.replays, found.eager
    (2, 1, 2)
    >>> found
    2 programs, 1 call replayed, 2 calls as usual, recordings among them
    program 0: x: float32[2]; 1 operation, 0 branches, replayed 1 time
    program 1: x: float32[3]; 1 operation, 0 branches, replayed 0 times
        unlike program 0: x is float32[3], not float32[2]
    """
    captured: Any = function.capture if isinstance(function, BoundCapture) else function
    if not isinstance(captured, Capture):  # of wengert.compile, or of an object without weak references
        captured = getattr(captured, "captured", getattr(captured, "__func__", None))
    if not isinstance(captured, Capture):
        kind = type(function).__name__
        hint = ": a program from a file has the attribute explanation" if kind == "PortableProgram" else ""
        raise TypeError("explain(): argument 'function' (position 1) must be what wengert.capture or wengert.compile "
                        f"has returned, not {kind}{hint}")  # fmt: skip
    pairs = [(key, program) for key, entry in captured.entries.copy().items() for program in entry.all_programs()]
    pairs += captured.devices.pairs()
    signatures, differences = explain_signatures(pairs, captured.function, captured.states)
    programs, reasons = [program for _, program in pairs], list(captured.reasons)
    owners = len(captured.methods.captures)
    return Explanation(programs, signatures, differences, captured.replayed, captured.eager, reasons, owners)
