"""Runs one snippet with a torch-like module and describes how it ended."""

import ast
import contextlib
import copy
import math
import pickle
import warnings
from types import ModuleType
from typing import Any

import numpy as np

from parity.describe import describe
from parity.snippets import Case

Outcome = dict[str, Any]


def prepare(module: ModuleType) -> None:
    """Makes warnings which PyTorch gives once per process appear every time."""
    if hasattr(module, "set_warn_always"):
        module.set_warn_always(True)


def run(case: Case, module: ModuleType) -> Outcome:
    """Runs the snippet with `module` under the name torch.

    Returns {"value": description} or {"error": [type names, most derived first], "message": text}; with
    "warnings": [[category, message], ...] where some were given.
    """
    with warnings.catch_warnings(record=True) as caught, default_modes(module):
        warnings.simplefilter("always")
        try:
            outcome: Outcome = {"value": describe(evaluate(case, module), module)}
        except Exception as error:
            names = [cls.__name__ for cls in type(error).__mro__ if cls not in (object, BaseException, Exception)]
            outcome = {"error": names or ["Exception"], "message": str(error)}
    if caught:
        outcome["warnings"] = [[item.category.__name__, str(item.message)] for item in caught]
    return outcome


def evaluate(case: Case, module: ModuleType) -> object:
    """The value of the snippet's last line, which must be an expression."""
    tree = ast.parse(case.code, filename=f"<{case}>")
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        raise SyntaxError(f"{case}: the last statement must be an expression")
    names = {
        "torch": module,
        "np": np,
        "math": math,
        "copy": copy,
        "pickle": pickle,
        "warnings": warnings,
        "__name__": "snippet",
    }
    exec(compile(ast.Module(tree.body[:-1], []), f"<{case}>", "exec"), names)
    return eval(compile(ast.Expression(last.value), f"<{case}>", "eval"), names)


@contextlib.contextmanager
def default_modes(module: ModuleType) -> Any:
    """Seeds the default generator, and puts the modes back that a snippet may leave changed."""
    module.manual_seed(0)
    try:
        yield
    finally:
        module.set_grad_enabled(True)
        module.set_default_dtype(module.float32)
