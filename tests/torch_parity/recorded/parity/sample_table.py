"""The rows of the sample table as calls that PyTorch is asked about: see sample_calls.py."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import wengert_core as wc
from wengert_core.dispatch.op import Op
from wengert_core.optable.hidden_names import INNER
from wengert_testing.samples import CASES, MODULES

from parity.sample_calls import Call, Sample, calls

RANDOM = (
    "alpha_dropout bernoulli bernoulli_ binomial cauchy_ dropout empty empty_like empty_strided exponential_ "
    "feature_alpha_dropout feature_dropout geometric_ lobpcg log_normal_ multinomial new_empty new_empty_strided "
    "normal normal_ poisson rand rand_like randint randint_like randn randn_like random_ randperm resize_ "
    "resize_as_ uniform_ nn.functional.alpha_dropout nn.functional.dropout nn.functional.dropout1d "
    "nn.functional.dropout2d nn.functional.dropout3d nn.functional.feature_alpha_dropout nn.functional.rrelu "
    "rrelu "
).split()
"""Ops whose results are random, or memory as it was."""

OURS = (
    "linalg_cholesky_ex linalg_det linalg_eig linalg_eigh linalg_inv_ex "
    "linalg_lstsq linalg_lu_factor_ex linalg_matrix_exp linalg_pinv linalg_qr linalg_slogdet linalg_solve_ex "
    "linalg_solve_triangular linalg_svd linalg_vector_norm log_sigmoid mH mT max.dim median.dim min.dim "
    "nanmedian.dim std.correction std_mean.correction var.correction var_mean.correction "
).split()
"""Rows that PyTorch has not under the name that they have here: what nn.functional, linalg and reductions call, and
properties."""


def names() -> list[str]:
    """The ops of the sample table whose results are the same in each run; not what only other ops call."""
    return sorted({case.op for case in CASES if not case.op.startswith("_")} - {*RANDOM, *INNER})


def recorded_ops() -> list[str]:
    """The ops that PyTorch has under their own names and that have samples: those with recorded answers."""
    return [op for op in names() if samples_of(op) and op not in OURS]


@cache
def families() -> dict[str, str]:
    """The family of each op: the room that its samples stand in."""
    rooms = [(module.__name__.split(".")[-2], module) for module in MODULES]
    return {case.op: room for room, module in rooms if room != "samples" for case in module.CASES}


@cache
def samples_of(op: str) -> list[Sample]:
    """All samples of an op, as plain arguments."""
    found = []
    for case in CASES:
        if case.op == op:
            for sample in case.samples("float64"):
                args = case.arguments(sample.args)
                if is_plain(args) and is_plain(sample.kwargs):
                    found.append((plain(args), plain(sample.kwargs)))
    return found


def calls_of(op: str) -> Iterator[Call]:
    """The questions about an op."""
    return calls(op, samples_of(op))


@cache
def names_of(op: str) -> tuple[str, ...]:
    """The names of an op's parameters that may be given by place; () of one that takes any number."""
    function = wc.TABLE.ops.get(op)
    if isinstance(function, Op):
        inside = function.schema[function.schema.index("(") + 1 : function.schema.rindex(") ->")]
        parts = inside.partition("*, ")[0].removesuffix(", ").split(", ")
        if any(part.split(" ")[0].endswith("*") for part in parts):
            return ()
        return tuple("input" if name == "self" else name for name in (p.split(" ")[1].partition("=")[0] for p in parts))
    if function is None or isinstance(function, functools.partial):
        return ()
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return ()
    return tuple(p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD)


def is_plain(value: Any) -> bool:
    """Return whether an argument means the same to PyTorch: no dtype, no function."""
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, float, complex, str, np.ndarray, np.generic, slice))


def plain(value: Any) -> Any:
    """Arrays as NumPy's own."""
    if isinstance(value, np.ndarray):
        return np.array(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return type(value)(plain(part) for part in value) if type(value) in (list, tuple) else value


__all__ = ["calls_of", "families", "names", "recorded_ops", "samples_of"]
