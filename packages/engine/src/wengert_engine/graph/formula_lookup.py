"""Where the engine finds an op's formula: in the tables that are registered under ``wengert.formulas``."""

from __future__ import annotations

from typing import Any

from wengert_core.dispatch.op import Op
from wengert_registry import errors, registry

from wengert_engine.graph.formula import Formula, forget_all
from wengert_engine.graph.formula_checks import check_names

CHECKED: dict[str, Any] = {}
"""Tables of formulas by owner, whose names were looked at."""


def accept(candidate: Any, obj: Any) -> Any:
    """What a formula entry point gives, or the function that it names: a table; where it is called ``TABLE.OP``, that
    op's entry. Raises TypeError or ValueError to refuse it.
    """
    value = obj() if callable(obj) else obj
    table, dot, row = candidate.name.partition(".")
    if dot and not hasattr(value, "kind"):
        raise TypeError(f"expected the formula of one op, an entry of a FormulaTable, got {type(value).__name__}")
    if not dot and not hasattr(value, "entries"):
        raise TypeError(f"expected a FormulaTable, or a function that returns one, got {type(value).__name__}; the "
                        f"formula of one op has an entry point of its own, '{table}.OP'")
    name, wanted = (value.op, row) if dot else (getattr(value, "name", table), table)
    if name != wanted:
        what = "formula is of the op" if dot else "formula table is named"
        raise ValueError(f"the {what} '{name}', its entry point is '{candidate.name}': they must agree")
    return value


registry.group("formulas").on_accept(accept)
registry.on_change(forget_all)


class NoFormulas:
    """Stands for the entry of every op of core while no table gives formulas for core."""

    kind = "not_implemented"
    reason = "wengert-formulas is not installed: pip install wengert-formulas"
    node_name = None


def find_formula(op: Op) -> Any:
    """The table entry for an op (or for the op its in-place variant comes from); None when no table has one.

    For an op of core, while there is no table for core at all, an entry that says so.
    An entry point ``core.sqrt`` replaces the formula of one op, unless it fails; an in-place op may have an entry of
    its own (``copy_``).
    """
    group = registry.group("formulas")
    table: Any
    owner = op.owner
    for name in (op.name, op.out_of_place.name if op.out_of_place is not None else None):
        if name is None:
            continue
        single = replacement(f"{owner}.{name}", op)
        if single is not None:
            return single
        table = group.find(owner)
        if table is not None and CHECKED.get(owner) is not table:
            if owner != "core":  # whose formulas a test compares with its ops
                check_names(table)
            CHECKED[owner] = table
        if table is not None and name in table.entries:
            return table.entries[name]
    return NoFormulas if owner == "core" and group.find(owner) is None else None


def replacement(name: str, op: Op) -> Any:
    """Return the formula that an entry point gives in place of an op's; None where there is none. One that fails or
    does not fit the op is reported, and the op keeps the formula of its table.
    """
    group = registry.group("formulas")
    if name not in group:
        return None
    entry = group.load_all([name]).get(name)
    candidate = group.current(name)
    if entry is None or candidate is None or candidate.in_process:
        return entry
    defect = defect_of(op, entry)
    if defect:
        text = errors.entry_conflict(candidate, defect)
        registry.tell(text)
        return None
    return entry


def defect_of(op: Op, entry: Any) -> str:
    """Return why a formula does not fit an op's schema; '' where it does."""
    try:
        Formula(op, entry)
    except Exception as error:
        return str(error) if isinstance(error, ValueError) else errors.cause_text(error)
    return ""


def find_rule(op: Op) -> Any:
    """What an op does with a batch of arguments, as the table of its owner says: "broadcast" for the op itself, or a
    function (op, size, values, batched, randomness); None when there is no rule.
    """
    group = registry.group("formulas")
    for owner in (op.owner, "core"):  # core's has the rules of families, which are for all their ops
        table: Any = group.find(owner)
        rule = table.batching_rule(op) if hasattr(table, "batching_rule") else None
        if rule is not None:
            return rule
    return None
