"""Op tables in the words of messages: by name, and with the distribution that brings them."""

from __future__ import annotations


def table_of(owner: str) -> str:
    """The words for an op table: "op table 'acme' of acme-ops 1.2"."""
    distribution = distribution_of(owner)
    return f"op table '{owner}'" + (f" of {distribution}" if distribution else "")


def distribution_of(owner: str) -> str:
    """The distribution that an op table was loaded from, with its version; "" for a table made in this process."""
    from wengert_registry import registry

    for candidate in registry.group("ops").candidates():
        if candidate.name == owner and candidate.value is not None:
            return "" if candidate.in_process else str(candidate.distribution)
    return ""
