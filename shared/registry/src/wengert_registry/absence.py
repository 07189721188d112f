"""Reasons why a name is not there, although an installed plugin has it or may have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wengert_registry import errors
from wengert_registry.candidate import LOADED, Candidate
from wengert_registry.claims import Place
from wengert_registry.group import Group

UNKNOWN_ROWS = ("failed", "disabled", "incompatible", "clash", "refused")
"""States of a table whose rows nobody knows, because it was never accepted."""


def reasons(groups: Mapping[str, Group], place: Place, name: str, unusable: Sequence[Candidate]) -> list[str]:
    """A sentence for each plugin that offers the name and is not in use, and for each that may offer it."""
    claimants = place.claimants(name)
    sure, perhaps = [], []
    for candidate, state, why in _standings(groups, unusable):
        if candidate in claimants or _declares(candidate, place.show(name)):
            if state not in (LOADED, "available"):
                sure.append(errors.unused(candidate, why))
            elif state == LOADED and candidate in claimants:
                sure.append(errors.unused(candidate, place.refusal(name)))
        elif state in UNKNOWN_ROWS and not candidate.rows and _brings_names(candidate):
            perhaps.append(errors.perhaps(candidate, why))
    return sure or perhaps


def _standings(groups: Mapping[str, Group], unusable: Sequence[Candidate]) -> list[tuple[Candidate, str, str]]:
    """The plugins that give names to users, with their state and what there is to say of it."""
    chosen = (groups["namespace"], groups["ops"])
    found = [(one, *group.standing(one)) for group in chosen for one in group.candidates()]
    full = [group.full.rpartition(".")[0] for group in chosen]
    found += [(one, "incompatible", one.problem) for one in unusable if one.group.rpartition(".")[0] in full]
    return found


def _declares(candidate: Candidate, shown: str) -> bool:
    """Return whether the entry point itself is the name ('wengert.foo', 'Tensor.foo'), or a module that has it."""
    name = shown.removeprefix("wengert.")
    return _family(candidate) == "namespace" and f"{name}.".startswith(f"{candidate.name}.")


def _brings_names(candidate: Candidate) -> bool:
    return _family(candidate) == "ops" or candidate.name.startswith("top.")


def _family(candidate: Candidate) -> str:
    """The group's short name, also where the group is of another generation."""
    return candidate.group.removeprefix("wengert.").rpartition(".")[0]
