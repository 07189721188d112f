"""Entries: the programs of each signature of a captured function, how many there may be, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wengert_replay.history.histories import History
from wengert_replay.inspection.branching import describe_branches
from wengert_replay.inspection.counting import count
from wengert_replay.inspection.device_facts import ProgramFacts
from wengert_replay.inspection.reasons import with_advice
from wengert_replay.programs.fingerprint import Fingerprint
from wengert_replay.programs.program import Program
from wengert_replay.python_state.changes import Changes, words_on_changes
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import THAWED, Refusal
from wengert_replay.result_objects import find_doubtful, refer_to
from wengert_replay.signature import Unhashable, find_state, flatten

RETRIES = 4
"""Recordings of one signature, one after another, that may be refused for this time."""
WAYS = 8
"""Values of one number that Python reads, other than truth values, for which there are branches."""
MOST_UNLIKE = 12
"""Recordings of one signature that are kept for comparison, and of its branches that may be unlike others."""
MOST_OBJECTS = 32
"""Objects in results that are compared with those of the next recording."""
STORM = 8
"""Recordings of one signature, beside branches, after which most calls must be replayed."""
PATIENCE = 12
"""Recordings, one after another, where requires_grad of tensors from outside changes, after which it is so, too."""
ENTRIES = 16
"""Signatures without a program that are remembered, for each program that there may be."""


class Explanation(NamedTuple):
    """The programs of a captured function, the reason for each, and counts of its calls; it prints as a report."""

    programs: list[Any]  # Program, or what has the facts of a program on a device
    """The programs, in the order of their signatures' first calls."""
    signatures: list[str]
    """The signature of each program: its arguments, and modes that are not the usual ones."""
    differences: list[str]
    """The part of its signature that asked for each program: its difference from the most similar program before it."""
    replays: int
    """Calls that were replayed."""
    eager: int
    """Calls that ran as usual, recordings among them."""
    reasons: list[str]
    """Reasons for which calls were not recorded or not replayed."""
    owners: int = 0
    """Instances that have programs of their own, where it is a method."""

    def __repr__(self) -> str:
        calls = f"{count(self.replays, 'call')} replayed, {count(self.eager, 'call')} as usual, recordings among them"
        if not (self.programs or self.replays or self.eager):
            calls = "no calls yet"
            if self.owners:
                calls = f"no calls; {count(self.owners, 'instance')} with programs: explain(instance.method) shows them"
        lines = [f"{count(len(self.programs), 'program')}, {calls}"]
        told: dict[str, None] = {}
        for number, (program, signature) in enumerate(zip(self.programs, self.signatures, strict=True)):
            lines.append(f"program {number}: {signature}; {summarize(program)}")
            if self.differences[number]:
                lines.append(f"    {self.differences[number]}")
            notes = [self.with_line(note) for note in getattr(program, "notes", ())]
            notes = [note for note in notes if note not in told]
            told.update(dict.fromkeys(notes))
            lines += [f"    {note}" for note in (*describe_program(program), *notes)]
        reasons = [reason for reason in self.reasons if reason not in told]
        return "\n".join([*lines, *[f"as usual: {with_advice(reason)}" for reason in reasons]])

    def with_line(self, note: str) -> str:
        """Return the reason that says the same as a note of a program, with the line; else the note."""
        return next((reason for reason in self.reasons if reason.startswith(note)), note)


def describe_program(program: Program | ProgramFacts) -> list[str]:
    """Return lines on where branches of a program begin."""
    return [] if isinstance(program, ProgramFacts) or not program.fork_table else describe_branches(program)


def summarize(program: Program | ProgramFacts) -> str:
    """Return how much a program does, in words."""
    if isinstance(program, ProgramFacts):
        return program.summary()
    return (f"{count(len(program.steps), 'operation')}, {count(program.n_branches, 'branch', 'branches')}, "
            f"replayed {count(program.replays, 'time')}")  # fmt: skip


