"""Op tables of entry points: what is accepted. How their names reach Tensor and ``find``: ``plugin_names.py``."""

from __future__ import annotations

from typing import Any

from wengert_registry import registry

from wengert_core.dispatch.op import Op
from wengert_core.optable import (
    lazy_names,
    plugin_names,  # noqa: F401 - says who has names, and mounts them
)
from wengert_core.optable.op_table import OpTable, install


def accept(candidate: Any, obj: Any) -> OpTable:
    """The table of a ``wengert.ops.v1`` entry point, which gives an OpTable of its name, or a function.

    Raises TypeError or ValueError to refuse it. A name that is taken costs a plugin that name only; a table that is
    registered in this process is refused as a whole, since who does that can mend it.
    """
    table = obj if isinstance(obj, OpTable) else obj() if callable(obj) else None
    if not isinstance(table, OpTable):
        got = type(obj if table is None else table).__name__
        raise TypeError(f"expected an OpTable, or a function that returns one, got {got}")
    if table.name != candidate.name:
        raise ValueError(f"the table is named '{table.name}', its entry point '{candidate.name}': they must agree")
    hidden: Any = table.hidden
    if not isinstance(hidden, (set, frozenset)):
        got = type(hidden).__name__
        raise TypeError(f"hidden of the table '{table.name}': expected a set of names, got {got}")
    if isinstance(table.ops, lazy_names.Names):
        install(table)
        return table
    methods = {name: method for name, method in table.methods.items() if "." not in name}
    claims = {"op": ops_of(table), "Tensor": methods, "wengert": functions_of(table)}
    if candidate.in_process:
        refuse_taken(table, claims)
    registry.claim(candidate, claims)
    return table


def ops_of(table: OpTable) -> dict[str, object]:
    """The table's own ops by the names that ``find`` knows them by."""
    return {op.name: op for op in table.ops.values() if isinstance(op, Op) and op.owner == table.name}


def functions_of(table: OpTable) -> dict[str, object]:
    """The rows that become functions of ``wengert``: none is internal, or a form of another op, as ``max.dim`` is."""
    ops = table.ops
    shown = {name: op for name, op in ops.items() if name not in table.hidden}
    return {name: op for name, op in shown.items() if name.partition(".")[0] not in ops or "." not in name}


def refuse_taken(table: OpTable, claims: dict[str, dict[str, object]]) -> None:
    """ValueError where a table brings a name that wengert, or a table registered in this process, has already."""
    for name, op in claims["op"].items():
        who = owner_of_name("op", name, op)
        if who:
            raise ValueError(f"op '{name}' is registered twice: by table '{who}' and by table '{table.name}'")
    methods = sorted(name for name, method in claims["Tensor"].items() if owner_of_name("Tensor", name, method))
    if methods:
        raise ValueError(f"table '{table.name}' brings methods whose names Tensor has already: {', '.join(methods)}")


def owner_of_name(place: str, name: str, value: object) -> str:
    """The table that a name belongs to for good; '' where a table of this process may have it."""
    holder = registry.places[place].holder(name)
    if holder and isinstance(holder, str):
        return "core"
    owner, other = registry.places[place].winners.get(name, (None, None))
    return owner.name if owner is not None and other is not value and is_firm(owner) else ""


def is_firm(candidate: Any) -> bool:
    """Return whether no table of this process replaces what the candidate gives."""
    return bool(candidate.in_process or candidate.distribution.first_party)
