"""Checks of plugins that are loaded, for ``python -m wengert plugins --load``: what only shows when they are used.

What a group's accept hook refuses is not looked at again. Each function gives a sentence for each defect, and says what
is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wengert_core.dispatch.op import Op
from wengert_registry import registry


def check(candidate: Any) -> list[str]:
    """Return the defects of a candidate that is loaded and in use."""
    return list(CHECKS[candidate.short](candidate))


def check_ops(candidate: Any) -> Iterator[str]:
    """Rows that are neither ops nor functions."""
    for name, row in dict.items(candidate.value.ops):
        if not callable(row):
            yield f"row '{name}': expected an op or a function, got {type(row).__name__}"


def check_formulas(candidate: Any) -> Iterator[str]:
    """Formulas and batching rules that do not fit their ops, and those of ops that do not exist."""
    table_name, dot, row = candidate.name.partition(".")
    ops = ops_of(table_name)
    if ops is None:
        yield f"there is no op table '{table_name}' whose derivatives these could be; the name is that of an op table"
        return
    entries = {row: candidate.value} if dot else candidate.value.entries
    for name, entry in entries.items():
        yield from check_formula(name, entry, ops)
    for name, rule in getattr(candidate.value, "batching", {}).items():
        if name not in ops:
            yield f"batching rule '{name}': {no_such_op(name, ops)}"
        elif not callable(rule) and rule != "broadcast":
            yield f"batching rule '{name}': expected 'broadcast' or a function of a batching.Call, got {rule!r}"


def check_formula(name: str, entry: Any, ops: dict[str, Op]) -> Iterator[str]:
    """Yield the defects of one op's formula."""
    from wengert_engine.extend import formula_defect

    if name not in ops:
        yield f"formula '{name}': {no_such_op(name, ops)}"
    elif defect := formula_defect(ops[name], entry):
        yield f"formula '{name}': {defect}"


def no_such_op(name: str, ops: dict[str, Op]) -> str:
    listed = ", ".join(sorted(ops)[:8]) + (", ..." if len(ops) > 8 else "")
    return f"the table has no op that is called so; it has {listed or 'none'}"


def ops_of(table: str) -> dict[str, Op] | None:
    """The ops of a table by their own names; None where there is no such table."""
    found: Any = registry.group("ops").load_all([table]).get(table)
    if found is None:
        return None
    return {op.name: op for op in found.ops.values() if isinstance(op, Op)}


def check_device(candidate: Any) -> Iterator[str]:
    """Yield the defects of a device, as far as they show without computing on it."""
    from wengert_core.devices.plugin_check import defects

    yield from defects(candidate.value)


def check_layout(candidate: Any) -> Iterator[str]:
    """Yield the kernels and functions of a layout that are for no op, or that cannot be called."""
    from wengert_core.extend import find_op

    for table in ("kernels", "functions"):
        for name, function in getattr(candidate.value, table).items():
            try:
                find_op(name)
            except KeyError:
                yield f"{table} has '{name}', and no op is called so"
            if not callable(function):
                yield f"{table}['{name}'] is of type {type(function).__name__}; expected a function"


def check_sink(candidate: Any) -> Iterator[str]:
    """A sink that cannot be called, or whose class has neither of the methods."""
    sink = candidate.value
    if not callable(sink):
        yield f"expected a class, or a function that returns a sink, got {type(sink).__name__}"
    elif isinstance(sink, type) and not hasattr(sink, "write") and not hasattr(sink, "begin"):
        yield f"the class {sink.__name__} has neither write(profile) nor begin(kind, what, number, shapes) and end()"


def check_process_group(candidate: Any) -> Iterator[str]:
    """Yield the methods of a backend's interface that a process group lacks."""
    backend = candidate.value
    bases = [base for base in getattr(backend, "__mro__", ()) if base.__name__ == "ProcessGroup"]
    if not bases or backend is bases[-1]:
        yield f"expected a class derived from wengert_distributed.extend.ProcessGroup, got {backend!r}"
        return
    for name in PROCESS_GROUP:
        if getattr(backend, name) == getattr(bases[-1], name):
            yield f"the class {backend.__name__} has no method {name}"


def check_name(candidate: Any) -> Iterator[str]:
    """A name of ``wengert`` that is refused."""
    from wengert.entry_points import refusal

    why = refusal(candidate, fill=True)
    if why:
        yield f"refused: {why}"


PROCESS_GROUP = (
    "split", "barrier", "all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter", "reduce_scatter",
    "all_to_all", "send", "recv",
)  # fmt: skip
"""The methods that a backend of ``wengert.distributed`` cannot do without."""
CHECKS: dict[str, Callable[[Any], Iterator[str]]] = {
    "ops": check_ops, "formulas": check_formulas, "devices": check_device, "layouts": check_layout,
    "profiler_sinks": check_sink, "process_groups": check_process_group, "namespace": check_name,
}  # fmt: skip
