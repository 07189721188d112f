"""Programs on a device: calls of a captured function whose tensors are on one device that captures graphs.

Note [A program on a device]
    The first call of a signature runs as usual: it makes what is made once, such as the state of an optimizer. The
    second runs the function while the device captures, with copies of the arguments, and replays the graph at once;
    later calls copy their arguments, replay, and copy the results. What Python does beside the device's work, versions
    and gradients of leaves, is done by each replay as well. Python functions that are called inside of a program
    (``compiler.disable``) are called ahead of a replay: if one gives something else, the call is recorded again.
    Where Python reads numbers, there is a program for each way through the function: Note [Numbers that are read on a
    device] in segments.py.
    A call whose capture raises is run once more as usual, which raises what the function raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wengert_core.extend import Tensor, rng_states

from wengert_replay.caller_warnings import warn_caller
from wengert_replay.devices.signature import describe, describe_in_words, is_capturing, why_not
from wengert_replay.entries import RETRIES, WAYS
from wengert_replay.inspection.reasons import with_advice
from wengert_replay.python_state.changes import Changes, words_on_changes, words_on_draws
from wengert_replay.recording.tracing import is_unusual
from wengert_replay.refusal import Refusal
from wengert_replay.signature import surroundings
from wengert_replay.structures import rebuild
from wengert_replay.usual_calls import READ_OUTSIDE

if TYPE_CHECKING:
    from wengert_replay.capturing import Capture
    from wengert_replay.devices.device_program import DeviceProgram
    from wengert_replay.devices.histories import DeviceHistory
    from wengert_replay.devices.segments import Numbers
    from wengert_replay.history.runs import Form

    Replayable = DeviceProgram | DeviceHistory

MOST_PROGRAMS = 8
"""Programs of one signature, for other states of gradients."""
MOST_ATTEMPTS = 16
"""Recordings of one signature."""
MOST_WAYS = 16
"""Programs of one signature for other numbers that Python reads; each has memory of its own."""


class DeviceEntry:
    """The programs of one signature."""

    def __init__(self) -> None:
        self.programs: list[Replayable] = []  # that of the newest call first
        self.refusal = ""
        self.attempts = 0
        self.order = 0  # of the program that was recorded last
        self.fuse = True
        self.ways: dict[Numbers, str] = {}  # numbers behind which the function runs as usual, and why

    def note_way(self, seen: Numbers, why: str) -> None:
        """Let calls that read these numbers run as usual."""
        if len(self.ways) >= MOST_ATTEMPTS:
            self.ways.clear()
        self.ways[seen] = why

    def put_first(self, program: Replayable) -> None:
        """Try a program first from now on."""
        if self.programs and self.programs[0] is not program and program in self.programs:
            self.programs = [program, *(one for one in self.programs if one is not program)]

    def has_ways(self, seen: Numbers) -> bool:
        """Whether there are so many values of the number that was read last that each call may have its own."""
        before, last = seen[:-1], seen[-1]
        values = {one.numbers[len(before)] for one in self.programs if agrees(one, before, len(seen))}
        return len(last) > 1 and len(values) >= WAYS


class Outcome(NamedTuple):
    """The result of a call."""

    result: Any


class DevicePrograms:
    """The programs of a captured function on devices."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.entries: dict[Any, DeviceEntry] = {}
        self.changing: set[Any] = set()  # signatures whose first call has changed Python's state

    def forget(self) -> None:
        """Drop all programs."""
        self.entries.clear()
        self.changing.clear()

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return the programs in the order of their recordings, with their signatures, whose tensors are words."""
        return [((structure, tuple(map(describe_in_words, described)), *others), program)
                for (structure, described, _, *others), entry in self.entries.copy().items()
                for program in sorted(entry.programs, key=lambda one: one.order)]  # fmt: skip

    def call(self, structure: Any, tensors: list[Tensor], modes: int, why: str, args: Any, kwargs: Any) -> Any:
        """Return the result of a call; ``why``: why no program of the host can be used."""
        capture = self.capture
        reason = why_not(tensors)
        if not reason and (is_unusual() or is_capturing(tensors[0])):
            return capture.run_inside(args, kwargs)
        if reason:
            return capture.run_eagerly(why if tensors[0].device.type == "cpu" else reason, args, kwargs)
        numbers = {id(one): k for k, one in enumerate(tensors)}
        same = tuple([numbers[id(one)] for one in tensors])
        state = capture.python_state(args, kwargs)
        if state is None:
            return capture.run_stateful(args, kwargs)
        key = (structure, tuple(map(describe, tensors)), same, modes, surroundings(), *state)
        entry = self.entries.get(key)
        if entry is None:
            if len(self.entries) >= capture.max_programs:
                reason = f"there are {capture.max_programs} programs (max_programs) on devices"
                return capture.run_eagerly(reason, args, kwargs, warn=True)
            return self.run_first(key, state, args, kwargs)
        if entry.refusal:
            return capture.run_eagerly(entry.refusal, args, kwargs)
        found = self.replay_any(entry, tensors, args, kwargs)
        if isinstance(found, Outcome):
            return found.result
        entry.programs = [one for one in entry.programs if not one.is_stale()]
        if found:
            return self.record_way(entry, found, structure, tensors, args, kwargs)
        if sum(not one.numbers for one in entry.programs) >= MOST_PROGRAMS or entry.attempts >= MOST_ATTEMPTS:
            entry.refusal = "tensors from outside, gradients or numbers of Python differ in each call"
            return capture.run_eagerly(entry.refusal, args, kwargs, warn=True)
        return self.record(entry, structure, tensors, args, kwargs)

    def run_first(self, key: Any, state: tuple[int, ...], args: Any, kwargs: Any) -> Any:
        """Run the first call of a signature as usual. It stays one where it changes the state of Python that it has.

        A recording may run the function twice, which would change that twice. So does each call of a function that
        changes its state in a second one, too.
        """
        from wengert_replay.devices.device_program import CHANGED

        capture = self.capture
        changes = Changes(capture.function, args, kwargs, capture.guard_python)
        result = capture.run_eagerly("", args, kwargs)
        read, changed = changes.find()
        if read or changed:
            self.note_changes(key, words_on_changes([*read, *changed]))
        elif capture.python_state(args, kwargs) == state:
            self.entries[key] = DeviceEntry()
        elif capture.strict:
            raise capture.strict_error(CHANGED)
        else:
            capture.note_reason(CHANGED)
        return result

    def note_changes(self, key: Any, why: str) -> None:
        """Let calls of a signature run as usual if its function changes Python's state in the second one, too."""
        if key not in self.changing:
            if len(self.changing) >= self.capture.max_programs:
                self.changing.clear()
            self.changing.add(key)
            return
        self.entries[key] = entry = DeviceEntry()
        entry.refusal = why
        if self.capture.strict:
            raise self.capture.strict_error(why)
        if self.capture.note_reason(why) and not self.capture.quiet:
            warn_caller(f"calls of {self.capture.name} with these arguments run as usual: {with_advice(why)}")

    def replay_any(self, entry: DeviceEntry, tensors: list[Tensor], args: Any, kwargs: Any) -> Outcome | Numbers:
        """Replay the program that fits a call. Return numbers that it reads where none does; () where it reads none."""
        capture = self.capture
        seen: Numbers = ()
        for program in [*entry.programs]:
            if not agrees(program, seen, len(seen)):
                continue
            if capture.validate and program.why_not_validated and not program.is_stale():
                return Outcome(capture.run_eagerly(program.why_not_validated, args, kwargs))
            if program.fits():
                if program.shares(tensors):
                    return Outcome(capture.run_eagerly(program.shared, args, kwargs))
                found = self.replay(program, tensors, args, kwargs)
                if isinstance(found, list):
                    capture.replayed += 1
                    entry.put_first(program)
                    return Outcome(rebuild(program.structure, found))
                seen = found
        return seen

    def record_way(self, entry: DeviceEntry, seen: Numbers, structure: Any, tensors: list[Tensor], args: Any,
                   kwargs: Any) -> Any:  # fmt: skip
        """Run a call that takes a way of its own; seen: the numbers that it reads, up to where it does."""
        capture = self.capture
        if seen in entry.ways:
            return capture.run_eagerly(entry.ways[seen], args, kwargs)
        if entry.has_ways(seen):
            entry.refusal = f"a number that Python reads differs in each call: {READ_OUTSIDE}"
            entry.programs.clear()
            return capture.run_eagerly(entry.refusal, args, kwargs, warn=True)
        most = min(capture.max_branches, MOST_WAYS)
        if sum(bool(one.numbers) for one in entry.programs) >= most:
            why = (f"there are programs for {most} ways through the function, by numbers that Python reads: calls that "
                   "take another one run as usual")  # fmt: skip
            return capture.run_eagerly(why, args, kwargs, warn=True)
        return self.record(entry, structure, tensors, args, kwargs, seen)

    def replay(self, program: Replayable, tensors: list[Tensor], args: Any, kwargs: Any) -> list[Tensor] | Numbers:
        """Return the tensors of a call's result; or numbers: see ``DeviceProgram.replay``."""
        if not self.capture.validate:
            return program.replay(tensors)
        from wengert_replay.devices.device_program import DeviceProgram
        from wengert_replay.devices.validation import replay_validated  # few callers ask for it

        assert isinstance(program, DeviceProgram)
        return replay_validated(program, tensors, self.capture.name, lambda: self.capture.function(*args, **kwargs))

    def record(self, entry: DeviceEntry, structure: Any, tensors: list[Tensor], args: Any, kwargs: Any,
               seen: Numbers = ()) -> Any:  # fmt: skip
        """Run a call as the recording of a program. seen: numbers that it reads, and no other program has read."""
        # who has no device need not load it
        from wengert_replay.devices.device_program import CHANGED
        from wengert_replay.devices.histories import DeviceHistory
        from wengert_replay.devices.recording import record_program
        from wengert_replay.devices.work import CaptureFailure, FusionError

        capture = self.capture
        entry.attempts += not seen

        def make_history(program: DeviceProgram, form: Form) -> DeviceHistory:
            return DeviceHistory(capture, structure, entry.fuse, program, form)

        state = capture.python_state(args, kwargs)
        rng_states()  # loads NumPy's random module, which inside of the recording would be taken for a draw
        changes = Changes(capture.function, args, kwargs, capture.guard_python)

        def why_changed() -> str:
            drawn = changes.find_drawn()
            return words_on_draws(drawn) if drawn else CHANGED if capture.python_state(args, kwargs) != state else ""

        try:
            program, shape, results = record_program(capture.function, structure, tensors, entry.fuse, make_history,
                                                     why_changed, changes)  # fmt: skip
        except FusionError as error:
            changes.draws.restore()
            entry.fuse = False  # the next recording does without
            capture.reasons.append(f"the device computes operations one by one: {error}")
            return capture.run_eagerly("", args, kwargs)
        except Refusal as refused:
            why = str(refused)
            changes.draws.restore()
            if isinstance(refused, CaptureFailure):
                return self.run_despite(entry, refused.why, seen, args, kwargs)
            if seen:
                entry.note_way(seen, why)
                return capture.run_eagerly(why, args, kwargs)
            if refused.transient and entry.attempts < RETRIES:
                self.note_refusal(entry, why)
                return capture.run_eagerly("", args, kwargs)
            entry.refusal = why
            return capture.run_eagerly(why, args, kwargs, warn=bool(why))
        capture.eager += 1
        if program.refusal and seen:
            entry.note_way(seen, program.refusal)
        elif program.refusal:
            self.note_refusal(entry, program.refusal)
        else:
            program.order = entry.order = entry.order + 1
            entry.programs.insert(0, program)
        return rebuild(shape, results)

    def run_despite(self, entry: DeviceEntry, why: str, seen: Numbers, args: Any, kwargs: Any) -> Any:
        """Run a call as usual whose capture has raised an error, which is the capture's if this raises none.

        why: the reason then. CuPy's cuSOLVER, for one, raises NotImplementedError while a stream captures.
        """
        capture = self.capture
        result = capture.run_eagerly("", args, kwargs)
        if seen:
            entry.note_way(seen, why)
        elif entry.attempts >= RETRIES:
            entry.refusal = why
        if why not in capture.reasons:
            capture.reasons.append(why)
        return result

    def note_refusal(self, entry: DeviceEntry, why: str) -> None:
        """Note why a recording is no program."""
        from wengert_replay.devices.device_program import CHANGED, STORED

        capture = self.capture
        if why not in (STORED, CHANGED) or entry.attempts >= RETRIES:
            entry.refusal = why
        if why not in capture.reasons:
            capture.reasons.append(why)
        if capture.strict and entry.refusal:
            raise capture.strict_error(why)


def agrees(program: Replayable, seen: Numbers, n: int) -> bool:
    """Whether a program reads n numbers or more, and has read these first."""
    return len(program.numbers) >= n and program.numbers[: len(seen)] == seen
