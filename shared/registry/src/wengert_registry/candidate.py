"""One offer of a name by one distribution, and the way from its entry point to a value."""

from __future__ import annotations

from wengert_registry.rules import KNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

AVAILABLE, LOADED, FAILED = "available", "loaded", "failed"  # what a candidate's own state can be


class Distribution:
    """An installed distribution (its metadata folder), or the owner of an in-process registration (no folder)."""

    __slots__ = ("first_party", "folder", "hidden_by", "name", "version")

    def __init__(self, name: str, version: str = "", folder: str = "") -> None:
        self.name: str = name  # normalized: 'acme-gpu'
        self.version: str = version  # '' where unknown
        self.folder: str = folder
        self.first_party: bool = False
        self.hidden_by: Distribution | None = None  # one of the same name, earlier on sys.path

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()

    def __repr__(self) -> str:
        return f"<Distribution {self}>"


class Candidate:
    """An entry point, or an in-process registration, of one group."""

    def __init__(
        self, distribution: Distribution, group: str, name: str, target: str, problem: str = "", state: str = ""
    ) -> None:
        self.distribution: Distribution = distribution
        self.group: str = group
        self.name: str = name
        short, noun = KNOWN.get(group, ("", "plugin"))
        self.short: str = short
        self.noun: str = noun
        self.target: str = target  # 'module:object', or 'in process'
        self.problem: str = problem  # why it is never loaded (malformed, incompatible); '' where it can be
        self.in_process: bool = False
        self.obj: object = None  # what was given in process
        self.reset()
        self.state: str = state or AVAILABLE

    def reset(self) -> None:
        """Forget what loading it gave."""
        self.state = AVAILABLE
        self.cause: BaseException | None = None
        self.value: object = None  # what Group.get returns
        self.bind_ns: int | None = None  # import and acceptance together

    def settle(self, value: object, cause: BaseException | None = None) -> None:
        """Note what loading gave, or why it failed."""
        self.value, self.cause, self.state = value, cause, LOADED if cause is None else FAILED

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


def attempt(function: Callable[..., T], *arguments: object) -> tuple[T | None, BaseException | None]:
    """The result of a call of a plugin, or what it raised.

    Note [An exit is a failure]
    A module that calls sys.exit() while it is imported would end a program that only looked at `wengert.exp`. So
    whatever a plugin raises is its failure, but for KeyboardInterrupt, which nobody but the user raises.
    """
    try:
        return function(*arguments), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error
