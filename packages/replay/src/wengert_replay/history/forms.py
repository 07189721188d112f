"""Forms of results of a recorded function: which of them have a graph, and where that ends."""

from __future__ import annotations

from typing import Any

from wengert_core import empty
from wengert_core.extend import Tensor

from wengert_replay.history.edges import outer_leaves
from wengert_replay.history.node import has_graph
from wengert_replay.history.outside import predates, read_outside, shares_memory, tensors_outside
from wengert_replay.history.runs import Form
from wengert_replay.owners import refuse_own_leaves
from wengert_replay.recording.tracing import Recording

LEAF = empty(0, requires_grad=True)
"""The end of a node whose function differentiates by nothing that anybody else has. It never gets a gradient."""


def form_of(
    structure: Any, results: list[Tensor], recording: Recording, clock: int, holder: list[Any] | None = None
) -> tuple[Form, str]:
    """Return what results of a recorded function are, and why they cannot be those of a node: "" or words.

    holder: a list of what the function has given, to which nobody else refers.
    """
    inputs = recording.inputs
    outputs = [i for i, one in enumerate(results) if has_graph(one) and all(one is not t for t in inputs)]
    leaves, why = outer_leaves([results[i] for i in outputs], inputs, clock)
    if not why and holder is not None:
        refuse_own_leaves(recording, leaves, results, holder)
    ends = [i for i, one in enumerate(inputs) if one.requires_grad]
    leaves = [one for one in leaves if predates(one, recording)]
    known = {id(row[0]) for row in recording.tensors.values()} | {id(row[0]()) for row in recording.views}
    own = [one for one in leaves if id(one) not in known or id(one) in recording.made]
    if not why and any(shares_memory(one, [inputs[i] for i in ends]) for one in own):
        why = "the graph of a result leads to a leaf that the function makes of an argument"
    if outputs and not ends and not leaves and not why:  # their graph leads to leaves that the function makes
        leaves = own = [LEAF]
    form = Form(structure, outputs, ends, leaves, read_outside(recording, leaves), own, tensors_outside(recording))
    return form, why or form.note_retained(results)
