"""The names of events, which are torch's: ``aten::mul``, ``MulBackward0``, ``torch::autograd::AccumulateGrad``."""

from __future__ import annotations

from typing import Any

from wengert_core.extend import library

OP, FUNCTION, NODE, LABEL, CUSTOM, ROOT, MEMORY = range(7)
"""Kinds of events: those of core's dispatch/hooks.pxd."""
MEMORY_EVENT_NAME = "[memory]"
OUT_OF_MEMORY_EVENT_NAME = "[OutOfMemory]"
OTHERS = {
    "_batch_norm": "native_batch_norm",
    "_layer_norm": "native_layer_norm",
    "_max": "max",
    "_min": "min",
    "cross_entropy": "cross_entropy_loss",
    "log_sigmoid": "log_sigmoid_forward",
    "logsigmoid": "log_sigmoid",
}
"""Operators that are called otherwise in torch's profiles."""
SPACES = ("linalg", "special", "fft", "sparse")
"""Namespaces which torch's operators have in their names: linalg.solve is aten::linalg_solve."""


def event_name(kind: int, what: Any, dotted: dict[int, str]) -> str:
    """The name of an event. dotted: the names under which functions of ops are in their table, by identity."""
    if kind == OP:
        return operator_name(what.name, what.owner)
    if kind == FUNCTION:
        return operator_name(dotted.get(id(what), what.name), what.owner)
    if kind == NODE:
        name = what.__name__
        return "torch::autograd::AccumulateGrad" if name == "AccumulateGrad" else name
    if kind == ROOT:
        return "torch::autograd::GraphRoot"
    if kind == MEMORY:
        return MEMORY_EVENT_NAME
    return str(what) if kind == LABEL else what.__name__


def group_name(name: str) -> str:
    """The name under which events are summed: steps of a program are one group, as in torch.

    >>> group_name("ProfilerStep#7"), group_name("aten::mul")
    ('ProfilerStep*', 'aten::mul')
    """
    return "ProfilerStep*" if name.startswith("ProfilerStep#") else name


def operator_name(name: str, owner: str) -> str:
    """An operator's name with its library; ``max.dim`` is a form of ``max``.

    >>> operator_name("max.dim", "core"), operator_name("linalg.solve", "core"), operator_name("log_cosh", "acme")
    ('aten::max', 'aten::linalg_solve', 'acme::log_cosh')
    """
    name = name.removeprefix("nn.functional.")
    first, _, last = name.partition(".")
    if last:
        name = f"{first}_{last}" if first in SPACES else first
    space = library(owner)
    return f"{space}::{OTHERS.get(name, name) if space == 'aten' else name}"


def dotted_names() -> dict[int, str]:
    """Identity of each loaded function of ops -> its name in core's table."""
    from wengert_core import TABLE

    loaded = list(dict.items(TABLE.ops))  # in one step: another thread may load a family meanwhile
    return {id(op): name for name, op in loaded}
