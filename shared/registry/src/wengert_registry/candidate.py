"""One offer of a name by one distribution, and the way from its entry point to a value."""

from __future__ import annotations

from _thread import RLock, get_ident  # threading costs a millisecond more
from time import perf_counter_ns

from wengert_registry import errors
from wengert_registry.rules import KNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wengert_registry.group import Group
    from wengert_registry.scan import Distribution

AVAILABLE, LOADED, FAILED = "available", "loaded", "failed"  # what a candidate's own state can be


class Candidate:
    """An entry point, or an in-process registration, of one group."""

    __slots__ = (
        "bind_ns", "cause", "distribution", "group", "in_process", "name", "noun", "obj", "problem", "rows",
        "short", "state", "target", "value",
    )  # fmt: skip

    distribution: Distribution
    group: str
    in_process: bool
    name: str
    noun: str
    problem: str
    short: str
    state: str
    target: str

    def __init__(self, distribution: Distribution, group: str, name: str, target: str, problem: str = "") -> None:
        self.distribution, self.group, self.name = distribution, group, name
        self.short, self.noun = KNOWN.get(group, ("", "plugin"))
        self.target = target  # 'module:object', or 'in process'
        self.problem = problem  # why it is never loaded (malformed, incompatible); '' where it can be
        self.in_process = False
        self.obj: object = None  # what was given in process
        self.reset()

    def reset(self) -> None:
        """Forget what loading it gave."""
        self.state = AVAILABLE
        self.cause: BaseException | None = None
        self.value: object = None  # what Group.get returns
        self.rows: dict[str, object] = {}  # what the accept hook staged
        self.bind_ns: int | None = None  # import and acceptance together

    def load(self) -> object:
        """The object that the entry point names."""
        if self.in_process:
            return self.obj
        from importlib import import_module

        module, _, attributes = self.target.partition(":")
        found: object = import_module(module)
        for attribute in attributes.split(".") if attributes else ():
            found = getattr(found, attribute)
        return found

    def key(self) -> tuple[str, ...]:
        """Equal for the same entry point in a later scan."""
        return self.group, self.name, self.target, self.distribution.folder, self.distribution.version

    def __repr__(self) -> str:
        return f"<Candidate {self.short}:{self.name} of {self.distribution}, {self.state}>"


class Stage:
    """What an accept hook has collected from one candidate; it counts only once the hook has returned."""

    __slots__ = ("rows", "value")

    def __init__(self, value: object) -> None:
        self.value = value  # what Group.get will return: the entry point's object, unless the hook sets another
        self.rows: dict[str, object] = {}  # read by Group.row('table.row')

    def add(self, row: str, value: object) -> None:
        """One row of a table, under its own name ('sqrt'). Raises ValueError for a row that is already there."""
        if row in self.rows:
            raise errors.row_twice(row)
        self.rows[row] = value


class Binder:
    """Binds candidates of one registry: at most once each, whichever threads ask.

    Note [Imports happen outside the lock]
    The registry's lock guards its state and the accept hooks, not the import of a plugin's module: for that Python has
    a lock for each module. If the registry's were held as well, a thread that binds a plugin (registry, then module)
    and one that imports the same module, which looks something up (module, then registry), would wait for each other
    for ever.

    Note [An exit is a failure]
    A module that calls sys.exit() while it is imported would end a program that only looked at `wengert.exp`. So
    whatever a plugin raises is its failure, but for KeyboardInterrupt, which nobody but the user raises.
    """

    def __init__(self, lock: RLock) -> None:
        self._lock = lock
        self._stacks: dict[int, list[Candidate]] = {}  # by thread: what it is binding, outermost first

    def bind(self, candidate: Candidate, group: Group) -> None:
        """Load and accept; the outcome is the candidate's state.

        Raises PluginError if this thread is binding the candidate already.
        """
        stack = self._stacks.setdefault(get_ident(), [])
        if candidate in stack:
            raise errors.cycle([*stack[stack.index(candidate) :], candidate])
        stack.append(candidate)
        try:
            self._bind(candidate, group)
        finally:
            stack.pop()
            if not stack:
                del self._stacks[get_ident()]

    def is_busy(self) -> bool:
        """Return whether this thread is binding a candidate."""
        return get_ident() in self._stacks

    def _bind(self, candidate: Candidate, group: Group) -> None:
        began = perf_counter_ns()
        obj: object = None
        cause: BaseException | None = None
        try:
            obj = candidate.load()
        except KeyboardInterrupt:  # the user's, not the plugin's
            raise
        except BaseException as error:  # SystemExit too: Note [An exit is a failure]
            cause = error
        with self._lock:
            if candidate.state != AVAILABLE:  # another thread was faster
                return
            self._settle(candidate, Stage(obj), cause, group)
            candidate.bind_ns = perf_counter_ns() - began
            group.changed()

    def _settle(self, candidate: Candidate, stage: Stage, cause: BaseException | None, group: Group) -> None:
        """Commit the stage if the group accepts it; otherwise nothing of it is kept."""
        if cause is None:
            try:
                group.accept(candidate, stage.value, stage)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                cause = error
        if cause is None:
            candidate.value, candidate.rows, candidate.state = stage.value, stage.rows, LOADED
        else:
            candidate.cause, candidate.state = cause, FAILED
