"""Reasons why a name is not there, although an installed plugin has it or may have it."""

from __future__ import annotations

from wengert_registry import errors
from wengert_registry.candidate import LOADED
from wengert_registry.claims import Place
from wengert_registry.composition import Registry

UNKNOWN_ROWS = ("failed", "disabled", "incompatible", "clash", "refused")
"""States of a table whose rows nobody knows, because it was never accepted."""


def reasons(registry: Registry, place: Place, name: str) -> list[str]:
    """A sentence for each plugin that offers the name and is not in use, and for each that may offer it."""
    claimants, dotted = place.claimants(name), place.show(name).removeprefix("wengert.") + "."
    sure, perhaps = [], []
    for short in ("namespace", "ops"):
        group = registry.group(short)
        standings = [(one, *group.standing(one)) for one in group.candidates()]
        standings += [(one, "incompatible", one.problem) for one in registry.incompatible(group.full)]
        for one, state, why in standings:
            # The entry point itself is the name ('wengert.foo', 'Tensor.foo'), or a module that has it.
            declares = short == "namespace" and dotted.startswith(f"{one.name}.")
            if one in claimants or declares:
                if state == LOADED:
                    sure += [errors.unused_name(one, place.refusal(name))] if one in claimants else []
                elif state != "available":
                    sure.append(errors.unused_name(one, why))
            elif state in UNKNOWN_ROWS and one.state != LOADED and (short == "ops" or one.name.startswith("top.")):
                perhaps.append(errors.unused_name(one, why, perhaps=True))
    return sure or perhaps
