"""Record what PyTorch gives for every row of the sample table; a file for each family of operations.

answers/inputs: results for inputs of every kind. answers/arguments: which of the calls are refused when an argument has
another type. answers/forms: what methods, in-place variants and out= give. answers/autocast: dtypes inside of autocast.
"""

from __future__ import annotations

import argparse
import pickle
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from wengert_testing.recorded import Entry, are_equal, update_answers

from tools.record import ROOT

from parity.answers import ANSWERS  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.autocast_dtypes import autocast_dtypes  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.call_forms import forms  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.compare_summaries import call_differs, form_differs  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.sample_calls import answer, find_op  # type: ignore[import-not-found,unused-ignore] # isort: skip
from parity.wrong_arguments import outcome  # type: ignore[import-not-found,unused-ignore] # isort: skip

Ops = dict[str, tuple[str, list[Any], tuple[str, ...]]]
"""By op: where PyTorch has it, the calls, and the names of its parameters."""


def record(torch: Any, subject: str, options: argparse.Namespace) -> list[str]:
    """Write the four tables of each family."""
    command = [str(options.wengert), "-m", "tools.record.sample_calls"]
    asked = pickle.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout)
    problems = []
    for family in sorted({family for family, _, _ in asked.values()}):
        ops: Ops = {op: (path_of(op, torch), calls, names)
                    for op, (room, calls, names) in sorted(asked.items()) if room == family}
        header = {"torch": torch.__version__, "paths": {op: path for op, (path, _, _) in ops.items() if path != op}}
        for table, (entries, agree) in TABLES.items():
            path = ANSWERS / table / f"{family}.jsonl"
            unlike = update_answers(path, header, entries(ops, torch), agree, options.replace)
            problems += [f"{table}/{family}: {case}" for case in unlike]
    return problems


def path_of(op: str, torch: Any) -> str:
    """Return where PyTorch has an operation."""
    path_and_function = find_op(op, torch)
    if path_and_function is None:
        raise SystemExit(f"PyTorch has no {op}: name it in parity/sample_table.py")
    return str(path_and_function[0])


def plain_samples(calls: list[Any]) -> list[Any]:
    """Return the samples as they stand in the table."""
    return [call.sample for call in calls if call.kind == "given"]


def inputs(ops: Ops, torch: Any) -> Iterator[Entry]:
    """Yield what each call gives."""
    for path, calls, _ in ops.values():
        yield from (Entry(str(call), call.digest, answer(call, path, torch)) for call in calls)


def arguments(ops: Ops, torch: Any) -> Iterator[Entry]:
    """Yield which calls with a wrong argument are refused."""
    yield from (Entry(op, None, outcome(path, plain_samples(calls), torch)) for op, (path, calls, _) in ops.items())


def call_forms(ops: Ops, torch: Any) -> Iterator[Entry]:
    """Yield what each form of a call gives."""
    yield from (
        Entry(op, None, forms(path, plain_samples(calls), names, torch)) for op, (path, calls, names) in ops.items()
    )


def autocast(ops: Ops, torch: Any) -> Iterator[Entry]:
    """Yield the dtypes inside of autocast."""
    yield from (
        Entry(op, None, autocast_dtypes(path, plain_samples(calls), torch)) for op, (path, calls, _) in ops.items()
    )


def same_result(old: Entry, new: Entry) -> bool:
    """Return whether a call gives the same, up to rounding; what LAPACK chooses freely counts as the same."""
    op, _, call = old.case.partition(": ")
    if isinstance(old.answer, dict) and isinstance(new.answer, dict):
        return are_equal(old, new)
    return call_differs(op, call.rpartition(" ")[0], old.answer, new.answer) is None


def same_forms(old: Entry, new: Entry) -> bool:
    """Return whether each form of a call gives the same, up to rounding."""
    return list(old.answer) == list(new.answer) and all(
        form_differs(old.case, theirs, new.answer[form]) is None for form, theirs in old.answer.items())


TABLES: dict[str, tuple[Callable[[Ops, Any], Iterator[Entry]], Callable[[Entry, Entry], bool]]] = {
    "inputs": (inputs, same_result),
    "arguments": (arguments, are_equal),
    "forms": (call_forms, same_forms),
    "autocast": (autocast, are_equal),
}
