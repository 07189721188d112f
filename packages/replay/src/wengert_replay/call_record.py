"""Records of calls: facts from before a call that is recorded, and reasons against a program of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wengert_core.extend import Tensor

from wengert_replay.arguments import attributes_of_tensors, refuse_attributes
from wengert_replay.history.watch import Watch
from wengert_replay.making import why_no_program
from wengert_replay.owners import count_references, refuse_stored, refuse_stored_arguments, refuse_stored_containers
from wengert_replay.python_state.changes import Changes, first_names, words_on_draws, words_on_shared
from wengert_replay.python_state.lookups import find_lookups
from wengert_replay.recording.tracing import Recording
from wengert_replay.refusal import Refusal

if TYPE_CHECKING:
    from wengert_replay.capturing import Capture
    from wengert_replay.entries import Entry

ANOTHER_THREAD = "another thread has called the function while it was recorded"


class CallRecord:
    """A call while it is recorded. It holds what must be as before behind the call, and is gone with it."""

    capture: Capture
    entry: Entry
    tensors: list[Tensor]
    args: Any
    kwargs: Any
    watch: Watch
    recording: Recording
    passed: int
    changes: Changes
    counts: list[tuple[int, int]]
    attributes: list[dict[str, Any] | None]

    def __init__(self, capture: Capture, entry: Entry, tensors: list[Tensor], args: Any, kwargs: Any) -> None:
        self.capture, self.entry, self.tensors, self.args, self.kwargs = capture, entry, tensors, args, kwargs
        history = entry.history
        self.watch = Watch(tensors, history.written if history is not None else [],
                           history.generators if history is not None else [])  # fmt: skip
        recording = self.recording = Recording(list(tensors))
        recording.given, recording.unseen, recording.turn = (args, kwargs), entry.unseen, capture.turn
        self.passed = capture.turn.passed
        recording.lookups = find_lookups(capture.function, (*args, *kwargs.values()))
        self.changes = recording.changes = Changes(capture.function, args, kwargs, capture.guard_python)
        self.counts = count_references(recording.inputs)
        self.attributes = attributes_of_tensors(recording.inputs)

    def refuse(self, holder: list[Any], looked: str, is_branch: bool) -> None:
        """Raise Refusal where the recording cannot become a program.

        holder: a list of the result alone.   looked: why it is dropped already; "" where it is not.   is_branch: it
        would be one of a program.
        """
        recording, entry = self.recording, self.entry
        why = recording.refusal or self.watch.refusal()
        why = why or why_no_program(recording, entry.key, self.tensors, self.args, self.kwargs, holder[0])
        if looked or why:
            raise Refusal(looked or why, recording.passes or bool(looked))
        if self.capture.turn.passed != self.passed and recording.writes_outside():
            raise Refusal(ANOTHER_THREAD, transient=True)
        self.refuse_state()
        self.watch.refuse_new_hooks([row[0] for row in recording.outside.values()])
        refuse_stored_arguments(recording, self.counts, holder, entry.key[0])
        refuse_stored(recording, holder)
        refuse_attributes(recording, self.attributes, holder)
        refuse_stored_containers(holder)
        entry.refuse_objects(holder[0])
        entry.refuse_changes(recording, holder[0], self.changes, is_branch)

    def refuse_state(self) -> None:
        """Raise Refusal where a function changes Python's state that it depends on, or has drawn random numbers."""
        capture, changes = self.capture, self.changes
        if capture.guard_python and capture.python_state(self.args, self.kwargs) != self.entry.key[-1:]:
            names = first_names(changes.names())
            raise Refusal(f"the function changes Python's state that it depends on{names and f' ({names})'}",
                          transient=True)  # fmt: skip
        drawn = changes.find_drawn()
        if drawn:
            raise Refusal(words_on_draws(drawn), transient=True)
        shared = changes.find_shared()
        if shared:
            raise Refusal(words_on_shared(shared))
