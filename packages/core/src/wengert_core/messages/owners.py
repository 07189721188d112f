"""Tables in the words of messages: by name, and with the distribution that brings them."""

from __future__ import annotations


def table_of(owner: str) -> str:
    """The words for an op table: "op table 'acme' of acme-ops 1.2"."""
    return with_distribution("ops", "op table", owner)


def formulas_of(owner: str) -> str:
    """The words for the formulas of an op table."""
    return with_distribution("formulas", "formula table", owner)


def with_distribution(group: str, noun: str, name: str) -> str:
    """A table with its name and, if it was loaded from one, the distribution with its version."""
    from wengert_registry import registry

    for candidate in registry.group(group).candidates():
        if candidate.name == name and candidate.value is not None and not candidate.in_process:
            return f"{noun} '{name}' of {candidate.distribution}"
    return f"{noun} '{name}'"
