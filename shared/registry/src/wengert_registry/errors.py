"""The registry's exceptions, and every message it gives: one function each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from wengert_registry.candidate import Candidate


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
    return f"'{candidate.name} = {candidate.target}' of {candidate.group}"


def origin(candidate: Candidate) -> str:
    """Return the distribution that a candidate is of, and its entry point."""
    return f"{candidate.distribution} (entry point {entry_point(candidate)})"


def plugin(candidate: Candidate) -> str:
    """The beginning of a report: the distribution, what it brings, and the entry point."""
    what = f"{candidate.noun} '{candidate.name}', entry point {entry_point(candidate)}"
    return f"plugin {candidate.distribution}: {what}"


def how_to_disable(candidate: Candidate) -> str:
    return f'Disable it with WENGERT_DISABLE_PLUGINS="{candidate.distribution.name}"'


def load_failure(candidate: Candidate) -> PluginError:
    """The plugin's import, or the check of what it gave, raised."""
    error = PluginError(
        f"plugin {candidate.distribution} cannot be loaded: {candidate.noun} '{candidate.name}', entry point "
        f"{entry_point(candidate)}: {cause_text(candidate.cause)}. {how_to_disable(candidate)} "
        "(see docs/errors/plugin-refused)"
    )
    error.candidate = candidate
    return error


def cause_text(cause: BaseException | None) -> str:
    """'ImportError: No module named x', without a full stop."""
    return f"{type(cause).__name__}: {cause}".rstrip(". ")


def duplicate(candidates: Sequence[Candidate]) -> DuplicatePluginError:
    """The same name of one group comes from several distributions."""
    noun, name = candidates[0].noun, candidates[0].name
    text = f"{noun} '{name}' is registered twice: {nobody(candidates, name)} (see docs/errors/plugin-refused)"
    return DuplicatePluginError(text)


def reserved_name(winner: Candidate) -> str:
    """Return why a plugin does not get a name."""
    return f"the name is that of {origin(winner)}"


def conflict(candidates: Sequence[Candidate]) -> str:
    """Return why none of several strangers gets a name."""
    return f"the same is given {nobody(candidates, 'NAME')}"


def nobody(candidates: Sequence[Candidate], name: str) -> str:
    """The candidates, and the setting by which the user gives a name to the first one's distribution."""
    *others, last = [f"by {origin(candidate)}" for candidate in candidates]
    choice = f'WENGERT_PREFER="{candidates[0].short}:{name}={candidates[0].distribution.name}"'
    return f"{', '.join(others)} and {last}, so none of them is used; choose with {choice}"


def entry_conflict(candidate: Candidate, why: str) -> str:
    """The report about an entry point whose name is another's."""
    return f"{plugin(candidate)}, is refused: {why}. Give it a name that is free. {how_to_disable(candidate)}"


def name_conflicts(candidate: Candidate, names: Sequence[str], why: str) -> str:
    """The report about names that a plugin gives and does not get; it keeps its others."""
    which = f"gives {', '.join(names)}, which {'is' if len(names) == 1 else 'are'} refused"
    return f"{plugin(candidate)}, {which}: {why}. Its other names are in use. {how_to_disable(candidate)}"


def unused_name(candidate: Candidate, why: str, perhaps: bool = False) -> str:
    """Return why a name that the candidate offers, or may offer, is not there, and what to do."""
    text = f"{origin(candidate)} offers it, but it is not in use: {why}"
    if perhaps:
        text = f"it may be a name of {origin(candidate)}, which is not in use: {why}"
    switch = f'wengert.plugins.enable("{candidate.distribution.name}")'
    if why.startswith("disabled"):
        return f"{text}; {switch} switches it on"
    return f"{text}; mend it, then {switch} tries again" if candidate.cause is not None else text


def missing(noun: str, name: str, installed: Sequence[str], reasons: Sequence[str]) -> MissingPluginError:
    """The name is absent; reasons: a sentence for each offer that does not count (disabled, incompatible)."""
    return MissingPluginError(
        ". ".join([f"no {noun} '{name}' is installed; installed: {quote_names(installed)}", *reasons])
    )


def quote_names(names: Sequence[str]) -> str:
    """Names in quotes, or 'none'."""
    return ", ".join(f"'{name}'" for name in names) or "none"


def bad_name(noun: str, name: object) -> TypeError:
    """register() was given a name that cannot be one."""
    return TypeError(f"a {noun} is registered under a name, a str that is not empty; got {name!r}")


def cycle(candidates: Sequence[Candidate]) -> PluginError:
    """A plugin, while it loads, asks for itself."""
    path = " -> ".join(f"{candidate.short}:{candidate.name} ({candidate.distribution})" for candidate in candidates)
    return PluginError(f"plugins need each other while they load: {path}. Move one of these lookups into a function")


def unknown_group(short: str, known: Sequence[str]) -> ValueError:
    """A group's short name that does not exist."""
    return ValueError(f"no plugin group '{short}'; there are: {', '.join(known)}")


def incompatible(group: str, known: Sequence[str]) -> str:
    """Why an entry point of this group is not loaded."""
    family = group.rpartition(".")[0]
    for other in known:
        if other.rpartition(".")[0] == family:
            return f"made for {group}, but this wengert reads {other}: install versions that match"
    return f"group {group} is unknown to this wengert: it is misspelt, or made for another version"


def bad_line(line: int, text: str, expected: str) -> str:
    """A line of an entry_points.txt that cannot be read."""
    return f"entry_points.txt, line {line}, {text!r}: expected {expected}"


def skipped_line(candidate: Candidate) -> str:
    """The report about a malformed line of a distribution."""
    return (
        f"plugin {candidate.distribution}: an entry of {candidate.group} is left out: {candidate.problem}. "
        f"{how_to_disable(candidate)}"
    )


def bad_switch(variable: str, item: str, expected: str) -> str:
    """An item of an environment variable, or of an argument, that cannot be read."""
    return f"{variable}: {item!r} is not understood; expected {expected}"


def unknown_in_switch(variable: str, item: str, known: Sequence[str]) -> str:
    """An item of a switch that fits nothing which is installed."""
    return f"{variable}: {item!r} fits nothing that is installed; there are: {quote_names(known)}"


def unknown_switch(variable: str, known: Sequence[str]) -> str:
    """An environment variable that looks like a switch and is none."""
    return f"{variable} is no switch of wengert's and has no effect; the switches for plugins are {', '.join(known)}"
