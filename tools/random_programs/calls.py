"""Calls of public operations as text, from the table of samples."""

from __future__ import annotations

import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .literals import small

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "torch_parity" / "recorded"))

from parity import answers, sample_table  # type: ignore[import-not-found,unused-ignore]
from parity.sample_calls import arrays  # type: ignore[import-not-found,unused-ignore]

__all__ = ["arrays", "call_text", "table"]
Sample = tuple[tuple[Any, ...], dict[str, Any]]


@cache
def table() -> list[tuple[str, list[Sample]]]:
    """The paths of the operations that both sides have, with their samples; none that is large."""
    paths, found = answers.paths_in_torch("inputs"), []
    for op in sample_table.recorded_ops():
        samples = [sample for sample in sample_table.samples_of(op) if all(map(small, arrays(sample)))]
        if samples:
            found.append((paths.get(op, op), samples))
    return found


def argument_text(value: Any, names: dict[int, str]) -> str:
    """An argument as text. names: of the tensors, by the id of the array that each stands for."""
    if isinstance(value, np.ndarray):
        return names[id(value)]
    if isinstance(value, (list, tuple)):
        parts = [argument_text(part, names) for part in value]
        if isinstance(value, list):
            return f"[{', '.join(parts)}]"
        return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
    return repr(value).replace("inf", "math.inf").replace("nan", "math.nan")


def call_text(rng: random.Random, path: str, sample: Sample, names: dict[int, str], out: str | None = None) -> str:
    """The text of a call: as a function, as a method, or in place."""
    args = [argument_text(arg, names) for arg in sample[0]]
    words = [f"{name}={argument_text(value, names)}" for name, value in sample[1].items()] + (
        [f"out={out}"] if out else []
    )
    is_method = path.startswith("Tensor.")
    may_be_method = bool(sample[0]) and isinstance(sample[0][0], np.ndarray) and (is_method or "." not in path)
    if may_be_method and not out and (is_method or rng.random() < 0.4):
        name = path.rpartition(".")[2]
        name += "_" if not name.endswith("_") and rng.random() < 0.25 else ""
        return f"{args[0]}.{name}({', '.join(args[1:] + words)})"
    return f"torch.{path}({', '.join(args + words)})"