class Entry:
    """The programs of one signature, and why there are no more."""

    def __init__(self, key: Any) -> None:
        self.key = key
        self.programs: list[Program] = []
        self.refusal: str = ""
        self.attempts = self.calls = 0
        self.used: int = 0  # attempts before a program was last used
        self.cause: str = ""  # why the last program did not fit; "": tensors from outside are others
        self.is_thawed: bool = False  # that was THAWED at some time
        self.refusals: int = 0  # of recordings since the last one that was kept
        self.branches = 0
        self.history: History | None = None  # where results have a graph
        self.unseen: set[Any] = set()  # constructs whose results may share memory, and nobody sees it
        self.fingerprints: list[Fingerprint] = []  # of the last recordings, where Python's state changes
        self.unlike: int = 0  # of these recordings
        self.objects: list[Callable[[], Any]] = []  # references to objects in results that calls may make anew

    def refuse_changes(self, recording: Recording, result: Any, changes: Changes, is_branch: bool) -> None:
        """Raise Refusal where the function has changed what it reads of Python's state; where it may read it, if the
        last recording that read the same numbers has not done the same. Note [Changes of Python's state] in
        python_state/changes.py
        """
        read, changed = changes.find()
        if read:
            has_ways = bool(self.programs) or (self.history is not None and bool(self.history.ways))
            raise Refusal(words_on_changes(read), transient=True, begins_anew=has_ways)
        if not changed:
            return
        made = Fingerprint(recording, values_in(result))
        compared = (made.is_like(one) for one in reversed(self.fingerprints))
        is_like = next((found for found in compared if found is not None), False)
        self.fingerprints = [*self.fingerprints[1 - MOST_UNLIKE :], made]
        if not is_like:
            self.unlike += 1
            self.refusals -= is_branch and self.unlike < MOST_UNLIKE  # each way has a first recording
            raise Refusal(words_on_changes(changed), transient=True)

    def end(self, why: str) -> None:
        """Let all further calls run as usual."""
        self.refusal = why
        for program in self.programs:
            program.ended = why

    def refuse_objects(self, result: Any) -> None:
        """Raise Refusal where a result has an object that each call may make anew, and that the last recordings have
        not given. Note [Objects in results] in result_objects.py
        """
        try:
            structure = flatten(result, [])
        except (Unhashable, RecursionError):
            return  # refused for this
        kind = find_state(structure, self.key[0])
        if kind is not None:
            raise Refusal(f"the result has an object of type {kind.__name__} in it, which each call makes anew")
        found = find_doubtful(structure, self.key[0])
        known = [one() for one in self.objects]
        new = [one for one in found if all(one is not other for other in known)]
        self.objects = [*self.objects, *map(refer_to, new)][-MOST_OBJECTS:]
        if new:
            kind = type(new[0])
            raise Refusal(f"the result has an object of type {kind.__name__} in it, which each call may make anew",
                          transient=True)  # fmt: skip

    def note_cause(self, cause: str) -> None:
        """Note why a program does not fit a call."""
        self.cause = cause
        self.is_thawed = self.is_thawed or cause == THAWED

    def is_storm(self) -> bool:
        """Whether too many calls are recorded. Programs that may fit again have time until one does."""
        if self.is_thawed and self.attempts - self.used < PATIENCE:
            return False
        return self.attempts >= STORM and 2 * self.attempts > self.calls

    @property
    def n_programs(self) -> int:
        """The number of programs, branches and gradients left out."""
        return len(self.programs) + (0 if self.history is None else len(self.history.ways))

    def candidates(self) -> list[Any]:
        """Return what may be replayed: programs, and a history."""
        return [*self.programs, *(() if self.history is None else (self.history,))]

    def history_program(self) -> Program | None:
        """The program of calls whose results have a graph."""
        return self.history.newest() if self.history is not None else None

    def all_programs(self) -> list[Program]:
        """The programs, those of gradients among them."""
        return [*self.programs, *(self.history.programs() if self.history is not None else ())]


def values_in(result: Any) -> str:
    """Return what a result has beside tensors, to be compared; "" where that cannot be told."""
    try:
        return repr(flatten(result, []))
    except Unhashable:
        return ""
