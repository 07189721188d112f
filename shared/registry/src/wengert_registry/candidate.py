"""Installed distributions, and what each of their entry points offers."""

from __future__ import annotations

from wengert_registry.rules import KNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    T = TypeVar("T")

AVAILABLE, LOADED, FAILED = "available", "loaded", "failed"  # states of a candidate


class Distribution:
    """An installed distribution (its metadata folder), or the owner of an in-process registration (no folder)."""

    first_party: bool = False

    def __init__(self, name: str, version: str = "", folder: str = "") -> None:
        self.name: str = name  # normalized: 'acme-gpu'
        self.version: str = version  # '' where unknown
        self.folder: str = folder
        self.groups: dict[str, dict[str, str]] = {}  # by group: the targets by name
        self.unusable: list[Candidate] = []  # malformed, for another generation, or hidden

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()


class Candidate:
    """An entry point, or an in-process registration, of one group."""

    obj: object = None  # what was given in process
    claims: Mapping[str, Mapping[str, object]] | None = None  # by place: the names that its rows give, once loaded

    def __init__(
        self, distribution: Distribution, group: str, name: str, target: str, state: str = AVAILABLE, problem: str = ""
    ) -> None:
        self.distribution: Distribution = distribution
        self.group: str = group
        self.name: str = name
        short, noun = KNOWN.get(group, ("", "plugin"))
        self.short: str = short
        self.noun: str = noun
        self.target: str = target  # 'module:object', or 'in process'
        self.problem: str = problem  # why it is never loaded
        self.settle(state)

    def settle(self, state: str, value: object = None, cause: BaseException | None = None, ns: int = 0) -> None:
        """Note what loading gave, or why it failed."""
        self.state: str = state
        self.value: object = value  # what Group.get returns
        self.cause: BaseException | None = cause
        self.bind_ns: int = ns  # import and acceptance together; 0 where it has not been loaded

    @property
    def in_process(self) -> bool:
        """Whether it was registered in this process."""
        return not self.distribution.folder

    def key(self) -> tuple[object, ...]:
        """Equal for the same entry point in a later scan."""
        return self.name, self.target, self.distribution.folder or self.distribution, self.distribution.version

    def load(self) -> object:
        """The object that the entry point names."""
        if self.in_process:
            return self.obj
        from importlib import import_module
        from operator import attrgetter

        name, _, attributes = self.target.partition(":")
        module = import_module(name)
        return attrgetter(attributes)(module) if attributes else module

    def __repr__(self) -> str:
        return f"<Candidate {self.short}:{self.name} of {self.distribution}, {self.state}>"


def attempt(function: Callable[..., T], *arguments: object) -> tuple[T | None, BaseException | None]:
    """The result of a call of a plugin, or what it raised.

    A module that calls sys.exit() while it is imported would end a program that only looked at `wengert.exp`. So
    whatever a plugin raises is its failure, but for KeyboardInterrupt, which nobody but the user raises.
    """
    try:
        return function(*arguments), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error
