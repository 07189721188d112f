"""The registry's exceptions, and the messages about plugins: which one, which entry point, why, how to disable it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from wengert_registry.candidate import Candidate

PAGE = "(see docs/errors/plugin-refused)"


class PluginError(RuntimeError):
    """A plugin was asked for and cannot be had; `__cause__` is its own exception where there is one."""

    candidate: Candidate | None = None  # the plugin that failed, where it is exactly one


class DuplicatePluginError(PluginError):
    """Several distributions offer the name that was asked for, and the user has chosen none."""


class MissingPluginError(PluginError, LookupError):
    """Nobody offers the name that was asked for."""


class PluginWarning(UserWarning):
    """A plugin is left out; the rest goes on."""


def entry_point(candidate: Candidate) -> str:
    """'acme = acme.ops:TABLE' of wengert.ops.v1, as entry_points.txt has it."""
    return f"entry point '{candidate.name} = {candidate.target}' of {candidate.group}"


def origin(candidate: Candidate) -> str:
    """Return the distribution that a candidate is of, and its entry point."""
    return f"{candidate.distribution} ({entry_point(candidate)})"


def report(candidate: Candidate, what: str, why: str) -> str:
    """A report about a plugin: what has happened to it and why, and how to disable it."""
    disable = f'Disable it with WENGERT_DISABLE_PLUGINS="{candidate.distribution.name}"'
    return f"plugin {candidate.distribution}{what}: {why}. {disable}"


def offer(candidate: Candidate) -> str:
    """A text of what a plugin brings, for a report."""
    return f": {candidate.noun} '{candidate.name}', {entry_point(candidate)}"


def load_failure(candidate: Candidate) -> PluginError:
    """The plugin's import, or the check of what it gave, raised."""
    text = report(candidate, f" cannot be loaded{offer(candidate)}", cause_text(candidate.cause))
    error = PluginError(f"{text} {PAGE}")
    error.candidate = candidate
    return error


def cause_text(cause: BaseException | None) -> str:
    """'ImportError: No module named x', without a full stop; '' for None."""
    return "" if cause is None else f"{type(cause).__name__}: {cause}".rstrip(". ")


def entry_conflict(candidate: Candidate, why: str) -> str:
    """The report about an entry point whose name is another's."""
    return report(candidate, f"{offer(candidate)}, is refused", f"{why}. Give it a name that is free")


def name_conflicts(candidate: Candidate, names: Sequence[str], why: str) -> str:
    """The report about names that a plugin gives and does not get; it keeps its others."""
    which = f"gives {', '.join(names)}, which {'is' if len(names) == 1 else 'are'} refused"
    return report(candidate, f"{offer(candidate)}, {which}", f"{why}. Its other names are in use")


def reserved_name(winner: Candidate) -> str:
    """Return why a plugin does not get a name."""
    return f"the name is that of {origin(winner)}"


def conflict(candidates: Sequence[Candidate], name: str) -> str:
    """The strangers that give one name, of whom none gets it, and how the user gives it to the first."""
    *others, last = [f"by {origin(candidate)}" for candidate in candidates]
    choice = f'WENGERT_PREFER="{candidates[0].short}:{name}={candidates[0].distribution.name}"'
    return f"{', '.join(others)} and {last}, so none of them is used; choose with {choice}"


def unused_name(candidate: Candidate, why: str, perhaps: bool = False) -> str:
    """Return why a name that the candidate offers, or may offer, is not there, and what to do."""
    text = f"{origin(candidate)} offers it, but it is not in use: {why}"
    if perhaps:
        text = f"it may be a name of {origin(candidate)}, which is not in use: {why}"
    switch = f'wengert.plugins.enable("{candidate.distribution.name}")'
    if why.startswith("disabled"):
        return f"{text}; {switch} switches it on"
    return f"{text}; mend it, then {switch} tries again" if candidate.cause is not None else text


def quote_names(names: Sequence[str]) -> str:
    """Names in quotes, or 'none'."""
    return ", ".join(f"'{name}'" for name in names) or "none"
