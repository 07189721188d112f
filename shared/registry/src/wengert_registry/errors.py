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


def failed(candidate: Candidate) -> PluginError:
    """The plugin's import, or the check of what it gave, raised."""
    error = PluginError(
        f"plugin {candidate.distribution} cannot be loaded: {candidate.noun} '{candidate.name}', entry point "
        f"'{candidate.name} = {candidate.target}' of {candidate.group}: {cause_text(candidate.cause)}. "
        f'Disable it with WENGERT_DISABLE_PLUGINS="{candidate.distribution.name}"'
    )
    error.candidate = candidate
    return error


def cause_text(cause: BaseException | None) -> str:
    """'ImportError: No module named x', without a full stop."""
    return f"{type(cause).__name__}: {cause}".rstrip(". ")


def duplicate(candidates: Sequence[Candidate]) -> DuplicatePluginError:
    """The same name of one group comes from several distributions."""
    first = candidates[0]
    owners = [f"by {candidate.distribution}" for candidate in candidates]
    return DuplicatePluginError(
        f"{first.noun} '{first.name}' is registered twice: {', '.join(owners[:-1])} and {owners[-1]}; "
        f'choose with WENGERT_PREFER="{first.short}:{first.name}={first.distribution.name}"'
    )


def missing(noun: str, name: str, installed: Sequence[str], reasons: Sequence[str]) -> MissingPluginError:
    """The name is absent; reasons: a sentence for each offer that does not count (disabled, incompatible)."""
    listed = ", ".join(f"'{other}'" for other in installed) or "none"
    return MissingPluginError(". ".join([f"no {noun} '{name}' is installed; installed: {listed}", *reasons]))


def missing_row(noun: str, name: str, rows: Sequence[str]) -> MissingPluginError:
    """The table is there, and has no such row."""
    table, _, row = name.rpartition(".")
    listed = ", ".join(f"'{other}'" for other in rows) or "none"
    return MissingPluginError(f"{noun} table '{table}' has no row '{row}'; it has: {listed}")


def not_a_row(noun: str, name: str) -> ValueError:
    """A row is asked for by a name without a table."""
    return ValueError(f"{noun} row '{name}': expected 'table.row', for example 'core.{name or 'sqrt'}'")


def bad_name(noun: str, name: object) -> TypeError:
    """register() was given a name that cannot be one."""
    return TypeError(f"a {noun} is registered under a name, a str that is not empty; got {name!r}")


def cycle(candidates: Sequence[Candidate]) -> PluginError:
    """A plugin, while it loads, asks for itself."""
    path = " -> ".join(f"{candidate.short}:{candidate.name} ({candidate.distribution})" for candidate in candidates)
    return PluginError(f"plugins need each other while they load: {path}. Move one of these lookups into a function")


def row_twice(row: str) -> ValueError:
    """One table gives the same row two times."""
    return ValueError(f"row '{row}' is given twice by the same table")


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


def malformed(line: int, text: str, expected: str) -> str:
    """A line of an entry_points.txt that cannot be read."""
    return f"entry_points.txt, line {line}, {text!r}: expected {expected}"


def left_out(candidate: Candidate) -> str:
    """The report about a malformed line of a distribution."""
    return (
        f"plugin {candidate.distribution}: an entry of {candidate.group} is left out: {candidate.problem}. "
        f'Disable it with WENGERT_DISABLE_PLUGINS="{candidate.distribution.name}"'
    )


def bad_switch(variable: str, item: str, expected: str) -> str:
    """An item of an environment variable, or of an argument, that cannot be read."""
    return f"{variable}: {item!r} is not understood; expected {expected}"
