"""The names of torch.cuda's graphs for the simulated device."""

from __future__ import annotations

from wengert_core.extend import accelerator_functions
from wengert_replay.devices.graphs import graph_names

SIM = accelerator_functions("sim")
NAMES = graph_names("sim")
CUDAGraph, graph, make_graphed_callables = (NAMES[name] for name in ("CUDAGraph", "graph", "make_graphed_callables"))


def capture(function, **options):
    """Capture a function; return the graph and what the function gave."""
    made = CUDAGraph()
    with graph(made, **options):
        result = function()
    return made, result
